//! What a zip says of one member, whether its central directory says it or its local header.

use std::hash::{DefaultHasher, Hasher};

use crate::names::Cleaned;
use crate::tree::{Kind, Special};

/// General purpose bit 0: encrypted.
const ENCRYPTED: u16 = 1;
/// General purpose bits 1 and 2: how some methods were used.
pub(super) const METHOD_FLAGS: u16 = 0b110;
/// General purpose bit 3: sizes and checksum follow the data.
pub(super) const DESCRIPTOR: u16 = 1 << 3;
/// General purpose bit 6: strong encryption.
const STRONGLY_ENCRYPTED: u16 = 1 << 6;
/// General purpose bit 11: the name is UTF-8.
const UTF8: u16 = 1 << 11;
/// The method that stands for AES encryption.
const AES: u16 = 99;

/// What is known of a member beside its name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Record {
    /// Where its local header stands in the file.
    pub(super) header: u64,
    pub(super) compressed: u64,
    pub(super) size: u64,
    /// Seconds since 1970.
    pub(super) modified: i64,
    pub(super) crc: u32,
    /// The [sum](name_sum) of its name in the central directory.
    pub(super) name_sum: u32,
    pub(super) date: u16,
    pub(super) time: u16,
    pub(super) method: u16,
    pub(super) flags: u16,
}

impl Record {
    /// A size that nobody knows: a member of a cut archive whose header leaves it out.
    pub(super) const UNKNOWN: u64 = u64::MAX;
    /// No time beside the one of DOS.
    pub(super) const NO_TIME: i64 = i64::MIN;

    pub(super) fn size(&self) -> Option<u64> {
        Some(self.size).filter(|size| *size != Self::UNKNOWN)
    }

    pub(super) fn is_encrypted(&self) -> bool {
        self.flags & (ENCRYPTED | STRONGLY_ENCRYPTED) != 0 || self.method == AES
    }

    /// Whether its name is said to be UTF-8.
    pub(super) fn is_utf8(&self) -> bool {
        says_utf8(self.flags)
    }

    /// Whether its data runs past the end of a file of `len` bytes.
    pub(super) fn is_cut(&self, len: u64) -> bool {
        self.compressed == Self::UNKNOWN || self.header.saturating_add(self.compressed) > len
    }
}

/// Whether the flags of a record say that its name is UTF-8.
pub(super) fn says_utf8(flags: u16) -> bool {
    flags & UTF8 != 0
}

/// A sum of a stored name, by which the two that a member has are compared; tools disagree about `\`. It is reckoned for
/// every member of an archive, and cheap.
pub(super) fn name_sum(name: &[u8]) -> u32 {
    let mut sum = DefaultHasher::new();
    if memchr::memchr(b'\\', name).is_some() {
        let name: Vec<u8> = name.iter().map(|byte| if *byte == b'\\' { b'/' } else { *byte }).collect();
        sum.write(&name);
    } else {
        sum.write(name);
    }
    // Half of it tells names apart as well.
    (sum.finish() >> 32) as u32
}

/// What the attributes of a member say that it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Plain,
    Directory,
    Symlink,
    Special(Special),
}

impl Mode {
    /// The mode in external attributes, which are a Unix mode in their upper half where a Unix system (`host` 3 or 19)
    /// wrote them.
    pub(super) fn read(host: u8, attributes: u64) -> Self {
        const FORMAT: u64 = 0o170_000;
        if !matches!(host, 3 | 19) {
            return Self::Plain;
        }
        match attributes >> 16 & FORMAT {
            0o040_000 => Self::Directory,
            0o120_000 => Self::Symlink,
            0o010_000 => Self::Special(Special::Fifo),
            0o020_000 | 0o060_000 => Self::Special(Special::Device),
            0o140_000 => Self::Special(Special::Socket),
            _ => Self::Plain,
        }
    }

    /// What a member of that name and `size` is. A separator at the end of the name makes a directory; the mode alone does
    /// so only where there is no content that would be lost.
    pub(super) fn kind(self, name: &Cleaned<'_>, size: u64) -> Kind {
        match self {
            _ if name.directory => Kind::Directory,
            Self::Directory if size == 0 => Kind::Directory,
            Self::Plain | Self::Directory => Kind::File,
            Self::Symlink => Kind::Symlink,
            Self::Special(special) => Kind::Special(special),
        }
    }
}
