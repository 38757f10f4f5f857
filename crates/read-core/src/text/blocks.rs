//! The bytes of a text, block by block, under taps and the read limit.

use std::io::{self, Read};
use std::sync::Arc;

use super::charset::Charset;
use super::newline::Newline;
use super::parallel::Stretch;
use super::stream_decode::StreamDecoder;
use crate::observer::Tap;
use crate::source::{Slice, Source};
use crate::stream_fault::StreamFault;

/// Bytes that are read at a time.
pub(crate) const BLOCK: usize = 256 << 10;

/// The same for the first time, of a stream that nobody knows the length of: most of them end soon.
const FIRST_BLOCK: usize = 16 << 10;

/// What came next.
pub(super) enum Filled {
    /// The first `len` bytes of the head, which the probe has read already.
    Head { head: Arc<[u8]>, len: usize },
    /// The first `len` bytes of the block.
    Block { len: usize },
    /// Nothing: the source has ended.
    End,
}

impl Filled {
    fn bytes<'a>(&'a self, block: &'a [u8]) -> &'a [u8] {
        match self {
            Self::Head { head, len } => head.get(..*len).unwrap_or_default(),
            Self::Block { len } => block.get(..*len).unwrap_or_default(),
            Self::End => &[],
        }
    }

    fn shorten(&mut self, by: usize) {
        match self {
            Self::Head { len, .. } | Self::Block { len } => *len = len.saturating_sub(by),
            Self::End => {}
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Head { len, .. } | Self::Block { len } => *len,
            Self::End => 0,
        }
    }
}

/// Reads a source from some position on. Whatever passes is shown to the taps, when reading began at the start.
pub(super) struct Blocks {
    reader: Box<dyn Read + Send>,
    /// The file that is read, where it is one: several threads can read that at a time.
    file: Option<Slice>,
    /// The first bytes, which the probe has read already.
    ready: Arc<[u8]>,
    /// Bytes that may still be read.
    left: u64,
    /// Whether the read limit left something out.
    cut: bool,
    /// Bytes that are still to come, as far as that is known.
    expected: u64,
    taps: Vec<Box<dyn Tap>>,
    text: Option<StreamDecoder>,
    charset: Charset,
    damage: Option<io::Error>,
    tolerant: bool,
    ended: bool,
}

impl Blocks {
    /// The source's bytes from `offset` on, as far as `limit` bytes from the source's start. Taps want `offset` 0.
    pub(super) fn open(
        source: &Source,
        offset: u64,
        limit: Option<u64>,
        taps: Vec<Box<dyn Tap>>,
        charset: Charset,
    ) -> io::Result<Self> {
        let (head, reader) =
            if offset == 0 { source.head_and_rest()? } else { (Arc::default(), source.reader_at(offset)?) };
        let wants_text = taps.iter().any(|tap| tap.wants_text());
        Ok(Self {
            reader,
            file: source.slice().filter(|slice| slice.at().as_file().is_some()).cloned(),
            ready: head,
            left: limit.map_or(u64::MAX, |limit| limit.saturating_sub(offset)),
            cut: false,
            expected: source.slice().map_or(u64::MAX, |slice| slice.len().saturating_sub(offset)),
            taps,
            text: wants_text.then(|| StreamDecoder::new(charset)),
            charset,
            damage: None,
            // What a decoder gave before it failed is worth showing; a disk that fails is an error.
            tolerant: source.is_decoded(),
            ended: false,
        })
    }

    /// Gives the next bytes: the head as it is, or `block` filled as far as there are bytes. A decoder's failure ends the
    /// source and is kept as its [damage](Self::damage).
    pub(super) fn next(&mut self, block: &mut Vec<u8>) -> io::Result<Filled> {
        if self.ended {
            return Ok(Filled::End);
        }
        let head = std::mem::take(&mut self.ready);
        let mut filled = if head.is_empty() {
            match self.fill(block)? {
                0 => Filled::End,
                len => Filled::Block { len },
            }
        } else {
            let len = usize::try_from(self.left).unwrap_or(usize::MAX).min(head.len());
            self.cut = len < head.len();
            Filled::Head { head, len }
        };
        self.left -= filled.len() as u64;
        self.expected = self.expected.saturating_sub(filled.len() as u64);
        if self.left == 0 && !self.cut {
            self.cut = self.reader.read(&mut [0]).is_ok_and(|n| n > 0);
        }
        if self.cut {
            // A character that only the limit cuts is no fault of the text.
            let cut = self.charset.cut_at_end(filled.bytes(block));
            filled.shorten(cut);
        }
        self.ended |= self.left == 0 || matches!(filled, Filled::End);
        self.show(filled.bytes(block));
        Ok(filled)
    }

    fn fill(&mut self, block: &mut Vec<u8>) -> io::Result<usize> {
        // What is short needs no long block; one byte more shows its end.
        let expected = usize::try_from(self.expected.saturating_add(1)).unwrap_or(usize::MAX);
        let begins_unknown = block.is_empty() && self.expected == u64::MAX;
        let size = if begins_unknown { FIRST_BLOCK } else { BLOCK }.min(expected);
        if block.len() < size {
            block.resize(size, 0);
        }
        let room = usize::try_from(self.left).unwrap_or(usize::MAX).min(block.len());
        let block = block.get_mut(..room).unwrap_or_default();
        let mut done = 0;
        while let Some(rest) = block.get_mut(done..).filter(|rest| !rest.is_empty()) {
            match self.reader.read(rest) {
                Ok(0) => break,
                Ok(n) => done += n.min(rest.len()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if self.tolerant && StreamFault::is_damage(&error) => {
                    self.damage = Some(error);
                    self.ended = true;
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(done)
    }

    /// The blocks of a file from `offset` on, where this reads next, as far as they lie within `bytes` bytes and nobody wants
    /// more of them than their lines. The last one is no part of them: ends and limits are looked after one by one.
    pub(super) fn ahead(&self, offset: u64, bytes: u64, newline: Newline) -> Option<Stretch> {
        let file = self.file.as_ref().filter(|_| !self.ended && !self.is_wanted())?;
        let bytes = bytes.min(self.left).min(self.expected).saturating_sub(BLOCK as u64);
        Some(Stretch::new(&file.sub(offset, u64::MAX), newline, bytes / BLOCK as u64))
    }

    /// Goes on at `offset`, `bytes` bytes from where this would read next.
    pub(super) fn skip_to(&mut self, offset: u64, bytes: u64) {
        if let Some(file) = &self.file {
            self.reader = Box::new(file.sub(offset, u64::MAX).reader());
            self.left = self.left.saturating_sub(bytes);
            self.expected = self.expected.saturating_sub(bytes);
        }
    }

    fn show(&mut self, bytes: &[u8]) {
        let last = self.ended;
        if self.taps.is_empty() {
            return;
        }
        for tap in self.taps.iter_mut().filter(|tap| tap.wants_more()) {
            tap.raw(bytes);
        }
        if let Some(decoder) = &mut self.text {
            let text = decoder.feed(bytes, last);
            for tap in self.taps.iter_mut().filter(|tap| tap.wants_text() && tap.wants_more()) {
                tap.text(text);
            }
        }
    }

    /// Whether a tap wants the rest of the source.
    pub(super) fn is_wanted(&self) -> bool {
        self.taps.iter().any(|tap| tap.wants_more())
    }

    /// Whether everything was read.
    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }

    /// Whether the read limit left something out.
    pub(super) fn is_cut(&self) -> bool {
        self.cut
    }

    /// What a decoder failed with.
    pub(super) fn damage(&self) -> Option<&io::Error> {
        self.damage.as_ref()
    }

    /// Whether the text that taps were given had faults.
    pub(super) fn is_lossy(&self) -> bool {
        self.text.as_ref().is_some_and(StreamDecoder::is_lossy)
    }

    /// The taps, for the end of the read.
    pub(super) fn into_taps(self) -> Vec<Box<dyn Tap>> {
        self.taps
    }
}

/// Whether the meter stopped the stream for its effort (time or budget), not by the caller's will.
pub(super) fn is_trip_of_effort(error: &io::Error) -> bool {
    let trip = error.get_ref().and_then(|inner| inner.downcast_ref::<crate::meter::Trip>());
    trip.is_some_and(|trip| *trip != crate::meter::Trip::Cancelled)
}
