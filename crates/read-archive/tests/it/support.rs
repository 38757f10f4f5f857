//! A pipeline over files in memory, and real tools where they are there.

use std::path::Path;
use std::process::{Command, Stdio};

use read_archive::{GZIP, TAR, ZIP};
use read_core::{
    Cancel, ErrorCode, LocalFileSystem, MemoryFileSystem, Pipeline, ReadError, ReadOutput, Registry, Request,
};

pub(crate) fn registry() -> Registry {
    Registry::core().with(ZIP).with(TAR).with(GZIP)
}

pub(crate) fn pipeline(files: &[(&str, &[u8])]) -> Pipeline {
    let store = MemoryFileSystem::new();
    for (name, bytes) in files {
        store.insert(name, *bytes);
    }
    Pipeline::new(store).with_registry(registry())
}

/// A pipeline over a folder of the disk.
pub(crate) fn on_disk(folder: &Path) -> Pipeline {
    let files = LocalFileSystem::builder().root(folder).build().unwrap();
    Pipeline::new(files).with_registry(registry())
}

pub(crate) fn output(pipeline: &Pipeline, target: &str) -> Result<ReadOutput, ReadError> {
    pipeline.read(target, &Request::default(), Cancel::new())
}

pub(crate) fn text(pipeline: &Pipeline, target: &str) -> String {
    match output(pipeline, target) {
        Ok(output) => output.to_text(),
        Err(error) => panic!("{target}: {error}"),
    }
}

pub(crate) fn code(pipeline: &Pipeline, target: &str) -> ErrorCode {
    match output(pipeline, target) {
        Ok(output) => panic!("{target} was read: {}", output.to_text()),
        Err(error) => error.code(),
    }
}

/// The only file, read.
pub(crate) fn one(name: &str, bytes: &[u8], rest: &str) -> Result<String, ReadError> {
    let target = if rest.is_empty() { name.to_owned() } else { format!("{name}:{rest}") };
    output(&pipeline(&[(name, bytes)]), &target).map(|output| output.to_text())
}

/// Runs a tool in a folder; false, said aloud, where it is not installed.
pub(crate) fn run(folder: &Path, tool: &str, args: &[&str]) -> bool {
    let command = Command::new(tool)
        .args(args)
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let Ok(status) = command else { return skipped(tool) };
    assert!(status.success(), "{tool} {args:?}: {status}");
    true
}

/// What a tool prints; `None`, said aloud, where it is not installed.
pub(crate) fn printed(folder: &Path, tool: &str, args: &[&str]) -> Option<Vec<u8>> {
    let output = Command::new(tool).args(args).current_dir(folder).stderr(Stdio::null()).output();
    let Ok(output) = output else {
        skipped(tool);
        return None;
    };
    Some(output.stdout)
}

fn skipped(tool: &str) -> bool {
    eprintln!("skipped: {tool} is not installed");
    false
}
