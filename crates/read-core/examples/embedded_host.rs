//! An embedded host: its files lie in memory, and nothing else is linked. Prints what a model would see of a target.
//!
//! `cargo run -p read-core --example embedded_host -- notes.txt:2-3`

#![expect(clippy::print_stdout, reason = "an example shows its output")]

use read_core::{Cancel, MemoryFileSystem, Pipeline, Request};

fn main() -> Result<(), read_core::ReadError> {
    let files = MemoryFileSystem::new()
        .with("notes.txt", "first\nsecond\nthird\nfourth\n")
        .with("conf/device.toml", "name = \"pump\"\nbaud = 9600\n");
    let pipeline = Pipeline::new(files);

    let target = std::env::args().nth(1).unwrap_or_else(|| "notes.txt:2-3".to_owned());
    let output = pipeline.read(&target, &Request::default(), Cancel::new())?;
    println!("{}", output.to_text());
    Ok(())
}
