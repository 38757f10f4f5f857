//! What part of a source is asked for: the selector, or `offset` and `limit`, read once for every kind of source.

use read_selector::{ByteSpan, Classified, Excerpt, FORMS, LineRange, Lines, Selector, classify};

use crate::context::Request;
use crate::error::{ErrorCode, ReadError};
use crate::output::{Notice, Rank};

/// A part of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum View {
    /// Lines; entries of a listing.
    Lines { lines: Lines, raw: bool },
    /// Bytes as text.
    Bytes(ByteSpan),
    /// Bytes as a dump.
    Hex(Option<ByteSpan>),
    /// Facts, no content.
    Stat,
}

/// How the caller asked, and so how a notice words the next call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Worded {
    /// No window at all.
    Whole,
    /// With a selector.
    Selector,
    /// With `offset` and `limit`.
    Arguments,
}

/// What was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) view: View,
    pub(crate) worded: Worded,
    pub(crate) notices: Vec<Notice>,
}

impl Asked {
    /// Reads `rest`, which follows `path`, together with the request's window.
    pub(crate) fn of(rest: &str, request: &Request, path: &str) -> Result<Self, ReadError> {
        match classify(rest) {
            Classified::Empty => Ok(Self::without_selector(request)),
            Classified::Selector(selector) => Ok(Self::with_selector(selector, rest, request)),
            Classified::Malformed(error) => {
                Err(ReadError::new(ErrorCode::InvalidSelector, error.to_string()).with_cause(error))
            }
            Classified::NotSelector => Err(not_a_selector(path, rest)),
        }
    }

    fn without_selector(request: &Request) -> Self {
        let window = match (request.offset, request.limit) {
            (None, None) => None,
            (offset, limit) => {
                let first = offset.unwrap_or(1).max(1);
                match limit {
                    Some(limit) => LineRange::counted(first, limit),
                    None => LineRange::open(first),
                }
            }
        };
        let (lines, worded) = match window {
            Some(range) => (Lines::Ranges(range.into()), Worded::Arguments),
            None => (Lines::All, Worded::Whole),
        };
        Self { view: View::Lines { lines, raw: false }, worded, notices: Vec::new() }
    }

    fn with_selector(selector: Selector, rest: &str, request: &Request) -> Self {
        let mut notices = Vec::new();
        if request.offset.is_some() || request.limit.is_some() {
            let selector = Excerpt::new(rest);
            notices.push(Notice::new(
                Rank::Opened,
                format!("offset and limit ignored: the selector :{selector} sets the window"),
            ));
        }
        notices.extend(open_in_list(rest));
        let view = match selector {
            Selector::Lines { lines, raw } => View::Lines { lines, raw },
            Selector::Bytes(span) => View::Bytes(span),
            Selector::Hex(span) => View::Hex(span),
            Selector::Stat => View::Stat,
            Selector::Position { line, column } => {
                notices.push(Notice::new(
                    Rank::Opened,
                    format!("Column {column} ignored: reading from line {line}"),
                ));
                let lines = LineRange::open(line).map_or(Lines::All, |range| Lines::Ranges(range.into()));
                View::Lines { lines, raw: false }
            }
        };
        Self { view, worded: Worded::Selector, notices }
    }
}

/// The lines of a source that a caller asked for, by a selector or with `offset` and `limit`, and so how the call that goes on
/// is worded. It is for readers that cut a page of their own kind of lines: rows, entries, records.
///
/// ```
/// use read_core::{Request, Window};
///
/// let window = Window::of("11-50", &Request::default()).ok_or("a window")?;
/// assert_eq!(window.lines().to_string(), "11-50");
/// assert_eq!(window.next_call(31, Some(50)), ":31-50");
///
/// let mut request = Request::default();
/// (request.offset, request.limit) = (Some(11), Some(40));
/// let window = Window::of("", &request).ok_or("a window")?;
/// assert_eq!(window.next_call(31, Some(50)), "offset=31, limit=20");
///
/// assert!(Window::of("hex", &request).is_none(), "decline: core shows it");
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    lines: Lines,
    worded: Worded,
    notices: Vec<Notice>,
}

impl Window {
    /// The window that `rest`, what follows the source in the target, asks for, or the request where that is empty. `None`
    /// where `rest` asks for something else than lines: verbatim lines, bytes, a dump, facts, or nothing that makes sense.
    /// [Decline](crate::Outcome::Decline) these, and core answers.
    pub fn of(rest: &str, request: &Request) -> Option<Self> {
        let asked = match classify(rest) {
            Classified::Empty => Asked::without_selector(request),
            Classified::Selector(selector @ Selector::Lines { raw: false, .. }) => {
                Asked::with_selector(selector, rest, request)
            }
            Classified::Selector(_) | Classified::Malformed(_) | Classified::NotSelector => return None,
        };
        Self::of_asked(asked)
    }

    /// The window of a listing, in which a line with a column counts as that line; `None` where `rest` asks for something else
    /// than entries.
    pub fn of_listing(rest: &str, request: &Request) -> Option<Self> {
        match classify(rest) {
            Classified::Selector(Selector::Position { line, column }) => {
                let lines = LineRange::open(line).map_or(Lines::All, |range| Lines::Ranges(range.into()));
                let mut asked = Asked::with_selector(Selector::Lines { lines, raw: false }, rest, request);
                let text = format!("Column {column} ignored: reading from entry {line}");
                asked.notices.push(Notice::new(Rank::Opened, text));
                Self::of_asked(asked)
            }
            _ => Self::of(rest, request),
        }
    }

    /// What was asked for, where that is lines.
    pub(crate) fn of_asked(asked: Asked) -> Option<Self> {
        let View::Lines { lines, raw: false } = asked.view else { return None };
        Some(Self { lines, worded: asked.worded, notices: asked.notices })
    }

    /// The lines, counted from 1.
    pub fn lines(&self) -> &Lines {
        &self.lines
    }

    /// What to say about how the call was understood: an `offset` beside a selector is ignored.
    pub fn notices(&self) -> &[Notice] {
        &self.notices
    }

    /// Whether the caller named no lines at all, and so wants the first page.
    pub fn is_whole(&self) -> bool {
        self.worded == Worded::Whole
    }

    /// Whether it was asked for with `offset` and `limit`. An `offset` beyond the end is then an error; a selector
    /// beyond the end has an answer.
    pub fn is_by_arguments(&self) -> bool {
        self.worded == Worded::Arguments
    }

    /// The call that shows line `next` and what follows, to the caller's own `end`, in the caller's own words: `:31-50`,
    /// `offset=31, limit=20`.
    pub fn next_call(&self, next: u64, end: Option<u64>) -> String {
        next_call(self.worded, next, end)
    }

    /// The selector of these lines without its colon, for [`Truncated::next_target`](crate::Truncated::next_target):
    /// `31-50`, or `31-` to the end.
    pub fn selector(first: u64, last: Option<u64>) -> String {
        next_range(first, last)
    }
}

/// Says what a bare number means where it swallows the rest of a list.
fn open_in_list(rest: &str) -> Option<Notice> {
    let items: Vec<&str> = rest.split(':').find(|part| part.contains(','))?.split(',').collect();
    let bare = |item: &&&str| {
        !item.is_empty() && item.trim_start_matches(['l', 'L']).bytes().all(|b| b.is_ascii_digit())
    };
    let bare = items.iter().find(bare)?;
    let number = Excerpt::new(bare);
    Some(Notice::new(
        Rank::Opened,
        format!(
            "{number} in a list is line {number} to the end; write {number}-{number} for that line alone"
        ),
    ))
}

/// The error for a tail that nobody understands.
pub(crate) fn not_a_selector(path: &str, rest: &str) -> ReadError {
    // A query was not written behind a colon.
    let colon = if rest.starts_with('?') { "" } else { ":" };
    let rest = Excerpt::new(rest);
    ReadError::new(
        ErrorCode::InvalidSelector,
        format!("'{path}' exists, but '{colon}{rest}' is not a selector for it. Use one of: {FORMS}."),
    )
}

/// The call that shows line (or entry) `next` and what follows, to the caller's own end: `:2001-5000`,
/// `offset=2001, limit=3000`.
pub(crate) fn next_call(worded: Worded, next: u64, end: Option<u64>) -> String {
    match worded {
        Worded::Selector => format!(":{}", next_range(next, end)),
        Worded::Whole | Worded::Arguments => match end {
            Some(end) if end >= next => format!("offset={next}, limit={}", (end - next).saturating_add(1)),
            _ => format!("offset={next}"),
        },
    }
}

/// The same as a selector without its colon: `2001-5000`, `2001-`.
pub(crate) fn next_range(next: u64, end: Option<u64>) -> String {
    match end {
        Some(end) if end >= next => format!("{next}-{end}"),
        _ => format!("{next}-"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(offset: Option<u64>, limit: Option<u64>) -> Request {
        Request { offset, limit, ..Request::default() }
    }

    #[test]
    fn a_selector_beats_offset_and_limit() {
        let asked = Asked::of("5-9", &request(Some(3), None), "f").unwrap();
        assert_eq!(asked.worded, Worded::Selector);
        assert_eq!(asked.notices[0].text(), "offset and limit ignored: the selector :5-9 sets the window");
    }

    #[test]
    fn offset_zero_is_one_and_sums_saturate() {
        let asked = Asked::of("", &request(Some(0), Some(u64::MAX)), "f").unwrap();
        let View::Lines { lines: Lines::Ranges(ranges), .. } = asked.view else { panic!() };
        assert_eq!(ranges.first().start(), 1);
    }

    #[test]
    fn a_strange_tail_is_an_error_that_names_the_forms() {
        let error = Asked::of("abc", &Request::default(), "src/a.rs").unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidSelector);
        assert!(error.message().starts_with("'src/a.rs' exists, but ':abc' is not a selector for it."));
    }

    #[test]
    fn a_listing_has_no_columns() {
        assert_eq!(Window::of("5:3", &Request::default()), None);
        let window = Window::of_listing("5:3", &Request::default()).unwrap();
        assert_eq!(window.lines().to_string(), "5-");
        assert_eq!(window.notices()[0].text(), "Column 3 ignored: reading from entry 5");
        assert_eq!(Window::of_listing("hex", &Request::default()), None);
        assert_eq!(Window::of_listing("2-3", &Request::default()), Window::of("2-3", &Request::default()));
    }

    #[test]
    fn the_next_call_keeps_the_callers_end() {
        assert_eq!(next_call(Worded::Selector, 2001, Some(5000)), ":2001-5000");
        assert_eq!(next_call(Worded::Arguments, 2001, Some(5000)), "offset=2001, limit=3000");
        assert_eq!(next_call(Worded::Whole, 7, None), "offset=7");
    }
}
