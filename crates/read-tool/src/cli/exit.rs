//! What the program's exit status says: 0 read, 1 not read, 2 usage.

use std::io;
use std::process::ExitCode;

/// A read that failed.
pub(super) const NOT_READ: u8 = 1;
/// A command line that makes no sense.
pub(super) const USAGE: u8 = 2;

/// The exit status of a read whose answer went out, or did not: the reader may have closed the stream.
pub(super) fn status(written: &io::Result<()>) -> ExitCode {
    if written.is_ok() { ExitCode::SUCCESS } else { ExitCode::from(NOT_READ) }
}
