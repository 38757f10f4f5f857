//! Images as a model will see them, within its limits.
//!
#![doc = include_str!("../README.md")]

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
