//! A forward scan over lines in constant memory.

use std::io;
use std::num::NonZero;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::blocks::{Blocks, Filled, is_trip_of_effort};
use super::index::{Entry, LineIndex, SPACING};
use super::newline::Newline;

/// Walks a text line by line, or past many lines at memory speed.
pub(super) struct Scanner {
    blocks: Blocks,
    newline: Newline,
    buffer: Vec<u8>,
    /// The head of the source, while it is what is at hand.
    head: Option<Arc<[u8]>>,
    /// Where the unread bytes at hand begin and end.
    from: usize,
    to: usize,
    /// The offset of `from` in the source.
    offset: u64,
    /// Lines that end at or before `offset`.
    lines_before: u64,
    /// Where the line around `offset` begins, as far as that is known.
    line_start: u64,
    index: Arc<LineIndex>,
    index_grew: bool,
    /// How many threads may count lines.
    threads: usize,
    /// Bytes that were passed by this thread alone.
    passed_alone: u64,
}

/// Bytes that are passed before other threads are asked to help (1 MiB): to start one takes as long as to count in half of that.
const ALONE: u64 = 1 << 20;

/// Bytes that must lie ahead for that (8 MiB).
const WORTH_HELP: u64 = 8 << 20;

/// A line that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// Where it begins in the source.
    pub(super) offset: u64,
    /// Its length in bytes with its line end; `None` when the search for its end was given up.
    pub(super) len: Option<u64>,
    /// Whether it ends with a line end: all lines do, save the last.
    pub(super) terminated: bool,
}

/// How counting went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counted {
    /// Lines in all.
    All(u64),
    /// Lines so far; more bytes follow.
    Some(u64),
}

impl Scanner {
    /// A scan over `blocks`, which begin at `at`.
    pub(super) fn new(blocks: Blocks, newline: Newline, index: Arc<LineIndex>, at: Entry) -> Self {
        Self {
            blocks,
            newline,
            buffer: Vec::new(),
            head: None,
            from: 0,
            to: 0,
            offset: at.offset,
            lines_before: at.lines_before,
            line_start: at.offset,
            index,
            index_grew: false,
            threads: 1,
            passed_alone: 0,
        }
    }

    /// The same with `threads` threads, of which this is one, where lines of a file are only counted.
    pub(super) fn on_threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// The number of the line at the scan's position, from 1.
    pub(super) fn line(&self) -> u64 {
        self.lines_before.saturating_add(1)
    }

    /// The position in the source.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// The unread bytes that are at hand.
    pub(super) fn at_hand(&self) -> &[u8] {
        at_hand(self.head.as_deref(), &self.buffer, self.from, self.to)
    }

    /// Makes bytes at hand; false at the end.
    pub(super) fn more(&mut self) -> io::Result<bool> {
        if self.from < self.to {
            return Ok(true);
        }
        (self.from, self.head) = (0, None);
        self.to = match self.blocks.next(&mut self.buffer)? {
            Filled::Head { head, len } => {
                self.head = Some(head);
                len
            }
            Filled::Block { len } => len,
            Filled::End => 0,
        };
        if self.to > 0 {
            self.index_here();
        }
        Ok(self.to > 0)
    }

    /// Passes `bytes` of what is at hand, in which `lines` lines end, the last one `open` bytes before their end.
    fn pass(&mut self, bytes: usize, lines: u64, open: usize) {
        self.from = self.from.saturating_add(bytes).min(self.to);
        self.offset = self.offset.saturating_add(bytes as u64);
        self.lines_before = self.lines_before.saturating_add(lines);
        self.passed_alone = self.passed_alone.saturating_add(bytes as u64);
        if lines > 0 {
            self.line_start = self.offset.saturating_sub(open as u64);
        }
    }

    /// Passes what lies far ahead, with more threads, up to the piece in which `lines` lines have ended, and within `bytes`
    /// bytes. What is left of both is passed alone.
    fn pass_far(&mut self, lines: u64, bytes: u64) -> io::Result<()> {
        if self.threads <= 1 || self.passed_alone < ALONE || self.from < self.to {
            return Ok(());
        }
        let ahead = self.blocks.ahead(self.offset, bytes, self.newline);
        let Some(stretch) = ahead.filter(|stretch| stretch.len() >= WORTH_HELP) else { return Ok(()) };
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        let (start, until) = (self.offset, self.lines_before.saturating_add(lines));
        let counted = stretch.count(self.threads.min(cores), |piece| {
            if self.lines_before.saturating_add(piece.lines) >= until {
                return ControlFlow::Break(());
            }
            self.pass(piece.bytes, piece.lines, piece.open);
            self.index_here();
            ControlFlow::Continue(())
        });
        self.blocks.skip_to(self.offset, self.offset - start);
        self.passed_alone = 0;
        counted
    }

    /// Keeps where the scan is, if the index wants that.
    fn index_here(&mut self) {
        if self.index.wants(self.offset) {
            Arc::make_mut(&mut self.index)
                .push(Entry { offset: self.offset, lines_before: self.lines_before });
            self.index_grew = true;
        }
    }

    /// Passes whole lines that are at hand: `bytes`, which end with a line end, in which `lines` lines end.
    pub(super) fn pass_lines(&mut self, bytes: usize, lines: u64) {
        self.pass(bytes, lines, 0);
    }

    /// Passes what is at hand, at most to the next place where the index wants an entry, and at most `lines` lines.
    /// Gives how many lines ended.
    fn pass_piece(&mut self, lines: u64) -> u64 {
        let space = usize::try_from(SPACING).unwrap_or(usize::MAX);
        let piece = self.at_hand();
        let piece = piece.get(..space.min(piece.len())).unwrap_or_default();
        let (ended, after) = self.newline.take(piece, lines);
        let bytes = if ended == lines { after } else { piece.len() };
        self.pass(bytes, ended, bytes - after);
        if self.from < self.to {
            self.index_here();
        }
        ended
    }

    /// Passes a piece of what is at hand, and gives it.
    pub(super) fn take_piece(&mut self) -> &[u8] {
        let from = self.from;
        self.pass_piece(u64::MAX);
        at_hand(self.head.as_deref(), &self.buffer, from, self.from)
    }

    /// Goes forward to the start of `line`; false when the text ends before it.
    pub(super) fn go_to_line(&mut self, line: u64) -> io::Result<bool> {
        while self.line() < line {
            self.pass_far(line - self.line(), u64::MAX)?;
            if !self.more()? {
                return Ok(false);
            }
            self.pass_piece(line - self.line());
        }
        self.more()
    }

    /// Reads the line at the position, which must be its start; `None` at the end. At most `keep` bytes of it are put
    /// into `line`, the rest is passed; where more than `search` bytes bring no line end, the search is given up and the
    /// scan must not go on.
    pub(super) fn read_line(
        &mut self,
        line: &mut Vec<u8>,
        keep: usize,
        search: u64,
    ) -> io::Result<Option<Line>> {
        line.clear();
        let start = self.offset;
        loop {
            match self.more() {
                Ok(true) => {}
                Ok(false) => break,
                // What is held of the line can be shown; only its length will not be known.
                Err(error) if line.len() >= keep && is_trip_of_effort(&error) => {
                    return Ok(Some(Line { offset: start, len: None, terminated: false }));
                }
                Err(error) => return Err(error),
            }
            let at_hand = at_hand(self.head.as_deref(), &self.buffer, self.from, self.to);
            let end = self.newline.find(at_hand);
            let piece = at_hand.get(..end.unwrap_or(at_hand.len())).unwrap_or(at_hand);
            let room = keep.saturating_sub(line.len());
            line.extend_from_slice(piece.get(..room.min(piece.len())).unwrap_or_default());
            let bytes = piece.len();
            self.pass(bytes, u64::from(end.is_some()), 0);
            let len = self.offset - start;
            if end.is_some() {
                return Ok(Some(Line { offset: start, len: Some(len), terminated: true }));
            }
            if len > search {
                return Ok(Some(Line { offset: start, len: None, terminated: false }));
            }
        }
        let len = self.offset - start;
        Ok((len > 0).then_some(Line { offset: start, len: Some(len), terminated: false }))
    }

    /// Counts lines to the end, over at most `search` bytes; without limit while a tap wants the bytes. What fails on
    /// the way is an error, unless `gave_up` says that the count so far will do.
    pub(super) fn count(&mut self, search: u64, gave_up: impl Fn() -> bool) -> io::Result<Counted> {
        if let Some(total) = self.known_total() {
            return Ok(Counted::All(total));
        }
        let start = self.offset;
        loop {
            let left = search.saturating_sub(self.offset - start);
            match self.pass_far(u64::MAX, left).and_then(|()| self.more()) {
                Ok(false) => break,
                Ok(true) => {}
                Err(_) if gave_up() => return Ok(Counted::Some(self.lines_before)),
                Err(error) => return Err(error),
            }
            if self.offset - start > search && !self.blocks.is_wanted() {
                return Ok(Counted::Some(self.lines_before));
            }
            self.pass_piece(u64::MAX);
        }
        let total = self.lines_at_end();
        Arc::make_mut(&mut self.index).set_total(total);
        self.index_grew = true;
        Ok(Counted::All(total))
    }

    /// Lines in all, where an earlier read has counted them and nobody needs the bytes.
    pub(super) fn known_total(&self) -> Option<u64> {
        if self.blocks.is_wanted() { None } else { self.index.total() }
    }

    /// Lines in all, at the end of the text.
    pub(super) fn lines_at_end(&self) -> u64 {
        self.lines_before.saturating_add(u64::from(self.offset > self.line_start))
    }

    /// Reads on for the taps that want the whole.
    pub(super) fn drain(&mut self) -> io::Result<()> {
        while self.blocks.is_wanted() && self.more()? {
            self.pass_piece(u64::MAX);
        }
        Ok(())
    }

    /// The index, when it is worth keeping anew.
    pub(super) fn grown_index(&self) -> Option<&Arc<LineIndex>> {
        self.index_grew.then_some(&self.index)
    }

    pub(super) fn blocks(&self) -> &Blocks {
        &self.blocks
    }

    pub(super) fn into_blocks(self) -> Blocks {
        self.blocks
    }
}

fn at_hand<'a>(head: Option<&'a [u8]>, buffer: &'a [u8], from: usize, to: usize) -> &'a [u8] {
    head.unwrap_or(buffer).get(from..to).unwrap_or_default()
}
