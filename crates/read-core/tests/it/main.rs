//! One module for each promise of the contract.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::string_slice,
    clippy::cast_possible_truncation,
    clippy::format_push_string,
    clippy::format_collect,
    clippy::print_stderr,
    reason = "a test that fails may panic, and says so on standard error when it is skipped"
)]

mod byte_windows;
mod changes;
#[cfg(feature = "conformance")]
mod conformance;
mod dispatch;
mod encodings;
mod facts;
mod following;
mod guarded;
mod limits;
mod listings;
mod notices;
mod own_reader;
mod raw;
mod tails;
mod threads;
mod windows;

use read_core::{Cancel, Limits, MemoryFileSystem, Pipeline, ReadError, ReadOutput, Request};

/// A pipeline over one file called `f.txt`.
fn file(content: impl Into<Vec<u8>>) -> Pipeline {
    Pipeline::new(MemoryFileSystem::new().with("f.txt", content))
}

fn limited(content: impl Into<Vec<u8>>, change: impl FnOnce(&mut Limits)) -> Pipeline {
    let mut limits = Limits::default();
    change(&mut limits);
    file(content).with_limits(limits)
}

fn read(pipeline: &Pipeline, target: &str) -> Result<ReadOutput, ReadError> {
    pipeline.read(target, &Request::default(), Cancel::new())
}

fn request(change: impl FnOnce(&mut Request)) -> Request {
    let mut request = Request::default();
    change(&mut request);
    request
}

/// The text of a read that succeeds.
fn text(pipeline: &Pipeline, target: &str) -> String {
    read(pipeline, target).unwrap_or_else(|error| panic!("{target}: {error}")).to_text()
}

/// Lines `1\n2\n…`.
fn numbers(n: u64) -> String {
    (1..=n).map(|n| format!("{n}\n")).collect()
}
