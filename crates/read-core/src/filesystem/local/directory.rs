//! What an open directory holds.

use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::fs::{AtFlags, Dir, FileType, readlinkat, statat};
use rustix::io::Errno;

use super::disk::Disk;
use super::place::{Base, Place, cleaned, cleaned_from_slash};
use super::refusal;
use crate::error::ReadError;
use crate::source::{Entries, Entry, EntryKind};

/// An open directory. What the guard refuses, under its name as asked or as resolved, is not among the entries; where a
/// link leads is told only when that lies in the workspace and is permitted.
pub(super) struct Listing {
    pub(super) disk: Arc<Disk>,
    pub(super) asked: Vec<u8>,
    pub(super) handle: OwnedFd,
    /// Held while the handle's cursor moves.
    pub(super) cursor: Mutex<()>,
    /// Where it is; `None` where only the path asked for leads to it.
    pub(super) place: Option<Place>,
    /// The place that the path asked for spells.
    pub(super) spelled: Place,
}

impl Entries for Listing {
    fn list(&self) -> Result<Vec<Entry>, ReadError> {
        self.first(usize::MAX, true)
    }

    fn peek(&self, max: usize) -> Result<Vec<Entry>, ReadError> {
        self.first(max, false)
    }
}

impl Listing {
    /// The first entries, in the order of the disk; with the sizes of files, or without a look at each.
    fn first(&self, max: usize, sizes: bool) -> Result<Vec<Entry>, ReadError> {
        let failed = |error| refusal::system(&self.asked, error);
        let mut entries = Vec::new();
        let _held = self.cursor.lock().unwrap_or_else(PoisonError::into_inner);
        // Opening `.` for a cursor of its own would need the permission to enter, which listing does not.
        let handle = self
            .handle
            .try_clone()
            .map_err(|error| failed(Errno::from_io_error(&error).unwrap_or(Errno::IO)))?;
        let mut directory = Dir::new(handle).map_err(failed)?;
        directory.rewind();
        for entry in directory {
            if entries.len() >= max {
                break;
            }
            let entry = match entry {
                Ok(entry) => entry,
                Err(Errno::NOENT) => return Err(refusal::vanished(&self.asked)),
                Err(error) => return Err(failed(error)),
            };
            let name = entry.file_name().to_bytes();
            if matches!(name, b"." | b"..") || !self.permits(name) {
                continue;
            }
            let kind = match entry.file_type() {
                FileType::RegularFile if !sizes => Some(EntryKind::File(None)),
                listed => self.kind(name, listed),
            };
            if let Some(kind) = kind {
                entries.push(Entry::new(name, kind));
            }
        }
        Ok(entries)
    }

    fn permits(&self, name: &[u8]) -> bool {
        !self.disk.guarded
            || self.disk.permits(&self.spelled.join(name))
                && self
                    .place
                    .as_ref()
                    .is_none_or(|place| *place == self.spelled || self.disk.permits(&place.join(name)))
    }

    /// What an entry is; `None` when it is gone by now.
    fn kind(&self, name: &[u8], listed: FileType) -> Option<EntryKind> {
        let (kind, size) = match listed {
            FileType::RegularFile | FileType::Unknown => {
                match statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW) {
                    Ok(stat) => (FileType::from_raw_mode(stat.st_mode), u64::try_from(stat.st_size).ok()),
                    Err(Errno::NOENT) => return None,
                    // Names may be told where their files may not be looked at.
                    Err(_) => (listed, None),
                }
            }
            kind => (kind, None),
        };
        Some(match kind {
            FileType::RegularFile => EntryKind::File(size),
            FileType::Directory => EntryKind::Directory,
            FileType::Symlink => self.link(name)?,
            FileType::Unknown => EntryKind::File(None),
            kind => EntryKind::Special(refusal::word(kind)),
        })
    }

    /// A link with its text, where that may be told; `None` where it leads to what is denied.
    fn link(&self, name: &[u8]) -> Option<EntryKind> {
        let Ok(text) = readlinkat(self.handle.as_fd(), name, Vec::new()) else {
            return Some(EntryKind::Link(None));
        };
        let text = text.into_bytes();
        let place = self.place.as_ref().unwrap_or(&self.spelled);
        let target = match self.disk.roots.spelled(&text) {
            Some((root, rest)) if text.starts_with(b"/") && cleaned(rest).is_some() => {
                Place::new(Base::Root(root), cleaned(rest).unwrap_or_default())
            }
            _ if text.starts_with(b"/") => self.disk.roots.place_of(cleaned_from_slash(&text)),
            _ => {
                let from = self.disk.roots.names_from_slash(place);
                self.disk.roots.place_of(cleaned_from_slash(&[&*from, b"/", &*text].concat()))
            }
        };
        let leaves = place.base != Base::Slash && target.base == Base::Slash;
        if leaves {
            return Some(EntryKind::Link(None));
        }
        (!self.disk.guarded || self.disk.permits_within(&target)).then_some(EntryKind::Link(Some(text)))
    }
}
