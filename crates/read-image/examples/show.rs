//! Reads an image as a model would be given it: `cargo run -p read-image --example show -- PICTURE [OUTPUT]`.
//!
//! Prints the text that goes with it, and writes the image block to OUTPUT.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "printing is what this example is for")]

use std::process::ExitCode;

use read_core::{Block, Cancel, MemoryFileSystem, Pipeline, Registry, Request};
use read_image::{ImageLimits, ImageReader};

/// A host that knows its model gives the limits of that model's provider.
static READER: ImageReader = ImageReader::new(ImageLimits::anthropic());

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(path) = arguments.next() else {
        eprintln!("usage: show PICTURE [OUTPUT]");
        return ExitCode::from(2);
    };
    match show(&path, arguments.next().as_deref()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn show(path: &str, output: Option<&str>) -> Result<(), Box<dyn std::error::Error>> {
    let files = MemoryFileSystem::new().with("picture", std::fs::read(path)?);
    let pipeline = Pipeline::new(files).with_registry(Registry::core().with(&READER));
    let read = pipeline.read("picture", &Request::default(), Cancel::new())?;
    println!("{}", read.to_text());
    for block in &read.blocks {
        if let (Block::Image(image), Some(output)) = (block, output) {
            std::fs::write(output, &image.data)?;
            println!("{} bytes of {} written to {output}", image.data.len(), image.media_type);
        }
    }
    Ok(())
}
