//! Where lines end, for units of one, two and four bytes.

use memchr::{memchr_iter, memrchr_iter};

use super::charset::Endian;

/// The LF of an encoding: a unit of 1, 2 or 4 bytes that holds 0x0A in its lowest byte and nothing else. Slices that are
/// searched begin at a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Newline {
    width: usize,
    /// Where in the unit the 0x0A stands.
    at: usize,
}

impl Newline {
    pub(crate) const BYTE: Self = Self { width: 1, at: 0 };

    pub(crate) const fn unit(width: usize, endian: Endian) -> Self {
        let at = match endian {
            Endian::Little => 0,
            Endian::Big => width - 1,
        };
        Self { width, at }
    }

    /// The bytes of one unit.
    pub(crate) const fn width(self) -> usize {
        self.width
    }

    /// A name that is equal for equal newlines; for caches.
    pub(crate) const fn space(self) -> &'static str {
        match (self.width, self.at) {
            (1, _) => "lines/1",
            (2, 0) => "lines/2le",
            (2, _) => "lines/2be",
            (_, 0) => "lines/4le",
            _ => "lines/4be",
        }
    }

    /// Whether the unit around the 0x0A at `found` is a line end.
    fn is_at(self, bytes: &[u8], found: usize) -> bool {
        let Some(start) = found.checked_sub(self.at) else { return false };
        start.is_multiple_of(self.width)
            && bytes.get(start..start + self.width).is_some_and(|unit| {
                unit.iter().enumerate().all(|(index, byte)| *byte == if index == self.at { b'\n' } else { 0 })
            })
    }

    /// The position after the first line end.
    pub(crate) fn find(self, bytes: &[u8]) -> Option<usize> {
        if self.width == 1 {
            return memchr::memchr(b'\n', bytes).map(|found| found + 1);
        }
        self.ends(bytes).next()
    }

    /// The positions after each line end, in order.
    pub(crate) fn ends(self, bytes: &[u8]) -> impl Iterator<Item = usize> + '_ {
        memchr_iter(b'\n', bytes)
            .filter(move |found| self.width == 1 || self.is_at(bytes, *found))
            .map(move |found| found - self.at + self.width)
    }

    /// The positions after each line end, from the last.
    pub(crate) fn ends_backwards(self, bytes: &[u8]) -> impl Iterator<Item = usize> + '_ {
        memrchr_iter(b'\n', bytes)
            .filter(move |found| self.width == 1 || self.is_at(bytes, *found))
            .map(move |found| found - self.at + self.width)
    }

    /// How many lines end in `bytes`.
    pub(crate) fn count(self, bytes: &[u8]) -> u64 {
        if self.width == 1 {
            memchr_iter(b'\n', bytes).count() as u64
        } else {
            self.ends(bytes).count() as u64
        }
    }

    /// At most `want` line ends from the start: how many there are, and the position after the last of them.
    pub(crate) fn take(self, bytes: &[u8], want: u64) -> (u64, usize) {
        let total = self.count(bytes);
        if total <= want {
            return (total, self.ends_backwards(bytes).next().unwrap_or(0));
        }
        let nth = usize::try_from(want).unwrap_or(usize::MAX).saturating_sub(1);
        if want == 0 { (0, 0) } else { (want, self.ends(bytes).nth(nth).unwrap_or(0)) }
    }

    /// `line` without its LF, and without one CR before that.
    pub(crate) fn strip(self, line: &[u8]) -> (&[u8], Ending) {
        let Some(body) = self.strip_unit(line, b'\n') else { return (line, Ending::None) };
        match self.strip_unit(body, b'\r') {
            Some(body) => (body, Ending::CrLf),
            None => (body, Ending::Lf),
        }
    }

    fn strip_unit(self, line: &[u8], byte: u8) -> Option<&[u8]> {
        let (body, unit) = line.split_at_checked(line.len().checked_sub(self.width)?)?;
        let matches = unit.iter().enumerate().all(|(index, b)| *b == if index == self.at { byte } else { 0 });
        matches.then_some(body)
    }
}

/// How a line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Lf,
    CrLf,
    /// The last line, unterminated.
    None,
}

/// How the lines of a text end, over many of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Endings {
    pub(crate) lf: bool,
    pub(crate) crlf: bool,
    /// A CR that stands before no LF.
    pub(crate) lone_cr: bool,
}

impl Endings {
    /// What `text` (decoded, or bytes of an encoding with single-byte CR and LF) has.
    pub(crate) fn of(text: &[u8]) -> Self {
        let mut endings = Self::default();
        for at in memchr_iter(b'\r', text) {
            match text.get(at + 1) {
                Some(b'\n') => endings.crlf = true,
                Some(_) => endings.lone_cr = true,
                None => {}
            }
        }
        endings.lf =
            memchr_iter(b'\n', text).any(|at| at.checked_sub(1).and_then(|at| text.get(at)) != Some(&b'\r'));
        endings
    }

    pub(crate) fn name(self) -> Option<&'static str> {
        match (self.lf, self.crlf, self.lone_cr) {
            (true, true, _) => Some("mixed"),
            (true, false, _) => Some("lf"),
            (false, true, _) => Some("crlf"),
            (false, false, true) => Some("cr"),
            (false, false, false) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_units_are_not_fooled_by_their_bytes() {
        let le = Newline::unit(2, Endian::Little);
        // U+0A0A, U+0A00, LF: only the last is a line end.
        let text = [0x0A, 0x0A, 0x00, 0x0A, 0x0A, 0x00];
        assert_eq!(le.ends(&text).collect::<Vec<_>>(), [6]);
        let be = Newline::unit(2, Endian::Big);
        assert_eq!(be.ends(&[0x0A, 0x0A, 0x00, 0x0A, 0x0A, 0x00]).collect::<Vec<_>>(), [4]);
        assert_eq!(be.strip(&[0, b'a', 0, b'\r', 0, b'\n']), (&[0, b'a'][..], Ending::CrLf));
    }

    #[test]
    fn take_stops_after_the_wanted_line() {
        assert_eq!(Newline::BYTE.take(b"a\nb\nc", 1), (1, 2));
        assert_eq!(Newline::BYTE.take(b"a\nb\nc", 9), (2, 4));
        assert_eq!(Newline::BYTE.take(b"a\nb\nc", 0), (0, 0));
        assert_eq!(Newline::BYTE.take(b"abc", 3), (0, 0));
    }

    #[test]
    fn one_carriage_return_belongs_to_the_line_end() {
        assert_eq!(Newline::BYTE.strip(b"a\r\r\n"), (&b"a\r"[..], Ending::CrLf));
        assert_eq!(Newline::BYTE.strip(b"a\r"), (&b"a\r"[..], Ending::None));
    }

    #[test]
    fn endings_are_named() {
        for (text, name) in [
            ("a\nb\n", Some("lf")),
            ("a\r\n", Some("crlf")),
            ("a\r\nb\n", Some("mixed")),
            ("a\rb", Some("cr")),
            ("a", None),
        ] {
            assert_eq!(Endings::of(text.as_bytes()).name(), name, "{text:?}");
        }
    }
}
