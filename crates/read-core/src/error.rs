//! The one error that every layer returns.

use std::error::Error as StdError;
use std::fmt;
use std::io;

use crate::meter::Trip;

/// What went wrong, as a stable code that hosts can match on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorCode {
    /// An argument is missing, of the wrong type or contradicts another.
    InvalidArguments,
    /// The tail of the target is no selector that this source understands.
    InvalidSelector,
    /// A query is malformed or not allowed.
    InvalidQuery,
    /// Nothing exists under that name.
    NotFound,
    /// The path leaves the workspace.
    OutsideWorkspace,
    /// A FIFO, socket or device.
    NotRegular,
    /// A directory, where listings are refused.
    IsDirectory,
    /// A limit would be passed.
    TooLarge,
    /// The deadline passed.
    TimedOut,
    /// Somebody else holds what is needed.
    Busy,
    /// A query was allowed but failed.
    QueryFailed,
    /// A deny rule or guard refuses it.
    Denied,
    /// The symlink policy refuses it.
    SymlinkRefused,
    /// What was approved is no longer what the path leads to.
    ResolutionChanged,
    /// A pointer file has content that is not followed.
    PointerRefused,
    /// An embedded resource resolved to nothing.
    BuiltinEmpty,
    /// Content that no reader shows.
    UnsupportedContent,
    /// Content that needs a password.
    Encrypted,
    /// Damaged content.
    Corrupt,
    /// A reader that exists but is not linked into this host.
    NotBuiltIn,
    /// A reader panicked.
    ReaderFailed,
    /// The caller cancelled the read.
    Cancelled,
    /// The operating system refused or failed.
    Io,
}

impl ErrorCode {
    /// Every code, in the order of the reference.
    pub const ALL: &'static [Self] = &[
        Self::InvalidArguments,
        Self::InvalidSelector,
        Self::InvalidQuery,
        Self::NotFound,
        Self::OutsideWorkspace,
        Self::NotRegular,
        Self::IsDirectory,
        Self::TooLarge,
        Self::TimedOut,
        Self::Busy,
        Self::QueryFailed,
        Self::Denied,
        Self::SymlinkRefused,
        Self::ResolutionChanged,
        Self::PointerRefused,
        Self::BuiltinEmpty,
        Self::UnsupportedContent,
        Self::Encrypted,
        Self::Corrupt,
        Self::NotBuiltIn,
        Self::ReaderFailed,
        Self::Cancelled,
        Self::Io,
    ];

    /// The code as it is printed: `not_found`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidArguments => "invalid_arguments",
            Self::InvalidSelector => "invalid_selector",
            Self::InvalidQuery => "invalid_query",
            Self::NotFound => "not_found",
            Self::OutsideWorkspace => "outside_workspace",
            Self::NotRegular => "not_regular",
            Self::IsDirectory => "is_directory",
            Self::TooLarge => "too_large",
            Self::TimedOut => "timed_out",
            Self::Busy => "busy",
            Self::QueryFailed => "query_failed",
            Self::Denied => "denied",
            Self::SymlinkRefused => "symlink_refused",
            Self::ResolutionChanged => "resolution_changed",
            Self::PointerRefused => "pointer_refused",
            Self::BuiltinEmpty => "builtin_empty",
            Self::UnsupportedContent => "unsupported_content",
            Self::Encrypted => "encrypted",
            Self::Corrupt => "corrupt",
            Self::NotBuiltIn => "not_built_in",
            Self::ReaderFailed => "reader_failed",
            Self::Cancelled => "cancelled",
            Self::Io => "io",
        }
    }

    /// Whether another call, worded differently, can succeed.
    pub const fn is_correctable(self) -> bool {
        match self {
            Self::InvalidArguments
            | Self::InvalidSelector
            | Self::InvalidQuery
            | Self::NotFound
            | Self::OutsideWorkspace
            | Self::NotRegular
            | Self::IsDirectory
            | Self::TooLarge
            | Self::TimedOut
            | Self::Busy
            | Self::QueryFailed => true,
            Self::Denied
            | Self::SymlinkRefused
            | Self::ResolutionChanged
            | Self::PointerRefused
            | Self::BuiltinEmpty
            | Self::UnsupportedContent
            | Self::Encrypted
            | Self::Corrupt
            | Self::NotBuiltIn
            | Self::ReaderFailed
            | Self::Cancelled
            | Self::Io => false,
        }
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The longest message, in bytes (4 KiB): a name stands in most of them, and names come from callers and files.
const MAX_MESSAGE: usize = 4 << 10;

/// Suggestions at most: a model is helped by few.
const MAX_SUGGESTIONS: usize = 3;

/// Why a read gave no output: a stable [code](ErrorCode), a message written for the model (what is wrong and what to
/// call instead), near names where there are some, and the cause.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.message)]
pub struct ReadError(Box<Inner>);

#[derive(Debug)]
struct Inner {
    code: ErrorCode,
    message: String,
    suggestions: Vec<String>,
    cause: Option<Cause>,
}

type Cause = Box<dyn StdError + Send + Sync>;

impl ReadError {
    /// An error with `code` and a message that names what to call instead. Names in it are best
    /// [`shortened`](crate::shortened); of a message over 4 KiB the middle is left out, so that what is wrong and what to
    /// call remain.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        let message = bounded(message.into());
        Self(Box::new(Inner { code, message, suggestions: Vec::new(), cause: None }))
    }

    /// The same error with targets that would work, best first; of more than three, the first three.
    #[must_use]
    pub fn with_suggestions(mut self, suggestions: impl IntoIterator<Item = String>) -> Self {
        self.0.suggestions = suggestions.into_iter().take(MAX_SUGGESTIONS).collect();
        self
    }

    /// The same error with what caused it.
    #[must_use]
    pub fn with_cause(mut self, cause: impl Into<Cause>) -> Self {
        self.0.cause = Some(cause.into());
        self
    }

    /// What the operating system or a decoder said about `path`. Permission is named as such, never as absence.
    /// An error that came up through a stream as one of ours is given as it was.
    /// `path` is printable, as [`Source::path`](crate::Source::path) is.
    pub fn io(path: &str, error: io::Error) -> Self {
        let error = match error.downcast::<Self>() {
            Ok(ours) => return ours,
            Err(error) => error,
        };
        let message = match error.kind() {
            io::ErrorKind::NotFound => {
                return Self::new(ErrorCode::NotFound, format!("'{path}' not found")).with_cause(error);
            }
            io::ErrorKind::PermissionDenied => format!("'{path}': permission denied"),
            _ => format!("'{path}': {error}"),
        };
        Self::new(ErrorCode::Io, message).with_cause(error)
    }

    /// The same error about a path as the caller wrote it, where the path was looked up under another name.
    pub(crate) fn about(mut self, looked_up: &str, asked: &str) -> Self {
        for name in [looked_up.into(), crate::names::shortened(looked_up.as_bytes())] {
            let name: std::borrow::Cow<'_, str> = name;
            self.0.message = self.0.message.replace(&format!("'{name}'"), &format!("'{asked}'"));
        }
        self
    }

    /// The stable code.
    pub fn code(&self) -> ErrorCode {
        self.0.code
    }

    /// Whether another call, worded differently, can succeed.
    pub fn is_correctable(&self) -> bool {
        self.code().is_correctable()
    }

    /// Targets that would work instead, best first; at most three.
    pub fn suggestions(&self) -> &[String] {
        &self.0.suggestions
    }

    /// The message, as [`Display`](std::fmt::Display) prints it.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The cause, when something below reported one.
    pub fn cause(&self) -> Option<&(dyn StdError + Send + Sync + 'static)> {
        self.0.cause.as_deref()
    }
}

/// A message of at most [`MAX_MESSAGE`] bytes.
fn bounded(message: String) -> String {
    if message.len() <= MAX_MESSAGE {
        return message;
    }
    let half = MAX_MESSAGE / 2;
    let start = (0..=half).rev().find_map(|end| message.get(..end)).unwrap_or_default();
    let end = (message.len().saturating_sub(half)..message.len()).find_map(|at| message.get(at..));
    format!("{start}…{}", end.unwrap_or_default())
}

impl From<Trip> for ReadError {
    fn from(trip: Trip) -> Self {
        let code = match &trip {
            Trip::Cancelled => ErrorCode::Cancelled,
            Trip::TimedOut { .. } => ErrorCode::TimedOut,
            Trip::Budget { .. } => ErrorCode::TooLarge,
        };
        Self::new(code, trip.to_string()).with_cause(trip)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_listed_once_and_named_in_snake_case() {
        let names: std::collections::BTreeSet<_> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(names.len(), ErrorCode::ALL.len());
        assert!(names.iter().all(|name| name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')));
    }

    #[test]
    fn permission_is_never_absence() {
        let error = ReadError::io("a", io::ErrorKind::PermissionDenied.into());
        assert_eq!(error.code(), ErrorCode::Io);
        assert!(error.message().contains("permission denied"));
        assert!(error.cause().is_some());
    }

    #[test]
    fn a_message_keeps_its_ends() {
        let error = ReadError::new(ErrorCode::Io, format!("'{}' is long. Use another.", "é".repeat(60_000)));
        assert!(error.message().len() <= MAX_MESSAGE + '…'.len_utf8());
        assert!(error.message().starts_with("'é") && error.message().ends_with("é' is long. Use another."));
    }

    #[test]
    fn errors_cross_threads() {
        fn crosses<T: Send + Sync + 'static>() {}
        crosses::<ReadError>();
    }
}
