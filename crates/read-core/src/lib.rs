//! The core of a read tool: it turns a *target* such as `src/ui.rs:200-260` into a small, honest block of text for a model.
//!
//! Everything goes one way: a target is [resolved](Pipeline::resolve) to the longest path that exists, the [`FileSystem`]
//! opens it under its policy, dispatch asks every [`TargetReader`] whether it knows the [`Source`], the strongest one reads
//! it or hands on an inner source, and text is decoded, windowed and cut in one place, whatever it comes from.
//!
//! ```
//! use read_core::{Cancel, MemoryFileSystem, Pipeline, Request};
//!
//! let files = MemoryFileSystem::new().with("notes.txt", "one\ntwo\nthree\n");
//! let pipeline = Pipeline::new(files);
//! let output = pipeline.read("notes.txt:2-2", &Request::default(), Cancel::new())?;
//! assert_eq!(output.to_text(), "two\n\n[1 more line in file. Use :3- to continue.]");
//! assert_eq!(output.details.total_lines, Some(3));
//!
//! let error = pipeline.read("note.txt", &Request::default(), Cancel::new()).unwrap_err();
//! assert_eq!(error.suggestions(), ["notes.txt"]);
//! # Ok::<(), read_core::ReadError>(())
//! ```

mod cache;
mod caps;
#[cfg(feature = "conformance")]
pub mod conformance;
mod context;
mod directory;
mod dispatch;
mod error;
mod filesystem;
mod guard;
mod limits;
mod listing;
mod media_type;
mod meter;
mod names;
mod near;
mod observer;
mod output;
mod pipeline;
mod reader;
mod registry;
mod resolution;
mod resolve;
mod resources;
mod source;
mod stream_fault;
mod text;
mod view;

pub use cache::Cache;
pub use context::{LineStyle, ReadContext, Request};
pub use error::{ErrorCode, ReadError};
pub use filesystem::*;
#[cfg(feature = "deny-rules")]
pub use guard::DenyRules;
pub use guard::{AllOf, Guard, Unguarded};
pub use limits::{HEAD, Large, Limits, MAX_PATH, MAX_TARGET};
pub use listing::Listing;
pub use meter::{Bounds, Budget, Cancel, Meter, Progress, Trip};
pub use names::{count, decoded, natural_order, printed, shortened, size};
pub use near::Near;
pub use observer::{End, Imprint, Observer, Subject, Tap};
pub use output::{
    Block, Details, ImageBlock, ImageDetails, Notice, Rank, ReadOutput, Text, Truncated, TruncatedBy,
};
pub use pipeline::Pipeline;
pub use read_selector as selector;
pub use reader::{Answer, Match, Outcome, Probe, ReaderHelp, Strength, TargetReader};
#[cfg(feature = "inventory")]
pub use registry::Registration;
pub use registry::{Reader, Registry};
pub use resolution::Resolution;
pub use resources::{EmbeddedResources, Resources};
pub use source::{
    Body, Entries, Entry, EntryKind, Identity, Noun, ReadAt, Recipe, Slice, SliceReader, Source, Spool,
    Stream,
};
pub use stream_fault::{StreamFault, damage_notices};
pub use view::Window;

#[cfg(feature = "inventory")]
#[doc(hidden)]
pub use inventory;

/// Runs the examples of the readme.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
