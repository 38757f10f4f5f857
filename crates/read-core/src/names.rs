//! How names and sizes are printed: one line each, nothing hidden, readable back.

mod escape;
mod natural;
mod size;

pub(crate) use escape::invisible;
pub use escape::{decoded, printed, shortened};
pub use natural::natural_order;
pub(crate) use size::count;
pub use size::size;
