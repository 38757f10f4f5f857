//! The last lines: read from the end where the source allows, passed in order where it does not.

use std::collections::VecDeque;
use std::io;

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

/// The last lines of a text, held whole but for over-long ones.
struct Held {
    lines: VecDeque<HeldLine>,
    /// Lines before the held ones are known to exist.
    more_before: bool,
}

struct HeldLine {
    offset: u64,
    /// At most as many bytes as can be shown.
    bytes: Vec<u8>,
    /// The length with the line end.
    len: u64,
    terminated: bool,
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
        let held = hold(&mut end, want, keep).map_err(io_error)?;
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
        let held = hold(&mut scan, want, keep).map_err(io_error)?;
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
        line.bytes.get(bom..).unwrap_or_default().to_vec()
    };

    // Lines are measured as they will be written, from the last one on, whose line end takes no room.
    let mut kept = 0;
    let mut room = cap;
    for (index, line) in held.lines.iter().enumerate().rev() {
        let number = first_number.saturating_add(index as u64);
        let mut measure = Sheet::new(manner, None, Some(room));
        if line.bytes.len() as u64 != line.len || !measure.write_line(number, line.offset, &body(line)) {
            break;
        }
        let Some(left) = room.checked_sub(measure.len()).or((kept == 0).then_some(0)) else { break };
        room = left;
        kept += 1;
    }
    let mut sheet = Sheet::new(manner, None, Some(finish.cap()));
    let skipped = held.lines.len().saturating_sub(kept);
    if kept == 0
        && let Some(line) = held.lines.back()
    {
        let content = body(line);
        let (content, _) = manner.newline.strip(&content);
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
        sheet.write_line(number, line.offset, &body(line));
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
fn hold(scan: &mut Scanner, want: u64, keep: u64) -> io::Result<Held> {
    let mut held = Held { lines: VecDeque::new(), more_before: false };
    let mut bytes = 0_u64;
    let keep_line = usize::try_from(keep).unwrap_or(usize::MAX);
    let mut buffer = Vec::new();
    while let Some(line) = scan.read_line(&mut buffer, keep_line, u64::MAX)? {
        bytes = bytes.saturating_add(buffer.len() as u64);
        held.lines.push_back(HeldLine {
            offset: line.offset,
            len: line.len.unwrap_or(u64::MAX),
            terminated: line.terminated,
            bytes: std::mem::take(&mut buffer),
        });
        while held.lines.len() as u64 > want || (bytes > keep && held.lines.len() > 1) {
            if let Some(gone) = held.lines.pop_front() {
                bytes = bytes.saturating_sub(gone.bytes.len() as u64);
                held.more_before = true;
                // Its buffer serves the next line.
                buffer = gone.bytes;
            }
        }
    }
    Ok(held)
}
