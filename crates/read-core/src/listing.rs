//! Listings: the window that a caller asks for, out of lines that somebody numbers, as far as the caps let it.

use read_selector::{LineRange, LineRanges, Lines};

use crate::context::ReadContext;
use crate::error::{ErrorCode, ReadError};
use crate::names::count;
use crate::output::{Details, Notice, Rank, Truncated, TruncatedBy};
use crate::reader::Answer;
use crate::view::Window;

/// A numbered listing of something: the entries of a directory, the tables of a database. Its owner says how many entries
/// there are and gives the line of each that is wanted; windows, caps, notices and the calls that go on are the same for all.
///
/// ```
/// use read_core::{Answer, Listing, ReadContext, ReadError, Source, Window};
///
/// fn list(names: &[String], source: &Source, window: &Window, cx: &ReadContext<'_>) -> Result<Answer, ReadError> {
///     let listing = Listing::new(source.path(), names.len() as u64, window).empty("(no names)\n");
///     listing.write(cx, |number| {
///         let at = usize::try_from(number - 1).unwrap_or(usize::MAX);
///         Ok(format!("{}\n", names.get(at).map_or("", String::as_str)))
///     })
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Listing<'a> {
    path: &'a str,
    total: u64,
    window: &'a Window,
    noun: &'a str,
    unit: &'a str,
    empty: String,
    media_type: Option<String>,
}

impl<'a> Listing<'a> {
    /// A listing of `total` entries of what `path` addresses (a [`Source::path`](crate::Source::path)), of which `window` is
    /// wanted.
    pub fn new(path: &'a str, total: u64, window: &'a Window) -> Self {
        let empty = "(empty)\n".to_owned();
        Self { path, total, window, noun: "listing", unit: "entry", empty, media_type: None }
    }

    /// The same with another word for what is listed than `listing`.
    #[must_use]
    pub fn called(mut self, noun: &'a str) -> Self {
        self.noun = noun;
        self
    }

    /// The same with another word for one line of it than `entry`, in the singular.
    #[must_use]
    pub fn of(mut self, unit: &'a str) -> Self {
        self.unit = unit;
        self
    }

    /// The same with a text for where there is no entry; `(empty)` otherwise.
    #[must_use]
    pub fn empty(mut self, text: impl Into<String>) -> Self {
        self.empty = text.into();
        self
    }

    /// The same with a media type for the details.
    #[must_use]
    pub fn media_type(mut self, media_type: impl Into<String>) -> Self {
        self.media_type = Some(media_type.into());
        self
    }

    /// The answer. `line` gives the line of entry `number` (from 1), its end included; it is asked for those that may be shown
    /// alone, each once, the last first where the window counts from the end.
    pub fn write(
        self,
        cx: &ReadContext<'_>,
        line: impl FnMut(u64) -> Result<String, ReadError>,
    ) -> Result<Answer, ReadError> {
        let mut page = Page::default();
        page.notices.extend_from_slice(self.window.notices());
        if self.total == 0 {
            page.text.clone_from(&self.empty);
            return Ok(self.answer(page));
        }
        match self.window.lines() {
            Lines::All => self.write_ranges(&LineRanges::all(), cx, line, &mut page)?,
            Lines::Ranges(ranges) if ranges.first().start() > self.total => {
                self.beyond_end(ranges.first(), &mut page)?;
            }
            Lines::Ranges(ranges) => self.write_ranges(ranges, cx, line, &mut page)?,
            Lines::Tail(n) => self.write_tail(n.get(), cx, line, &mut page)?,
        }
        Ok(self.answer(page))
    }

    fn write_ranges(
        &self,
        wanted: &LineRanges,
        cx: &ReadContext<'_>,
        mut line: impl FnMut(u64) -> Result<String, ReadError>,
        page: &mut Page,
    ) -> Result<(), ReadError> {
        let caps = Caps::of(cx);
        for range in wanted {
            page.separate_next = !page.text.is_empty();
            let last = range.end().unwrap_or(self.total).min(self.total);
            for number in range.start()..=last {
                cx.meter().check()?;
                if page.count() >= caps.entries {
                    self.cut(TruncatedBy::Entries, number, wanted, page);
                    return Ok(());
                }
                let line = line(number)?;
                if !page.text.is_empty() && page.text.len().saturating_add(line.len()) as u64 > caps.bytes {
                    self.cut(TruncatedBy::Bytes, number, wanted, page);
                    return Ok(());
                }
                page.push(number, &line);
            }
        }
        for range in wanted.iter().filter(|range| range.start() > self.total) {
            self.skip(range, page);
        }
        // The caller's own window ends before the listing does: say so, as for lines.
        let last = wanted.last().end().map_or(self.total, |end| end.min(self.total));
        if last < self.total && wanted.is_single().is_some() {
            let call = self.window.next_call(last.saturating_add(1), None);
            let more = count(self.total.saturating_sub(last), &format!("more {}", self.unit));
            page.go_on(format!("{more} in {}. Use {call} to continue.", self.noun));
        }
        Ok(())
    }

    /// Writes the last `n` entries, or as many of them as the caps allow, from the end.
    fn write_tail(
        &self,
        n: u64,
        cx: &ReadContext<'_>,
        mut line: impl FnMut(u64) -> Result<String, ReadError>,
        page: &mut Page,
    ) -> Result<(), ReadError> {
        let caps = Caps::of(cx);
        let asked_first = self.total.saturating_sub(n).saturating_add(1);
        let (mut first, mut room) = (self.total.saturating_add(1), caps.bytes);
        let mut lines = Vec::new();
        let mut by = TruncatedBy::Entries;
        while first > asked_first && (lines.len() as u64) < caps.entries {
            cx.meter().check()?;
            let line = line(first.saturating_sub(1))?;
            if line.len() as u64 > room && !lines.is_empty() {
                by = TruncatedBy::Bytes;
                break;
            }
            room = room.saturating_sub(line.len() as u64);
            first = first.saturating_sub(1);
            lines.push(line);
        }
        for (number, line) in (first..).zip(lines.iter().rev()) {
            page.push(number, line);
        }
        if first > asked_first {
            let before = Window::selector(asked_first, Some(first.saturating_sub(1)));
            page.truncated =
                Some(Truncated { by, next: asked_first, next_target: Some(self.target(&before)) });
            let (total, units) = (self.total, self.units());
            page.go_on(format!(
                "Showing {units} {first}-{total} of {total}. Use :{before} for the {units} before."
            ));
        }
        Ok(())
    }

    /// Notes that a cap ended the listing before entry `next`.
    fn cut(&self, by: TruncatedBy, next: u64, wanted: &LineRanges, page: &mut Page) {
        let (total, units) = (self.total, self.units());
        let (selector, notice) = if let Some(range) = wanted.is_single() {
            let call = self.window.next_call(next, range.end());
            let (first, last) = (range.start(), next.saturating_sub(1));
            let notice = format!("Showing {units} {first}-{last} of {total}. Use {call} to continue.");
            (Window::selector(next, range.end()), notice)
        } else {
            let left = wanted.from_line(next).map_or_else(String::new, |left| left.to_string());
            let (shown, selected) = (page.count(), wanted.line_count_within(total));
            let notice = format!(
                "Output truncated: showing {shown} of {selected} selected {units}. Use :{left} to continue."
            );
            (left, notice)
        };
        page.truncated = Some(Truncated { by, next, next_target: Some(self.target(&selector)) });
        page.go_on(notice);
    }

    /// Says that a range of several is not there.
    fn skip(&self, range: LineRange, page: &mut Page) {
        let total = count(self.total, self.unit);
        let text = format!("Range {range} is beyond end of {} ({total} total); skipped", self.noun);
        page.text.push('[');
        page.text.push_str(&text);
        page.text.push_str("]\n");
        page.notices.push(Notice::detail(Rank::LeftOut, text));
    }

    /// The answer where the whole window lies behind the last entry.
    fn beyond_end(&self, wanted: LineRange, page: &mut Page) -> Result<(), ReadError> {
        let (first, last) = (wanted.start(), self.total);
        let (noun, unit, total) = (self.noun, self.unit, count(self.total, self.unit));
        if self.window.is_by_arguments() {
            return Err(ReadError::new(
                ErrorCode::InvalidArguments,
                format!("Offset {first} is beyond end of {noun} ({total} total). Use offset=1 to {last}."),
            ));
        }
        let mut letters = unit.chars();
        let unit_first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
        page.text = format!(
            "{unit_first}{} {first} is beyond end of {noun} ({total} total). Use :1 to list from the start, or :{last} for the last {unit}.",
            letters.as_str()
        );
        page.notices.push(Notice::detail(Rank::LeftOut, page.text.clone()));
        Ok(())
    }

    /// The word for several of its lines.
    fn units(&self) -> String {
        count(0, self.unit).split_off(2)
    }

    fn target(&self, selector: &str) -> String {
        format!("{}:{selector}", self.path)
    }

    fn answer(self, page: Page) -> Answer {
        let details = Details {
            media_type: self.media_type,
            total_lines: Some(self.total),
            shown: Some(page.shown),
            truncated: page.truncated,
            ..Details::default()
        };
        Answer::shown(page.text, details, page.notices)
    }
}

/// The caps that hold for one listing.
struct Caps {
    entries: u64,
    bytes: u64,
}

impl Caps {
    fn of(cx: &ReadContext<'_>) -> Self {
        let limits = cx.limits();
        Self { entries: limits.max_entries.unwrap_or(u64::MAX), bytes: limits.max_bytes.unwrap_or(u64::MAX) }
    }
}

/// A listing, as far as it is written.
#[derive(Default)]
struct Page {
    text: String,
    /// Whether a separator stands before the next entry: it begins another block.
    separate_next: bool,
    shown: Vec<[u64; 2]>,
    truncated: Option<Truncated>,
    notices: Vec<Notice>,
}

impl Page {
    fn count(&self) -> u64 {
        self.shown.iter().map(|[first, last]| last - first + 1).sum()
    }

    fn push(&mut self, number: u64, line: &str) {
        if std::mem::take(&mut self.separate_next) {
            self.text.push_str("\n…\n\n");
        }
        self.text.push_str(line);
        match self.shown.last_mut() {
            Some([_, last]) if *last + 1 == number => *last = number,
            _ => self.shown.push([number, number]),
        }
    }

    fn go_on(&mut self, notice: String) {
        self.notices.push(Notice::new(Rank::Continue, notice));
    }
}
