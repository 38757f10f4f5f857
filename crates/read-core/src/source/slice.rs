//! Positioned reads over a file, a part of one, or bytes in memory.

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

use crate::meter::Meter;

/// Bytes that can be read at any position without moving a cursor, so that clones never disturb each other.
pub trait ReadAt: Send + Sync {
    /// Reads some bytes at `offset` into `buf`; 0 at the end.
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize>;

    /// All the bytes, when they lie in memory.
    fn as_bytes(&self) -> Option<&[u8]> {
        None
    }

    /// The open file behind, when there is one: for advisory locks and for a check of what changed, never for its path.
    fn as_file(&self) -> Option<&std::fs::File> {
        None
    }
}

impl ReadAt for Arc<[u8]> {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let rest = usize::try_from(offset).ok().and_then(|offset| self.get(offset..)).unwrap_or_default();
        let mut rest = rest;
        rest.read(buf)
    }

    fn as_bytes(&self) -> Option<&[u8]> {
        Some(self)
    }
}

/// A part of something that can be read at any position. Cheap to clone.
#[derive(Clone)]
pub struct Slice {
    at: Arc<dyn ReadAt>,
    start: u64,
    len: u64,
    meter: Option<Meter>,
}

impl fmt::Debug for Slice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Slice").field("start", &self.start).field("len", &self.len).finish_non_exhaustive()
    }
}

impl Slice {
    /// The first `len` bytes of `at`.
    pub fn new(at: Arc<dyn ReadAt>, len: u64) -> Self {
        Self { at, start: 0, len, meter: None }
    }

    /// Bytes in memory.
    pub fn from_bytes(bytes: impl Into<Arc<[u8]>>) -> Self {
        let bytes: Arc<[u8]> = bytes.into();
        let len = bytes.len() as u64;
        Self::new(Arc::new(bytes), len)
    }

    /// The length in bytes.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// What lies behind: the whole file, not only this part.
    pub fn at(&self) -> &Arc<dyn ReadAt> {
        &self.at
    }

    /// Where this part begins in what lies behind.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// At most `len` bytes from `offset` on; less where this slice ends.
    #[must_use]
    pub fn sub(&self, offset: u64, len: u64) -> Self {
        let offset = offset.min(self.len);
        Self { start: self.start.saturating_add(offset), len: len.min(self.len - offset), ..self.clone() }
    }

    /// Reads some bytes at `offset`; 0 at the end.
    pub fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let room = usize::try_from(self.len.saturating_sub(offset)).unwrap_or(usize::MAX);
        let want = buf.len().min(room);
        let Some(buf) = buf.get_mut(..want).filter(|buf| !buf.is_empty()) else { return Ok(0) };
        if let Some(meter) = &self.meter {
            meter.check()?;
        }
        loop {
            match self.at.read_at(buf, self.start.saturating_add(offset)) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(n) => {
                    if let Some(meter) = &self.meter {
                        meter.consume(n as u64);
                    }
                    return Ok(n);
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Reads at `offset` until `buf` is full or the end is reached; gives how many bytes there were.
    pub fn read_full_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut done = 0;
        while let Some(rest) = buf.get_mut(done..).filter(|rest| !rest.is_empty()) {
            match self.read_at(rest, offset.saturating_add(done as u64))? {
                0 => break,
                n => done += n,
            }
        }
        Ok(done)
    }

    /// A reader with a cursor of its own.
    pub fn reader(&self) -> SliceReader {
        SliceReader { slice: self.clone(), position: 0 }
    }

    /// The same without its meter, and that: for whoever reads from several threads, and meters in one.
    pub(crate) fn detached(&self) -> (Self, Option<Meter>) {
        let mut slice = self.clone();
        let meter = slice.meter.take();
        (slice, meter)
    }

    pub(crate) fn attach(&mut self, meter: Meter) {
        self.meter = Some(meter);
    }
}

/// A cursor over a [`Slice`].
#[derive(Clone, Debug)]
pub struct SliceReader {
    slice: Slice,
    position: u64,
}

impl Read for SliceReader {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.slice.read_at(buf, self.position)?;
        self.position = self.position.saturating_add(n as u64);
        Ok(n)
    }
}

impl Seek for SliceReader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let target = match to {
            SeekFrom::Start(offset) => Some(offset),
            SeekFrom::End(delta) => self.slice.len.checked_add_signed(delta),
            SeekFrom::Current(delta) => self.position.checked_add_signed(delta),
        };
        self.position = target.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_never_shows_its_surroundings() {
        let whole = Slice::from_bytes(*b"0123456789");
        let part = whole.sub(2, 5).sub(1, 100);
        let mut buf = [0; 16];
        let n = part.read_full_at(&mut buf, 0).unwrap();
        assert_eq!(&buf[..n], b"3456");
        assert_eq!(part.read_at(&mut buf, 4).unwrap(), 0);
        assert_eq!(whole.sub(50, 1).len(), 0);
    }

    #[test]
    fn a_cursor_seeks_and_refuses_to_stand_before_the_start() {
        let mut reader = Slice::from_bytes(*b"0123456789").reader();
        reader.seek(SeekFrom::End(-2)).unwrap();
        let mut rest = String::new();
        reader.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "89");
        assert!(reader.seek(SeekFrom::Current(-11)).is_err());
    }
}
