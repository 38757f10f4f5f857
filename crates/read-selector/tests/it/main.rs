//! What the crate promises of every input, checked on generated ones.

mod cutting;
mod hostile;
mod ranges;
mod selectors;
