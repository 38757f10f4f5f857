//! The bytes of a tar in order: by seeking in a file, by reading on in a stream.

use std::io::{self, BufRead, BufReader, Read};

use read_core::Slice;

use super::header::BLOCK;

/// Bytes of a stream that are at hand at a time (256 KiB): decoders are slower where they give less, as what they repeat then
/// lies before the buffer.
const AT_HAND: usize = 256 << 10;

/// Bytes that are read ahead in a file where headers stand close together (32 KiB).
const AHEAD: usize = 32 << 10;

/// The next header is close when it begins within so many bytes behind what was read (4 KiB).
const CLOSE: u64 = 4 << 10;

/// Where a walk stands in an archive.
pub(super) struct Input {
    from: From,
    position: u64,
}

enum From {
    Slice { slice: Slice, block: Vec<u8>, block_at: u64 },
    Stream(BufReader<Box<dyn Read + Send>>),
}

impl Input {
    /// A part of a file, from `position` on.
    pub(super) fn of_slice(slice: Slice, position: u64) -> Self {
        Self { from: From::Slice { slice, block: Vec::new(), block_at: 0 }, position }
    }

    /// A stream whose next byte is at `position`.
    pub(super) fn of_stream(reader: Box<dyn Read + Send>, position: u64) -> Self {
        Self { from: From::Stream(BufReader::with_capacity(AT_HAND, reader)), position }
    }

    pub(super) fn position(&self) -> u64 {
        self.position
    }

    /// The stream, at its position.
    pub(super) fn into_stream(self) -> Option<Box<dyn Read + Send>> {
        match self.from {
            From::Slice { .. } => None,
            From::Stream(reader) => Some(Box::new(reader)),
        }
    }

    /// Fills `buf` as far as there are bytes.
    pub(super) fn fill(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = match &mut self.from {
            From::Slice { slice, block, block_at } => from_slice(slice, block, block_at, self.position, buf)?,
            From::Stream(reader) => fill(reader, buf)?,
        };
        self.position = self.position.saturating_add(n as u64);
        Ok(n)
    }

    /// The next block; fewer bytes at the end.
    pub(super) fn block(&mut self) -> io::Result<Result<[u8; BLOCK], usize>> {
        let mut block = [0; BLOCK];
        let n = self.fill(&mut block)?;
        Ok(if n == BLOCK { Ok(block) } else { Err(n) })
    }

    /// Passes over `n` bytes; gives how many there were.
    pub(super) fn skip(&mut self, n: u64) -> io::Result<u64> {
        let passed = match &mut self.from {
            From::Slice { slice, .. } => n.min(slice.len().saturating_sub(self.position)),
            From::Stream(reader) => skip(reader, n)?,
        };
        self.position = self.position.saturating_add(passed);
        Ok(passed)
    }
}

/// Fills `buf` from a file. Small members stand close together: then a read fetches the next headers too.
fn from_slice(
    slice: &Slice,
    block: &mut Vec<u8>,
    block_at: &mut u64,
    position: u64,
    buf: &mut [u8],
) -> io::Result<usize> {
    let held = |block: &[u8], block_at: u64| -> Option<usize> {
        let start = usize::try_from(position.checked_sub(block_at)?).ok()?;
        block.get(start..start.checked_add(buf.len())?).map(|_| start)
    };
    if held(block, *block_at).is_none() {
        let end = block_at.saturating_add(block.len() as u64);
        let is_near = position.saturating_sub(end) < CLOSE;
        if !is_near || buf.len() > AHEAD {
            block.clear();
            *block_at = position.saturating_add(buf.len() as u64);
            return slice.read_full_at(buf, position);
        }
        block.resize(AHEAD, 0);
        let got = slice.read_full_at(block, position)?;
        block.truncate(got);
        *block_at = position;
    }
    let start = usize::try_from(position.saturating_sub(*block_at)).unwrap_or(usize::MAX);
    let mut rest = block.get(start..).unwrap_or_default();
    rest.read(buf)
}

fn fill(reader: &mut dyn Read, buf: &mut [u8]) -> io::Result<usize> {
    let mut done = 0;
    while let Some(rest) = buf.get_mut(done..).filter(|rest| !rest.is_empty()) {
        match reader.read(rest) {
            Ok(0) => break,
            Ok(n) => done += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(done)
}

/// Passes over `n` bytes of a stream; gives how many there were.
fn skip(reader: &mut dyn BufRead, n: u64) -> io::Result<u64> {
    let mut left = n;
    while left > 0 {
        let at_hand = match reader.fill_buf() {
            Ok([]) => break,
            Ok(bytes) => bytes.len(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let passed = usize::try_from(left).unwrap_or(usize::MAX).min(at_hand);
        reader.consume(passed);
        left -= passed as u64;
    }
    Ok(n - left)
}
