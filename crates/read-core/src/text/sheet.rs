//! The sheet that a window is written on: lines are decoded, marked, and cut to the caps here and nowhere else.

use std::fmt::Write;
use std::io;

use read_selector::LineRange;

use super::charset::Charset;
use super::newline::{Ending, Endings, Newline};
use super::oddities::Oddities;
use super::scan::Scanner;
use crate::context::LineStyle;

/// Raw bytes that can become one byte of text: an LF in UTF-32 with its CR.
const RAW_PER_SHOWN: u64 = 8;

/// Stands between the blocks of several ranges.
const SEPARATOR: &str = "\n…\n\n";

/// Where a block began.
#[derive(Clone, Copy)]
pub(super) struct BlockMark {
    text: usize,
    lines_left: u64,
}

/// How lines are to be written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Manner {
    pub(super) charset: Charset,
    pub(super) newline: Newline,
    /// The length of the byte order mark.
    pub(super) bom: usize,
    pub(super) style: LineStyle,
    /// Bytes as they lie.
    pub(super) raw: bool,
    /// Bytes in which the end of an over-long line is searched.
    pub(super) search: u64,
}

/// Why writing stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The range is written.
    RangeEnd,
    /// The text has ended.
    TextEnd,
    /// The cap on lines.
    LineCap,
    /// The cap on bytes: the next line does not fit.
    ByteCap,
    /// The first line alone is over the cap on bytes; its start is shown.
    LongLine(LongLine),
}

/// A line of which only the start is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LongLine {
    pub(super) line: u64,
    /// Its length in bytes without its line end; `None` when its end was not searched further.
    pub(super) size: Option<u64>,
    /// Bytes of it that were looked at.
    pub(super) searched: u64,
    /// The first byte that is not shown.
    pub(super) next_offset: u64,
}

/// A window, as far as it is written.
pub(super) struct Sheet {
    manner: Manner,
    lines_left: u64,
    bytes_left: u64,
    /// Whether the line end of the last line took the last room: no further line fits, not even an empty one.
    is_full: bool,
    /// The cap on bytes.
    cap: Option<u64>,
    text: String,
    raw: Vec<u8>,
    shown: Vec<LineRange>,
    /// Whether the one line shown is only the start of it.
    partial: bool,
    oddities: Oddities,
    scratch: String,
    line: Vec<u8>,
}

impl Sheet {
    pub(super) fn new(manner: Manner, max_lines: Option<u64>, max_bytes: Option<u64>) -> Self {
        Self {
            manner,
            lines_left: max_lines.unwrap_or(u64::MAX),
            bytes_left: max_bytes.unwrap_or(u64::MAX),
            is_full: false,
            cap: max_bytes,
            text: String::new(),
            raw: Vec::new(),
            shown: Vec::new(),
            partial: false,
            oddities: Oddities::default(),
            scratch: String::new(),
            line: Vec::new(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.shown.is_empty()
    }

    /// The lines shown.
    pub(super) fn shown(&self) -> &[LineRange] {
        &self.shown
    }

    /// The lines shown whole.
    pub(super) fn shown_whole(&self) -> &[LineRange] {
        if self.partial { &[] } else { &self.shown }
    }

    /// Bytes that are written.
    pub(super) fn len(&self) -> u64 {
        self.text.len().saturating_add(self.raw.len()) as u64
    }

    pub(super) fn oddities(&self) -> &Oddities {
        &self.oddities
    }

    /// Writes something below the lines.
    pub(super) fn separate(&mut self, text: &str) {
        if !self.manner.raw {
            if !self.text.is_empty() && !self.text.ends_with('\n') {
                self.text.push('\n');
            }
            self.text.push_str(text);
        }
    }

    /// Begins a block of lines: a separator, where lines precede it. What is given back goes to
    /// [`end_block`](Self::end_block).
    pub(super) fn begin_block(&mut self) -> BlockMark {
        let mark = BlockMark { text: self.text.len(), lines_left: self.lines_left };
        if !self.is_empty() {
            self.separate(SEPARATOR);
        }
        mark
    }

    /// Ends a block; a separator that no line followed is taken back.
    pub(super) fn end_block(&mut self, mark: BlockMark) {
        if self.lines_left == mark.lines_left {
            self.text.truncate(mark.text);
        }
    }

    /// Whether something of the raw bytes would be lost in a text.
    pub(super) fn is_raw_lossy(&self) -> bool {
        self.manner.charset.decode(&self.raw, &mut String::new()).count > 0
    }

    pub(super) fn into_written(self) -> (String, Vec<u8>) {
        (self.text, self.raw)
    }

    /// Bytes of one line that are worth holding: more cannot be shown.
    fn keep(&self) -> usize {
        let keep = self.cap.map_or(u64::MAX, |cap| cap.saturating_mul(RAW_PER_SHOWN).saturating_add(64));
        usize::try_from(keep).unwrap_or(usize::MAX)
    }

    /// Writes lines from the scan's position, which is the start of a line, to `last` or to a cap.
    pub(super) fn write(&mut self, scan: &mut Scanner, last: Option<u64>) -> io::Result<Stop> {
        // Lines that are known not to be plain go one by one; looking at them again and again would cost a square.
        let mut one_by_one_before = 0;
        loop {
            let line = scan.line();
            if last.is_some_and(|last| line > last) {
                return Ok(Stop::RangeEnd);
            }
            if !scan.more()? {
                return Ok(Stop::TextEnd);
            }
            if self.lines_left == 0 {
                return Ok(Stop::LineCap);
            }
            if self.is_full {
                return Ok(Stop::ByteCap);
            }
            if line >= one_by_one_before && (scan.offset() > 0 || self.manner.bom == 0 || self.manner.raw) {
                let wanted = last.map_or(u64::MAX, |last| last - line + 1).min(self.lines_left);
                let room = usize::try_from(self.bytes_left).unwrap_or(usize::MAX);
                let at_hand = scan.at_hand();
                let at_hand = at_hand.get(..room.min(at_hand.len())).unwrap_or_default();
                let (lines, bytes) = self.manner.newline.take(at_hand, wanted);
                let piece = at_hand.get(..bytes).unwrap_or_default();
                if lines > 0 {
                    let (lines_written, bytes_written) = self.write_plain(piece, line, lines);
                    if lines_written > 0 {
                        scan.pass_lines(bytes_written, lines_written);
                        continue;
                    }
                    one_by_one_before = line.saturating_add(lines);
                }
            }
            if let Some(stop) = self.write_one(scan)? {
                return Ok(stop);
            }
        }
    }

    /// Writes whole lines that need no change, as many as fit; none when one of them needs any.
    fn write_plain(&mut self, piece: &[u8], first: u64, lines: u64) -> (u64, usize) {
        if self.manner.raw {
            self.raw.extend_from_slice(piece);
            self.wrote(first, lines, piece.len());
            return (lines, piece.len());
        }
        let plain = self.manner.charset == Charset::Utf8 && memchr::memchr2(b'\r', 0, piece).is_none();
        let Some(text) = plain.then(|| std::str::from_utf8(piece).ok()).flatten() else { return (0, 0) };
        let mut written = (0, 0);
        if self.manner.style == LineStyle::Plain {
            self.text.push_str(text);
            self.wrote(first, lines, text.len());
            written = (lines, text.len());
        } else {
            let before = self.text.len();
            for line in text.split_inclusive('\n') {
                let start = self.text.len();
                self.mark(first.saturating_add(written.0));
                self.text.push_str(line);
                if (self.text.len() - before) as u64 > self.bytes_left {
                    self.text.truncate(start);
                    break;
                }
                written = (written.0 + 1, written.1 + line.len());
            }
            self.wrote(first, written.0, self.text.len() - before);
        }
        self.oddities.endings.lf |= written.0 > 0;
        self.oddities.look_for_invisible(text.get(..written.1).unwrap_or_default(), first);
        written
    }

    /// Reads one line and writes it, if it fits.
    fn write_one(&mut self, scan: &mut Scanner) -> io::Result<Option<Stop>> {
        let number = scan.line();
        let mut bytes = std::mem::take(&mut self.line);
        let read = scan.read_line(&mut bytes, self.keep(), self.manner.search)?;
        let Some(line) = read else { return Ok(Some(Stop::TextEnd)) };
        let bom = if line.offset == 0 && !self.manner.raw { self.manner.bom } else { 0 };
        let held_whole = line.len == Some(bytes.len() as u64);
        let fits = held_whole && self.write_line(number, line.offset, bytes.get(bom..).unwrap_or_default());
        let stop = if fits {
            None
        } else if self.is_empty() {
            let (body, _) = self.manner.newline.strip(&bytes);
            let size = if held_whole {
                Some(body.len() as u64)
            } else {
                let end = if line.terminated { self.manner.newline.width() as u64 } else { 0 };
                line.len.map(|len| len - end)
            };
            let body = body.get(bom..).unwrap_or_default();
            let next_offset = self.write_start(number, line.offset + bom as u64, body);
            let searched = scan.offset() - line.offset;
            Some(Stop::LongLine(LongLine { line: number, size, searched, next_offset }))
        } else {
            Some(Stop::ByteCap)
        };
        self.line = bytes;
        Ok(stop)
    }

    /// Writes one whole line, given with its line end, if it fits.
    pub(super) fn write_line(&mut self, number: u64, offset: u64, bytes: &[u8]) -> bool {
        if self.manner.raw {
            if self.manner.newline.strip(bytes).0.len() as u64 > self.bytes_left {
                return false;
            }
            self.raw.extend_from_slice(bytes);
            self.wrote(number, 1, bytes.len());
            return true;
        }
        let before = self.text.len();
        let (body, ending) = self.manner.newline.strip(bytes);
        let decoded = self.decode(body);
        self.mark(number);
        self.text.push_str(&self.scratch);
        if ending != Ending::None {
            self.text.push('\n');
        }
        let len = self.text.len() - before;
        // The line end of the last line shown takes no room from it.
        let needed = len - usize::from(ending != Ending::None);
        if needed as u64 > self.bytes_left {
            self.text.truncate(before);
            return false;
        }
        self.oddities.add_line(number, offset, &self.scratch, ending, decoded);
        self.wrote(number, 1, len);
        true
    }

    /// Writes the start of a line that is over the cap; gives the offset of the first byte that is not shown.
    pub(super) fn write_start(&mut self, number: u64, offset: u64, body: &[u8]) -> u64 {
        let cap = usize::try_from(self.bytes_left).unwrap_or(usize::MAX);
        let cut =
            if self.manner.raw { cap.min(body.len()) } else { self.manner.charset.prefix_within(body, cap) };
        let start = body.get(..cut).unwrap_or_default();
        if self.manner.raw {
            self.raw.extend_from_slice(start);
        } else {
            let decoded = self.decode(start);
            self.mark(number);
            self.text.push_str(&self.scratch);
            self.oddities.add_line(number, offset, &self.scratch, Ending::None, decoded);
        }
        self.wrote(number, 1, cut);
        self.partial = cut < body.len();
        offset.saturating_add(cut as u64)
    }

    /// Decodes into the scratch, ␀ for NUL. Gives what was malformed and how many NULs there were.
    fn decode(&mut self, bytes: &[u8]) -> (super::charset::Malformed, u64) {
        self.scratch.clear();
        let malformed = self.manner.charset.decode(bytes, &mut self.scratch);
        let nuls = memchr::memchr_iter(0, self.scratch.as_bytes()).count() as u64;
        if nuls > 0 {
            self.scratch = self.scratch.replace('\0', "␀");
        }
        (malformed, nuls)
    }

    fn mark(&mut self, number: u64) {
        // Writing to a string does not fail.
        let _ = match self.manner.style {
            LineStyle::Plain => Ok(()),
            LineStyle::Numbered => write!(self.text, "{number:>4}\t"),
            LineStyle::Anchored => write!(self.text, "{number}:"),
        };
    }

    fn wrote(&mut self, first: u64, lines: u64, bytes: usize) {
        if lines == 0 {
            return;
        }
        self.lines_left = self.lines_left.saturating_sub(lines);
        self.is_full |= bytes as u64 > self.bytes_left;
        self.bytes_left = self.bytes_left.saturating_sub(bytes as u64);
        let last = first.saturating_add(lines - 1);
        if let Some(range) = self.shown.last_mut()
            && range.end().is_some_and(|end| end.saturating_add(1) == first)
            && let Some(joined) = LineRange::closed(range.start(), last)
        {
            *range = joined;
        } else {
            self.shown.extend(LineRange::closed(first, last));
        }
    }
}

impl Oddities {
    /// Notes what is odd about one written line.
    fn add_line(
        &mut self,
        number: u64,
        offset: u64,
        text: &str,
        ending: Ending,
        (malformed, nuls): (super::charset::Malformed, u64),
    ) {
        self.malformed = self.malformed.saturating_add(malformed.count);
        if let Some(first) = malformed.first {
            self.first_malformed.get_or_insert(offset.saturating_add(first as u64));
        }
        self.nuls = self.nuls.saturating_add(nuls);
        match ending {
            Ending::Lf => self.endings.lf = true,
            Ending::CrLf => self.endings.crlf = true,
            Ending::None => {}
        }
        self.endings.lone_cr |= Endings::of(text.as_bytes()).lone_cr || text.ends_with('\r');
        self.look_for_invisible(text, number);
    }
}
