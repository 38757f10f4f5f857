//! A host: it reads targets below the directory that it is started in, with core's readers and those that it links.
//!
//! `cargo run -p custom-host -- data.csv:1-5`

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program prints")]

use std::process::ExitCode;

// The linker leaves out a crate that nobody names, and its readers with it.
use csv_reader as _;
use read_core::{Cancel, LocalFileSystem, Pipeline, ReadError, Registry, Request};

fn main() -> ExitCode {
    let targets: Vec<String> = std::env::args().skip(1).collect();
    if targets.is_empty() {
        eprintln!("usage: custom-host TARGET…");
        for reader in Registry::discovered().iter() {
            eprintln!("\n{} ({})\n{}", reader.help().reads, reader.package(), reader.help().targets);
        }
        return ExitCode::from(2);
    }
    for target in targets {
        match read(&target) {
            Ok(text) => println!("{text}"),
            Err(error) => {
                eprintln!("custom-host: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

fn read(target: &str) -> Result<String, ReadError> {
    let files = LocalFileSystem::builder().root(".").build()?;
    let pipeline = Pipeline::new(files).with_registry(Registry::discovered());
    let output = pipeline.read(target, &Request::default(), Cancel::new())?;
    Ok(output.to_text())
}
