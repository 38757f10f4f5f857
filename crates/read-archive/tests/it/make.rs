//! Archives made by hand, so that each field can be wrong.

use std::io::Write;

pub(crate) fn crc(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

pub(crate) fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(crate) fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// One member of a zip, every field at hand.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) name: Vec<u8>,
    pub(crate) data: Vec<u8>,
    pub(crate) size: u32,
    pub(crate) crc: u32,
    pub(crate) method: u16,
    pub(crate) flags: u16,
    pub(crate) extra: Vec<u8>,
    pub(crate) made_by: u16,
    pub(crate) attributes: u32,
    /// Sizes and checksum follow the data.
    pub(crate) descriptor: bool,
}

impl Member {
    pub(crate) fn stored(name: impl AsRef<[u8]>, content: &[u8]) -> Self {
        Self {
            name: name.as_ref().to_vec(),
            data: content.to_vec(),
            size: u32::try_from(content.len()).unwrap(),
            crc: crc(content),
            method: 0,
            flags: 0,
            extra: Vec::new(),
            made_by: 20,
            attributes: 0,
            descriptor: false,
        }
    }

    pub(crate) fn deflated(name: impl AsRef<[u8]>, content: &[u8]) -> Self {
        Self { data: deflated(content), method: 8, ..Self::stored(name, content) }
    }

    pub(crate) fn symlink(name: &str, target: &str) -> Self {
        Self { made_by: 0x0314, attributes: 0o120_777 << 16, ..Self::stored(name, target.as_bytes()) }
    }
}

/// A zip, and what stands around it.
#[derive(Clone, Default)]
pub(crate) struct Zip {
    pub(crate) members: Vec<Member>,
    pub(crate) prepended: Vec<u8>,
    /// Whether offsets count from the file's start, as after `zip -A`.
    pub(crate) adjusted: bool,
    pub(crate) comment: Vec<u8>,
}

impl Zip {
    pub(crate) fn of(members: impl IntoIterator<Item = Member>) -> Self {
        Self { members: members.into_iter().collect(), ..Self::default() }
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut out = self.prepended.clone();
        let base = if self.adjusted { 0 } else { out.len() };
        let mut directory = Vec::new();
        for member in &self.members {
            let offset = u32::try_from(out.len() - base).unwrap();
            let flags = member.flags | if member.descriptor { 8 } else { 0 };
            let compressed = u32::try_from(member.data.len()).unwrap();
            let known = |value: u32| if member.descriptor { 0 } else { value };
            let fields = |out: &mut Vec<u8>, crc: u32, compressed: u32, size: u32| {
                for short in [20, flags, member.method, 0x645C, 0x585D] {
                    out.extend_from_slice(&short.to_le_bytes());
                }
                for long in [crc, compressed, size] {
                    out.extend_from_slice(&long.to_le_bytes());
                }
                for len in [member.name.len(), member.extra.len()] {
                    out.extend_from_slice(&u16::try_from(len).unwrap().to_le_bytes());
                }
            };
            out.extend_from_slice(b"PK\x03\x04");
            fields(&mut out, known(member.crc), known(compressed), known(member.size));
            out.extend_from_slice(&member.name);
            out.extend_from_slice(&member.extra);
            out.extend_from_slice(&member.data);
            if member.descriptor {
                out.extend_from_slice(b"PK\x07\x08");
                for long in [member.crc, compressed, member.size] {
                    out.extend_from_slice(&long.to_le_bytes());
                }
            }
            directory.extend_from_slice(b"PK\x01\x02");
            directory.extend_from_slice(&member.made_by.to_le_bytes());
            fields(&mut directory, member.crc, compressed, member.size);
            directory.extend_from_slice(&[0; 6]);
            directory.extend_from_slice(&member.attributes.to_le_bytes());
            directory.extend_from_slice(&offset.to_le_bytes());
            directory.extend_from_slice(&member.name);
            directory.extend_from_slice(&member.extra);
        }
        let start = u32::try_from(out.len() - base).unwrap();
        let count = u16::try_from(self.members.len() & 0xFFFF).unwrap();
        let size = u32::try_from(directory.len()).unwrap();
        out.append(&mut directory);
        out.extend_from_slice(b"PK\x05\x06\0\0\0\0");
        out.extend_from_slice(&count.to_le_bytes());
        out.extend_from_slice(&count.to_le_bytes());
        out.extend_from_slice(&size.to_le_bytes());
        out.extend_from_slice(&start.to_le_bytes());
        out.extend_from_slice(&u16::try_from(self.comment.len()).unwrap().to_le_bytes());
        out.extend_from_slice(&self.comment);
        out
    }
}

/// A zip of stored members.
pub(crate) fn zip(members: &[(&str, &[u8])]) -> Vec<u8> {
    Zip::of(members.iter().map(|(name, content)| Member::deflated(name, content))).bytes()
}

/// One header of a tar, and the data behind it.
pub(crate) fn entry(name: &[u8], kind: u8, link: &[u8], data: &[u8]) -> Vec<u8> {
    header(name, kind, link, data.len() as u64, data)
}

/// The same with a size that may be a lie.
pub(crate) fn header(name: &[u8], kind: u8, link: &[u8], size: u64, data: &[u8]) -> Vec<u8> {
    let mut block = vec![0; 512];
    block[..name.len().min(100)].copy_from_slice(&name[..name.len().min(100)]);
    block[100..108].copy_from_slice(b"0000644\0");
    block[108..116].copy_from_slice(b"0000000\0");
    block[116..124].copy_from_slice(b"0000000\0");
    block[124..136].copy_from_slice(format!("{size:011o}\0").as_bytes());
    block[136..148].copy_from_slice(b"14524731360\0");
    block[156] = kind;
    block[157..157 + link.len().min(100)].copy_from_slice(&link[..link.len().min(100)]);
    block[257..265].copy_from_slice(b"ustar\x0000");
    sum(&mut block);
    block.extend_from_slice(data);
    block.resize(block.len().next_multiple_of(512), 0);
    block
}

/// Puts the checksum of a header block right.
pub(crate) fn sum(block: &mut [u8]) {
    block[148..156].fill(b' ');
    let sum: u32 = block[..512].iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
}

/// PAX records as a header of kind `kind`.
pub(crate) fn pax(kind: u8, records: &[(&str, &[u8])]) -> Vec<u8> {
    let mut data = Vec::new();
    for (key, value) in records {
        let body = key.len() + value.len() + 3;
        let mut len = body + 1;
        while len.to_string().len() + body != len {
            len += 1;
        }
        data.extend_from_slice(format!("{len} {key}=").as_bytes());
        data.extend_from_slice(value);
        data.push(b'\n');
    }
    entry(b"PaxHeader", kind, b"", &data)
}

/// A tar of these pieces, with its end.
pub(crate) fn tar(pieces: &[Vec<u8>]) -> Vec<u8> {
    let mut out = pieces.concat();
    out.resize(out.len() + 1024, 0);
    out
}

/// A tar of plain files.
pub(crate) fn tar_of(members: &[(&str, &[u8])]) -> Vec<u8> {
    tar(&members.iter().map(|(name, content)| entry(name.as_bytes(), b'0', b"", content)).collect::<Vec<_>>())
}
