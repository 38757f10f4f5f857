//! The index of a zip: its members in a compact form, under the paths that their names mean.

use read_core::{Notice, Rank};

use super::record::Record;
use crate::damage::{Damage, Faulty};
use crate::names::{Backslash, Charset, from_cp437, with_slashes};
use crate::tree::Tree;

/// The index of a zip.
#[derive(Debug)]
pub(super) struct Index {
    pub(super) tree: Tree,
    pub(super) records: Vec<Record>,
    pub(super) damage: Option<Damage>,
    pub(super) place: Place,
    /// The encoding of names that are no UTF-8, where that is known.
    pub(super) charset: Option<Charset>,
    pub(super) second_directory: bool,
    /// Members whose extra fields make no sense.
    pub(super) misread: Faulty,
    /// Members whose data lies beyond the end of the file.
    pub(super) cut: Faulty,
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

/// The text of a name that is no UTF-8, and which of its backslashes separate.
pub(super) fn decoded(name: &[u8], charset: Option<Charset>) -> (String, Backslash) {
    match charset.and_then(|charset| charset.decode(name)) {
        Some(text) => (text, Backslash::Separates),
        // The second byte of a double-byte character is no separator, whatever CP437 makes of it.
        None => (from_cp437(&with_slashes(name)), Backslash::Literal),
    }
}
