//! The Model Context Protocol: the tool as a server, for any client that speaks it.
//!
//! [`Server`] offers one tool over standard input and output, or over a socket:
//!
//! ```no_run
//! use read_tool::mcp::Server;
//! use read_tool::{LocalFileSystem, ReadTool, skills};
//!
//! let files = LocalFileSystem::builder().root("/srv/project").build()?;
//! let tool = ReadTool::builder().workspace(files).resources(skills()).build()?;
//! Server::new(tool).named("read_file").serve_stdio()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What a model gets is what [`ReadTool::read`](crate::ReadTool::read) gives: text and images as content blocks, the
//! [`Details`](crate::Details) in `_meta` under [`DETAILS_KEY`]. A read that fails is a result with `isError`, its message
//! as text and its code in `_meta` under [`ERROR_KEY`]; protocol errors are for malformed requests.

mod content;
mod in_flight;
mod lines;
mod log;
mod malformed;
mod progress;
mod reach;
mod reads;
mod roots;
mod scan;
mod server;
mod service;
mod session;
mod stdio;
mod transport;
mod watch;

pub use content::{DETAILS_KEY, ERROR_KEY};
pub use reads::{GRACE, IMAGE_READS, READS};
pub use roots::Narrowed;
#[cfg(feature = "cli")]
pub(crate) use roots::same_directory;
pub use server::Server;
pub use watch::STUCK_READS;
