//! The normal form of a text, which is what a tag identifies.
//!
//! A leading byte order mark is dropped, and so is every run of spaces, tabs and carriage returns that stands
//! before a line feed or at the end of the text. Nothing else changes: `\r\n` becomes `\n` because its carriage
//! return is such a run, a carriage return inside a line stays, and a final line feed counts.

use std::borrow::Cow;

use crate::blanks::{split_leading, split_trailing, trimmed};
use crate::squeeze::{Squeezer, has_trailing_blanks};

/// A byte order mark in UTF-8.
const BOM: &[u8] = "\u{FEFF}".as_bytes();

/// The normal form of `text`, borrowed where nothing but its ends had to change.
///
/// The text must still have its byte order mark, if it had one: this drops one mark, so that a text normalised
/// twice would lose a second one. Such texts apart, the normal form of a normal form is itself.
///
/// ```
/// # use read_hashline::normalize;
/// assert_eq!(normalize("\u{FEFF}a \t\r\nb\r\n"), "a\nb\n");
/// assert_eq!(normalize("a\rb  "), "a\rb");
/// ```
#[must_use]
pub fn normalize(text: &str) -> Cow<'_, str> {
    let body = trimmed(text.strip_prefix('\u{FEFF}').unwrap_or(text));
    if !has_trailing_blanks(body.as_bytes()) {
        return Cow::Borrowed(body);
    }
    let mut normal = Vec::with_capacity(body.len());
    Squeezer::default().emit(body.as_bytes(), |piece| normal.extend_from_slice(piece));
    Cow::Owned(into_string(normal))
}

/// Text from the bytes that a normaliser let through, which are UTF-8 when what went in was.
fn into_string(normal: Vec<u8>) -> String {
    String::from_utf8(normal).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Where normalised bytes go.
pub(crate) trait Sink {
    /// Takes the next piece.
    fn push(&mut self, piece: &[u8]);
    /// Remembers the present state, in place of an earlier one.
    fn mark(&mut self);
    /// Goes back to the state last remembered.
    fn rewind(&mut self);
}

/// Normalises a text that comes in pieces, in constant memory.
///
/// Blanks at the end of a piece may be the end of a line or the middle of one. They are not kept: the sink is
/// marked, given them, and rewound if a line end follows. So a run of blanks of any length costs nothing.
#[derive(Debug, Clone)]
pub(crate) struct Normalizer<S> {
    sink: S,
    /// How many bytes of a byte order mark the text began with so far; `None` once that is decided.
    bom: Option<usize>,
    /// Whether the sink was given blanks that a line end would take back.
    undecided: bool,
    squeezer: Squeezer,
}

impl<S: Sink> Normalizer<S> {
    pub(crate) fn new(sink: S) -> Self {
        Self { sink, bom: Some(0), undecided: false, squeezer: Squeezer::default() }
    }

    pub(crate) fn update(&mut self, piece: &[u8]) {
        let Some(matched) = self.bom else {
            return self.body(piece);
        };
        let rest = BOM.get(matched..).unwrap_or_default();
        let common = rest.iter().zip(piece).take_while(|(mark, byte)| mark == byte).count();
        if common == rest.len() {
            self.bom = None;
            self.body(piece.get(common..).unwrap_or_default());
        } else if common == piece.len() {
            self.bom = Some(matched + common);
        } else {
            self.bom = None;
            self.body(BOM.get(..matched).unwrap_or_default());
            self.body(piece);
        }
    }

    fn body(&mut self, mut piece: &[u8]) {
        if self.undecided {
            let (_, rest) = split_leading(piece);
            match rest.first() {
                None => return self.sink.push(piece),
                Some(b'\n') => {
                    self.sink.rewind();
                    piece = rest;
                }
                Some(_) => {}
            }
            self.undecided = false;
        }
        let (settled, blanks) = split_trailing(piece);
        self.squeezer.emit(settled, |piece| self.sink.push(piece));
        if !blanks.is_empty() {
            self.sink.mark();
            self.sink.push(blanks);
            self.undecided = true;
        }
    }

    /// The sink at the end of the text.
    pub(crate) fn finish(mut self) -> S {
        if let Some(matched) = self.bom {
            // Only bytes that are no UTF-8 end inside a mark.
            self.body(BOM.get(..matched).unwrap_or_default());
        }
        if self.undecided {
            self.sink.rewind();
        }
        self.sink
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::squeeze::BLOCK;

    /// Keeps text, and takes it back.
    #[derive(Default)]
    struct Kept {
        bytes: Vec<u8>,
        mark: usize,
    }

    impl Sink for Kept {
        fn push(&mut self, piece: &[u8]) {
            self.bytes.extend_from_slice(piece);
        }
        fn mark(&mut self) {
            self.mark = self.bytes.len();
        }
        fn rewind(&mut self) {
            self.bytes.truncate(self.mark);
        }
    }

    fn streamed(pieces: &[&[u8]]) -> String {
        let mut normalizer = Normalizer::new(Kept::default());
        for piece in pieces {
            normalizer.update(piece);
        }
        into_string(normalizer.finish().bytes)
    }

    #[test]
    fn only_blanks_before_line_ends_and_one_mark_are_dropped() {
        for (text, normal) in [
            ("", ""),
            ("\u{FEFF}", ""),
            ("\u{FEFF}\u{FEFF}a", "\u{FEFF}a"),
            ("a\u{FEFF}\n", "a\u{FEFF}\n"),
            ("a\r\r\nb\r", "a\nb"),
            ("a\rb\n \n\t\r\n", "a\rb\n\n\n"),
            (" \ta", " \ta"),
            ("a\u{A0}\u{3000}\u{B}\u{C}\n", "a\u{A0}\u{3000}\u{B}\u{C}\n"),
            (" \t\r", ""),
            ("\u{FEFF} \n", "\n"),
        ] {
            assert_eq!(normalize(text), normal, "{text:?}");
            assert_eq!(streamed(&[text.as_bytes()]), normal, "{text:?}");
        }
    }

    #[test]
    fn what_is_already_normal_is_borrowed() {
        for text in ["", "a\nb\n", "\u{FEFF}a\n", "a\nb \t"] {
            assert!(matches!(normalize(text), Cow::Borrowed(_)), "{text:?}");
        }
    }

    #[test]
    fn every_offset_in_a_block_finds_its_blanks() {
        for size in [62, 63, 64, 65, 66, 127, 128, 129, 200] {
            for at in 0..size - 1 {
                let mut text = "x".repeat(size).into_bytes();
                text[at] = b'\t';
                text[at + 1] = b'\n';
                let text = String::from_utf8(text).unwrap();
                let wanted = text.replacen('\t', "", 1);
                assert_eq!(normalize(&text), wanted, "{size} {at}");
            }
        }
    }

    #[test]
    fn runs_of_blanks_longer_than_a_block_stay_or_go_whole() {
        for size in [BLOCK - 2, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 3 * BLOCK + 5] {
            let run: String = " \t\r".chars().cycle().take(size).collect();
            for (text, normal) in [
                (format!("a{run}\nb"), "a\nb".to_owned()),
                (format!("{run}\n{run}"), "\n".to_owned()),
                (format!("a{run}b{run}\n"), format!("a{run}b\n")),
            ] {
                assert!(normalize(&text) == normal, "{size}");
                assert!(streamed(&[text.as_bytes()]) == normal, "{size}");
                let pieces: Vec<&[u8]> = text.as_bytes().chunks(1000).collect();
                assert!(streamed(&pieces) == normal, "{size}");
            }
        }
    }

    #[test]
    fn a_mark_may_come_in_pieces_and_may_be_none() {
        assert_eq!(streamed(&[b"\xEF", b"", b"\xBB", b"\xBFa"]), "a");
        assert_eq!(streamed(&[b"\xEF", b"\xBB\xBE"]), "\u{FEFE}");
        assert_eq!(streamed(&[b"\xEF\xBB"]), "\u{FFFD}");
    }
}
