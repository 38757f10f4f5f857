//! PAX extended headers: records that say more of the next member, or of all (POSIX.1-2001, pax, "pax Header Block").

use super::sparse::Segment;
use crate::limits::MAX_SEGMENTS;

/// What extended headers say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Pax {
    pub(super) path: Option<Vec<u8>>,
    pub(super) link: Option<Vec<u8>>,
    pub(super) size: Option<u64>,
    /// Seconds since 1970.
    pub(super) modified: Option<i64>,
    pub(super) sparse: SparseRecords,
}

/// What GNU tar says of a sparse member, in its three versions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SparseRecords {
    pub(super) name: Option<Vec<u8>>,
    /// The size of the member with its holes.
    pub(super) real_size: Option<u64>,
    /// 1.0: the map stands in front of the data.
    pub(super) map_in_data: bool,
    /// 0.0 and 0.1: the map.
    pub(super) map: Vec<Segment>,
    /// The offset of a segment whose length comes next.
    offset: Option<u64>,
    /// Whether there is any record at all.
    pub(super) is_sparse: bool,
    /// Whether the map is one that nobody can follow.
    pub(super) is_nonsense: bool,
}

impl Pax {
    /// Adds what the records in `data` say. Later ones win; a record that makes no sense ends them, and gives false.
    pub(super) fn read(&mut self, mut data: &[u8]) -> bool {
        while let Some((key, value, rest)) = record(data) {
            self.set(key, value);
            data = rest;
        }
        // Some tools fill headers up with zeros.
        data.iter().all(|byte| *byte == 0)
    }

    fn set(&mut self, key: &[u8], value: &[u8]) {
        let text = || Some(value.to_vec()).filter(|text| !text.is_empty());
        match key {
            b"path" => self.path = text(),
            b"linkpath" => self.link = text(),
            b"size" => self.size = number(value),
            b"mtime" => self.modified = seconds(value),
            _ => {
                if let Some(key) = key.strip_prefix(b"GNU.sparse.") {
                    self.sparse.set(key, value);
                }
            }
        }
    }
}

impl SparseRecords {
    fn set(&mut self, key: &[u8], value: &[u8]) {
        self.is_sparse = true;
        match key {
            b"name" => self.name = Some(value.to_vec()),
            b"size" | b"realsize" => self.real_size = number(value).or(self.real_size),
            b"major" => self.map_in_data = number(value).is_some_and(|major| major >= 1),
            b"offset" => self.offset = number(value),
            b"numbytes" => match (self.offset.take(), number(value)) {
                (Some(offset), Some(len)) => self.push(Segment { offset, len }),
                _ => self.is_nonsense = true,
            },
            b"map" => {
                let mut numbers =
                    value.split(|byte| *byte == b',').filter(|text| !text.is_empty()).map(number);
                while let Some(offset) = numbers.next() {
                    match (offset, numbers.next().flatten()) {
                        (Some(offset), Some(len)) if !self.is_nonsense => self.push(Segment { offset, len }),
                        _ => {
                            self.is_nonsense = true;
                            break;
                        }
                    }
                }
            }
            _ => {}
        }
    }

    fn push(&mut self, segment: Segment) {
        if self.map.len() < MAX_SEGMENTS {
            self.map.push(segment);
        } else {
            self.is_nonsense = true;
        }
    }
}

/// The first record: its length in all, a space, key, `=`, value, a newline. Values may hold newlines.
fn record(data: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let space = data.iter().take(20).position(|byte| *byte == b' ')?;
    let len = usize::try_from(number(data.get(..space)?)?).ok()?;
    let (record, rest) = data.split_at_checked(len)?;
    let record = record.get(space.checked_add(1)?..)?.strip_suffix(b"\n")?;
    let equals = record.iter().position(|byte| *byte == b'=')?;
    Some((record.get(..equals)?, record.get(equals + 1..)?, rest))
}

/// A decimal number.
pub(super) fn number(text: &[u8]) -> Option<u64> {
    let digits = |value: u64, byte: &u8| {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 { None } else { value.checked_mul(10)?.checked_add(u64::from(digit)) }
    };
    if text.is_empty() { None } else { text.iter().try_fold(0, digits) }
}

/// The whole seconds of a time that may have a sign and a fraction.
fn seconds(text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?;
    text.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(pairs: &[(&str, &str)]) -> Vec<u8> {
        let mut data = Vec::new();
        for (key, value) in pairs {
            let body = key.len() + value.len() + 3;
            let mut len = body + 1;
            while len.to_string().len() + body != len {
                len += 1;
            }
            data.extend_from_slice(format!("{len} {key}={value}\n").as_bytes());
        }
        data
    }

    #[test]
    fn records_may_hold_newlines_and_equal_signs() {
        let mut pax = Pax::default();
        pax.read(&records(&[
            ("path", "a\nb=c"),
            ("size", "12"),
            ("mtime", "-5.25"),
            ("SCHILY.xattr.x", "\0\0"),
            ("linkpath", "t"),
        ]));
        assert_eq!(pax.path.as_deref(), Some(&b"a\nb=c"[..]));
        assert_eq!((pax.size, pax.modified, pax.link.as_deref()), (Some(12), Some(-5), Some(&b"t"[..])));
    }

    #[test]
    fn nonsense_ends_the_records_and_is_told() {
        for data in [
            &b"12 path"[..],
            b"x path=a\n",
            b"999 path=a\n",
            b"10 path=ab",
            b"0 a=b\n",
            b"3 a\n",
            b" ",
            b"\0x",
        ] {
            let mut pax = Pax::default();
            assert!(!pax.read(data), "{data:?}");
            assert_eq!(pax, Pax::default(), "{data:?}");
        }
        assert!(Pax::default().read(b"") && Pax::default().read(b"8 gid=1\n\0\0"));
    }

    #[test]
    fn maps_that_nobody_can_follow_are_told() {
        for map in ["0,3,x,2", "0,3,5", "-1,2"] {
            let mut pax = Pax::default();
            assert!(pax.read(&records(&[("GNU.sparse.map", map)])));
            assert!(pax.sparse.is_nonsense, "{map}");
        }
        let mut pax = Pax::default();
        pax.read(&records(&[("GNU.sparse.numbytes", "3")]));
        assert!(pax.sparse.is_nonsense);
    }

    #[test]
    fn sparse_maps_of_both_early_versions() {
        let map = [Segment { offset: 0, len: 3 }, Segment { offset: 10, len: 2 }];
        let mut first = Pax::default();
        first.read(&records(&[
            ("GNU.sparse.offset", "0"),
            ("GNU.sparse.numbytes", "3"),
            ("GNU.sparse.offset", "10"),
            ("GNU.sparse.numbytes", "2"),
            ("GNU.sparse.size", "12"),
        ]));
        let mut second = Pax::default();
        second.read(&records(&[
            ("GNU.sparse.map", "0,3,10,2"),
            ("GNU.sparse.name", "n"),
            ("GNU.sparse.size", "12"),
        ]));
        assert_eq!((&first.sparse.map[..], first.sparse.real_size), (&map[..], Some(12)));
        assert_eq!((&second.sparse.map[..], second.sparse.name.as_deref()), (&map[..], Some(&b"n"[..])));
    }
}
