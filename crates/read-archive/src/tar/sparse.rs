//! Sparse members: the pieces that are stored, and the holes between them, which are zeros.

use std::io::{self, Read};
use std::sync::Arc;

use read_core::{ReadAt, Slice};

/// A piece of a member that is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Segment {
    /// Where it stands in the member.
    pub(super) offset: u64,
    pub(super) len: u64,
}

/// Where the stored bytes of a sparse member belong.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Map {
    /// In order, none empty, none overlapping.
    segments: Vec<Placed>,
    /// Bytes that are stored.
    stored: u64,
    /// The size of the member with its holes.
    size: u64,
}

/// A segment: its length is the distance to the next one in what is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Placed {
    offset: u64,
    /// Where it begins in what is stored.
    stored: u64,
}

impl Map {
    /// The map of a member of `size` bytes; `None` when its pieces overlap, are out of order, or stick out.
    pub(super) fn new(segments: Vec<Segment>, size: u64) -> Option<Self> {
        let (mut end, mut stored) = (0, 0_u64);
        for segment in &segments {
            if segment.offset < end {
                return None;
            }
            end = segment.offset.checked_add(segment.len).filter(|end| *end <= size)?;
            stored = stored.checked_add(segment.len)?;
        }
        let mut before = 0_u64;
        let placed = segments.into_iter().filter(|segment| segment.len > 0).map(|segment| {
            let stored = before;
            before = before.saturating_add(segment.len);
            Placed { offset: segment.offset, stored }
        });
        let mut segments: Vec<Placed> = placed.collect();
        segments.shrink_to_fit();
        Some(Self { segments, stored, size })
    }

    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// The bytes of memory that this takes.
    pub(super) fn weight(&self) -> u64 {
        (size_of::<Self>() + self.segments.len() * size_of::<Placed>()) as u64
    }

    /// What stands at `offset`: the bytes from there to the next change, and where they are stored; `None` for a hole.
    fn piece(&self, offset: u64) -> (u64, Option<u64>) {
        let behind = self.segments.partition_point(|segment| segment.offset <= offset);
        let next = self.segments.get(behind);
        if let Some(segment) = behind.checked_sub(1).and_then(|at| self.segments.get(at)) {
            let end = next.map_or(self.stored, |next| next.stored);
            let (into, len) = (offset - segment.offset, end.saturating_sub(segment.stored));
            if into < len {
                return (len - into, Some(segment.stored.saturating_add(into)));
            }
        }
        (next.map_or(self.size, |next| next.offset).saturating_sub(offset), None)
    }
}

/// A sparse member in a file.
pub(super) struct SparseFile {
    pub(super) stored: Slice,
    pub(super) map: Arc<Map>,
}

impl ReadAt for SparseFile {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let (len, stored) = self.map.piece(offset);
        let n = usize::try_from(len).unwrap_or(usize::MAX).min(buf.len());
        let buf = buf.get_mut(..n).unwrap_or_default();
        if let Some(at) = stored {
            return self.stored.read_at(buf, at);
        }
        buf.fill(0);
        Ok(n)
    }
}

/// A sparse member in a stream, whose stored bytes come in order.
pub(super) struct SparseStream<R> {
    pub(super) stored: R,
    pub(super) map: Arc<Map>,
    pub(super) position: u64,
}

impl<R: Read> Read for SparseStream<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let (len, stored) = self.map.piece(self.position);
        let n = usize::try_from(len).unwrap_or(usize::MAX).min(buf.len());
        let buf = buf.get_mut(..n).unwrap_or_default();
        let n = if stored.is_some() {
            self.stored.read(buf)?
        } else {
            buf.fill(0);
            n
        };
        self.position = self.position.saturating_add(n as u64);
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(segments: &[(u64, u64)], size: u64) -> Option<Arc<Map>> {
        let segments = segments.iter().map(|(offset, len)| Segment { offset: *offset, len: *len });
        Map::new(segments.collect(), size).map(Arc::new)
    }

    #[test]
    fn holes_are_zeros_wherever_they_are_read() {
        let map = map(&[(2, 3), (7, 0), (8, 2), (12, 0)], 12).unwrap();
        let whole = b"\0\0abc\0\0\0de\0\0";
        let file = Slice::new(
            Arc::new(SparseFile { stored: Slice::from_bytes(*b"abcde"), map: Arc::clone(&map) }),
            12,
        );
        for start in 0..=12 {
            let mut buf = [9; 12];
            let n = file.read_full_at(&mut buf, start as u64).unwrap();
            assert_eq!(&buf[..n], &whole[start..]);
        }
        let mut all = Vec::new();
        SparseStream { stored: &b"abcde"[..], map, position: 0 }.read_to_end(&mut all).unwrap();
        assert_eq!(all, whole);
    }

    #[test]
    fn maps_that_lie_are_refused() {
        assert_eq!(map(&[(5, 5), (9, 1)], 20), None);
        assert_eq!(map(&[(5, 20)], 20), None);
        assert_eq!(map(&[(u64::MAX, 2)], u64::MAX), None);
        assert!(map(&[], 0).is_some());
    }
}
