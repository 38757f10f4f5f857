//! Lines, the longest of them, and bytes of a text, in one pass.

use std::io;

use memchr::{memchr, memrchr};

use super::document::Document;
use super::newline::Newline;
use crate::output::Notice;
use crate::stream_fault::damage_notices;

/// While no line is this long, bytes are looked at one by one; from then on, only lines that may be longer than the longest
/// are.
const SHORT: u64 = 32;

/// Counts of a text, as far as the limit for counting.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Census {
    /// Whether the text was met to its end.
    pub(super) whole: bool,
    pub(super) lines: u64,
    /// Bytes of the longest line without its end.
    pub(super) longest: u64,
    pub(super) longest_line: u64,
    pub(super) bytes: u64,
    /// What is said where a decoder failed.
    pub(super) damage: Vec<Notice>,
    /// Bytes so far of the line that is not at its end.
    open: u64,
}

impl Census {
    pub(super) fn take(document: &Document<'_>) -> io::Result<Self> {
        let mut census = Self::default();
        let Ok(mut scan) = document.scan(1, Vec::new()) else { return Ok(census) };
        let limit = document.cx.limits().count_limit;
        while census.bytes <= limit {
            match scan.more() {
                Ok(true) => {}
                Ok(false) => {
                    census.whole = true;
                    break;
                }
                // A budget or the deadline costs the rest of the count, no more.
                Err(error) if document.gave_up(&error) => break,
                Err(error) => return Err(error),
            }
            let (piece, before) = (scan.at_hand(), census.lines);
            let len = piece.len();
            census.pass(piece, document.newline());
            scan.pass_lines(len, census.lines - before);
        }
        if !document.is_empty() {
            census.end();
        }
        if let Some(damage) = scan.blocks().damage() {
            census.damage = damage_notices(document.source.path(), Some(census.bytes), damage).into();
        }
        Ok(census)
    }

    /// Takes the next bytes, which begin at a unit.
    fn pass(&mut self, piece: &[u8], newline: Newline) {
        self.bytes = self.bytes.saturating_add(piece.len() as u64);
        if newline == Newline::BYTE {
            let mut rest = piece;
            while !rest.is_empty() {
                rest = if self.longest.max(self.open) < SHORT { self.short(rest) } else { self.long(rest) };
            }
            return;
        }
        let mut begin = 0;
        for end in newline.ends(piece) {
            self.line((end - begin - newline.width()) as u64);
            begin = end;
        }
        self.open = self.open.saturating_add((piece.len() - begin) as u64);
    }

    /// Byte by byte, until a line is no longer short. Gives what is left.
    fn short<'a>(&mut self, piece: &'a [u8]) -> &'a [u8] {
        for (at, byte) in piece.iter().enumerate() {
            if *byte == b'\n' {
                self.line(0);
            } else {
                self.open += 1;
                if self.open >= SHORT {
                    return piece.get(at + 1..).unwrap_or_default();
                }
            }
        }
        &[]
    }

    /// As far as lines surely are no longer than the longest, or to the end of one that is. Gives what is left.
    fn long<'a>(&mut self, piece: &'a [u8]) -> &'a [u8] {
        if let Some(room) = self.longest.checked_sub(self.open) {
            let room = usize::try_from(room).unwrap_or(usize::MAX);
            let near = piece.get(..room.saturating_add(1)).unwrap_or(piece);
            if let Some(last) = memrchr(b'\n', near) {
                let (ended, rest) = piece.split_at_checked(last + 1).unwrap_or((piece, &[]));
                self.lines = self.lines.saturating_add(Newline::BYTE.count(ended));
                self.open = 0;
                return rest;
            }
        }
        let end = memchr(b'\n', piece);
        let content = end.unwrap_or(piece.len());
        match end {
            Some(_) => self.line(content as u64),
            None => self.open = self.open.saturating_add(content as u64),
        }
        piece.get(content.saturating_add(1)..).unwrap_or_default()
    }

    /// A line ends after `more` bytes.
    fn line(&mut self, more: u64) {
        let len = std::mem::take(&mut self.open).saturating_add(more);
        self.lines = self.lines.saturating_add(1);
        if len > self.longest || self.lines == 1 {
            (self.longest, self.longest_line) = (len, self.lines);
        }
    }

    /// The text ends; what follows the last line end is a line.
    fn end(&mut self) {
        if self.open > 0 {
            self.line(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::charset::Endian;
    use super::*;

    fn census(text: &[u8], newline: Newline, piece: usize) -> (u64, u64, u64, u64) {
        let mut census = Census::default();
        text.chunks(piece).for_each(|piece| census.pass(piece, newline));
        census.end();
        (census.lines, census.longest, census.longest_line, census.bytes)
    }

    /// Lines one by one.
    fn counted(text: &str, width: u64) -> (u64, u64, u64, u64) {
        let mut longest: Option<(u64, u64)> = None;
        let mut lines = 0;
        for (number, line) in (1..).zip(text.split_terminator('\n')) {
            let len = line.encode_utf16().count() as u64 * width;
            if longest.is_none_or(|(longest, _)| len > longest) {
                longest = Some((len, number));
            }
            lines = number;
        }
        let (longest, line) = longest.unwrap_or_default();
        (lines, longest, line, text.encode_utf16().count() as u64 * width)
    }

    fn text() -> impl Strategy<Value = String> {
        let line = prop_oneof![Just(String::new()), "a{0,3}", "a{20,60}", "a{100,130}"];
        (prop::collection::vec(line, 0..30), any::<bool>())
            .prop_map(|(lines, ended)| lines.join("\n") + if ended { "\n" } else { "" })
    }

    proptest! {
        #[test]
        fn lines_are_counted_however_they_come(text in text(), piece in 1_usize..90) {
            prop_assert_eq!(census(text.as_bytes(), Newline::BYTE, piece), counted(&text, 1));
            let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
            let newline = Newline::unit(2, Endian::Little);
            prop_assert_eq!(census(&wide, newline, piece * 2), counted(&text, 2));
        }
    }
}
