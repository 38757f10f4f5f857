//! The promises of the crate, one module each.

#![allow(
    clippy::unwrap_used,
    clippy::string_slice,
    reason = "a test may fall; the lints know only test functions"
)]

mod collisions;
mod drift;
mod hostile_text;
mod printed;
mod store;
mod tag;
