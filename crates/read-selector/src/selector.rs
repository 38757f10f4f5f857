//! What a selector says, once it is parsed.

use crate::bytes::ByteSpan;
use crate::error::SelectorError;
use crate::parse::parse;
use crate::range::{LineRange, LineRanges};
use core::fmt;
use core::num::NonZeroU64;
use core::str::FromStr;

/// Which lines are asked for.
///
/// `Display` prints the ranges, `-N` for a tail, and nothing for all lines.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Lines {
    /// Every line.
    All,
    /// The lines of these ranges.
    Ranges(LineRanges),
    /// The last lines, this many.
    Tail(NonZeroU64),
}

impl From<LineRanges> for Lines {
    fn from(ranges: LineRanges) -> Self {
        Self::Ranges(ranges)
    }
}

impl From<LineRange> for Lines {
    fn from(range: LineRange) -> Self {
        Self::Ranges(range.into())
    }
}

impl fmt::Display for Lines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => Ok(()),
            Self::Ranges(ranges) => ranges.fmt(f),
            Self::Tail(count) => write!(f, "-{count}"),
        }
    }
}

/// A parsed selector: the tail of a target that says which part of a source is wanted, and how.
///
/// `Display` prints the canonical form without its leading colon, and parsing that gives the same value back
/// (save for a [`Position`](Self::Position) on a line 0, which is made by hand only). Parsing ignores case; an
/// empty text is the selector of every line.
///
/// In a list each range means what it means alone, so `5,9` is `5-`: line 5 to the end, and line 9 to the end.
///
/// ```
/// use read_selector::Selector;
///
/// let selector: Selector = "L40-L50,10+5,12..20".parse()?;
/// assert_eq!(selector.to_string(), "10-20,40-50");
/// assert_eq!("7:raw".parse::<Selector>()?.to_string(), "raw:7-");
/// # Ok::<(), read_selector::SelectorError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Selector {
    /// Lines: `:10-20`, `:-50`; with `raw` verbatim: `:raw`, `:raw:10-20`, `:10-20:raw`.
    Lines {
        /// The lines.
        lines: Lines,
        /// Whether their bytes are wanted as they lie: not decoded, not numbered.
        raw: bool,
    },
    /// A place in a text as compilers print it, `:N:C`.
    Position {
        /// The line, counted from 1; parsing never gives 0.
        line: u64,
        /// The column as it was written; some tools count from 0.
        column: u64,
    },
    /// Bytes: `:@O+L`, `:@A-B`, `:@O`.
    Bytes(ByteSpan),
    /// A hex dump, of the whole source or of a window of it: `:hex`, `:hex:@O+L`.
    Hex(Option<ByteSpan>),
    /// Figures about the source, no content: `:stat`.
    Stat,
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lines { lines: Lines::All, raw: true } => f.write_str("raw"),
            Self::Lines { lines, raw: true } => write!(f, "raw:{lines}"),
            Self::Lines { lines, raw: false } => lines.fmt(f),
            Self::Position { line, column } => write!(f, "{line}:{column}"),
            Self::Bytes(span) => span.fmt(f),
            Self::Hex(None) => f.write_str("hex"),
            Self::Hex(Some(span)) => write!(f, "hex:{span}"),
            Self::Stat => f.write_str("stat"),
        }
    }
}

impl FromStr for Selector {
    type Err = SelectorError;

    /// Parses a selector without its leading colon.
    fn from_str(text: &str) -> Result<Self, SelectorError> {
        parse(text)
    }
}
