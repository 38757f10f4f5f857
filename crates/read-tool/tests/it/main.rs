//! One module for each promise of the contract.
#![allow(
    clippy::unwrap_used,
    clippy::format_collect,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test that fails may panic, and says so on standard error when it is skipped"
)]

#[cfg(feature = "cli")]
mod command_line;
mod errors;
#[cfg(all(
    feature = "archive",
    feature = "cli",
    feature = "hashline",
    feature = "image",
    feature = "sqlite"
))]
mod guide;
#[cfg(feature = "hashline")]
mod hashline;
#[cfg(all(feature = "mcp", feature = "cli"))]
mod mcp;
#[cfg(all(feature = "mcp", feature = "cli"))]
mod mcp_lines;
#[cfg(all(feature = "mcp", feature = "cli"))]
mod mcp_malformed;
#[cfg(all(feature = "mcp", feature = "cli"))]
mod mcp_slow_client;
mod observations;
mod prepared;
mod reference;
mod resources;
mod schema;

use read_tool::{MemoryFileSystem, ReadTool};

fn tool(files: MemoryFileSystem) -> ReadTool {
    ReadTool::builder().workspace(files).build().unwrap()
}
