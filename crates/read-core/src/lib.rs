//! The core of a read tool.

mod cache;
mod context;
mod error;
mod filesystem;
mod guard;
mod limits;
mod meter;
mod names;
mod observer;
mod output;
mod reader;
mod registry;
mod source;

pub use cache::Cache;
pub use context::{LineStyle, ReadContext, Request};
pub use error::{ErrorCode, ReadError};
pub use filesystem::*;
pub use guard::{Guard, Unguarded};
pub use limits::{HEAD, Large, Limits, MAX_PATH, MAX_TARGET};
pub use meter::{Bounds, Budget, Cancel, Meter, Progress, Trip};
pub use names::{decoded, natural_order, printed, shortened, size};
pub use observer::{End, Imprint, Observer, Subject, Tap};
pub use output::{Block, Details, ImageBlock, ImageDetails, Notice, Rank, ReadOutput, Text, Truncated, TruncatedBy};
pub use reader::{Match, Outcome, Probe, ReaderHelp, Strength, TargetReader};
pub use registry::{Reader, Registry};
#[cfg(feature = "inventory")]
pub use registry::Registration;
pub use source::{Body, Entries, Entry, EntryKind, Identity, Noun, ReadAt, Recipe, Slice, SliceReader, Source, Spool, Stream};

#[cfg(feature = "inventory")]
#[doc(hidden)]
pub use inventory;
