//! Numbers as zip stores them: the lowest byte first.

/// The number of `N` bytes that stands at `at`.
pub(super) fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(N)?)?;
    Some(bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)))
}

/// The field of four bytes at `at`, or 0.
pub(super) fn long(bytes: &[u8], at: usize) -> u64 {
    number::<4>(bytes, at).unwrap_or(0)
}

/// The field of two bytes at `at`, or 0.
pub(super) fn short(bytes: &[u8], at: usize) -> u16 {
    number::<2>(bytes, at).and_then(|value| u16::try_from(value).ok()).unwrap_or(0)
}
