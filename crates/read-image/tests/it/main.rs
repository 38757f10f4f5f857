//! What the image reader promises, one module a promise.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test may fall; the lints know only test functions"
)]

mod animations;
mod bounds;
mod colours;
mod conformance;
mod containers;
mod damage;
mod fitting;
mod formats;
mod made;
mod meter;
mod orientation;
mod pass_through;
mod selectors;
