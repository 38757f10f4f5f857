//! The index of a tar: its members, where their data lies, and how far the archive was walked.

use super::pax::Pax;
use super::sparse::Map;
use crate::damage::Damage;
use crate::tree::{Span, Tree};

/// What is known of a member beside its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record {
    /// Where its data begins.
    pub(super) data: u64,
    /// How many bytes of it are stored.
    pub(super) stored: u64,
    /// Seconds since 1970.
    pub(super) modified: i64,
    /// Where a link leads.
    pub(super) link: Span,
    pub(super) form: Form,
}

/// How a member's data is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Plain,
    /// With holes, by this map.
    Sparse(u32),
    /// With holes, by a map that makes no sense.
    Misplaced,
    /// The rest of a member that begins in another volume.
    Continued,
}

/// The index of a tar, whole or as far as something was looked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    pub(super) tree: Tree,
    pub(super) records: Vec<Record>,
    pub(super) maps: Vec<Map>,
    /// What holds for every member from here on.
    pub(super) global: Pax,
    /// Where the next header stands.
    pub(super) walked_to: u64,
    pub(super) complete: bool,
    pub(super) damage: Option<Damage>,
}

impl Index {
    pub(super) fn record(&self, number: u32) -> Option<&Record> {
        self.records.get(number as usize)
    }

    pub(super) fn map(&self, record: &Record) -> Option<&Map> {
        match record.form {
            Form::Sparse(map) => self.maps.get(map as usize),
            Form::Plain | Form::Misplaced | Form::Continued => None,
        }
    }

    /// The size of a member, holes included.
    pub(super) fn size(&self, record: &Record) -> u64 {
        self.map(record).map_or(record.stored, Map::size)
    }

    pub(super) fn link(&self, number: u32) -> &[u8] {
        self.record(number).map(|record| self.tree.text(record.link)).unwrap_or_default()
    }

    /// Whether every member is known.
    pub(super) fn is_complete(&self) -> bool {
        self.complete
    }

    pub(super) fn walked_to(&self) -> u64 {
        self.walked_to
    }

    /// What a listing says about a member of an archive of `length` bytes.
    pub(super) fn remark(&self, number: u32, length: Option<u64>) -> Option<String> {
        let record = self.record(number)?;
        let is_cut = length.is_some_and(|length| record.data.saturating_add(record.stored) > length);
        match record.form {
            Form::Misplaced => Some("its sparse map makes no sense".to_owned()),
            Form::Continued => Some("continued from another volume".to_owned()),
            Form::Plain | Form::Sparse(_) => is_cut.then(|| "cut".to_owned()),
        }
    }

    pub(super) fn weight(&self) -> u64 {
        let maps: u64 = self.maps.iter().map(Map::weight).sum();
        self.tree
            .weight()
            .saturating_add((self.records.len() * size_of::<Record>()) as u64)
            .saturating_add(maps)
    }
}
