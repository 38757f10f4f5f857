//! Extra fields of a zip record (APPNOTE 4.5).

use super::number::number;

/// Sizes and offsets over 4 GiB.
const ZIP64: u64 = 0x0001;
/// The name in UTF-8, with a checksum of the name that it stands for.
const UNICODE_PATH: u64 = 0x7075;
/// Times in seconds since 1970.
const TIMES: u64 = 0x5455;

/// What extra fields say about a member.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Extra<'a> {
    pub(super) unicode_path: Option<&'a [u8]>,
    pub(super) modified: Option<i64>,
    /// Whether a field is cut, or lacks what it is there for.
    pub(super) is_damaged: bool,
}

/// The fields of a record that zip64 replaces where they are full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wide {
    pub(super) size: u64,
    pub(super) compressed: u64,
    pub(super) header: u64,
}

impl<'a> Extra<'a> {
    /// Reads the fields of a member whose name is stored as `name`.
    pub(super) fn read(mut fields: &'a [u8], name: &[u8], wide: &mut Wide) -> Self {
        let mut extra = Self::default();
        while let (Some(kind), Some(len)) = (number::<2>(fields, 0), number::<2>(fields, 2)) {
            let len = usize::try_from(len).unwrap_or(usize::MAX);
            let Some(value) = fields.get(4..len.saturating_add(4)) else {
                extra.is_damaged = true;
                break;
            };
            match kind {
                ZIP64 => extra.is_damaged |= !widen(wide, value),
                UNICODE_PATH => extra.unicode_path = unicode_path(value, name).or(extra.unicode_path),
                TIMES if value.first().is_some_and(|flags| flags & 1 == 1) => {
                    extra.modified = number::<4>(value, 1)
                        .and_then(|time| u32::try_from(time).ok())
                        .map(|time| i64::from(time.cast_signed()));
                }
                _ => {}
            }
            fields = fields.get(len.saturating_add(4)..).unwrap_or_default();
        }
        extra
    }

    /// The name that counts: the UTF-8 one, unless the stored one is said to be UTF-8 itself.
    pub(super) fn name<'n>(&self, stored: &'n [u8], is_utf8: bool) -> &'n [u8]
    where
        'a: 'n,
    {
        self.unicode_path.filter(|_| !is_utf8).unwrap_or(stored)
    }
}

/// Only the fields that are full are there, in this order; false when one of them is missing.
fn widen(wide: &mut Wide, mut value: &[u8]) -> bool {
    for field in [&mut wide.size, &mut wide.compressed, &mut wide.header] {
        if *field == 0xFFFF_FFFF {
            let Some(full) = number::<8>(value, 0) else { return false };
            *field = full;
            value = value.get(8..).unwrap_or_default();
        }
    }
    true
}

/// The field counts when its checksum is that of the name in the record: else somebody renamed the member since.
fn unicode_path<'a>(value: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let (version, rest) = value.split_first()?;
    let (path, sum) = (rest.get(4..)?, number::<4>(rest, 0)?);
    let mut crc = flate2::Crc::new();
    crc.update(name);
    (*version == 1 && sum == u64::from(crc.sum()) && std::str::from_utf8(path).is_ok()).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(kind: u16, value: &[u8]) -> Vec<u8> {
        let len = u16::try_from(value.len()).unwrap();
        [&kind.to_le_bytes()[..], &len.to_le_bytes(), value].concat()
    }

    #[test]
    fn zip64_gives_only_what_is_full() {
        let mut wide = Wide { size: 5, compressed: 0xFFFF_FFFF, header: 0xFFFF_FFFF };
        let value = [7_u64.to_le_bytes(), 9_u64.to_le_bytes()].concat();
        Extra::read(&field(1, &value), b"", &mut wide);
        assert_eq!(wide, Wide { size: 5, compressed: 7, header: 9 });
    }

    #[test]
    fn a_unicode_path_needs_its_checksum() {
        let mut crc = flate2::Crc::new();
        crc.update(b"b\x84r.txt");
        let value = |sum: u32| [&[1][..], &sum.to_le_bytes(), "bär.txt".as_bytes()].concat();
        let mut wide = Wide { size: 0, compressed: 0, header: 0 };
        let fields = field(0x7075, &value(crc.sum()));
        assert_eq!(Extra::read(&fields, b"b\x84r.txt", &mut wide).unicode_path, Some("bär.txt".as_bytes()));
        let fields = field(0x7075, &value(crc.sum() ^ 1));
        assert_eq!(Extra::read(&fields, b"b\x84r.txt", &mut wide).unicode_path, None);
    }

    #[test]
    fn a_field_that_is_cut_ends_them_and_is_told() {
        let mut wide = Wide { size: 0, compressed: 0, header: 0 };
        // Less than a field's own header is padding.
        for (fields, is_damaged) in
            [(&[1, 0][..], false), (&[1, 0, 8, 0, 1], true), (&[0x55, 0x54, 0, 0], false)]
        {
            assert_eq!(Extra::read(fields, b"", &mut wide), Extra { is_damaged, ..Extra::default() });
        }
        let mut wide = Wide { size: 0xFFFF_FFFF, compressed: 0xFFFF_FFFF, header: 0 };
        assert!(Extra::read(&field(1, &7_u64.to_le_bytes()), b"", &mut wide).is_damaged);
        assert_eq!(wide, Wide { size: 7, compressed: 0xFFFF_FFFF, header: 0 });
    }
}
