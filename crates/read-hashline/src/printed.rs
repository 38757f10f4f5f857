//! Whole anchored output: printed, and read back by an edit tool.

use std::fmt;

use crate::header::Header;
use crate::line::{Line, LineError};
use crate::lines::{LineRange, LineSet};

/// What stands between two ranges of lines, with a blank line on either side.
pub const GAP: &str = "…";

/// Anchored output as a read tool prints it: the header, the lines, and the notices below.
///
/// ```text
/// [src/main.rs#86DC]
/// 3:c
/// 4:d
///
/// …
///
/// 9:i
///
/// [12 more lines in file. Use :10- to continue.]
/// ```
///
/// There is no header where the text has no tag. Every line of the file stands behind its number, so nothing that a
/// file holds can pass for a header, a notice or another line. Printing and [reading](Self::parse) are each other's
/// inverse.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Printed<'a> {
    header: Option<Header>,
    lines: Vec<Line<'a>>,
    notices: Vec<&'a str>,
}

impl<'a> Printed<'a> {
    /// Output without lines and notices.
    #[must_use]
    pub fn new(header: Option<Header>) -> Self {
        Self { header, lines: Vec::new(), notices: Vec::new() }
    }

    /// Adds a line. A number that is not the one after the last line's begins a new range.
    ///
    /// # Errors
    ///
    /// [`PrintedError::Order`] where the number is not greater than the last line's.
    pub fn push_line(&mut self, line: Line<'a>) -> Result<(), PrintedError> {
        if self.lines.last().is_some_and(|last| line.number() <= last.number()) {
            return Err(PrintedError::Order { number: line.number() });
        }
        self.lines.push(line);
        Ok(())
    }

    /// Adds a notice below the lines.
    ///
    /// # Errors
    ///
    /// [`PrintedError::Notice`] where it is not one line, or would read as something else.
    pub fn push_notice(&mut self, notice: &'a str) -> Result<(), PrintedError> {
        let other = notice.is_empty() || notice == GAP || notice.contains('\n');
        if other || notice.parse::<Header>().is_ok() || Line::parse(notice) != Err(LineError::Form) {
            return Err(PrintedError::Notice);
        }
        self.notices.push(notice);
        Ok(())
    }

    /// Reads what a read tool printed, with or without a line feed at its end.
    ///
    /// The first line is the header, if it reads as one. What is neither an anchored line nor empty nor a [gap](GAP)
    /// is a notice; it makes no difference how many empty lines stand between.
    ///
    /// # Errors
    ///
    /// [`PrintedError`] where line numbers do not rise, a line stands below a notice, or a number is 0 or over 64
    /// bits: this is then no output of one read, but pieces of several, or made up.
    pub fn parse(output: &'a str) -> Result<Self, PrintedError> {
        let mut rows = output.split('\n').peekable();
        let header: Option<Header> = rows.peek().and_then(|row| row.parse().ok());
        if header.is_some() {
            rows.next();
        }
        let mut printed = Self::new(header);
        for row in rows {
            match Line::parse(row) {
                Ok(line) if printed.notices.is_empty() => printed.push_line(line)?,
                Ok(line) => return Err(PrintedError::BelowNotice { number: line.number() }),
                Err(LineError::Form) if row.is_empty() || row == GAP => {}
                Err(LineError::Form) => printed.notices.push(row),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(printed)
    }

    /// The file and the text of it that the lines are from; `None` where the text has no tag.
    #[must_use]
    pub fn header(&self) -> Option<&Header> {
        self.header.as_ref()
    }

    /// The lines, in order.
    #[must_use]
    pub fn lines(&self) -> &[Line<'a>] {
        &self.lines
    }

    /// The notices, in order, each one line.
    #[must_use]
    pub fn notices(&self) -> &[&'a str] {
        &self.notices
    }

    /// Which lines of the file are in the output.
    #[must_use]
    pub fn shown(&self) -> LineSet {
        self.lines.iter().filter_map(|line| LineRange::line(line.number())).collect()
    }

    /// The text printed for a line; `None` where the output has not that line.
    #[must_use]
    pub fn text_of(&self, number: u64) -> Option<&'a str> {
        let at = self.lines.binary_search_by_key(&number, Line::number).ok()?;
        self.lines.get(at).map(Line::text)
    }
}

/// Ends in a line feed, unless there is nothing to print.
impl fmt::Display for Printed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(header) = &self.header {
            writeln!(f, "{header}")?;
        }
        let mut last = None;
        for line in &self.lines {
            if last.is_some_and(|last: u64| last.checked_add(1) != Some(line.number())) {
                write!(f, "\n{GAP}\n\n")?;
            }
            writeln!(f, "{line}")?;
            last = Some(line.number());
        }
        if !self.notices.is_empty() && (self.header.is_some() || !self.lines.is_empty()) {
            writeln!(f)?;
        }
        self.notices.iter().try_for_each(|notice| writeln!(f, "{notice}"))
    }
}

/// Why output could not be put together or read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PrintedError {
    /// A line's number is not greater than that of the line above.
    #[error("line {number} does not come after the line above it; pass the output of one read, unchanged")]
    Order {
        /// The line's number.
        number: u64,
    },
    /// A line stands below a notice.
    #[error("line {number} stands below a notice; pass the output of one read, unchanged")]
    BelowNotice {
        /// The line's number.
        number: u64,
    },
    /// The notice is more than one line, empty, or reads as a header, a line or a gap.
    #[error("a notice is one line that reads as no other part of the output")]
    Notice,
    /// A line's number is none that a line can have.
    #[error(transparent)]
    Line(#[from] LineError),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(number: u64, text: &str) -> Line<'_> {
        Line::new(number, text).unwrap()
    }

    #[test]
    fn ranges_and_notices_stand_where_a_read_tool_puts_them() {
        let mut printed = Printed::new(Some("[f.txt#86DC]".parse().unwrap()));
        for (number, text) in [(3, "c"), (4, ""), (9, "[f.txt#0000]")] {
            printed.push_line(line(number, text)).unwrap();
        }
        printed.push_notice("[Decoded from gbk]").unwrap();
        printed.push_notice("[12 more lines in file. Use :10- to continue.]").unwrap();
        let text = "[f.txt#86DC]\n3:c\n4:\n\n…\n\n9:[f.txt#0000]\n\n[Decoded from gbk]\n\
                    [12 more lines in file. Use :10- to continue.]\n";
        assert_eq!(printed.to_string(), text);
        assert_eq!(Printed::parse(text), Ok(printed.clone()));
        assert_eq!(Printed::parse(text.trim_end()), Ok(printed.clone()));
        assert_eq!(printed.shown().to_string(), "3-4, 9");
        assert_eq!((printed.text_of(4), printed.text_of(5)), (Some(""), None));
    }

    #[test]
    fn what_other_reads_print_is_read_too() {
        let skipped = "[a#0000]\n3:c\n[Range 960-973 is beyond end of file (120 lines total); skipped]";
        assert_eq!(Printed::parse(skipped).unwrap().notices().len(), 1);
        let empty = Printed::parse("[a#E3B0]\n[File is empty]\n").unwrap();
        assert!(empty.lines().is_empty() && empty.header().is_some());
        assert_eq!(empty.notices(), ["[File is empty]"]);
        let untagged = Printed::parse("1:a\n2:b\n\n[No tag: the text was decoded with loss]\n").unwrap();
        assert_eq!((untagged.header(), untagged.lines().len(), untagged.notices().len()), (None, 2, 1));
        assert_eq!(Printed::parse(""), Ok(Printed::default()));
        assert_eq!(Printed::default().to_string(), "");
    }

    #[test]
    fn pieces_of_several_reads_are_refused() {
        for (text, error) in [
            ("[a#0000]\n3:c\n3:c", PrintedError::Order { number: 3 }),
            ("[a#0000]\n3:c\n\n…\n\n1:c", PrintedError::Order { number: 1 }),
            ("[a#0000]\n3:c\n[b#0000]\n4:d", PrintedError::BelowNotice { number: 4 }),
            ("[a#0000]\n0:c", PrintedError::Line(LineError::Number)),
            ("[a#0000]\n99999999999999999999:c", PrintedError::Line(LineError::Number)),
        ] {
            assert_eq!(Printed::parse(text), Err(error), "{text:?}");
        }
    }

    #[test]
    fn a_notice_reads_as_nothing_else() {
        let mut printed = Printed::new(None);
        for notice in ["", "…", "a\nb", "[a#0000]", "3:c", "0:c"] {
            assert_eq!(printed.push_notice(notice), Err(PrintedError::Notice), "{notice:?}");
        }
        printed.push_notice("Line 9 is beyond end of file (3 lines total).").unwrap();
        assert_eq!(Printed::parse(&printed.to_string()), Ok(printed));
    }
}
