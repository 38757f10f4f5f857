//! Lines that prove themselves: each says of which file, version and place it is, and carries a checksum of that.

use crate::make::crc;

/// The bytes of a line, its end included: the place of each line in a file is known.
pub(super) const LENGTH: usize = 64;

/// What a line says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Proof {
    pub(super) file: String,
    pub(super) version: u64,
    /// Counted from 1.
    pub(super) line: u64,
}

/// A line without its end. The file's name is at most 16 bytes.
pub(super) fn line(file: &str, version: u64, line: u64) -> String {
    let mut text = format!("{file} v{version} l{line} ");
    // No 16 bytes repeat: a dump would show them once.
    let filler = (b'a'..=b'z').map(char::from).cycle().skip(usize::try_from(line % 26).unwrap_or(0));
    text.extend(filler.take((LENGTH - 10).saturating_sub(text.len())));
    let sum = crc(text.as_bytes());
    text + &format!(" {sum:08x}")
}

/// All lines of a file.
pub(super) fn text(file: &str, version: u64) -> String {
    (1..=lines(version)).map(|number| line(file, version, number) + "\n").collect()
}

/// How many lines a version has: they shrink and grow.
pub(super) fn lines(version: u64) -> u64 {
    1_500 + version % 7 * 137
}

/// What a line proves; nothing where it is no whole line of any version of any file.
pub(super) fn proven(text: &str) -> Option<Proof> {
    let (said, sum) = text.rsplit_once(' ')?;
    if text.len() != LENGTH - 1 || format!("{:08x}", crc(said.as_bytes())) != sum {
        return None;
    }
    let mut words = said.split(' ');
    let (file, version, line) = (words.next()?, words.next()?, words.next()?);
    Some(Proof {
        file: file.to_owned(),
        version: version.strip_prefix('v')?.parse().ok()?,
        line: line.strip_prefix('l')?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_proves_what_it_says() {
        let text = line("a.zip:m", 12, 345);
        assert_eq!(text.len(), LENGTH - 1);
        assert_eq!(proven(&text), Some(Proof { file: "a.zip:m".into(), version: 12, line: 345 }));
    }

    #[test]
    fn a_torn_line_proves_nothing() {
        let (one, other) = (line("a", 1, 10), line("a", 2, 10));
        for cut in 1..one.len() {
            let ((head, _), (_, tail)) = (one.split_at(cut), other.split_at(cut));
            let torn = format!("{head}{tail}");
            assert!(torn == one || torn == other || proven(&torn).is_none(), "{torn}");
            assert_eq!(proven(head), None);
        }
    }
}
