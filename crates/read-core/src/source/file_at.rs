//! Reading an open file at a position.

use std::fs::File;
use std::io;

/// Reads at a position without moving a cursor that anybody relies on.
#[cfg(unix)]
pub(crate) fn read_file_at(file: &File, buf: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buf, offset)
}

/// Reads at a position without moving a cursor that anybody relies on.
#[cfg(windows)]
pub(crate) fn read_file_at(file: &File, buf: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buf, offset)
}

/// Reads at a position without moving a cursor that anybody relies on.
#[cfg(not(any(unix, windows)))]
pub(crate) fn read_file_at(_: &File, _: &mut [u8], _: u64) -> io::Result<usize> {
    Err(io::ErrorKind::Unsupported.into())
}
