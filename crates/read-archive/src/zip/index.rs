//! The index of a zip: its members in a compact form, under the paths that their names mean.

use read_core::{Meter, Notice, Rank, ReadError, Slice};

use super::{directory, end, recover};
use crate::damage::Damage;
use crate::names::{Backslash, Cleaned, Legacy, clean, from_cp437, with_slashes};
use crate::tree::{Kind, Span, Tree};

/// General purpose bit 0: encrypted.
const ENCRYPTED: u16 = 1;
/// General purpose bit 3: sizes and checksum follow the data.
pub(super) const DESCRIPTOR: u16 = 1 << 3;
/// General purpose bit 6: strong encryption.
const STRONGLY_ENCRYPTED: u16 = 1 << 6;
/// General purpose bit 11: the name is UTF-8.
const UTF8: u16 = 1 << 11;
/// The method that stands for AES encryption.
const AES: u16 = 99;

/// What is known of a member beside its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record {
    /// Where its local header stands in the file.
    pub(super) header: u64,
    pub(super) compressed: u64,
    pub(super) size: u64,
    /// Seconds since 1970.
    pub(super) modified: i64,
    pub(super) crc: u32,
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

    /// Whether its data runs past the end of a file of `len` bytes.
    pub(super) fn is_cut(&self, len: u64) -> bool {
        self.compressed == Self::UNKNOWN || self.header.saturating_add(self.compressed) > len
    }
}

/// What made an archive, as far as it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Host {
    /// The upper half of the attributes is a Unix mode.
    Unix,
    Other,
}

/// The index of a zip.
#[derive(Debug)]
pub(super) struct Index {
    pub(super) tree: Tree,
    records: Vec<Record>,
    pub(super) damage: Option<Damage>,
    pub(super) place: Place,
    second_directory: bool,
}

/// Where the archive stands in its file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// The bytes that precede it, by the place of its central directory.
    pub(super) base: u64,
    /// Whether it is the last of several volumes.
    pub(super) is_volume: bool,
}

impl Index {
    /// Reads the central directory, or, where there is none, the members that stand from the first byte on; `None` when
    /// there is neither.
    pub(super) fn read(slice: &Slice, path: &str, meter: &Meter) -> Result<Option<Self>, ReadError> {
        let ends = end::directories(slice).map_err(|error| ReadError::io(path, error))?;
        let mut builder = Builder::default();
        let Some(end) = ends.first() else {
            let found = recover::read(slice, &mut builder, path, meter)?;
            return found.map(|damage| builder.finish(Some(damage), false, Place::default())).transpose();
        };
        builder.reserve(end.count.min(end.size / 46));
        let damage = directory::read(slice, end, &mut builder, path, meter)?;
        // Another directory that lies in no member's data: two tools may see two archives here.
        let in_a_member = |position| position >= end.base && position < end.start;
        let second =
            ends.iter().skip(1).any(|other| other.start != end.start && !in_a_member(other.position));
        builder.finish(damage, second, Place { base: end.base, is_volume: end.is_volume }).map(Some)
    }

    pub(super) fn record(&self, number: u32) -> Option<&Record> {
        self.records.get(number as usize)
    }

    pub(super) fn weight(&self) -> u64 {
        self.tree.weight().saturating_add((self.records.len() * size_of::<Record>()) as u64)
    }

    pub(super) fn notices(&self) -> Vec<Notice> {
        let text = "The archive holds a second central directory; the last one is shown";
        self.second_directory.then(|| Notice::new(Rank::Odd, text)).into_iter().collect()
    }
}

/// Takes members as they come. Names that say nothing of their encoding wait until all are seen.
#[derive(Debug, Default)]
pub(super) struct Builder {
    tree: Tree,
    records: Vec<Record>,
    waiting: Vec<Waiting>,
    /// Texts and kinds of all members, in order.
    names: Vec<Named>,
    legacy: Legacy,
}

#[derive(Clone, Copy, Debug)]
struct Named {
    text: Span,
    attributes: u32,
    host: Host,
}

#[derive(Debug)]
struct Waiting {
    number: u32,
    name: Box<[u8]>,
}

impl Builder {
    /// Makes room for `count` members.
    fn reserve(&mut self, count: u64) {
        // An archive's word is worth a million members; more come as they come.
        let count = usize::try_from(count).unwrap_or(usize::MAX).min(1 << 20);
        self.records.reserve(count);
        self.names.reserve(count);
    }

    pub(super) fn len(&self) -> u32 {
        u32::try_from(self.records.len()).unwrap_or(u32::MAX)
    }

    /// Adds the next member, whose name is stored as `name`.
    pub(super) fn add(
        &mut self,
        record: Record,
        name: &[u8],
        unicode_path: Option<&[u8]>,
        host: Host,
        attributes: u64,
    ) -> Result<(), ReadError> {
        let flagged = record.flags & UTF8 != 0;
        let name = unicode_path.filter(|_| !flagged).unwrap_or(name);
        if std::str::from_utf8(name).is_err() {
            self.legacy.note(name);
            self.waiting.push(Waiting { number: self.len(), name: name.into() });
        }
        let text = self.tree.store(name)?;
        self.records.push(record);
        self.names.push(Named { text, attributes: u32::try_from(attributes).unwrap_or(0), host });
        Ok(())
    }

    fn finish(
        mut self,
        damage: Option<Damage>,
        second_directory: bool,
        place: Place,
    ) -> Result<Index, ReadError> {
        let charset = self.legacy.charset();
        let mut waiting = std::mem::take(&mut self.waiting).into_iter().peekable();
        for (number, named) in (0..).zip(std::mem::take(&mut self.names)) {
            let legacy = waiting.next_if(|waiting| waiting.number == number).map(|waiting| waiting.name);
            let decoded = legacy.map(|name| match charset.and_then(|charset| charset.decode(&name)) {
                Some(text) => (text, Backslash::Separates),
                // The second byte of a double-byte character is no separator, whatever CP437 makes of it.
                None => (from_cp437(&with_slashes(&name)), Backslash::Literal),
            });
            let stored = self.tree.text(named.text).to_vec();
            let (name, backslash) = match &decoded {
                Some((text, backslash)) => (text.as_bytes(), *backslash),
                None => (stored.as_slice(), Backslash::Separates),
            };
            let cleaned = clean(name, backslash);
            let path = match &cleaned.path {
                std::borrow::Cow::Borrowed(path) if decoded.is_none() => Tree::cut(named.text, path.len()),
                path => self.tree.store(path)?,
            };
            self.tree.add(
                path,
                kind(&cleaned, named.host, named.attributes),
                cleaned.strays().then_some(name),
            );
        }
        self.tree.seal();
        self.records.shrink_to_fit();
        Ok(Index { tree: self.tree, records: self.records, damage, place, second_directory })
    }
}

/// What a member is: by the separator at its end, or by its Unix mode.
fn kind(name: &Cleaned<'_>, host: Host, attributes: u32) -> Kind {
    const FORMAT: u32 = 0o170_000;
    if name.directory {
        return Kind::Directory;
    }
    match (host, attributes >> 16 & FORMAT) {
        (Host::Unix, 0o040_000) => Kind::Directory,
        (Host::Unix, 0o120_000) => Kind::Symlink,
        (Host::Unix, 0o010_000) => Kind::Special("FIFO"),
        (Host::Unix, 0o020_000 | 0o060_000) => Kind::Special("device"),
        (Host::Unix, 0o140_000) => Kind::Special("socket"),
        _ => Kind::File,
    }
}
