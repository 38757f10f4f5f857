//! Reads targets that lead through archives: `cargo run --example members -- dist.zip:pkg/main.py:1-20 backup.tar.gz`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example prints")]

use std::process::ExitCode;
use std::sync::Arc;

use read_archive::{GZIP, TAR, ZIP};
use read_core::{Cancel, LocalFileSystem, Pipeline, ReadError, Registry, Request, Unguarded};

fn main() -> Result<ExitCode, ReadError> {
    let files = LocalFileSystem::ambient(Arc::new(Unguarded))?;
    let pipeline = Pipeline::new(files).with_registry(Registry::core().with(ZIP).with(TAR).with(GZIP));
    let mut code = ExitCode::SUCCESS;
    for target in std::env::args().skip(1) {
        match pipeline.read(&target, &Request::default(), Cancel::new()) {
            Ok(output) => println!("{}", output.to_text()),
            Err(error) => {
                eprintln!("{target}: {error} ({})", error.code().as_str());
                code = ExitCode::FAILURE;
            }
        }
    }
    Ok(code)
}
