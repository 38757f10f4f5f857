//! Blanks: the characters that are dropped at line ends.

/// The blanks.
pub(crate) const BLANKS: [char; 3] = [' ', '\t', '\r'];

/// Whether the byte is a blank.
pub(crate) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

/// 1 where `byte` is a blank and `next` a line feed, else 0. Without a branch, so that loops over it compile to vector
/// instructions: tab and carriage return differ in one bit.
#[inline]
pub(crate) fn ends_a_line(byte: u8, next: u8) -> u8 {
    u8::from(next == b'\n') & (u8::from(byte == b' ') | u8::from(byte | 0x04 == b'\r'))
}

/// `bytes` without the blanks at their end, and those blanks.
pub(crate) fn split_trailing(bytes: &[u8]) -> (&[u8], &[u8]) {
    let end = bytes.iter().rposition(|byte| !is_blank(*byte)).map_or(0, |last| last + 1);
    bytes.split_at_checked(end).unwrap_or((bytes, &[]))
}

/// `bytes` cut behind the blanks at their start.
pub(crate) fn split_leading(bytes: &[u8]) -> (&[u8], &[u8]) {
    let blanks = bytes.iter().take_while(|byte| is_blank(**byte)).count();
    bytes.split_at_checked(blanks).unwrap_or((bytes, &[]))
}

/// `text` without the blanks at its end.
pub(crate) fn trimmed(text: &str) -> &str {
    text.trim_end_matches(BLANKS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_means_the_same() {
        for byte in 0..=u8::MAX {
            assert_eq!(BLANKS.contains(&char::from(byte)), is_blank(byte), "{byte}");
            assert_eq!(ends_a_line(byte, b'\n') == 1, is_blank(byte), "{byte}");
            assert_eq!(ends_a_line(byte, b'x'), 0);
        }
    }
}
