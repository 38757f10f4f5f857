//! Directories of an archive, for core to list.

use std::sync::Arc;

use read_core::{Entries, Entry, EntryKind, Meter, ReadError, shortened};

use crate::archive::Archive;
use crate::limits::LINKS_SHOWN;
use crate::tree::{Found, Kind, Member};

/// One directory of an archive.
pub(crate) struct Listing {
    pub(crate) archive: Arc<dyn Archive>,
    pub(crate) directory: Vec<u8>,
    pub(crate) meter: Meter,
}

impl Entries for Listing {
    fn list(&self) -> Result<Vec<Entry>, ReadError> {
        let mut entries = Vec::new();
        let mut links = 0;
        for child in self.archive.tree().children(&self.directory) {
            if entries.len() % 1_024 == 0 {
                self.meter.check()?;
            }
            entries.push(match child.found {
                Found::Directory => Entry::new(child.name, EntryKind::Directory),
                Found::Member(member) => self.entry(child.name, member, &mut links),
            });
        }
        Ok(entries)
    }
}

impl Listing {
    fn entry(&self, name: &[u8], member: Member, links: &mut usize) -> Entry {
        let archive = &*self.archive;
        let number = member.number;
        let mut remarks: Vec<String> = archive.remark(number).into_iter().collect();
        let kind = match archive.tree().kind(number) {
            Kind::Symlink => {
                *links += 1;
                let target = if *links <= LINKS_SHOWN { archive.link(number).ok() } else { None };
                if target.is_some() {
                    EntryKind::Link(target)
                } else {
                    remarks.push("a link".to_owned());
                    EntryKind::File(archive.size(number))
                }
            }
            Kind::Hardlink => {
                if let Ok(target) = archive.link(number) {
                    remarks.push(format!("a hard link to {}", shortened(&target)));
                }
                EntryKind::File(None)
            }
            Kind::Special(special) => EntryKind::Special(special.word()),
            Kind::File | Kind::Directory | Kind::Unnamed => EntryKind::File(archive.size(number)),
        };
        if member.sharing > 1 {
            remarks.push(format!("the last of {} of this name", member.sharing));
        }
        if let Some(named) = archive.tree().named(number) {
            remarks.push(format!("named {}", shortened(named)));
        }
        let remark = (!remarks.is_empty()).then(|| remarks.join("; "));
        Entry::new(name, kind).with_remark(remark)
    }
}
