//! What part of the table is asked for.

use read_core::selector::{Classified, Excerpt, LineRange, LineRanges, Lines, Selector, classify};
use read_core::{ErrorCode, Notice, Rank, ReadError, Request};

/// How the caller asked, and so how the next call is worded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Worded {
    /// For all of it.
    Whole,
    /// With a selector, or with columns.
    Selector,
    /// With `offset` and `limit`.
    Arguments,
}

/// The rows and columns that are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    /// Rows, counted as lines are elsewhere.
    pub(crate) rows: Lines,
    /// The columns as the caller wrote them.
    pub(crate) columns: Option<String>,
    pub(crate) worded: Worded,
    pub(crate) notices: Vec<Notice>,
}

impl Asked {
    /// Reads `rest` together with the request's window; `None` when it is not for this reader.
    pub(crate) fn of(rest: &str, request: &Request, path: &str) -> Result<Option<Self>, ReadError> {
        let (rows, query) = match rest.split_once('?') {
            Some((rows, query)) => (rows, Some(query)),
            None => (rest, None),
        };
        let (rows, worded) = match classify(rows) {
            Classified::Empty => window(request),
            Classified::Selector(Selector::Lines { lines, raw: false }) => (lines, Worded::Selector),
            Classified::Malformed(error) if query.is_some() => {
                return Err(ReadError::new(ErrorCode::InvalidSelector, error.to_string()).with_cause(error));
            }
            Classified::Selector(_) if query.is_some() => {
                let rows = Excerpt::new(rows);
                return Err(ReadError::new(
                    ErrorCode::InvalidSelector,
                    format!(
                        "'{path}': columns can be chosen of rows, not of ':{rows}'. Use :1-20?cols=name,name."
                    ),
                ));
            }
            // Bytes, dumps and figures are core's; so is what is wrong with any other tail.
            Classified::Selector(_) | Classified::Malformed(_) | Classified::NotSelector => return Ok(None),
        };
        let mut notices = Vec::new();
        if worded == Worded::Selector && (request.offset.is_some() || request.limit.is_some()) {
            let selector = Excerpt::new(rest);
            notices.push(Notice::new(
                Rank::Opened,
                format!("offset and limit ignored: the selector :{selector} sets the window"),
            ));
        }
        let columns = query.map(|query| columns(query, path)).transpose()?;
        let worded = if worded == Worded::Whole && columns.is_some() { Worded::Selector } else { worded };
        Ok(Some(Self { rows, columns, worded, notices }))
    }

    /// The selector of `rows` of this table, with its colon and the caller's columns.
    pub(crate) fn selector(&self, rows: &str) -> String {
        match &self.columns {
            Some(columns) => format!(":{rows}?cols={columns}"),
            None => format!(":{rows}"),
        }
    }

    /// The call that shows row `next` and what follows, to the caller's own end.
    pub(crate) fn next_call(&self, next: u64, end: Option<u64>) -> String {
        let end = end.filter(|end| *end >= next);
        match (self.worded, end) {
            (Worded::Selector, _) => self.selector(&range(next, end)),
            (_, Some(end)) => format!("offset={next}, limit={}", (end - next).saturating_add(1)),
            (_, None) => format!("offset={next}"),
        }
    }
}

/// `3-9`, or `3-` to the end.
pub(crate) fn range(first: u64, last: Option<u64>) -> String {
    match last.filter(|last| *last >= first) {
        Some(last) => format!("{first}-{last}"),
        None => format!("{first}-"),
    }
}

fn window(request: &Request) -> (Lines, Worded) {
    if (request.offset, request.limit) == (None, None) {
        return (Lines::All, Worded::Whole);
    }
    let first = request.offset.unwrap_or(1).max(1);
    let range = match request.limit {
        Some(limit) => LineRange::counted(first, limit),
        None => LineRange::open(first),
    };
    (range.map_or(Lines::All, |range| Lines::Ranges(LineRanges::from(range))), Worded::Arguments)
}

/// The columns of a query, as they were written.
fn columns(query: &str, path: &str) -> Result<String, ReadError> {
    match query.split_once('=') {
        Some(("cols", columns)) if !columns.is_empty() => Ok(columns.to_owned()),
        _ => Err(ReadError::new(
            ErrorCode::InvalidQuery,
            format!(
                "'{path}': '?{}' is no query for a table. Use ?cols=name,name to choose columns.",
                Excerpt::new(query)
            ),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rest: &str) -> Option<Asked> {
        Asked::of(rest, &Request::default(), "f").unwrap()
    }

    #[test]
    fn rows_and_columns_are_taken_and_the_rest_is_declined() {
        assert_eq!(of("").unwrap().worded, Worded::Whole);
        let both = of("3-9?cols=a,b").unwrap();
        assert_eq!((both.rows.to_string().as_str(), both.columns.as_deref()), ("3-9", Some("a,b")));
        for rest in ["raw", "raw:1-2", "hex", "stat", "@0+4", "3:4", "5-2", "0", "nonsense", "raw:raw"] {
            assert_eq!(of(rest), None, "{rest}");
        }
    }

    #[test]
    fn a_wrong_query_is_an_error() {
        for rest in ["?", "?cols", "?cols=", "?where=1", "raw?cols=a", "5-2?cols=a"] {
            let error = Asked::of(rest, &Request::default(), "f").unwrap_err();
            assert!(error.is_correctable(), "{rest}: {error}");
        }
    }

    #[test]
    fn the_next_call_keeps_end_and_columns() {
        assert_eq!(of("1-50?cols=a").unwrap().next_call(21, Some(50)), ":21-50?cols=a");
        assert_eq!(of("?cols=a").unwrap().next_call(21, None), ":21-?cols=a");
        assert_eq!(of("").unwrap().next_call(21, None), "offset=21");
    }
}
