//! The index of a tar: its members, where their data lies, and how far the archive was walked.

use std::sync::Arc;

use read_core::{Notice, Rank, ReadError};

use super::pax::Pax;
use super::sparse::Map;
use crate::damage::{Damage, Faulty};
use crate::limits::MAX_MAPS;
use crate::names::{Backslash, Legacy, clean};
use crate::tree::{Renamed, Span, Tree};

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
    /// With holes, by a map that there was no room for.
    Unkept,
    /// The rest of a member that begins in another volume.
    Continued,
}

/// The index of a tar, whole or as far as something was looked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    pub(super) tree: Tree,
    records: Vec<Record>,
    maps: Vec<Arc<Map>>,
    maps_weight: u64,
    /// What holds for every member from here on.
    pub(super) global: Pax,
    /// Members whose names are no UTF-8, and those names as they are stored: what they say is told once all are known.
    unread: Vec<(u32, Span)>,
    legacy: Legacy,
    /// Members whose extended headers make no sense.
    misread: Faulty,
    /// Whether a header for all members behind it makes none.
    misread_global: bool,
    /// Where the next header stands.
    pub(super) walked_to: u64,
    pub(super) complete: bool,
    pub(super) damage: Option<Damage>,
}

impl Index {
    /// Adds the next member, which was added to the tree just now.
    pub(super) fn push(&mut self, record: Record) -> Result<(), ReadError> {
        self.tree.keep(size_of::<Record>() as u64)?;
        self.records.push(record);
        Ok(())
    }

    /// Keeps the map of the next member.
    pub(super) fn place(&mut self, map: Map) -> Result<Form, ReadError> {
        let weight = map.weight();
        if self.maps_weight.saturating_add(weight) > MAX_MAPS {
            return Ok(Form::Unkept);
        }
        self.tree.keep(weight)?;
        self.maps_weight = self.maps_weight.saturating_add(weight);
        let number = u32::try_from(self.maps.len()).unwrap_or(u32::MAX);
        self.maps.push(Arc::new(map));
        Ok(Form::Sparse(number))
    }

    /// Notes that the next member's name is `name`, which is no UTF-8.
    pub(super) fn note_unread(&mut self, name: &[u8]) -> Result<(), ReadError> {
        self.legacy.note(name);
        let name = self.tree.store(name)?;
        self.tree.keep(size_of::<(u32, Span)>() as u64)?;
        self.unread.push((self.tree.len(), name));
        Ok(())
    }

    /// Notes that an extended header of the next member makes no sense.
    pub(super) fn note_misread(&mut self) {
        self.misread.note(self.tree.len());
    }

    /// Notes that a header for all members from here on makes no sense.
    pub(super) fn note_misread_global(&mut self) {
        self.misread_global = true;
    }

    /// Ends an addition of members. Once all are known, names in a legacy encoding are decoded.
    pub(super) fn seal(&mut self) -> Result<(), ReadError> {
        if self.complete {
            self.decode_names()?;
        }
        self.records.shrink_to_fit();
        self.tree.seal();
        Ok(())
    }

    fn decode_names(&mut self) -> Result<(), ReadError> {
        let unread = std::mem::take(&mut self.unread);
        let Some(charset) = std::mem::take(&mut self.legacy).charset() else { return Ok(()) };
        let mut renamed = Vec::with_capacity(unread.len());
        for (number, stored) in unread {
            let Some(name) = charset.decode(self.tree.text(stored)) else { continue };
            let cleaned = clean(name.as_bytes(), Backslash::Separates);
            let path = self.tree.store(&cleaned.path)?;
            let named = cleaned.strays().then(|| self.tree.store(name.as_bytes())).transpose()?;
            renamed.push(Renamed { number, path, named });
        }
        self.tree.rename(&renamed);
        for record in &mut self.records {
            let link = self.tree.text(record.link);
            if std::str::from_utf8(link).is_err()
                && let Some(link) = charset.decode(link)
            {
                record.link = self.tree.store(link.as_bytes())?;
            }
        }
        Ok(())
    }

    pub(super) fn record(&self, number: u32) -> Option<&Record> {
        self.records.get(number as usize)
    }

    /// The last member so far.
    pub(super) fn last(&self) -> Option<&Record> {
        self.records.last()
    }

    pub(super) fn map(&self, record: &Record) -> Option<&Arc<Map>> {
        match record.form {
            Form::Sparse(map) => self.maps.get(map as usize),
            Form::Plain | Form::Misplaced | Form::Unkept | Form::Continued => None,
        }
    }

    /// The size of a member, holes included.
    pub(super) fn size(&self, record: &Record) -> u64 {
        self.map(record).map_or(record.stored, |map| map.size())
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
            Form::Unkept => Some("its sparse map is too long to be kept".to_owned()),
            Form::Continued => Some("continued from another volume".to_owned()),
            Form::Plain | Form::Sparse(_) => is_cut.then(|| "cut".to_owned()),
        }
    }

    /// What is odd about the archive.
    pub(super) fn notices(&self) -> Vec<Notice> {
        let members = self.misread.notice(&self.tree, |names| {
            format!("The extended headers of {names} are damaged: names, sizes and links may be wrong")
        });
        let text = "A global extended header is damaged: names, sizes and links may be wrong";
        let global = self.misread_global.then(|| Notice::new(Rank::Odd, text));
        members.into_iter().chain(global).collect()
    }

    pub(super) fn weight(&self) -> u64 {
        self.tree.weight()
    }
}
