//! How much memory a member asks its decoder for: some formats take the archive's word for it.

use read_core::{ErrorCode, ReadError, Slice, size};

use super::super::number::number;
use crate::limits::MAX_DECODER_MEMORY;

/// The old methods, whose decoders here hold the whole member.
const WHOLE: std::ops::RangeInclusive<u16> = 1..=6;
/// `PPMd` (APPNOTE 5.10).
const PPMD: u16 = 98;
/// LZMA in zip (APPNOTE 5.8.8).
const LZMA: u16 = 14;
/// XZ.
const XZ: u16 = 95;

/// Refuses a member whose decoder would need a larger window than content of `length` bytes, or any, should have.
pub(super) fn permit(method: u16, data: &Slice, length: Option<u64>, target: &str) -> Result<(), ReadError> {
    let window = match method {
        LZMA => lzma(data),
        XZ => xz(data),
        PPMD => ppmd(data),
        method if WHOLE.contains(&method) => length,
        _ => None,
    };
    let needless = length.is_some_and(|length| length <= MAX_DECODER_MEMORY) && method == LZMA;
    match window.filter(|window| *window > MAX_DECODER_MEMORY && !needless) {
        None => Ok(()),
        Some(window) => Err(ReadError::new(
            ErrorCode::TooLarge,
            format!(
                "'{target}' asks for {} of memory to be decompressed; at most {} is given.",
                size(window),
                size(MAX_DECODER_MEMORY)
            ),
        )),
    }
}

/// Two bytes of version, two of length, one of parameters, four of window.
fn lzma(data: &Slice) -> Option<u64> {
    let mut header = [0; 9];
    (data.read_full_at(&mut header, 0).ok()? == header.len()).then_some(())?;
    number::<4>(&header, 5)
}

/// Two bytes: the order, the memory in MiB less one, what to do when it is full.
fn ppmd(data: &Slice) -> Option<u64> {
    let mut header = [0; 2];
    (data.read_full_at(&mut header, 0).ok()? == header.len()).then_some(())?;
    let parameters = u16::from_le_bytes(header);
    Some((u64::from(parameters >> 4 & 0xFF) + 1) << 20)
}

/// The window of the first block: its header follows the twelve bytes of the stream's. Each block has its own; what a
/// later one asks for is met by the read's budget of memory, not here.
fn xz(data: &Slice) -> Option<u64> {
    let mut header = [0; 64];
    let got = data.read_full_at(&mut header, 12).ok()?;
    let header = header.get(..got)?;
    let flags = *header.get(1)?;
    let mut at = 2;
    let numbers = [flags & 0x40, flags & 0x80].into_iter().filter(|present| *present != 0).count();
    for _ in 0..numbers {
        while *header.get(at)? >= 0x80 {
            at += 1;
        }
        at += 1;
    }
    // Filters in front of LZMA2 have small properties; it is the last.
    for _ in 0..=flags & 3 {
        let (filter, len) = (*header.get(at)?, usize::from(*header.get(at + 1)?));
        if filter == 0x21 {
            let bits = u32::from(*header.get(at + 2)?);
            return Some(if bits >= 40 {
                u64::from(u32::MAX)
            } else {
                u64::from(2 | bits & 1) << (bits / 2 + 11)
            });
        }
        at += 2 + len;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_read_from_the_data() {
        // `xz --lzma2=dict=64MiB`, `xz -6`: the first bytes.
        let xz_of = |bits: u8| {
            let mut bytes = vec![0; 12];
            bytes.extend_from_slice(&[2, 0, 0x21, 1, bits, 0, 0, 0]);
            xz(&Slice::from_bytes(bytes)).unwrap()
        };
        assert_eq!(xz_of(28), 64 << 20);
        assert_eq!(xz_of(22), 8 << 20);
        assert_eq!(lzma(&Slice::from_bytes(*b"\x09\x04\x05\x00\x5d\x00\x00\x80\x00")), Some(8 << 20));
    }

    #[test]
    fn a_window_that_nobody_needs_is_refused() {
        let greedy = Slice::from_bytes(*b"\x09\x04\x05\x00\x5d\xff\xff\xff\xff");
        assert!(permit(LZMA, &greedy, Some(1 << 40), "t").is_err());
        assert!(permit(8, &greedy, Some(1 << 40), "t").is_ok());
    }
}
