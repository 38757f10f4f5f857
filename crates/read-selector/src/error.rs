//! What is wrong with a selector, worded for the caller.

use crate::excerpt::Excerpt;
use alloc::string::{String, ToString};
use core::error::Error;
use core::fmt;

/// The forms of a selector with examples, on one line without a full stop, for use in messages.
pub const FORMS: &str = ":10 or :10- (line 10 to the end), :10-20, :10+5 (5 lines), :-50 (the last 50), \
    :1-5,9-12, :raw, :raw:10-20 (verbatim), :@0+4096 (bytes), :hex, :hex:@0+256, :stat, :10:5 (line:column)";

/// Why a selector is refused. `Display` says what is wrong and what to write instead, on one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectorError {
    kind: SelectorErrorKind,
    /// The part of the caller's text that the message names, fit to be printed.
    text: String,
}

/// The kinds of [`SelectorError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SelectorErrorKind {
    /// A line 0; lines are counted from 1.
    ZeroLine,
    /// A range, tail or byte window of no length, such as `3+0` or `-0`.
    ZeroCount,
    /// A range that ends before it starts, such as `5-2`.
    Reversed,
    /// A number above `u64::MAX`.
    TooLarge,
    /// None of the forms.
    Malformed,
}

impl SelectorError {
    /// What kind of mistake it is.
    pub fn kind(&self) -> SelectorErrorKind {
        self.kind
    }
}

impl fmt::Display for SelectorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = &self.text;
        match self.kind {
            SelectorErrorKind::ZeroLine => {
                f.write_str("Line selector 0 is invalid; lines are 1-indexed. Use :1.")
            }
            SelectorErrorKind::ZeroCount => write!(f, "Invalid range {text}: count must be >= 1."),
            SelectorErrorKind::Reversed => write!(f, "Invalid range {text}: end must be >= start."),
            SelectorErrorKind::TooLarge => {
                write!(f, "Invalid selector: the number {text} is too large; the largest is {}.", u64::MAX)
            }
            SelectorErrorKind::Malformed => write!(f, "Invalid selector ':{text}'. Use one of: {FORMS}."),
        }
    }
}

impl Error for SelectorError {}

/// What the parser stumbled over, with the part of the selector that shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault<'a> {
    ZeroLine,
    /// The range, as written.
    ZeroCount(&'a str),
    /// The range, as written.
    Reversed(&'a str),
    /// The digits of the number, without leading zeros.
    TooLarge(&'a str),
    Malformed,
}

impl Fault<'_> {
    /// The error to report for the selector `whole`.
    pub(crate) fn into_error(self, whole: &str) -> SelectorError {
        let (kind, text) = match self {
            Self::ZeroLine => (SelectorErrorKind::ZeroLine, String::new()),
            Self::ZeroCount(range) => (SelectorErrorKind::ZeroCount, Excerpt::new(range).to_string()),
            Self::Reversed(range) => (SelectorErrorKind::Reversed, Excerpt::new(range).to_string()),
            Self::TooLarge(digits) => (SelectorErrorKind::TooLarge, shortened(digits)),
            Self::Malformed => (SelectorErrorKind::Malformed, Excerpt::new(whole).to_string()),
        };
        SelectorError { kind, text }
    }
}

/// The most digits of a number that are printed in full; `u64::MAX` has 20.
const DIGITS_IN_FULL: usize = 24;

/// The digits kept of a number that is longer than that.
const DIGITS_KEPT: usize = 12;

fn shortened(digits: &str) -> String {
    match digits.get(..DIGITS_KEPT) {
        Some(kept) if digits.len() > DIGITS_IN_FULL => alloc::format!("{kept}… ({} digits)", digits.len()),
        _ => digits.to_string(),
    }
}
