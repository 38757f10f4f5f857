//! Sparse members: the pieces that are stored, and the holes between them, which are zeros.

use std::io::{self, Read};

use read_core::{ReadAt, Slice};

/// A piece of a member that is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Segment {
    /// Where it stands in the member.
    pub(super) offset: u64,
    pub(super) len: u64,
}

/// Where the stored bytes of a sparse member belong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Map {
    /// In order, none empty, none overlapping.
    segments: Vec<Placed>,
    /// The size of the member with its holes.
    size: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Placed {
    offset: u64,
    len: u64,
    /// Where it begins in what is stored.
    stored: u64,
}

impl Map {
    /// The map of a member of `size` bytes; `None` when its pieces overlap, are out of order, or stick out.
    pub(super) fn new(segments: &[Segment], size: u64) -> Option<Self> {
        let mut placed = Vec::with_capacity(segments.len());
        let (mut end, mut stored) = (0, 0_u64);
        for segment in segments {
            if segment.offset < end {
                return None;
            }
            end = segment.offset.checked_add(segment.len).filter(|end| *end <= size)?;
            if segment.len > 0 {
                placed.push(Placed { offset: segment.offset, len: segment.len, stored });
            }
            stored = stored.checked_add(segment.len)?;
        }
        Some(Self { segments: placed, size })
    }

    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// The bytes of memory that this takes.
    pub(super) fn weight(&self) -> u64 {
        (self.segments.len() * size_of::<Placed>()) as u64
    }

    /// What stands at `offset`: the bytes from there to the next change, and where they are stored; `None` for a hole.
    fn piece(&self, offset: u64) -> (u64, Option<u64>) {
        let behind =
            self.segments.partition_point(|segment| segment.offset.saturating_add(segment.len) <= offset);
        match self.segments.get(behind) {
            Some(segment) if segment.offset <= offset => {
                let into = offset - segment.offset;
                (segment.len - into, Some(segment.stored.saturating_add(into)))
            }
            Some(segment) => (segment.offset - offset, None),
            None => (self.size.saturating_sub(offset), None),
        }
    }
}

/// A sparse member in a file.
pub(super) struct SparseFile {
    pub(super) stored: Slice,
    pub(super) map: Map,
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
    pub(super) map: Map,
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

    fn map(segments: &[(u64, u64)], size: u64) -> Option<Map> {
        let segments: Vec<_> =
            segments.iter().map(|(offset, len)| Segment { offset: *offset, len: *len }).collect();
        Map::new(&segments, size)
    }

    #[test]
    fn holes_are_zeros_wherever_they_are_read() {
        let map = map(&[(2, 3), (7, 0), (8, 2), (12, 0)], 12).unwrap();
        let whole = b"\0\0abc\0\0\0de\0\0";
        let file = Slice::new(
            std::sync::Arc::new(SparseFile { stored: Slice::from_bytes(*b"abcde"), map: map.clone() }),
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
