//! The bytes of an open file.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;

use crate::source::read_file_at;
use crate::source::{Body, Identity, ReadAt, Slice, Stream};

/// An open file, read at positions only.
struct Handle(File);

impl ReadAt for Handle {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        read_file_at(&self.0, buf, offset)
    }

    fn as_file(&self) -> Option<&File> {
        Some(&self.0)
    }
}

/// The content of a regular file that says to be `length` bytes long.
pub(super) fn body(file: File, length: u64) -> Body {
    if length == 0 && has_content(&file) {
        let file = Arc::new(file);
        return Body::Stream(Stream::view(move || Ok(Box::new(InOrder { file: Arc::clone(&file), at: 0 }))));
    }
    Body::Slice(Slice::new(Arc::new(Handle(file)), length))
}

/// Whether a file of size 0 has content all the same, as those in `/proc` do. An error is for the one who reads.
fn has_content(file: &File) -> bool {
    !matches!(read_file_at(file, &mut [0; 64], 0), Ok(0))
}

/// A file without a size, from its first byte on.
struct InOrder {
    file: Arc<File>,
    at: u64,
}

impl Read for InOrder {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = read_file_at(&self.file, buf, self.at)?;
        self.at = self.at.saturating_add(n as u64);
        Ok(n)
    }
}

/// What tells this content from another.
pub(super) fn identity(metadata: &std::fs::Metadata) -> Identity {
    let nanoseconds = |n: i64| u32::try_from(n).unwrap_or(0);
    Identity::of_file(
        metadata.dev(),
        metadata.ino(),
        metadata.size(),
        (metadata.mtime(), nanoseconds(metadata.mtime_nsec())),
        (metadata.ctime(), nanoseconds(metadata.ctime_nsec())),
    )
}
