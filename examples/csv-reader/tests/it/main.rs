//! One module for each promise.
#![allow(clippy::unwrap_used, clippy::panic, clippy::format_collect, reason = "a test that fails may panic")]

mod conformance;
mod guide;
mod hostile_tables;
mod pages;
mod tables;

use read_core::{Cancel, Limits, MemoryFileSystem, Pipeline, ReadError, ReadOutput, Registry, Request};

fn pipeline(name: &str, content: impl Into<Vec<u8>>) -> Pipeline {
    let files = MemoryFileSystem::new().with(name, content);
    Pipeline::new(files).with_registry(Registry::core().with(csv_reader::READER))
}

fn csv(content: impl Into<Vec<u8>>) -> Pipeline {
    pipeline("t.csv", content)
}

fn limited(content: impl Into<Vec<u8>>, change: impl FnOnce(&mut Limits)) -> Pipeline {
    let mut limits = Limits::default();
    change(&mut limits);
    csv(content).with_limits(limits)
}

fn read(pipeline: &Pipeline, target: &str) -> Result<ReadOutput, ReadError> {
    pipeline.read(target, &Request::default(), Cancel::new())
}

fn text(pipeline: &Pipeline, target: &str) -> String {
    read(pipeline, target).unwrap_or_else(|error| panic!("{target}: {error}")).to_text()
}

/// A table `id,name` with so many rows.
fn rows(n: u64) -> String {
    "id,name\n".to_owned() + &(1..=n).map(|n| format!("{n},row {n}\n")).collect::<String>()
}
