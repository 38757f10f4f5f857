//! The disk, confined to the roots of the workspace.

use std::io;

/// Reads at a position without moving a cursor.
pub(crate) fn read_file_at(file: &std::fs::File, buf: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buf, offset)
}
