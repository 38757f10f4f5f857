//! Zip archives, field by field: PKWARE's APPNOTE.TXT, sections 4.3 and 4.5.

use anyhow::Result;

use super::{crc, deflated};

/// One member.
#[derive(Debug, Clone)]
pub(crate) struct Member {
    pub(crate) name: Vec<u8>,
    /// As it lies in the archive.
    pub(crate) data: Vec<u8>,
    /// The size that is claimed.
    pub(crate) size: u64,
    pub(crate) crc: u32,
    pub(crate) method: u16,
    pub(crate) flags: u16,
    pub(crate) attributes: u32,
    /// Sizes and checksum stand behind the data.
    pub(crate) descriptor: bool,
    /// Sizes and offset stand in the extra field of zip64.
    pub(crate) wide: bool,
}

impl Member {
    pub(crate) fn stored(name: &str, content: &[u8]) -> Self {
        Self {
            name: name.as_bytes().to_vec(),
            data: content.to_vec(),
            size: content.len() as u64,
            crc: crc(content),
            method: 0,
            flags: 0x800,
            attributes: 0,
            descriptor: false,
            wide: false,
        }
    }

    pub(crate) fn deflated(name: &str, content: &[u8]) -> Result<Self> {
        Ok(Self { data: deflated(content)?, method: 8, ..Self::stored(name, content) })
    }

    pub(crate) fn link(name: &str, to: &str) -> Self {
        Self { attributes: 0o120_777 << 16, ..Self::stored(name, to.as_bytes()) }
    }

    fn fields(&self, out: &mut Vec<u8>, local: bool, offset: u64) -> Result<Vec<u8>> {
        let hidden = local && self.descriptor;
        let mut extra = Vec::new();
        let compressed = self.data.len() as u64;
        let flags = self.flags | if self.descriptor { 8 } else { 0 };
        for short in [20, flags, self.method, 0x645C, 0x585D] {
            out.extend_from_slice(&short.to_le_bytes());
        }
        out.extend_from_slice(&if hidden { 0 } else { self.crc }.to_le_bytes());
        if self.wide {
            out.extend_from_slice(&[0xFF; 8]);
            let values =
                if local { vec![self.size, compressed] } else { vec![self.size, compressed, offset] };
            extra.extend_from_slice(&1_u16.to_le_bytes());
            extra.extend_from_slice(&u16::try_from(values.len() * 8)?.to_le_bytes());
            extra.extend(values.into_iter().flat_map(u64::to_le_bytes));
        } else {
            for long in [compressed, self.size] {
                out.extend_from_slice(&if hidden { 0 } else { u32::try_from(long)? }.to_le_bytes());
            }
        }
        out.extend_from_slice(&u16::try_from(self.name.len())?.to_le_bytes());
        out.extend_from_slice(&u16::try_from(extra.len())?.to_le_bytes());
        Ok(extra)
    }

    /// Its local header and its data.
    pub(crate) fn local(&self) -> Result<Vec<u8>> {
        let mut out = b"PK\x03\x04".to_vec();
        let extra = self.fields(&mut out, true, 0)?;
        out.extend_from_slice(&self.name);
        out.extend_from_slice(&extra);
        out.extend_from_slice(&self.data);
        if self.descriptor {
            out.extend_from_slice(b"PK\x07\x08");
            out.extend_from_slice(&self.crc.to_le_bytes());
            for long in [self.data.len() as u64, self.size] {
                out.extend_from_slice(&u32::try_from(long)?.to_le_bytes());
            }
        }
        Ok(out)
    }

    /// Its entry in the directory, for a local header at `offset`.
    pub(crate) fn entry(&self, offset: u64) -> Result<Vec<u8>> {
        let mut out = b"PK\x01\x02\x14\x03".to_vec();
        let extra = self.fields(&mut out, false, offset)?;
        out.extend_from_slice(&[0; 6]);
        out.extend_from_slice(&self.attributes.to_le_bytes());
        let offset = if self.wide { u32::MAX } else { u32::try_from(offset)? };
        out.extend_from_slice(&offset.to_le_bytes());
        out.extend_from_slice(&self.name);
        out.extend_from_slice(&extra);
        Ok(out)
    }
}

/// The end of an archive of `count` entries, which take `size` bytes from `start` on.
pub(crate) fn end(count: u64, size: u64, start: u64) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    if count > 0xFFFE || start > u64::from(u32::MAX - 1) {
        let at = start + size;
        out.extend_from_slice(b"PK\x06\x06");
        out.extend_from_slice(&44_u64.to_le_bytes());
        out.extend_from_slice(&[45, 3, 45, 0]);
        out.extend_from_slice(&[0; 8]);
        for long in [count, count, size, start] {
            out.extend_from_slice(&long.to_le_bytes());
        }
        out.extend_from_slice(b"PK\x06\x07\0\0\0\0");
        out.extend_from_slice(&at.to_le_bytes());
        out.extend_from_slice(&1_u32.to_le_bytes());
        out.extend_from_slice(b"PK\x05\x06\0\0\0\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\0\0");
        return Ok(out);
    }
    out.extend_from_slice(b"PK\x05\x06\0\0\0\0");
    for _ in 0..2 {
        out.extend_from_slice(&u16::try_from(count)?.to_le_bytes());
    }
    for long in [size, start] {
        out.extend_from_slice(&u32::try_from(long)?.to_le_bytes());
    }
    out.extend_from_slice(&[0, 0]);
    Ok(out)
}

/// An archive of these.
pub(crate) fn archive(members: &[Member]) -> Result<Vec<u8>> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for member in members {
        directory.extend(member.entry(out.len() as u64)?);
        out.extend(member.local()?);
    }
    let end = end(members.len() as u64, directory.len() as u64, out.len() as u64)?;
    out.extend(directory);
    out.extend(end);
    Ok(out)
}

/// Archives of archives which hold `files` copies each, `depth` deep, over a member of `size` zeros.
pub(crate) fn nested(files: usize, depth: usize, size: usize) -> Result<Vec<u8>> {
    let mut content = vec![0; size];
    let mut name = "zeros.bin".to_owned();
    for level in 0..depth {
        let member = Member::deflated(&name, &content)?;
        let members: Vec<Member> = (0..files.max(1))
            .map(|index| Member { name: format!("{index:02}-{name}").into_bytes(), ..member.clone() })
            .collect();
        content = archive(&members)?;
        name = format!("level-{level}.zip");
    }
    Ok(content)
}

/// An archive whose entries all mean the same data, as David Fifield's overlapping bombs do: each is honest by itself.
pub(crate) fn overlapping(count: u64, size: usize) -> Result<Vec<u8>> {
    let member = Member::deflated("0", &vec![0; size])?;
    let mut out = member.local()?;
    let start = out.len() as u64;
    for index in 0..count {
        let entry = Member { name: format!("{index}").into_bytes(), ..member.clone() };
        out.extend(entry.entry(0)?);
    }
    let size = out.len() as u64 - start;
    out.extend(end(count, size, start)?);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn the_crate_that_reads_archives_reads_these() {
        let members = [
            Member::stored("a.txt", b"one"),
            Member::deflated("b.txt", b"two two two two").unwrap(),
            Member { descriptor: true, ..Member::deflated("c.txt", b"three").unwrap() },
            Member { wide: true, ..Member::stored("d.txt", b"four") },
        ];
        let bytes = archive(&members).unwrap();
        let mut archive = ::zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
        for (index, content) in ["one", "two two two two", "three", "four"].into_iter().enumerate() {
            let mut text = String::new();
            archive.by_index(index).unwrap().read_to_string(&mut text).unwrap();
            assert_eq!(text, content);
        }
    }

    #[test]
    fn many_entries_overlap_and_archives_nest() {
        let bytes = overlapping(70_000, 1_000).unwrap();
        assert_eq!(::zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap().len(), 70_000);
        let bytes = nested(3, 2, 100_000).unwrap();
        let archive = ::zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
        assert!(archive.file_names().any(|name| name.is_ok_and(|name| name == "02-level-0.zip")));
    }
}
