//! What errors of SQLite mean, in words for who asked.

use read_core::{ErrorCode, ReadError, printed};
use rusqlite::ffi;

use crate::authorizer::Refused;
use crate::limits::MAX_SELECTS;

/// How SQLite's message about a schema begins that it cannot parse.
const MALFORMED: &str = "malformed database schema";

/// Who wrote a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Author {
    /// This crate.
    Own,
    /// The caller: all of it, or an expression in it.
    Caller,
}

/// An error as it was met.
#[derive(Debug)]
pub(crate) struct Fault<'a> {
    /// The target that addresses the database, printable.
    pub(crate) path: &'a str,
    pub(crate) author: Author,
    /// What the authorizer refused.
    pub(crate) refused: Option<Refused>,
    /// Whether more memory was wanted than there may be.
    pub(crate) wanted_more_memory: bool,
}

impl Fault<'_> {
    /// What `error` means.
    pub(crate) fn meaning(&self, error: &rusqlite::Error) -> ReadError {
        let written = (self.author == Author::Caller).then(|| self.of_writing(error)).flatten();
        if let Some(error) = written {
            return error;
        }
        let (code, message) = self.refusal(error).unwrap_or_else(|| self.failure(error));
        ReadError::new(code, message).with_cause(error.to_string())
    }

    /// The error for a query that is not understood or not allowed, with the way to ask.
    pub(crate) fn invalid_query(path: &str, what: &str) -> ReadError {
        ReadError::new(
            ErrorCode::InvalidQuery,
            format!("{what} Use {path}?q=SELECT … for a query that reads."),
        )
    }

    /// What is wrong with the text of a statement, before SQLite looks at what it says.
    fn of_writing(&self, error: &rusqlite::Error) -> Option<ReadError> {
        let what = match error {
            rusqlite::Error::MultipleStatement => {
                "Only one statement is read at a time. Send the others in calls of their own."
            }
            rusqlite::Error::Empty => "The query is empty.",
            rusqlite::Error::InvalidParameterCount(..) => {
                "The query has parameters. Write the values into it."
            }
            rusqlite::Error::NulError(_) => "The query holds a NUL character.",
            _ => return None,
        };
        Some(Self::invalid_query(self.path, what))
    }

    /// What was refused, if that is it.
    fn refusal(&self, error: &rusqlite::Error) -> Option<(ErrorCode, String)> {
        let path = self.path;
        let is_refusal = matches!(code(error), ffi::SQLITE_AUTH | ffi::SQLITE_READONLY);
        let unnamed = || is_refusal.then(|| Refused::Action("This statement".into()));
        Some(match self.refused.clone().or_else(unnamed)? {
            Refused::Action(refused) => (
                ErrorCode::InvalidQuery,
                format!(
                    "{refused} is refused: databases are only read. Use {path}?q=SELECT … for a query that reads."
                ),
            ),
            Refused::Heavy(pragma) => (
                ErrorCode::TooLarge,
                format!(
                    "'{path}': {pragma} would put views in each other that come to more than {MAX_SELECTS} SELECTs. Use \
                     {path} for the list of tables, or ask the tables below the views."
                ),
            ),
        })
    }

    /// What failed.
    fn failure(&self, error: &rusqlite::Error) -> (ErrorCode, String) {
        let path = self.path;
        let said = said(error);
        match code(error) {
            _ if self.wanted_more_memory => (
                ErrorCode::TooLarge,
                format!(
                    "'{path}': sorting or grouping needs more memory than a read may take. Narrow the query with WHERE, or \
                     LIMIT."
                ),
            ),
            ffi::SQLITE_TOOBIG | ffi::SQLITE_NOMEM => (
                ErrorCode::TooLarge,
                format!(
                    "'{path}': a value is too large for a query ({said}). Leave its column out, or ask for its \
                     octet_length(); {path}:TABLE:KEY:COLUMN:@0+65536 reads a part of a large cell."
                ),
            ),
            ffi::SQLITE_CORRUPT | ffi::SQLITE_NOTADB | ffi::SQLITE_FORMAT => damaged(path, &said),
            ffi::SQLITE_IOERR | ffi::SQLITE_CANTOPEN => (
                ErrorCode::Corrupt,
                format!("'{path}' cannot be read to its end: {said}. :hex shows its bytes."),
            ),
            _ if said.contains("unsupported file format") => (
                ErrorCode::UnsupportedContent,
                format!("'{path}' is of a newer format than this SQLite reads: {said}."),
            ),
            _ if is_malformed_schema(error) => damaged(path, &said),
            _ => (ErrorCode::QueryFailed, format!("'{path}': {said}. {}", self.hint())),
        }
    }

    /// The way to what can be asked.
    fn hint(&self) -> String {
        let path = self.path;
        match self.author {
            Author::Caller => format!("Use {path} for its tables, {path}:TABLE for the columns of one."),
            Author::Own => {
                format!("Use {path} for its tables, {path}?q=SELECT … for what of them can be read.")
            }
        }
    }
}

fn damaged(path: &str, said: &str) -> (ErrorCode, String) {
    (ErrorCode::Corrupt, format!("'{path}' is damaged: {said}. :hex shows its bytes."))
}

/// SQLite's code of an error, without what extends it.
fn code(error: &rusqlite::Error) -> std::ffi::c_int {
    match error {
        rusqlite::Error::SqliteFailure(failure, _) => failure.extended_code & 0xff,
        rusqlite::Error::SqlInputError { error, .. } => error.extended_code & 0xff,
        _ => ffi::SQLITE_ERROR,
    }
}

/// Whether an error is about a schema that cannot be parsed.
pub(crate) fn is_malformed_schema(error: &rusqlite::Error) -> bool {
    said(error).contains(MALFORMED)
}

/// What SQLite said, on one line.
pub(crate) fn said(error: &rusqlite::Error) -> String {
    let text = match error {
        rusqlite::Error::SqliteFailure(_, Some(message)) => message.clone(),
        rusqlite::Error::SqliteFailure(failure, None) => failure.to_string(),
        rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
        error => error.to_string(),
    };
    printed(text.as_bytes()).into_owned()
}
