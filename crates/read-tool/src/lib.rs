//! A read tool for AI agents: one call turns a *target* such as `src/ui.rs:200-260`, `logs/app.log:-50` or `docs` into a
//! small, honest block of text that a model can act on.
//!
//! ```
//! use read_tool::{Arguments, Cancel, MemoryFileSystem, ReadTool};
//!
//! let files = MemoryFileSystem::new().with("src/lib.rs", "fn main() {}\n");
//! let tool = ReadTool::builder().workspace(files).build()?;
//!
//! // One step, for callers that need no gate …
//! assert_eq!(tool.read("src/lib.rs")?.to_text(), "fn main() {}\n");
//!
//! // … or two: what a model sent is decoded and resolved once, a gate decides, and the read runs.
//! let arguments = Arguments::from_json(&serde_json::json!({ "path": "src/lib.rs:1-1" }))?;
//! let prepared = tool.prepare(&arguments)?;
//! assert_eq!(prepared.requirements()[0].path, "src/lib.rs");
//! let output = tool.run(prepared, &Cancel::new())?;
//! assert_eq!(output.details.reader, "text");
//! # Ok::<(), read_tool::ReadError>(())
//! ```
//!
//! The crates that it is assembled of are here under their own names, as far as their features are on: [`core`] with what readers are
//! made of, `hashline`, and the readers with their limits, `archive`, `image` and `sqlite`.

// Every dependency here brings a reader or a host's interface: one that is no longer used would be built for nothing. The
// readers' crates are named in `registry`, or the linker would leave them out.
#![cfg_attr(not(test), deny(unused_crate_dependencies))]

#[cfg(all(not(unix), any(feature = "cli", feature = "mcp")))]
compile_error!(
    "the features `cli` and `mcp` of read-tool need Unix: name others with `default-features = false`"
);

#[cfg(feature = "hashline")]
mod anchors;
mod arguments;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
mod description;
mod ledger;
#[cfg(feature = "mcp")]
pub mod mcp;
mod not_built_in;
mod prepared;
mod registry;
mod schema;
mod skills;
mod tool;

pub use arguments::Arguments;
pub use ledger::{CanEdit, Completeness, Ledger, LedgerLimits, Loaded, StoredLedger};
pub use prepared::{PreparedRead, Requirement};
pub use registry::registry;
pub use schema::{SchemaFormat, ToolDefinition};
pub use skills::skills;
pub use tool::{ReadTool, ReadToolBuilder};

// What a host works with. What only readers need is in `core`.
pub use read_core::{
    Block, Cache, Cancel, DenyRules, Details, EmbeddedResources, ErrorCode, FileSystem, Guard, ImageBlock,
    ImageDetails, Large, Limits, LineStyle, MemoryFileSystem, Observer, Progress, ReadError, ReadOutput,
    Reader, Registry, Resources, Spool, Text, Truncated, TruncatedBy, Unguarded,
};
#[cfg(unix)]
pub use read_core::{LocalFileSystem, LocalFileSystemBuilder, SymlinkPolicy};

#[cfg(feature = "archive")]
pub use read_archive as archive;
pub use read_core as core;
#[cfg(feature = "hashline")]
pub use read_hashline as hashline;
#[cfg(feature = "image")]
pub use read_image as image;
#[cfg(feature = "sqlite")]
pub use read_sqlite as sqlite;

/// Runs the examples of the readmes.
#[cfg(doctest)]
mod readme {
    #[doc = include_str!("../README.md")]
    mod of_the_crate {}

    #[doc = include_str!("../../../README.md")]
    mod of_the_workspace {}

    #[cfg(feature = "hashline")]
    #[doc = include_str!("../../../docs/guide.md")]
    mod of_the_guide {}

    #[cfg(feature = "mcp")]
    #[doc = include_str!("../../../docs/mcp.md")]
    mod of_the_server {}
}
