//! Tar archives, block by block: POSIX.1-2017 `pax`, and GNU tar's manual, "Basic Tar Format".

use std::fmt::Write as _;

/// The bytes of a block.
pub(crate) const BLOCK: usize = 512;

fn put(block: &mut [u8], at: usize, field: &[u8]) {
    for (byte, new) in block.iter_mut().skip(at).zip(field) {
        *byte = *new;
    }
}

/// Puts the checksum of a header right.
pub(crate) fn seal(block: &mut [u8]) {
    put(block, 148, b"        ");
    let sum: u32 = block.iter().take(BLOCK).map(|byte| u32::from(*byte)).sum();
    put(block, 148, format!("{sum:06o}\0 ").as_bytes());
}

/// A header that claims `size` bytes, in base 256 where eight to the eleventh is not enough.
pub(crate) fn header(name: &[u8], kind: u8, link: &[u8], size: u64) -> Vec<u8> {
    let mut block = vec![0; BLOCK];
    put(&mut block, 0, name.get(..100).unwrap_or(name));
    put(&mut block, 100, b"0000644\x000000000\x000000000\0");
    if size < 1 << 33 {
        put(&mut block, 124, format!("{size:011o}\0").as_bytes());
    } else {
        put(&mut block, 124, &[0x80, 0, 0, 0]);
        put(&mut block, 128, &size.to_be_bytes());
    }
    put(&mut block, 136, b"14524731360\0");
    put(&mut block, 156, &[kind]);
    put(&mut block, 157, link.get(..100).unwrap_or(link));
    put(&mut block, 257, b"ustar\x0000");
    seal(&mut block);
    block
}

/// A header and its data.
pub(crate) fn member(name: &str, kind: u8, link: &str, data: &[u8]) -> Vec<u8> {
    let mut out = header(name.as_bytes(), kind, link.as_bytes(), data.len() as u64);
    out.extend_from_slice(data);
    pad(&mut out);
    out
}

fn pad(bytes: &mut Vec<u8>) {
    bytes.resize(bytes.len().next_multiple_of(BLOCK), 0);
}

/// A PAX header of these records, of kind `x` (the next member) or `g` (all that follow).
pub(crate) fn pax(kind: u8, records: &[(&str, &str)]) -> Vec<u8> {
    let mut data = String::new();
    for (key, value) in records {
        let body = key.len() + value.len() + 3;
        let mut length = body + 1;
        while length.to_string().len() + body != length {
            length += 1;
        }
        let _ = writeln!(data, "{length} {key}={value}");
    }
    member("PaxHeader", kind, "", data.as_bytes())
}

/// A sparse member of GNU's old format: three blocks with holes between, and a long hole at the end.
pub(crate) fn gnu_sparse(name: &str, hole: u64, size: u64) -> Vec<u8> {
    let mut block = header(name.as_bytes(), b'S', b"", 3 * BLOCK as u64);
    put(&mut block, 257, b"ustar  \0");
    // The last entry holds nothing: it says where the file ends.
    let blocks = (0..3).map(|index| (index * hole, BLOCK)).chain([(size, 0)]);
    for (at, (offset, length)) in (386..).step_by(24).zip(blocks) {
        put(&mut block, at, format!("{offset:011o}\0{length:011o}\0").as_bytes());
    }
    put(&mut block, 483, format!("{size:011o}\0").as_bytes());
    seal(&mut block);
    block.extend_from_slice(&b"present\n".repeat(3 * BLOCK / 8));
    pad(&mut block);
    block
}

/// A sparse member as PAX has it in version 1.0: the map stands before the data.
pub(crate) fn pax_sparse(name: &str, hole: u64, size: u64) -> Vec<u8> {
    let size = size.to_string();
    let records = [
        ("GNU.sparse.major", "1"),
        ("GNU.sparse.minor", "0"),
        ("GNU.sparse.name", name),
        ("GNU.sparse.realsize", size.as_str()),
    ];
    let mut out = pax(b'x', &records);
    let mut data = format!("2\n0\n8\n{hole}\n8\n").into_bytes();
    pad(&mut data);
    data.extend_from_slice(b"present\npresent\n");
    out.extend(member(&format!("GNUSparseFile.0/{name}"), b'0', "", &data));
    out
}

/// The end of an archive.
pub(crate) fn end(mut out: Vec<u8>) -> Vec<u8> {
    out.resize(out.len() + 2 * BLOCK, 0);
    out
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn the_crate_that_reads_archives_reads_these() {
        let bytes = end([
            member("a.txt", b'0', "", b"one"),
            pax(b'x', &[("path", "long/name.txt")]),
            member("short", b'0', "", b"two"),
            gnu_sparse("holes", 4_096, 20_000),
        ]
        .concat());
        let mut archive = ::tar::Archive::new(bytes.as_slice());
        let mut read = Vec::new();
        for entry in archive.entries().unwrap() {
            let mut entry = entry.unwrap();
            let mut content = Vec::new();
            entry.read_to_end(&mut content).unwrap();
            read.push((entry.path().unwrap().to_string_lossy().into_owned(), content.len()));
        }
        let wanted = [("a.txt", 3), ("long/name.txt", 3), ("holes", 20_000)];
        assert_eq!(read, wanted.map(|(name, length)| (name.to_owned(), length)));
    }

    #[test]
    fn a_size_beyond_octal_is_told() {
        let block = header(b"a", b'0', b"", 1 << 63);
        let header = ::tar::Header::from_byte_slice(&block);
        assert_eq!(header.entry_size().unwrap(), 1 << 63);
    }
}
