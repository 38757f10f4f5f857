//! How names and sizes are printed: one line each, nothing hidden, readable back.

mod escape;
mod natural;
mod size;

pub use escape::{decoded, printed, shortened};
pub use natural::natural_order;
pub use size::{count, size};
