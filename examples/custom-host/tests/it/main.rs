//! One module for each promise.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that fails may panic")]

mod found;
mod misbehaving;
mod rivals;
