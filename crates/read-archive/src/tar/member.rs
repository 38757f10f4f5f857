//! One member of a tar as a source: a part of the file, or of the stream.

use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

use read_core::{Body, ErrorCode, Noun, ReadError, Slice, Source, Stream, printed};

use super::index::{Form, Index};
use super::sparse::{SparseFile, SparseStream};
use crate::limits::MAX_MAPS;
use crate::time;

/// The member under `path`. `reached` is a stream that stands at its data already.
pub(super) fn open(
    index: &Index,
    number: u32,
    source: &Source,
    path: &[u8],
    reached: Option<Box<dyn Read + Send>>,
) -> Result<Source, ReadError> {
    let gone =
        || ReadError::new(ErrorCode::NotFound, format!("'{}' not found inside archive", printed(path)));
    let record = index.record(number).ok_or_else(gone)?;
    if record.form == Form::Misplaced {
        let message =
            format!("'{}:{}' is damaged: its sparse map makes no sense.", source.path(), printed(path));
        return Err(ReadError::new(ErrorCode::Corrupt, message));
    }
    if record.form == Form::Unkept {
        let message = format!(
            "'{}:{}' is a sparse member whose map is not kept: those of this archive take over {} of memory.",
            source.path(),
            printed(path),
            read_core::size(MAX_MAPS)
        );
        return Err(ReadError::new(ErrorCode::TooLarge, message));
    }
    let map = index.map(record).map(Arc::clone);
    let size = index.size(record);
    let body = if let Some(slice) = source.slice() {
        let stored = slice.sub(record.data, record.stored);
        Body::Slice(match map {
            Some(map) => Slice::new(Arc::new(SparseFile { stored, map }), size),
            None => stored,
        })
    } else {
        let (archive, data, stored) = (source.clone(), record.data, record.stored);
        let reached = Mutex::new(reached);
        let open = move || -> io::Result<Exact<Box<dyn Read + Send>>> {
            let stream = reached.lock().unwrap_or_else(PoisonError::into_inner).take();
            let inner = stream.map_or_else(|| archive.reader_at(data), Ok)?;
            Ok(Exact { inner, left: stored })
        };
        Body::Stream(match map {
            // Holes cost nothing where they are stored: what they become is charged.
            Some(map) => Stream::decoded(move || {
                Ok(Box::new(SparseStream { stored: open()?, map: Arc::clone(&map), position: 0 }))
            }),
            None => Stream::part(move || Ok(Box::new(open()?))),
        })
    };
    let modified = time::utc(record.modified).filter(|_| record.modified != 0);
    let facts = modified.map(|time| ("modified", time));
    let length = match &body {
        Body::Slice(slice) => slice.len(),
        _ => size,
    };
    Ok(source.member(path, Noun::ArchiveEntry, body).with_length(Some(length)).with_facts(facts))
}

/// Exactly so many bytes; an end before that is a fault.
struct Exact<R> {
    inner: R,
    left: u64,
}

impl<R: Read> Read for Exact<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let room = usize::try_from(self.left).unwrap_or(usize::MAX).min(buf.len());
        let Some(buf) = buf.get_mut(..room).filter(|buf| !buf.is_empty()) else { return Ok(0) };
        match self.inner.read(buf)? {
            0 => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "its data is cut")),
            n => {
                self.left = self.left.saturating_sub(n as u64);
                Ok(n)
            }
        }
    }
}
