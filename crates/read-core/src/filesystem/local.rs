//! The disk, confined to the roots of the workspace.
//!
//! A [`LocalFileSystem`] holds its roots as open directories. Paths are walked from those handles and never handed to
//! the operating system as a whole string that somebody else could re-point in between: on Linux `openat2` refuses to
//! leave the handle or to follow a link; where it is missing, and for the links that the policy allows, the path is
//! walked one component at a time, no link ever followed by the kernel. What was resolved is opened by its canonical
//! path, again without following anything, and what was opened is looked at through its own handle.
//!
//! [`LocalFileSystem::ambient`] is the same without a workspace, for a command line: paths mean what the shell means,
//! and deny rules and the regular-file check still hold.
//!
//! It needs a Unix system; on others this module holds nothing and a host brings its own
//! [`FileSystem`](crate::FileSystem).

#[cfg(unix)]
mod ambient;
#[cfg(unix)]
mod beneath;
#[cfg(unix)]
mod builder;
#[cfg(unix)]
mod directory;
#[cfg(unix)]
mod disk;
#[cfg(unix)]
mod file;
#[cfg(unix)]
mod file_system;
#[cfg(unix)]
mod judge;
#[cfg(unix)]
mod open;
#[cfg(unix)]
mod place;
#[cfg(unix)]
mod refusal;
#[cfg(unix)]
mod resolve;
#[cfg(unix)]
mod roots;
#[cfg(unix)]
mod walk;

#[cfg(unix)]
pub use builder::{LocalFileSystemBuilder, SymlinkPolicy};
#[cfg(unix)]
pub use file_system::LocalFileSystem;
