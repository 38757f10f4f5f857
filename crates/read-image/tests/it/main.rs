//! What the image reader promises, one module a promise.

mod animations;
mod bounds;
mod colours;
mod containers;
mod damage;
mod fitting;
mod formats;
mod made;
mod meter;
mod orientation;
mod pass_through;
mod selectors;
