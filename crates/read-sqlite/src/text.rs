//! Text as a database holds it, decoded.

use std::io::{self, Read};

use crate::format::ENCODING_AT;
use crate::pages::Pages;

/// How text lies in a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Utf8,
    Utf16Le,
    Utf16Be,
}

impl Encoding {
    /// The encoding that a database's header states.
    /// <https://www.sqlite.org/fileformat2.html#text_encoding>
    pub(crate) fn of(pages: &Pages) -> Self {
        let mut bytes = [0; 4];
        match pages.read(&mut bytes, ENCODING_AT) {
            // SQLite looks at the last bits alone.
            Ok(4) => match u32::from_be_bytes(bytes) & 3 {
                2 => Self::Utf16Le,
                3 => Self::Utf16Be,
                _ => Self::Utf8,
            },
            _ => Self::Utf8,
        }
    }

    /// `bytes` as UTF-8; a character that was cut at the end is left out.
    pub(crate) fn to_utf8(self, bytes: Vec<u8>) -> Vec<u8> {
        if self == Self::Utf8 {
            return bytes;
        }
        let mut out = Vec::with_capacity(bytes.len());
        let mut rest = bytes;
        self.convert(&mut rest, false, &mut out);
        out
    }

    /// Moves what is whole in `from` to `to` as UTF-8; at the end of the text, also what is not.
    fn convert(self, from: &mut Vec<u8>, at_end: bool, to: &mut Vec<u8>) {
        let unit = |pair: &[u8; 2]| match self {
            Self::Utf16Be => u16::from_be_bytes(*pair),
            Self::Utf8 | Self::Utf16Le => u16::from_le_bytes(*pair),
        };
        let (pairs, tail) = from.as_chunks::<2>();
        let mut units: Vec<u16> = pairs.iter().map(unit).collect();
        let mut kept = tail.to_vec();
        if !at_end && let Some(high) = units.pop_if(|last| (0xd800..0xdc00).contains(last)) {
            let bytes = if self == Self::Utf16Be { high.to_be_bytes() } else { high.to_le_bytes() };
            kept.splice(0..0, bytes);
        }
        for decoded in char::decode_utf16(units) {
            let c = decoded.unwrap_or(char::REPLACEMENT_CHARACTER);
            to.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
        if at_end && !kept.is_empty() {
            to.extend_from_slice("\u{fffd}".as_bytes());
            kept.clear();
        }
        *from = kept;
    }
}

/// A reader that gives UTF-16 as UTF-8.
pub(crate) struct ToUtf8<R> {
    inner: R,
    encoding: Encoding,
    raw: Vec<u8>,
    ready: io::Cursor<Vec<u8>>,
    ended: bool,
}

impl<R: Read> ToUtf8<R> {
    pub(crate) fn new(inner: R, encoding: Encoding) -> Self {
        Self { inner, encoding, raw: Vec::new(), ready: io::Cursor::default(), ended: false }
    }
}

impl<R: Read> Read for ToUtf8<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.encoding == Encoding::Utf8 {
            return self.inner.read(buf);
        }
        loop {
            let n = self.ready.read(buf)?;
            if n > 0 || buf.is_empty() || self.ended {
                return Ok(n);
            }
            let mut block = [0; 16 << 10];
            let n = self.inner.read(&mut block)?;
            self.ended = n == 0;
            self.raw.extend_from_slice(block.get(..n).unwrap_or_default());
            let mut text = Vec::new();
            self.encoding.convert(&mut self.raw, self.ended, &mut text);
            self.ready = io::Cursor::new(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives a byte at a time.
    struct Slowly<'a>(&'a [u8]);

    impl Read for Slowly<'_> {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            self.0.read(&mut buf[..1])
        }
    }

    #[test]
    fn utf16_comes_out_as_utf8_however_it_is_cut() {
        let text = "zoë 日本 \u{1f600}!";
        for (encoding, bytes) in [
            (Encoding::Utf16Le, text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>()),
            (Encoding::Utf16Be, text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
            (Encoding::Utf8, text.as_bytes().to_vec()),
        ] {
            let mut out = String::new();
            ToUtf8::new(Slowly(&bytes), encoding).read_to_string(&mut out).unwrap();
            assert_eq!(out, text);
            assert_eq!(encoding.to_utf8(bytes), text.as_bytes());
        }
    }

    #[test]
    fn half_a_character_at_the_end() {
        let cut = [0x61, 0, 0x3d, 0xd8];
        assert_eq!(Encoding::Utf16Le.to_utf8(cut.to_vec()), b"a");
        let mut out = String::new();
        ToUtf8::new(&cut[..3], Encoding::Utf16Le).read_to_string(&mut out).unwrap();
        assert_eq!(out, "a\u{fffd}");
        let mut out = String::new();
        ToUtf8::new(&cut[..], Encoding::Utf16Le).read_to_string(&mut out).unwrap();
        assert_eq!(out, "a\u{fffd}");
    }
}
