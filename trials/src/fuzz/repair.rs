//! Checksums put right after a change: otherwise damage is found before what is damaged is looked at.

use crate::make::tar::{BLOCK, seal as seal_tar};
use crate::make::{crc, png};

/// Puts the checksums right of whatever the bytes are.
pub(super) fn repair(bytes: &mut [u8]) {
    if bytes.starts_with(b"\x89PNG") {
        png::seal(bytes);
    } else if bytes.starts_with(b"PK") {
        seal_zip(bytes);
    } else {
        for block in bytes.chunks_exact_mut(BLOCK) {
            if block.get(257..262) == Some(b"ustar") {
                seal_tar(block);
            }
        }
    }
}

/// Gives each stored member, in its local header and in the directory, the checksum that it has.
fn seal_zip(bytes: &mut [u8]) {
    let mut sums = Vec::new();
    for at in places(bytes, b"PK\x03\x04") {
        let start = at + 30 + number(bytes, at + 26, 2) + number(bytes, at + 28, 2);
        let end = start.saturating_add(number(bytes, at + 18, 4));
        if number(bytes, at + 8, 2) == 0
            && let Some(content) = bytes.get(start..end)
        {
            sums.push((at, crc(content)));
        }
    }
    for at in places(bytes, b"PK\x01\x02") {
        let local = number(bytes, at + 42, 4);
        if let Some((_, sum)) = sums.iter().find(|(start, _)| *start == local) {
            put(bytes, at + 16, &sum.to_le_bytes());
        }
    }
    for (at, sum) in sums {
        put(bytes, at + 14, &sum.to_le_bytes());
    }
}

fn places(bytes: &[u8], mark: &[u8]) -> Vec<usize> {
    bytes.windows(mark.len()).enumerate().filter(|(_, window)| *window == mark).map(|(at, _)| at).collect()
}

fn number(bytes: &[u8], at: usize, width: usize) -> usize {
    let field = bytes.iter().skip(at).take(width).rev();
    field.fold(0, |value, byte| (value << 8) | usize::from(*byte))
}

fn put(bytes: &mut [u8], at: usize, field: &[u8]) {
    for (byte, new) in bytes.iter_mut().skip(at).zip(field) {
        *byte = *new;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::make::zip::{Member, archive};
    use std::io::Read;

    #[test]
    fn a_changed_member_is_read_again() {
        let mut bytes = archive(&[Member::stored("a.txt", b"one"), Member::stored("b.txt", b"two")]).unwrap();
        let at = places(&bytes, b"two")[0];
        bytes[at] = b'T';
        let read = |bytes: &[u8]| {
            let mut text = String::new();
            let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes.to_vec())).unwrap();
            archive.by_index(1).unwrap().read_to_string(&mut text).map(|_| text)
        };
        assert!(read(&bytes).is_err());
        repair(&mut bytes);
        assert_eq!(read(&bytes).unwrap(), "Two");
    }

    #[test]
    fn anything_can_be_repaired() {
        for bytes in [&b""[..], b"PK", b"PK\x03\x04", b"\x89PNG", b"\x89PNG\r\n\x1a\n\xFF\xFF\xFF\xFFabcd"] {
            repair(&mut bytes.to_vec());
        }
    }
}
