//! A buffered cursor over a source's bytes. Seeks within the buffer keep it (the standard one drops it, and JPEG decoders step
//! back all the time), and every refill asks the meter, so that cancellation reaches into a decoder.

use std::io::{self, BufRead, Read, Seek, SeekFrom};

use read_core::{Meter, Slice};

/// The bytes that are read at one time.
const BLOCK: usize = 64 << 10;

/// What failed in the source itself, wrapped so that it is told apart from what a decoder makes of damaged data.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
struct FromSource(io::Error);

impl FromSource {
    fn wrap(error: io::Error) -> io::Error {
        io::Error::new(error.kind(), Self(error))
    }
}

/// The error of the source that is in `error`, where it is one.
pub(crate) fn of_source(error: io::Error) -> Result<io::Error, io::Error> {
    error.downcast::<FromSource>().map(|inner| inner.0)
}

/// A cursor over a slice.
pub(crate) struct Cursor {
    slice: Slice,
    meter: Meter,
    buffer: Box<[u8]>,
    /// Where the buffer's first byte lies in the slice.
    start: u64,
    filled: usize,
    at: usize,
    /// A byte of the slice that reads as another.
    patch: Option<(u64, u8)>,
    /// How many zeros follow the slice.
    zeros: u64,
}

impl Cursor {
    pub(crate) fn new(slice: Slice, meter: Meter) -> Self {
        let block = usize::try_from(slice.len()).unwrap_or(BLOCK).clamp(1, BLOCK);
        Self {
            slice,
            meter,
            buffer: vec![0; block].into(),
            start: 0,
            filled: 0,
            at: 0,
            patch: None,
            zeros: 0,
        }
    }

    /// The same from the first byte on, with one byte that reads as another.
    pub(crate) fn patched(&self, offset: u64, byte: u8) -> Self {
        Self { patch: Some((offset, byte)), ..self.again() }
    }

    /// The same up to `end`, and `zeros` behind it.
    pub(crate) fn cut_and_padded(&self, end: u64, zeros: u64) -> Self {
        Self { zeros, ..self.part(0, end) }
    }

    /// The same from the first byte on.
    pub(crate) fn again(&self) -> Self {
        Self::new(self.slice.clone(), self.meter.clone())
    }

    /// At most `len` bytes from `offset` on.
    pub(crate) fn part(&self, offset: u64, len: u64) -> Self {
        Self::new(self.slice.sub(offset, len), self.meter.clone())
    }

    pub(crate) fn meter(&self) -> &Meter {
        &self.meter
    }

    pub(crate) fn len(&self) -> u64 {
        self.slice.len()
    }

    pub(crate) fn position(&self) -> u64 {
        self.start.saturating_add(self.at as u64)
    }

    /// Moves on by `n` bytes, even beyond the end; reading there gives nothing.
    pub(crate) fn skip(&mut self, n: u64) {
        self.go_to(self.position().saturating_add(n));
    }

    pub(crate) fn go_to(&mut self, target: u64) {
        match target.checked_sub(self.start).and_then(|delta| usize::try_from(delta).ok()) {
            Some(delta) if delta <= self.filled => self.at = delta,
            _ => {
                self.start = target;
                self.filled = 0;
                self.at = 0;
            }
        }
    }

    pub(crate) fn array<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    pub(crate) fn u8(&mut self) -> io::Result<u8> {
        self.array().map(|[byte]| byte)
    }

    pub(crate) fn u16_be(&mut self) -> io::Result<u16> {
        self.array().map(u16::from_be_bytes)
    }

    pub(crate) fn u16_le(&mut self) -> io::Result<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub(crate) fn u32_be(&mut self) -> io::Result<u32> {
        self.array().map(u32::from_be_bytes)
    }

    pub(crate) fn u32_le(&mut self) -> io::Result<u32> {
        self.array().map(u32::from_le_bytes)
    }

    /// `n` bytes. Callers bound `n`.
    pub(crate) fn bytes(&mut self, n: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; n];
        self.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

impl Read for Cursor {
    #[inline]
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let ready = self.fill_buf()?;
        let n = ready.len().min(buf.len());
        if let (Some(to), Some(from)) = (buf.get_mut(..n), ready.get(..n)) {
            to.copy_from_slice(from);
        }
        self.at += n;
        Ok(n)
    }
}

impl BufRead for Cursor {
    #[inline]
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.at >= self.filled {
            self.refill()?;
        }
        Ok(self.buffer.get(self.at..self.filled).unwrap_or_default())
    }

    #[inline]
    fn consume(&mut self, n: usize) {
        self.at = self.at.saturating_add(n).min(self.filled);
    }
}

impl Cursor {
    #[cold]
    fn refill(&mut self) -> io::Result<()> {
        self.meter.check().map_err(|trip| FromSource::wrap(trip.into()))?;
        self.start = self.position();
        self.at = 0;
        self.filled = 0;
        self.filled = match self.start.checked_sub(self.slice.len()) {
            Some(beyond) => self.pad(beyond),
            None => self.slice.read_at(&mut self.buffer, self.start).map_err(FromSource::wrap)?,
        };
        if let Some((offset, byte)) = self.patch
            && let Some(delta) = offset.checked_sub(self.start).and_then(|delta| usize::try_from(delta).ok())
            && let Some(place) = self.buffer.get_mut(..self.filled).and_then(|filled| filled.get_mut(delta))
        {
            *place = byte;
        }
        Ok(())
    }

    /// Fills the buffer with what follows the slice from `beyond` its end on; how much that is.
    fn pad(&mut self, beyond: u64) -> usize {
        let left = usize::try_from(self.zeros.saturating_sub(beyond)).unwrap_or(usize::MAX);
        let filled = left.min(self.buffer.len());
        self.buffer.get_mut(..filled).unwrap_or_default().fill(0);
        filled
    }
}

impl Seek for Cursor {
    #[inline]
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let target = match to {
            SeekFrom::Start(offset) => Some(offset),
            SeekFrom::Current(delta) => self.position().checked_add_signed(delta),
            SeekFrom::End(delta) => self.slice.len().checked_add_signed(delta),
        };
        let target = target.ok_or(io::ErrorKind::InvalidInput)?;
        self.go_to(target);
        Ok(target)
    }

    #[inline]
    fn stream_position(&mut self) -> io::Result<u64> {
        Ok(self.position())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use read_core::{Bounds, Cancel};

    fn cursor(bytes: Vec<u8>) -> Cursor {
        Cursor::new(Slice::from_bytes(bytes), Meter::unbounded())
    }

    #[test]
    fn a_cancelled_read_stops_at_the_next_refill() {
        let cancel = Cancel::new();
        let mut bounds = Bounds::default();
        bounds.cancel = cancel.clone();
        let meter = Meter::start(bounds);
        let mut cursor = Cursor::new(Slice::from_bytes(vec![7; 3 * BLOCK]), meter);
        assert_eq!(cursor.u8().unwrap(), 7);
        cancel.cancel();
        assert!(io::copy(&mut cursor, &mut io::sink()).is_err());
    }

    #[test]
    fn a_patched_byte_reads_as_another() {
        let mut patched = cursor(vec![0; 200_000]).patched(100_000, 9);
        let mut all = Vec::new();
        patched.read_to_end(&mut all).unwrap();
        assert_eq!(all.iter().position(|byte| *byte == 9), Some(100_000));
        assert_eq!(all.len(), 200_000);
    }

    #[test]
    fn what_is_cut_ends_in_zeros() {
        let mut all = Vec::new();
        cursor(vec![9; 70_000]).cut_and_padded(65_537, 7).read_to_end(&mut all).unwrap();
        assert_eq!(all, [vec![9; 65_537], vec![0; 7]].concat());
        let mut tiny = cursor(vec![9; 9]).cut_and_padded(2, 7);
        tiny.go_to(5);
        assert_eq!(io::copy(&mut tiny, &mut io::sink()).unwrap(), 4);
    }

    proptest! {
        #[test]
        fn it_reads_and_seeks_as_the_standard_cursor(
            len in 0_usize..200_000, steps in proptest::collection::vec((0_u8..4, 0_u64..210_000, 0_usize..90_000), 0..40)
        ) {
            let bytes: Vec<u8> = (0..len).map(|i| (i * 31 % 251).to_le_bytes()[0]).collect();
            let mut ours = cursor(bytes.clone());
            let mut theirs = io::Cursor::new(bytes);
            for (what, offset, n) in steps {
                match what {
                    0 => prop_assert_eq!(ours.seek(SeekFrom::Start(offset)).unwrap(), theirs.seek(SeekFrom::Start(offset)).unwrap()),
                    1 => {
                        let back = SeekFrom::Current(-i64::try_from(n).unwrap());
                        prop_assert_eq!(ours.seek(back).ok(), theirs.seek(back).ok());
                    }
                    _ => {
                        let (mut a, mut b) = (Vec::new(), Vec::new());
                        ours.by_ref().take(n as u64).read_to_end(&mut a).unwrap();
                        theirs.by_ref().take(n as u64).read_to_end(&mut b).unwrap();
                        prop_assert_eq!(a, b);
                    }
                }
                prop_assert_eq!(ours.position(), theirs.position());
            }
        }
    }
}
