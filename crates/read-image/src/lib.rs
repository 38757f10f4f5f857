//! The image reader of a read tool: a picture as a model will see it, within what its provider takes.
//!
//! [`READER`] is one [`TargetReader`](read_core::TargetReader) for `read-core`. A read goes one way: the format is
//! recognised by content, the header alone tells size and cost before anything is decoded, and what is
//! upright and within the limits passes byte for byte, after a full decode proved it whole. Everything else is decoded under a bound
//! of memory, turned, scaled and encoded again, and a note says by how much, so that coordinates can be mapped back.
//!
//! ```
//! use read_core::{Cancel, MemoryFileSystem, Pipeline, Registry, Request};
//! use read_image::{ImageLimits, ImageReader};
//!
//! // Limits of a provider; a registry takes readers for the life of the program.
//! static READER: ImageReader = ImageReader::new(ImageLimits::anthropic());
//!
//! let gif = b"GIF89a\x01\0\x01\0\x80\0\0\xff\xff\xff\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";
//! let pipeline = Pipeline::new(MemoryFileSystem::new().with("dot.gif", gif.as_slice()))
//!     .with_registry(Registry::core().with(&READER));
//! let output = pipeline.read("dot.gif", &Request::default(), Cancel::new())?;
//! assert_eq!(output.to_text(), "[Image: dot.gif, 1x1, image/gif]");
//! # Ok::<(), read_core::ReadError>(())
//! ```
//!
//! What is shown of which format, and every limit, is in the readme and in [`ImageLimits`].

mod cursor;
mod decode;
mod fault;
mod fit;
mod header;
mod limits;
mod note;
mod orient;
mod reader;
mod recognise;
mod whole;

pub use limits::ImageLimits;
pub use reader::{ImageReader, READER};

/// Runs the example of the readme.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
