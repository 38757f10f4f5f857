//! What part of the table is asked for.

use read_core::selector::{Classified, Excerpt, classify};
use read_core::{ErrorCode, ReadError, Request, Window};

/// The rows and columns that are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    /// Rows, counted as lines are elsewhere.
    pub(crate) rows: Window,
    /// The columns as the caller wrote them.
    pub(crate) columns: Option<String>,
}

impl Asked {
    /// Reads `rest` together with the request's window; `None` when it is not for this reader.
    pub(crate) fn of(rest: &str, request: &Request, path: &str) -> Result<Option<Self>, ReadError> {
        let (rows, query) = match rest.split_once('?') {
            Some((rows, query)) => (rows, Some(query)),
            None => (rest, None),
        };
        match (Window::of(rows, request), query) {
            (Some(rows), Some(query)) => Ok(Some(Self { rows, columns: Some(columns(query, path)?) })),
            (Some(rows), None) => Ok(Some(Self { rows, columns: None })),
            (None, Some(_)) => Err(without_rows(rows, path)),
            // Verbatim rows, bytes, dumps and figures are core's; so is what is wrong with any other tail.
            (None, None) => Ok(None),
        }
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
        if self.columns.is_some() && !self.rows.is_by_arguments() {
            return self.selector(&Window::selector(next, end));
        }
        self.rows.next_call(next, end)
    }
}

/// The error when columns are asked for of something else than rows.
fn without_rows(rest: &str, path: &str) -> ReadError {
    match classify(rest) {
        Classified::Malformed(error) => {
            ReadError::new(ErrorCode::InvalidSelector, error.to_string()).with_cause(error)
        }
        Classified::Selector(_) | Classified::NotSelector | Classified::Empty => ReadError::new(
            ErrorCode::InvalidSelector,
            format!(
                "'{path}': columns can be chosen of rows, not of ':{}'. Use :1-20?cols=name,name.",
                Excerpt::new(rest)
            ),
        ),
    }
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
        assert!(of("").unwrap().rows.is_whole());
        let both = of("3-9?cols=a,b").unwrap();
        assert_eq!((both.rows.lines().to_string().as_str(), both.columns.as_deref()), ("3-9", Some("a,b")));
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
