//! A window of bytes.

use core::fmt;
use core::num::NonZeroU64;

/// A window of a file's bytes, as `:@O+L` and `:@O` name it.
///
/// `Display` prints it as `@O+L`, or `@O` when it has no length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ByteSpan {
    /// The first byte, counted from 0.
    pub offset: u64,
    /// The number of bytes; `None` where the caller gave none (to the end, or to the host's own default).
    pub len: Option<NonZeroU64>,
}

impl ByteSpan {
    /// The span from `first` to `last`, both included; `None` when `last` is before `first`.
    ///
    /// The one span too long to be counted (all 2^64 bytes) is a byte shorter.
    pub fn inclusive(first: u64, last: u64) -> Option<Self> {
        let len = last.checked_sub(first)?.saturating_add(1);
        Some(Self { offset: first, len: NonZeroU64::new(len) })
    }

    /// The offset just past the last byte, at most `u64::MAX`; `None` without a length.
    pub fn end(&self) -> Option<u64> {
        self.len.map(|len| self.offset.saturating_add(len.get()))
    }
}

impl fmt::Display for ByteSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "@{}", self.offset)?;
        self.len.map_or(Ok(()), |len| write!(f, "+{len}"))
    }
}

#[cfg(test)]
mod tests {
    use super::ByteSpan;
    use alloc::string::ToString;
    use core::num::NonZeroU64;

    #[test]
    fn inclusive_counts_both_ends() {
        let span = ByteSpan::inclusive(10, 19).unwrap();
        assert_eq!((span.offset, span.len, span.end()), (10, NonZeroU64::new(10), Some(20)));
        assert_eq!(ByteSpan::inclusive(3, 3).unwrap().len, NonZeroU64::new(1));
        assert_eq!(ByteSpan::inclusive(3, 2), None);
    }

    #[test]
    fn ends_saturate() {
        let all = ByteSpan::inclusive(0, u64::MAX).unwrap();
        assert_eq!((all.len, all.end()), (NonZeroU64::new(u64::MAX), Some(u64::MAX)));
        let far = ByteSpan { offset: u64::MAX, len: NonZeroU64::new(9) };
        assert_eq!(far.end(), Some(u64::MAX));
        assert_eq!(ByteSpan { offset: 5, len: None }.end(), None);
    }

    #[test]
    fn prints_offset_and_length() {
        assert_eq!(ByteSpan { offset: 5, len: None }.to_string(), "@5");
        assert_eq!(ByteSpan::inclusive(0, 4095).unwrap().to_string(), "@0+4096");
    }
}
