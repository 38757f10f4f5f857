//! Why a text has no tag.

use std::fmt;

/// Why a text has no tag. Its lines are numbered all the same, so that a model can speak of them, but nothing vouches
/// for them later.
///
/// ```
/// # use read_hashline::{Limits, NoTag};
/// let reason = NoTag::TooLarge { limit: Limits::DEFAULT.text_bytes };
/// assert_eq!(reason.notice(), "[No tag: the text is over 4.0MB]");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoTag {
    /// The decoded text is longer than `limit` bytes of UTF-8.
    #[error("the text is over {}", Size(*limit))]
    TooLarge {
        /// The longest text that gets a tag, in bytes.
        limit: usize,
    },
    /// Decoding lost something, so the text is not what the file holds.
    #[error("the text was decoded with loss")]
    Lossy,
    /// The host reads only the beginning of so long a file.
    #[error("the file was cut at the read limit")]
    ReadLimit,
    /// The text did not arrive whole: the read ended early.
    #[error("the text was not read to its end")]
    Incomplete,
    /// Another text of the same path has the very same digest.
    #[error("another version of this file has the same digest")]
    Collision,
}

impl NoTag {
    /// The line to print below the text.
    #[must_use]
    pub fn notice(&self) -> String {
        format!("[No tag: {self}]")
    }
}

/// Prints a number of bytes as `512B`, `50.0KB`, `3.2MB`, `1.5GB`.
struct Size(usize);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.0 as u128;
        let (unit, name) = match bytes {
            0..0x400 => return write!(f, "{bytes}B"),
            0x400..0x10_0000 => (0x400, "KB"),
            0x10_0000..0x4000_0000 => (0x10_0000, "MB"),
            _ => (0x4000_0000, "GB"),
        };
        let tenths = (bytes * 10 + unit / 2) / unit;
        write!(f, "{}.{}{name}", tenths / 10, tenths % 10)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_reads_as_a_notice() {
        for (reason, notice) in [
            (NoTag::TooLarge { limit: 4 << 20 }, "[No tag: the text is over 4.0MB]"),
            (NoTag::Lossy, "[No tag: the text was decoded with loss]"),
            (NoTag::ReadLimit, "[No tag: the file was cut at the read limit]"),
            (NoTag::Incomplete, "[No tag: the text was not read to its end]"),
            (NoTag::Collision, "[No tag: another version of this file has the same digest]"),
        ] {
            assert_eq!(reason.notice(), notice);
        }
    }

    #[test]
    fn sizes_have_one_decimal_and_the_unit_of_the_unrounded_value() {
        for (size, text) in [
            (0, "0B"),
            (1023, "1023B"),
            (1024, "1.0KB"),
            (50 * 1024, "50.0KB"),
            ((1 << 20) - 1, "1024.0KB"),
            (3_355_443, "3.2MB"),
            (3 << 29, "1.5GB"),
        ] {
            assert_eq!(Size(size).to_string(), text);
        }
    }
}
