//! Anchored lines, `N:text`, and the anchors that callers make of them.

use std::fmt::{self, Write};

use crate::blanks::trimmed;

/// One line of anchored output: its number in the file and its text.
///
/// The text is the line as it is shown: without its line end, everything else as it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Line<'a> {
    number: u64,
    text: &'a str,
}

impl<'a> Line<'a> {
    /// A line with this number, counted from 1.
    ///
    /// # Errors
    ///
    /// [`LineError`] for the number 0, and for a text that is more than one line.
    pub fn new(number: u64, text: &'a str) -> Result<Self, LineError> {
        if number == 0 {
            return Err(LineError::Number);
        }
        if text.contains('\n') {
            return Err(LineError::Break);
        }
        Ok(Self { number, text })
    }

    /// Its number, counted from 1.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Its text, without a line end.
    #[must_use]
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// Reads `N:text`, without a line end.
    ///
    /// # Errors
    ///
    /// [`LineError`] where there is no number before the first colon, or it is 0 or over 64 bits.
    pub fn parse(line: &'a str) -> Result<Self, LineError> {
        let (number, text) = line.split_once(':').ok_or(LineError::Form)?;
        Self::new(parse_number(number)?, text)
    }
}

/// Prints `N:text`, without a line end.
impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.number, self.text)
    }
}

/// Writes `N:text` and a line feed.
///
/// # Errors
///
/// What `out` answers; nothing is written and the error is the same for what [`Line::new`] refuses.
pub fn write_line(out: &mut impl Write, number: u64, text: &str) -> fmt::Result {
    let line = Line::new(number, text).map_err(|_| fmt::Error)?;
    writeln!(out, "{line}")
}

/// Why something is no anchored line or anchor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LineError {
    /// There is no number where one should be.
    #[error("an anchor is a line number, or a line number, a colon and the line's text")]
    Form,
    /// The number is 0 or over 64 bits.
    #[error("line numbers go from 1 to {}", u64::MAX)]
    Number,
    /// The text has a line feed.
    #[error("the text of an anchor is one line")]
    Break,
}

/// A number as it is printed: digits only.
fn parse_number(digits: &str) -> Result<u64, LineError> {
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(LineError::Form);
    }
    digits.parse().ok().filter(|number| *number > 0).ok_or(LineError::Number)
}

/// What a caller names a line by: `12`, or `12:text` with the text it saw there.
///
/// ```
/// # use read_hashline::Anchor;
/// let anchor = Anchor::parse("12:fn main() {")?;
/// assert_eq!(anchor.line(), 12);
/// assert!(anchor.agrees_with("fn main() {  \r"));
/// assert!(!anchor.agrees_with("fn main();"));
/// # Ok::<(), read_hashline::LineError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Anchor<'a> {
    line: u64,
    text: Option<&'a str>,
}

impl<'a> Anchor<'a> {
    /// Reads an anchor. Blanks around the number and one line end behind the text are let pass, since callers type
    /// anchors back by hand; `12:` is line 12, seen empty.
    ///
    /// # Errors
    ///
    /// [`LineError`] where there is no number, it is 0 or over 64 bits, or the text is more than one line.
    pub fn parse(anchor: &'a str) -> Result<Self, LineError> {
        let anchor = anchor.strip_suffix('\n').unwrap_or(anchor);
        let (number, text) = match anchor.split_once(':') {
            Some((number, text)) => (number, Some(text)),
            None => (anchor, None),
        };
        let line = parse_number(number.trim_ascii())?;
        if text.is_some_and(|text| text.contains('\n')) {
            return Err(LineError::Break);
        }
        Ok(Self { line, text })
    }

    /// The line's number, counted from 1.
    #[must_use]
    pub fn line(&self) -> u64 {
        self.line
    }

    /// The text that the caller saw there, if it said so.
    #[must_use]
    pub fn text(&self) -> Option<&'a str> {
        self.text
    }

    /// Whether the caller's text, if any, is this line's: blanks at their ends make no difference, as for tags.
    #[must_use]
    pub fn agrees_with(&self, line: &str) -> bool {
        self.text.is_none_or(|text| trimmed(text) == trimmed(line))
    }
}

/// Prints `12` or `12:text`.
impl fmt::Display for Anchor<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.text {
            Some(text) => write!(f, "{}:{text}", self.line),
            None => write!(f, "{}", self.line),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_print_and_read_back() {
        for (number, text) in [(1, ""), (7, "a:b"), (u64::MAX, " \tx\r"), (3, "3:")] {
            let line = Line::new(number, text).unwrap();
            assert_eq!(Line::parse(&line.to_string()), Ok(line));
            let mut out = String::new();
            write_line(&mut out, number, text).unwrap();
            assert_eq!(out, format!("{number}:{text}\n"));
        }
    }

    #[test]
    fn a_line_that_would_forge_another_is_not_written() {
        let mut out = String::new();
        assert!(write_line(&mut out, 1, "a\n2:b").is_err());
        assert!(write_line(&mut out, 0, "a").is_err());
        assert_eq!(out, "");
    }

    #[test]
    fn other_text_is_no_line() {
        for (text, error) in [
            ("", LineError::Form),
            ("12", LineError::Form),
            (":a", LineError::Form),
            (" 1:a", LineError::Form),
            ("+1:a", LineError::Form),
            ("１:a", LineError::Form),
            ("0:a", LineError::Number),
            ("18446744073709551616:a", LineError::Number),
            ("1:a\nb", LineError::Break),
        ] {
            assert_eq!(Line::parse(text), Err(error), "{text:?}");
        }
    }

    #[test]
    fn anchors_are_read_as_callers_type_them() {
        for (text, line, seen) in [
            ("12", 12, None),
            (" 12 ", 12, None),
            ("12\n", 12, None),
            ("12:", 12, Some("")),
            ("12: x:y ", 12, Some(" x:y ")),
            ("12:x\n", 12, Some("x")),
            ("007", 7, None),
        ] {
            let anchor = Anchor::parse(text).unwrap();
            assert_eq!((anchor.line(), anchor.text()), (line, seen), "{text:?}");
        }
        for text in ["", "x", "12-15", "0", "0:a", "-1", "12:a\nb", "18446744073709551616"] {
            assert!(Anchor::parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn an_anchor_agrees_up_to_trailing_blanks() {
        let anchor = Anchor::parse("3:a b\t").unwrap();
        assert!(anchor.agrees_with("a b") && anchor.agrees_with("a b \r"));
        assert!(!anchor.agrees_with("a  b") && !anchor.agrees_with(" a b"));
        assert!(Anchor::parse("3").unwrap().agrees_with("anything"));
        assert!(
            Anchor::parse("3:").unwrap().agrees_with(" ") && !Anchor::parse("3:").unwrap().agrees_with("x")
        );
    }
}
