//! What the reader promises, each promise in a module of its own. Databases are made by the `sqlite3` program and read
//! through the pipeline, from disk; after every read the folder must be what it was.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stderr,
    reason = "tests fail by panicking, and say aloud what they skip"
)]

mod bench;
mod beside;
mod cells;
mod conformance;
mod damage;
mod differential;
mod journal;
mod keys;
mod list;
mod locks;
mod names;
mod pages;
mod queries;
mod read_only;
mod tables;
mod wal;
