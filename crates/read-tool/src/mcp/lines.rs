//! Lines of a client's input, none longer than a bound.

use std::io;

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// The longest line that is taken as a message (16 MiB). A target may be 64 KiB long; all else in a message is small.
pub(super) const LONGEST: usize = 16 << 20;

/// What is kept of a longer one, to tell who waits for an answer to it.
const HEAD: usize = 64 << 10;

/// One line, its end left out.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    Whole(Vec<u8>),
    /// The beginning of a line that is too long.
    TooLong(Vec<u8>),
}

/// Reads line after line. The last one needs no line end.
#[derive(Debug)]
pub(super) struct Lines<R> {
    input: BufReader<R>,
    line: Vec<u8>,
    too_long: bool,
    longest: usize,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input: BufReader::new(input), line: Vec::new(), too_long: false, longest: LONGEST }
    }

    /// The next line; `None` at the end of the input. A call that is given up halfway loses nothing.
    pub(super) async fn next(&mut self) -> io::Result<Option<Line>> {
        loop {
            let available = self.input.fill_buf().await?;
            if available.is_empty() {
                let ended = self.line.is_empty() && !self.too_long;
                return Ok((!ended).then(|| self.taken()));
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let (part, used) = match end {
                Some(at) => (available.get(..at), at + 1),
                None => (Some(available), available.len()),
            };
            let part = part.unwrap_or_default();
            if !self.too_long && self.line.len().saturating_add(part.len()) <= self.longest {
                self.line.extend_from_slice(part);
            } else {
                self.too_long = true;
                self.line.truncate(HEAD);
                self.line.shrink_to_fit();
            }
            self.input.consume(used);
            if end.is_some() {
                return Ok(Some(self.taken()));
            }
        }
    }

    fn taken(&mut self) -> Line {
        let line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.too_long) { Line::TooLong(line) } else { Line::Whole(line) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lines_end_with_the_input_and_too_long_ones_are_told_apart() {
        let mut lines = Lines::new(&b"one\n\nfour and more\nfive"[..]);
        lines.longest = 5;
        let mut all = Vec::new();
        while let Some(line) = lines.next().await.unwrap() {
            all.push(line);
        }
        let whole = |text: &str| Line::Whole(text.into());
        assert_eq!(all, [whole("one"), whole(""), Line::TooLong(Vec::new()), whole("five")]);
    }

    #[tokio::test]
    async fn a_long_line_keeps_its_beginning() {
        let text = "x".repeat(3 * HEAD);
        let mut lines = Lines::new(text.as_bytes());
        lines.longest = 2 * HEAD;
        assert_eq!(lines.next().await.unwrap(), Some(Line::TooLong(vec![b'x'; HEAD])));
        assert_eq!(lines.next().await.unwrap(), None);
    }
}
