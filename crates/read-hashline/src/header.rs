//! The line above anchored lines: which file, and which text of it.

use std::fmt;
use std::str::FromStr;

use crate::tag::Tag;

/// The first line of anchored output, `[{path}#{TAG}]`.
///
/// The path may hold `#` and `]`: the last `#` before the tag and the closing `]` decides. It holds no control
/// characters and no line separators, which names are printed without: as `\n`, `\x1b` and so on.
///
/// ```
/// # use read_hashline::Header;
/// let header: Header = "[notes #2].md#9111]".parse()?;
/// assert_eq!(header.path(), "notes #2].md");
/// assert_eq!(header.tag().to_string(), "9111");
/// assert_eq!(header.to_string(), "[notes #2].md#9111]");
/// # Ok::<(), read_hashline::HeaderError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Header {
    path: String,
    tag: Tag,
}

impl Header {
    /// A header for this path, in the form in which it is printed, and tag.
    ///
    /// # Errors
    ///
    /// [`HeaderError::Path`] where the path is empty or would not stay on one line.
    pub fn new(path: impl Into<String>, tag: Tag) -> Result<Self, HeaderError> {
        let path = path.into();
        if path.is_empty() || path.chars().any(|c| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')) {
            return Err(HeaderError::Path);
        }
        Ok(Self { path, tag })
    }

    /// The path, in the form in which it is printed.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The tag of the text that the lines below are from.
    #[must_use]
    pub fn tag(&self) -> Tag {
        self.tag
    }
}

/// Why a header could not be made or read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HeaderError {
    /// The path is empty, or has a character that is not printed as it is.
    #[error("a header's path is not empty and has no control characters or line separators")]
    Path,
    /// The line is no header.
    #[error("not a header: expected [path#TAG], TAG being 4 to 64 uppercase hex digits")]
    Form,
}

impl fmt::Display for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}#{}]", self.path, self.tag)
    }
}

impl FromStr for Header {
    type Err = HeaderError;

    /// Reads one line, without its line end.
    fn from_str(line: &str) -> Result<Self, HeaderError> {
        let inner =
            line.strip_prefix('[').and_then(|line| line.strip_suffix(']')).ok_or(HeaderError::Form)?;
        let (path, tag) = inner.rsplit_once('#').ok_or(HeaderError::Form)?;
        if tag.bytes().any(|byte| byte.is_ascii_lowercase()) {
            return Err(HeaderError::Form);
        }
        Self::new(path, tag.parse().map_err(|_| HeaderError::Form)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_hash_before_the_tag_decides() {
        for (line, path, tag) in [
            ("[f.txt#9111]", "f.txt", "9111"),
            ("[a#ABCD]#86DC]", "a#ABCD]", "86DC"),
            ("[a##0000A]", "a#", "0000A"),
            ("[[#]#FFFF]", "[#]", "FFFF"),
            ("[ü\\x1b\\\\n.md#9111]", "ü\\x1b\\\\n.md", "9111"),
        ] {
            let header: Header = line.parse().unwrap();
            assert_eq!((header.path(), header.tag().to_string().as_str()), (path, tag));
            assert_eq!(header.to_string(), line);
        }
    }

    #[test]
    fn other_lines_are_no_header() {
        for line in [
            "",
            "[]",
            "[a]",
            "[a#91]",
            "[a#911g]",
            "[a#abcd]",
            "a#9111",
            "[a#9111] ",
            "[a#9111]\n",
            "[a#91 11]",
        ] {
            assert_eq!(line.parse::<Header>(), Err(HeaderError::Form), "{line:?}");
        }
        for line in ["[#9111]", "[a\nb#9111]", "[a\u{2028}b#9111]", "[a\u{1b}#9111]"] {
            assert_eq!(line.parse::<Header>(), Err(HeaderError::Path), "{line:?}");
        }
    }
}
