//! Members on their way into an index, as they come. What their names mean is told once all are seen.

use std::borrow::Cow;

use read_core::ReadError;

use super::extra::Extra;
use super::index::{Index, Place, decoded};
use super::record::{Mode, Record};
use crate::damage::{Damage, Faulty};
use crate::names::{Backslash, Legacy, clean};
use crate::tree::{Span, Tree};

/// Takes the members of one archive.
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
    pub(super) fn reserve(&mut self, count: u64) {
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
        let name = extra.name(name, record.is_utf8());
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

    /// The index of all that was added.
    pub(super) fn finish(
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
