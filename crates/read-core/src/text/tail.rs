//! The last lines: read from the end where the source allows, passed in order where it does not.

use std::io;
use std::ops::Range;

use super::document::Document;
use super::lines::long_line;
use super::newline::Newline;
use super::scan::Scanner;
use super::sheet::{LongLine, Manner, Sheet};
use super::written::{Finish, Totals};
use crate::error::ReadError;
use crate::names::{count, size};
use crate::observer::Tap;
use crate::output::TruncatedBy;
use crate::reader::Answer;
use crate::source::Slice;
use crate::view::Asked;

/// Bytes read at a time, backwards (64 KiB).
const STEP: u64 = 64 << 10;

/// Bytes that are gathered beyond those that are kept before the oldest go (1 MiB).
const SLACK: usize = 1 << 20;

/// The last lines of a text, held whole but for an over-long one.
struct Held {
    /// Their bytes, and others.
    bytes: Vec<u8>,
    lines: Vec<HeldLine>,
    /// Lines before the held ones are known to exist.
    more_before: bool,
}

struct HeldLine {
    offset: u64,
    /// Where its bytes stand in those that are held: at most as many as can be shown.
    bytes: Range<usize>,
    /// The length with the line end.
    len: u64,
    terminated: bool,
}

impl Held {
    fn bytes(&self, line: &HeldLine) -> &[u8] {
        self.bytes.get(line.bytes.clone()).unwrap_or_default()
    }
}

/// Reads the last `n` lines.
pub(super) fn read(
    document: &Document<'_>,
    taps: Vec<Box<dyn Tap>>,
    n: u64,
    raw: bool,
    asked: &Asked,
) -> Result<Answer, ReadError> {
    let limits = document.cx.limits();
    let want = n.min(limits.max_lines.unwrap_or(u64::MAX));
    let manner = document.manner(raw, u64::MAX);
    let keep = limits.max_bytes.map_or(limits.max_buffered, |cap| cap.saturating_mul(8).saturating_add(64));
    let mut finish = Finish::new(document, raw, asked);
    let io_error = |error| document.error(error);

    let mut scan = document.scan(u64::MAX, taps)?;
    let (held, totals) = if let Some(slice) = document.source.slice() {
        let slice = slice.sub(0, document.length().unwrap_or(u64::MAX));
        let start =
            tail_start(&slice, document.newline(), document.bom as u64, want, keep).map_err(io_error)?;
        let mut end = document.scan_from(start)?;
        let held = hold(&mut end, document.newline(), want, keep).map_err(io_error)?;
        let counts =
            finish.prints_numbers() || slice.len() <= limits.count_beyond || scan.blocks().is_wanted();
        let totals = if counts {
            document.totals(&mut scan, u64::MAX)?
        } else {
            let exact = scan.known_total();
            Totals { exact, at_least: exact.unwrap_or(0), file: document.length(), left: Some(0) }
        };
        (Held { more_before: held.more_before || start > document.bom as u64, ..held }, totals)
    } else {
        scan.go_to_line(1).map_err(io_error)?;
        let held = hold(&mut scan, document.newline(), want, keep).map_err(io_error)?;
        let total = scan.lines_at_end();
        (held, Totals { exact: Some(total), at_least: total, file: None, left: Some(0) })
    };
    document.keep_index(&scan);
    if finish.prints_numbers() && totals.exact.is_none() {
        // A wrong number is worse than none.
        let trip = document.cx.meter().tripped().unwrap_or(crate::Trip::Cancelled);
        return Err(trip.into());
    }
    finish.numbered = totals.exact.is_some();
    let sheet = write(&mut finish, manner, &held, n, &totals);
    finish.written(scan, sheet, totals)
}

/// Writes as many of the held lines as fit, the last ones.
fn write(finish: &mut Finish<'_>, manner: Manner, held: &Held, n: u64, totals: &Totals) -> Sheet {
    let cap = finish.cap();
    let total = totals.exact.unwrap_or(held.lines.len() as u64);
    let first_number = total.saturating_sub(held.lines.len() as u64).saturating_add(1);
    let bom = finish.document.bom;
    let body = |line: &HeldLine| {
        let bom = if line.offset == 0 && !manner.raw { bom } else { 0 };
        held.bytes(line).get(bom..).unwrap_or_default()
    };

    // Lines are measured as they will be written, from the last one on, whose line end takes no room.
    let mut kept = 0;
    let mut room = cap;
    for (index, line) in held.lines.iter().enumerate().rev() {
        let number = first_number.saturating_add(index as u64);
        let mut measure = Sheet::new(manner, None, Some(room));
        if line.bytes.len() as u64 != line.len || !measure.write_line(number, line.offset, body(line)) {
            break;
        }
        let Some(left) = room.checked_sub(measure.len()).or((kept == 0).then_some(0)) else { break };
        room = left;
        kept += 1;
    }
    let mut sheet = Sheet::new(manner, None, Some(finish.cap()));
    let skipped = held.lines.len().saturating_sub(kept);
    if kept == 0
        && let Some(line) = held.lines.last()
    {
        let (content, _) = manner.newline.strip(body(line));
        let next_offset = sheet.write_start(total, line.offset, content);
        let end = if line.terminated { manner.newline.width() as u64 } else { 0 };
        let long = LongLine {
            line: total,
            size: Some(line.len.saturating_sub(end)),
            searched: line.len,
            next_offset,
        };
        note_before(finish, held, held.lines.len().saturating_sub(1), n, totals);
        long_line(finish, totals, long, None);
        return sheet;
    }
    for (line, number) in held.lines.iter().zip(first_number..).skip(skipped) {
        sheet.write_line(number, line.offset, body(line));
    }
    note_before(finish, held, skipped, n, totals);
    sheet
}

/// The notice about asked-for lines that the caps left out.
fn note_before(finish: &mut Finish<'_>, held: &Held, skipped: usize, n: u64, totals: &Totals) {
    let limits = finish.document.cx.limits();
    let kept = held.lines.len().saturating_sub(skipped) as u64;
    if kept >= n || (skipped == 0 && !held.more_before) {
        return;
    }
    let by_lines = limits.max_lines.is_some_and(|max| kept >= max);
    let by = if by_lines { TruncatedBy::Lines } else { TruncatedBy::Bytes };
    if let Some(total) = totals.exact {
        let first = total.saturating_sub(kept).saturating_add(1);
        let asked_first = total.saturating_sub(n.min(total)).saturating_add(1);
        if first > asked_first {
            let before = format!("{asked_first}-{}", first - 1);
            finish.truncated(by, asked_first, &before);
            let call = finish.selector(&before);
            finish
                .go_on(format!("Showing lines {first}-{total} of {total}. Use {call} for the lines before."));
        }
        return;
    }
    let Some(start) = held.lines.get(skipped).map(|line| line.offset) else { return };
    let length = start.min(limits.max_bytes.unwrap_or(start));
    let bytes = format!("@{}+{length}", start - length);
    finish.truncated_at(by, start - length, &bytes);
    let file =
        totals.file.map_or_else(String::new, |bytes| format!(" of a {} {}", size(bytes), finish.noun()));
    finish
        .go_on(format!("Showing the last {}{file}. Use :{bytes} for the text before.", count(kept, "line")));
}

/// Where the last `want` lines begin; fewer where they are over `keep` bytes, but one at least.
fn tail_start(slice: &Slice, newline: Newline, bom: u64, want: u64, keep: u64) -> io::Result<u64> {
    let len = slice.len();
    let mut block = vec![0; usize::try_from(STEP.min(len)).unwrap_or(0)];
    let mut found = 0;
    let mut earliest = None;
    // Steps stand at multiples of the step, in step with the encoding's units.
    let mut end = len;
    while end > 0 {
        let start = (end - 1) / STEP * STEP;
        let piece = block.get_mut(..usize::try_from(end - start).unwrap_or(0)).unwrap_or_default();
        let got = slice.read_full_at(piece, start)?;
        let piece = piece.get(..got).unwrap_or_default();
        for at in newline.ends_backwards(piece) {
            let line = start + at as u64;
            // A line end at the very end opens no further line.
            if line >= len {
                continue;
            }
            found += 1;
            if found >= want || len - line > keep {
                // The first one stands even where it is over the limit.
                return Ok(if len - line > keep { earliest.unwrap_or(line) } else { line });
            }
            earliest = Some(line);
        }
        if let Some(earliest) = earliest
            && len - start > keep.saturating_add(STEP)
        {
            return Ok(earliest);
        }
        end = start;
    }
    Ok(if len > keep { earliest.unwrap_or(0) } else { 0 }.max(if bom >= len { bom } else { 0 }))
}

/// Reads to the end and holds the last `want` lines, within `keep` bytes, but one at least.
fn hold(scan: &mut Scanner, newline: Newline, want: u64, keep: u64) -> io::Result<Held> {
    let keep = usize::try_from(keep).unwrap_or(usize::MAX);
    let mut ending = Ending::new(newline, scan.offset(), keep, SLACK.max(keep / 2));
    while scan.more()? {
        ending.push(scan.take_piece());
    }
    Ok(ending.finish(want))
}

/// The end of a text that comes in pieces. Where its lines begin is told at the end alone: a text of short lines costs no
/// more than one of long ones.
struct Ending {
    newline: Newline,
    /// Bytes that are kept at least.
    keep: usize,
    slack: usize,
    /// Where the text began.
    start: u64,
    bytes: Vec<u8>,
    /// Where `bytes` stand.
    offset: u64,
    /// The line that `bytes` begin in the middle of: where it begins, and its first bytes.
    cut: Option<(u64, Vec<u8>)>,
}

impl Ending {
    fn new(newline: Newline, start: u64, keep: usize, slack: usize) -> Self {
        // Room for a unit of any encoding.
        let (keep, slack) = (keep.max(4), slack.max(4));
        Self { newline, keep, slack, start, bytes: Vec::new(), offset: start, cut: None }
    }

    fn push(&mut self, piece: &[u8]) {
        self.bytes.extend_from_slice(piece);
        let excess = self.bytes.len().saturating_sub(self.keep);
        if excess >= self.slack {
            // In step with the encoding's units.
            self.forget(excess / 4 * 4);
        }
    }

    /// Lets the first bytes go.
    fn forget(&mut self, count: usize) {
        let gone = self.bytes.get(..count).unwrap_or_default();
        let begins = match self.newline.ends_backwards(gone).next() {
            None if self.cut.is_some() => None,
            begins => Some(begins.unwrap_or(0)),
        };
        if let Some(begins) = begins {
            let head = self.bytes.get(begins..begins.saturating_add(self.keep)).unwrap_or_default();
            self.cut = (begins < count).then(|| (self.offset.saturating_add(begins as u64), head.to_vec()));
        }
        self.bytes.drain(..count.min(self.bytes.len()));
        self.offset = self.offset.saturating_add(count as u64);
    }

    fn finish(mut self, want: u64) -> Held {
        let len = self.bytes.len();
        let mut ends = self.newline.ends_backwards(&self.bytes).peekable();
        // A line end at the very end opens no further line.
        let mut terminated = ends.next_if_eq(&len).is_some();
        let mut lines = Vec::new();
        let (mut end, mut held) = (len, 0_usize);
        // What stands before the first line end is a line only where none was cut there.
        let first = self.cut.is_none().then_some(0);
        for begins in ends.chain(first).filter(|begins| *begins < len) {
            let bytes = end - begins;
            let room = lines.is_empty() || held.saturating_add(bytes) <= self.keep;
            if !room || lines.len() as u64 >= want {
                break;
            }
            lines.push(HeldLine {
                offset: self.offset.saturating_add(begins as u64),
                bytes: begins..begins.saturating_add(bytes.min(self.keep)),
                len: bytes as u64,
                terminated,
            });
            held = held.saturating_add(bytes);
            (end, terminated) = (begins, true);
        }
        if lines.is_empty()
            && let Some((offset, mut head)) = self.cut.take()
        {
            // One line is all there is room for, and only how it begins.
            let bytes = self.offset.saturating_add(len as u64).saturating_sub(offset);
            head.truncate(usize::try_from(bytes).unwrap_or(usize::MAX));
            lines.push(HeldLine { offset, bytes: 0..head.len(), len: bytes, terminated });
            self.bytes = head;
        }
        lines.reverse();
        let more_before = lines.first().is_some_and(|line| line.offset > self.start);
        Held { bytes: self.bytes, lines, more_before }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::charset::Endian;
    use super::*;

    /// Offset, bytes, length, and whether it is terminated, of each line, and whether there are others.
    type Seen = (Vec<(u64, Vec<u8>, u64, bool)>, bool);

    fn seen(text: &[u8], newline: Newline, want: u64, keep: usize, slack: usize, piece: usize) -> Seen {
        let mut ending = Ending::new(newline, 0, keep, slack);
        text.chunks(piece).for_each(|piece| ending.push(piece));
        assert!(ending.bytes.len() <= keep + slack + piece);
        let held = ending.finish(want);
        let line = |line: &HeldLine| (line.offset, held.bytes(line).to_vec(), line.len, line.terminated);
        (held.lines.iter().map(line).collect(), held.more_before)
    }

    /// The same with the whole text at hand.
    fn wanted(text: &[u8], newline: Newline, want: u64, keep: usize) -> Seen {
        let mut starts: Vec<usize> = [0].into_iter().chain(newline.ends(text)).collect();
        starts.retain(|start| *start < text.len());
        let mut lines = Vec::new();
        let (mut end, mut held) = (text.len(), 0);
        for start in starts.into_iter().rev() {
            let len = end - start;
            if lines.len() as u64 >= want || (!lines.is_empty() && held + len > keep) {
                break;
            }
            held += len;
            let terminated = newline.ends_backwards(&text[..end]).next() == Some(end);
            lines.push((start as u64, text[start..start + len.min(keep)].to_vec(), len as u64, terminated));
            end = start;
        }
        lines.reverse();
        let more_before = lines.first().is_some_and(|line| line.0 > 0);
        (lines, more_before)
    }

    proptest! {
        #[test]
        fn the_end_is_that_of_the_whole_text(
            text in "[a\n]{0,80}", want in 1_u64..8, keep in 4_usize..24, slack in 4_usize..24, piece in 1_usize..9,
        ) {
            let text = text.as_bytes();
            let ending = seen(text, Newline::BYTE, want, keep, slack, piece);
            prop_assert_eq!(ending, wanted(text, Newline::BYTE, want, keep));
        }

        #[test]
        fn wide_units_stay_in_step(
            text in "[a\n\u{a00}\u{a0a}]{0,60}", want in 1_u64..8, keep in 4_usize..24, slack in 4_usize..24,
        ) {
            let newline = Newline::unit(2, Endian::Little);
            let text: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
            prop_assert_eq!(seen(&text, newline, want, keep, slack, 6), wanted(&text, newline, want, keep));
        }
    }

    #[test]
    fn a_long_last_line_is_held_by_its_first_bytes() {
        let text = [b"first\n".to_vec(), vec![b'x'; 5_000], b"\n".to_vec()].concat();
        let (lines, more_before) = seen(&text, Newline::BYTE, 3, 16, 64, 100);
        assert_eq!(lines, [(6, vec![b'x'; 16], 5_001, true)]);
        assert!(more_before);
    }
}
