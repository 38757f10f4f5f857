//! The header in front of a member's data (APPNOTE 4.3.7).

use super::number::{long, short};
use super::record::{DESCRIPTOR, METHOD_FLAGS, Record};
use super::signature::LOCAL;

/// Its bytes without the name and the extra fields.
pub(super) const HEADER: usize = 30;

/// A header without its name and extra fields, which follow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LocalHeader {
    pub(super) flags: u16,
    pub(super) method: u16,
    pub(super) time: u16,
    pub(super) date: u16,
    pub(super) crc: u32,
    pub(super) compressed: u64,
    pub(super) size: u64,
    pub(super) name_len: usize,
    pub(super) extra_len: usize,
}

impl LocalHeader {
    /// The header, if these bytes are one.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        let bytes = bytes.first_chunk::<HEADER>().filter(|bytes| bytes.starts_with(&LOCAL))?;
        Some(Self {
            flags: short(bytes, 6),
            method: short(bytes, 8),
            time: short(bytes, 10),
            date: short(bytes, 12),
            crc: u32::try_from(long(bytes, 14)).unwrap_or(0),
            compressed: long(bytes, 18),
            size: long(bytes, 22),
            name_len: usize::from(short(bytes, 26)),
            extra_len: usize::from(short(bytes, 28)),
        })
    }

    /// The bytes between the header and the data.
    pub(super) fn variable_len(&self) -> usize {
        self.name_len.saturating_add(self.extra_len)
    }
}

/// A header without a name for a decoder of `record`, to whom sizes and checksum are given beside it.
pub(super) fn for_decoder(record: &Record) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    let mut put = |at: usize, bytes: &[u8]| {
        if let Some(field) = header.get_mut(at..at.saturating_add(bytes.len())) {
            field.copy_from_slice(bytes);
        }
    };
    put(0, &LOCAL);
    // The version that is needed: a decoder is not to refuse what it knows.
    put(4, &63_u16.to_le_bytes());
    put(6, &(record.flags & METHOD_FLAGS | DESCRIPTOR).to_le_bytes());
    put(8, &record.method.to_le_bytes());
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_for_a_decoder_is_a_header() {
        let record = Record { method: 8, flags: 0b111, ..Record::default() };
        let header = LocalHeader::of(&for_decoder(&record)).unwrap();
        assert_eq!((header.method, header.flags, header.variable_len()), (8, 0b1110, 0));
        assert_eq!(LocalHeader::of(&for_decoder(&record)[..29]), None);
        assert_eq!(LocalHeader::of(&[0; HEADER]), None);
    }
}
