//! The index of a zip: its members in a compact form, under the paths that their names mean.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hasher};

use read_core::{Meter, Notice, Rank, ReadError, Slice};

use super::extra::Extra;
use super::{directory, end, recover};
use crate::damage::{Damage, Faulty};
use crate::names::{Backslash, Charset, Cleaned, Legacy, clean, from_cp437, with_slashes};
use crate::tree::{Kind, Span, Special, Tree};

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

    /// Whether its data runs past the end of a file of `len` bytes.
    pub(super) fn is_cut(&self, len: u64) -> bool {
        self.compressed == Self::UNKNOWN || self.header.saturating_add(self.compressed) > len
    }
}

/// The index of a zip.
#[derive(Debug)]
pub(super) struct Index {
    pub(super) tree: Tree,
    records: Vec<Record>,
    pub(super) damage: Option<Damage>,
    pub(super) place: Place,
    /// The encoding of names that are no UTF-8, where that is known.
    charset: Option<Charset>,
    second_directory: bool,
    /// Members whose extra fields make no sense.
    misread: Faulty,
    /// Members whose data lies beyond the end of the file.
    cut: Faulty,
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

/// Where the archive stands in its file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Place {
    /// The bytes of the file.
    pub(super) len: u64,
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
            let place = Place { len: slice.len(), ..Place::default() };
            return found.map(|damage| builder.finish(Some(damage), false, place)).transpose();
        };
        builder.reserve(end.count.min(end.size / 46));
        let damage = directory::read(slice, end, &mut builder, path, meter)?;
        // Another directory that lies in no member's data: two tools may see two archives here.
        let in_a_member = |position| position >= end.base && position < end.start;
        let second =
            ends.iter().skip(1).any(|other| other.start != end.start && !in_a_member(other.position));
        let place = Place { len: slice.len(), base: end.base, is_volume: end.is_volume };
        builder.finish(damage, second, place).map(Some)
    }

    pub(super) fn record(&self, number: u32) -> Option<&Record> {
        self.records.get(number as usize)
    }

    pub(super) fn weight(&self) -> u64 {
        self.tree.weight()
    }

    /// The text of a link's target, which is in the encoding of the names.
    pub(super) fn link_text(&self, target: Vec<u8>) -> Vec<u8> {
        match std::str::from_utf8(&target) {
            Ok(_) => target,
            Err(_) => decoded(&target, self.charset).0.into_bytes(),
        }
    }

    pub(super) fn notices(&self) -> Vec<Notice> {
        let text = "The archive holds a second central directory; the last one is shown";
        let second = self.second_directory.then(|| Notice::new(Rank::Odd, text));
        let misread = self.misread.notice(&self.tree, |names| {
            format!("The extra fields of {names} are damaged: sizes, names and times may be wrong")
        });
        let text = "The archive is the last part of a split one: what lies in other parts cannot be read";
        let part = self.place.is_volume.then(|| Notice::new(Rank::Odd, text));
        // A cut archive says that it is, and a part of one lacks what it lacks.
        let cut = self.cut.notice(&self.tree, |names| {
            format!("The data of {names} is cut: it runs past the end of the archive")
        });
        let cut = cut.filter(|_| self.damage.is_none() && part.is_none());
        second.into_iter().chain(misread).chain(cut).chain(part).collect()
    }
}

/// Takes members as they come. What their names mean is told once all are seen.
#[derive(Debug, Default)]
pub(super) struct Builder {
    tree: Tree,
    records: Vec<Record>,
    /// Names and modes of all members, in order.
    names: Vec<Named>,
    legacy: Legacy,
    misread: Faulty,
}

#[derive(Clone, Copy, Debug)]
struct Named {
    text: Span,
    mode: Mode,
}

impl Builder {
    /// Makes room for `count` members.
    fn reserve(&mut self, count: u64) {
        // An archive's word is worth a million members; more come as they come.
        let count = usize::try_from(count).unwrap_or(usize::MAX).min(1 << 20);
        self.records.reserve(count);
        self.names.reserve(count);
        self.tree.reserve(count);
    }

    pub(super) fn len(&self) -> u32 {
        u32::try_from(self.records.len()).unwrap_or(u32::MAX)
    }

    /// Adds the next member, whose name is stored as `name`; gives its number.
    pub(super) fn add(
        &mut self,
        record: Record,
        name: &[u8],
        extra: &Extra<'_>,
        mode: Mode,
    ) -> Result<u32, ReadError> {
        if extra.is_damaged {
            self.misread.note(self.len());
        }
        let flagged = record.flags & UTF8 != 0;
        let name = extra.unicode_path.filter(|_| !flagged).unwrap_or(name);
        if std::str::from_utf8(name).is_err() {
            self.legacy.note(name);
        }
        let text = self.tree.store(name)?;
        self.tree.keep((size_of::<Record>() + size_of::<Named>()) as u64)?;
        let number = self.len();
        self.records.push(record);
        self.names.push(Named { text, mode });
        Ok(number)
    }

    /// Says more of a member that was added.
    pub(super) fn set(&mut self, number: u32, record: Record) {
        if let Some(known) = self.records.get_mut(number as usize) {
            *known = record;
        }
    }

    fn finish(
        mut self,
        damage: Option<Damage>,
        second_directory: bool,
        place: Place,
    ) -> Result<Index, ReadError> {
        let charset = self.legacy.charset();
        let mut stored = Vec::new();
        for (named, record) in std::mem::take(&mut self.names).into_iter().zip(&self.records) {
            stored.clear();
            stored.extend_from_slice(self.tree.text(named.text));
            let decoded = std::str::from_utf8(&stored).is_err().then(|| decoded(&stored, charset));
            let (name, backslash) = match &decoded {
                Some((text, backslash)) => (text.as_bytes(), *backslash),
                None => (stored.as_slice(), Backslash::Separates),
            };
            let cleaned = clean(name, backslash);
            let path = match &cleaned.path {
                Cow::Borrowed(path) if decoded.is_none() => Tree::cut(named.text, path.len()),
                path => self.tree.store(path)?,
            };
            let called = match (cleaned.strays(), &decoded) {
                (false, _) => None,
                (true, None) => Some(named.text),
                (true, Some(_)) => Some(self.tree.store(name)?),
            };
            self.tree.add(path, named.mode.kind(&cleaned, record.size), called);
        }
        self.tree.seal();
        self.records.shrink_to_fit();
        let mut cut = Faulty::default();
        for (number, record) in (0..).zip(&self.records) {
            if record.is_cut(place.len) {
                cut.note(number);
            }
        }
        let (tree, records, misread) = (self.tree, self.records, self.misread);
        Ok(Index { tree, records, damage, place, charset, second_directory, misread, cut })
    }
}

/// The text of a name that is no UTF-8, and which of its backslashes separate.
fn decoded(name: &[u8], charset: Option<Charset>) -> (String, Backslash) {
    match charset.and_then(|charset| charset.decode(name)) {
        Some(text) => (text, Backslash::Separates),
        // The second byte of a double-byte character is no separator, whatever CP437 makes of it.
        None => (from_cp437(&with_slashes(name)), Backslash::Literal),
    }
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
    fn kind(self, name: &Cleaned<'_>, size: u64) -> Kind {
        match self {
            _ if name.directory => Kind::Directory,
            Self::Directory if size == 0 => Kind::Directory,
            Self::Plain | Self::Directory => Kind::File,
            Self::Symlink => Kind::Symlink,
            Self::Special(special) => Kind::Special(special),
        }
    }
}
