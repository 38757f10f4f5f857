//! Windows of lines, cut from a forward scan.

use std::io;

use read_selector::{LineRange, LineRanges, Lines};

use super::document::Document;
use super::scan::{Counted, Scanner};
use super::sheet::{LongLine, Manner, Sheet, Stop};
use super::written::{Finish, Totals};
use crate::error::{ErrorCode, ReadError};
use crate::limits::Large;
use crate::names::{count, size};
use crate::output::{Notice, Rank, TruncatedBy};
use crate::reader::Answer;
use crate::view::{Asked, Worded, next_call, next_range};

/// Reads the lines that were asked for.
pub(super) fn read(
    document: &Document<'_>,
    lines: &Lines,
    raw: bool,
    asked: &Asked,
) -> Result<Answer, ReadError> {
    let taps = document.taps(raw);
    if document.is_empty() {
        let scan = document.scan(1, taps)?;
        return Finish::new(document, raw, asked).empty(scan);
    }
    match lines {
        Lines::All if asked.worded == Worded::Whole && document.cx.limits().large == Large::Describe => {
            describe_or_read(document, taps, asked)
        }
        Lines::All => ranges(document, taps, &LineRanges::all(), raw, asked),
        Lines::Ranges(wanted) => ranges(document, taps, wanted, raw, asked),
        Lines::Tail(n) => super::tail::read(document, taps, n.get(), raw, asked),
    }
}

impl Document<'_> {
    pub(super) fn manner(&self, raw: bool, search: u64) -> Manner {
        Manner {
            charset: self.charset,
            newline: self.newline(),
            bom: self.bom,
            style: self.cx.request().style,
            raw,
            search,
        }
    }

    /// Bytes beyond the window that may be read to count lines.
    fn search(&self, asked: &Asked) -> u64 {
        let limits = self.cx.limits();
        if asked.worded == Worded::Whole { limits.count_limit } else { limits.count_beyond }
    }

    /// Counts the lines beyond the scan's position, where the rest is short enough to be worth it.
    pub(super) fn totals(&self, scan: &mut Scanner, search: u64) -> Result<Totals, ReadError> {
        let left = self.length().map(|length| length.saturating_sub(scan.offset()));
        let too_far = left.is_some_and(|left| left > search) && !scan.blocks().is_wanted();
        let lines = match scan.known_total() {
            Some(total) => Counted::All(total),
            None if too_far => Counted::Some(0),
            None => scan.count(search, || self.gave_up()).map_err(|error| self.error(error))?,
        };
        // What was given up on the way is "at least"; what was not begun is told by its size.
        let given_up = self.cx.meter().tripped().is_some();
        let (file, left) = if given_up { (None, None) } else { (self.length(), left) };
        Ok(match lines {
            Counted::All(total) => Totals { exact: Some(total), at_least: total, file: self.length(), left },
            Counted::Some(at_least) => Totals { exact: None, at_least, file, left },
        })
    }

    /// Whether a failure while counting only costs the count: a budget or the deadline, but not the caller's will.
    pub(super) fn gave_up(&self) -> bool {
        matches!(self.cx.meter().tripped(), Some(crate::Trip::TimedOut { .. } | crate::Trip::Budget { .. }))
    }
}

fn describe_or_read(
    document: &Document<'_>,
    taps: Vec<Box<dyn crate::Tap>>,
    asked: &Asked,
) -> Result<Answer, ReadError> {
    let limits = document.cx.limits();
    let mut scan = document.scan(1, Vec::new())?;
    let totals = document.totals(&mut scan, limits.count_limit)?;
    document.keep_index(&scan);
    let bytes = document.length().or_else(|| document.source.length()).unwrap_or_else(|| scan.offset());
    if totals.at_least <= limits.describe_lines && bytes <= limits.describe_bytes {
        return ranges(document, taps, &LineRanges::all(), false, asked);
    }
    let lines = match (totals.exact, totals.at_least) {
        (Some(total), _) => format!("{}, ", count(total, "line")),
        (None, 0) => String::new(),
        (None, at_least) => format!("at least {}, ", count(at_least, "line")),
    };
    let scan = document.scan(1, taps)?;
    let notice = format!(
        "{}: {lines}{}. Too large to show without a window. Use :1-200, or offset and limit.",
        document.source.path(),
        size(bytes)
    );
    Finish::new(document, false, asked).described(scan, totals, notice)
}

/// What was written of several ranges.
struct Progress {
    stop: Stop,
    /// The range at which writing stopped, by its place in the list.
    at: usize,
}

fn ranges(
    document: &Document<'_>,
    taps: Vec<Box<dyn crate::Tap>>,
    wanted: &LineRanges,
    raw: bool,
    asked: &Asked,
) -> Result<Answer, ReadError> {
    let limits = document.cx.limits();
    let search = document.search(asked);
    let mut scan = document.scan(wanted.first().start(), taps)?;
    let mut sheet = Sheet::new(document.manner(raw, search), limits.max_lines, limits.max_bytes);
    let progress = write_ranges(&mut scan, &mut sheet, wanted).map_err(|error| document.error(error))?;
    let totals = match progress.stop {
        Stop::TextEnd => {
            let total = scan.lines_at_end();
            Totals { exact: Some(total), at_least: total, file: document.length(), left: Some(0) }
        }
        Stop::LongLine(long) if long.size.is_none() => Totals {
            exact: None,
            at_least: long.line,
            file: document.length(),
            left: document.length().map(|length| length.saturating_sub(long.next_offset)),
        },
        _ => document.totals(&mut scan, search)?,
    };
    scan.drain().map_err(|error| document.error(error))?;
    document.keep_index(&scan);
    let mut finish = Finish::new(document, raw, asked);
    match (wanted.is_single(), progress.stop) {
        (_, Stop::LongLine(long)) => {
            long_line(&mut finish, &totals, long, wanted.from_line(long.line.saturating_add(1)));
        }
        (Some(range), stop) => single(&mut finish, &mut sheet, range, stop, &totals)?,
        (None, stop) => {
            several(&mut finish, &mut sheet, wanted, &Progress { stop, at: progress.at }, &totals);
        }
    }
    finish.written(scan, sheet, totals)
}

fn write_ranges(scan: &mut Scanner, sheet: &mut Sheet, wanted: &LineRanges) -> io::Result<Progress> {
    let mut progress = Progress { stop: Stop::TextEnd, at: 0 };
    for (at, range) in wanted.iter().enumerate() {
        progress.at = at;
        if !scan.go_to_line(range.start())? {
            progress.stop = Stop::TextEnd;
            return Ok(progress);
        }
        let mark = sheet.begin_block();
        progress.stop = sheet.write(scan, range.end())?;
        sheet.end_block(mark);
        if progress.stop != Stop::RangeEnd {
            return Ok(progress);
        }
    }
    progress.at = wanted.len();
    Ok(progress)
}

/// The notice of one window.
fn single(
    finish: &mut Finish<'_>,
    sheet: &mut Sheet,
    range: LineRange,
    stop: Stop,
    totals: &Totals,
) -> Result<(), ReadError> {
    let Some(shown) = sheet.shown().first().copied() else {
        return beyond_end(finish, sheet, range.start(), totals);
    };
    let (first, last) = (shown.start(), shown.end().unwrap_or(u64::MAX));
    let next = last.saturating_add(1);
    let noun = finish.noun();
    let call = finish.next_call(next, range.end());
    let of = totals.of(noun);
    match stop {
        Stop::LineCap => {
            finish.truncated(TruncatedBy::Lines, next, &next_range(next, range.end()));
            finish.go_on(format!("Showing lines {first}-{last} of {of}. Use {call} to continue."));
        }
        Stop::ByteCap => {
            let cap = size(finish.document.cx.limits().max_bytes.unwrap_or(u64::MAX));
            finish.truncated(TruncatedBy::Bytes, next, &next_range(next, range.end()));
            finish.go_on(format!(
                "Showing lines {first}-{last} of {of} ({cap} limit). Use {call} to continue."
            ));
        }
        Stop::RangeEnd if totals.has_more_after(last) => {
            let call = finish.next_call(next, None);
            finish.go_on(format!("{} in {noun}. Use {call} to continue.", totals.more_after(last)));
        }
        Stop::RangeEnd | Stop::TextEnd | Stop::LongLine(_) => {}
    }
    Ok(())
}

fn beyond_end(
    finish: &mut Finish<'_>,
    sheet: &mut Sheet,
    line: u64,
    totals: &Totals,
) -> Result<(), ReadError> {
    let total = totals.at_least;
    let noun = finish.noun();
    if finish.asked.worded == Worded::Arguments {
        return Err(ReadError::new(
            ErrorCode::InvalidArguments,
            format!(
                "Offset {line} is beyond end of {noun} ({} total). Use offset=1 to {total}.",
                count(total, "line")
            ),
        ));
    }
    let text = format!(
        "Line {line} is beyond end of {noun} ({} total). Use :1 to read from the start, or :{total} to read the last line.",
        count(total, "line")
    );
    finish.notices.push(Notice::detail(Rank::LeftOut, text.clone()));
    sheet.separate(&text);
    Ok(())
}

/// The notices of several windows.
fn several(
    finish: &mut Finish<'_>,
    sheet: &mut Sheet,
    wanted: &LineRanges,
    progress: &Progress,
    totals: &Totals,
) {
    if progress.stop == Stop::TextEnd {
        let total = totals.at_least;
        let beyond: Vec<LineRange> = wanted.iter().filter(|range| range.start() > total).collect();
        if sheet.is_empty() {
            let first = beyond.first().map_or(1, LineRange::start);
            // A selector made this list; the answer is that of its first range.
            let _ = beyond_end(finish, sheet, first, totals);
            return;
        }
        let noun = finish.noun();
        for range in beyond {
            let text =
                format!("Range {range} is beyond end of {noun} ({} total); skipped", count(total, "line"));
            sheet.separate(&format!("[{text}]\n"));
            finish.notices.push(Notice::detail(Rank::LeftOut, text));
        }
        return;
    }
    let by = match progress.stop {
        Stop::LineCap => TruncatedBy::Lines,
        Stop::ByteCap => TruncatedBy::Bytes,
        Stop::RangeEnd | Stop::TextEnd | Stop::LongLine(_) => return,
    };
    let shown: u64 =
        sheet.shown().iter().map(|range| range.line_count_within(u64::MAX)).fold(0, u64::saturating_add);
    // Writing stops before a line of the range at hand: behind what is shown of it, or at its start.
    let at = wanted.iter().nth(progress.at).map_or(1, |range| range.start());
    let last = sheet.shown().last().and_then(LineRange::end).unwrap_or(0);
    let next = at.max(last.saturating_add(1));
    let Some(left) = wanted.from_line(next) else { return };
    let selected = match totals.exact {
        Some(total) => wanted.line_count_within(total).to_string(),
        None if wanted.last().end().is_some() => wanted.line_count().to_string(),
        None => format!("at least {shown}"),
    };
    finish.truncated(by, next, &left.to_string());
    let call = finish.selector(&left.to_string());
    finish.go_on(format!(
        "Output truncated: showing {shown} of {selected} selected lines. Use {call} to continue."
    ));
}

/// The notice of a line that is over the cap on bytes. `left`: what the caller asked for behind it.
pub(super) fn long_line(finish: &mut Finish<'_>, totals: &Totals, long: LongLine, left: Option<LineRanges>) {
    let cap_bytes = finish.cap();
    let cap = size(cap_bytes);
    let length = match long.size {
        Some(len) => size(len),
        None => format!("over {}", size(long.searched)),
    };
    let line = long.line;
    // Where bytes mean nothing by themselves, the rest of the line can only be dumped.
    let hex = if finish.document.charset.is_stateful() { "hex:" } else { "" };
    let bytes = format!("{hex}@{}+{cap_bytes}", long.next_offset);
    let mut notice = format!("Line {line} is {length}; showing its first {cap}. Use :{bytes} to continue.");
    if long.size.is_some() && totals.has_more_after(line) {
        let next = left.map_or_else(|| next_range(line.saturating_add(1), None), |left| left.to_string());
        notice.push_str(" Use ");
        notice.push_str(&finish.selector(&next));
        notice.push_str(" for the next line.");
    }
    finish.truncated_at(TruncatedBy::Line, long.next_offset, &bytes);
    finish.go_on(notice);
}

impl Finish<'_> {
    fn next_call(&self, next: u64, end: Option<u64>) -> String {
        if self.raw { self.selector(&next_range(next, end)) } else { next_call(self.asked.worded, next, end) }
    }
}
