//! What the archive readers promise, one module a promise.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "what is allowed in tests is allowed in what they share"
)]

mod bombs;
mod conformance;
mod damage;
mod glance;
mod guard;
mod gzip;
mod links;
mod lookup;
mod make;
mod members;
mod mutation;
mod names;
mod nested;
mod siblings;
mod streams;
mod support;
mod tar_format;
mod tools;
mod zip_format;
