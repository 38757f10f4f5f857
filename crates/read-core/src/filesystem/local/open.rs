//! Opening what was resolved, and nothing else.

use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::sync::{Arc, Mutex};

use rustix::fs::{FileType, Mode, OFlags, openat};
use rustix::io::{Errno, retry_on_intr};

use super::beneath::{LIST, READ, Status, fstat, stat};
use super::directory::Listing;
use super::disk::Disk;
use super::place::{Base, Place, absolute, leaf, parts};
use super::resolve::{Found, Reading, Spot};
use super::{file, refusal, roots};
use crate::error::{ErrorCode, ReadError};
use crate::names::printed;
use crate::source::{Body, Noun, Source};

/// What `resolve` leaves for `open`.
pub(super) struct Token {
    pub(super) disk: Arc<Disk>,
    pub(super) asked: Vec<u8>,
    pub(super) found: Found,
}

impl Token {
    pub(super) fn open(&self, contained: bool) -> Result<Source, ReadError> {
        let kind = self.found.status.kind;
        let now = self.status()?;
        if now.kind != kind {
            return Err(refusal::changed(&self.asked));
        }
        // FIFOs and devices are told by what they are, before anything opens them.
        let source = match kind {
            FileType::RegularFile => self.file()?,
            FileType::Directory => self.directory()?,
            kind => return Err(refusal::not_regular(&self.asked, kind)),
        };
        Ok(if contained { source.contained() } else { source })
    }

    fn file(&self) -> Result<Source, ReadError> {
        let file = File::from(self.handle(READ)?);
        let metadata = file.metadata().map_err(|error| self.said(error.raw_os_error()))?;
        if !metadata.is_file() {
            return Err(refusal::changed(&self.asked));
        }
        if self.disk.refuse_hard_links && metadata.nlink() > 1 {
            return Err(refusal::hard_linked(&self.asked));
        }
        let identity = file::identity(&metadata);
        let source = self.source(Noun::File, file::body(file, metadata.size())).with_identity(Some(identity));
        let Spot::Place(place) = &self.found.spot else { return Ok(source) };
        let (disk, place) = (Arc::clone(&self.disk), place.clone());
        Ok(source.with_siblings(move |suffix| disk.sibling(&place, suffix)))
    }

    fn directory(&self) -> Result<Source, ReadError> {
        let handle = self.handle(LIST)?;
        let place = match &self.found.spot {
            Spot::Place(place) => Some(place.clone()),
            Spot::Asked => None,
        };
        let spelled = self.disk.spelled(&self.asked);
        let listing = Listing {
            disk: Arc::clone(&self.disk),
            asked: self.asked.clone(),
            handle,
            cursor: Mutex::new(()),
            place,
            spelled,
        };
        Ok(self.source(Noun::Directory, Body::Dir(Arc::new(listing))))
    }

    fn source(&self, noun: Noun, body: Body) -> Source {
        let names = match &self.found.spot {
            Spot::Place(place) => &*place.names,
            Spot::Asked => b"",
        };
        let name = match parts(&self.asked).next_back() {
            Some(name) if name != b".." => name,
            _ if names.is_empty() => b".",
            _ => leaf(names),
        };
        Source::new(name, printed(&self.asked), noun, body)
    }

    /// What is there now.
    fn status(&self) -> Result<Status, ReadError> {
        match &self.found.spot {
            Spot::Place(place) => {
                let base = self.disk.base(place.base, &self.asked)?;
                let status = self.disk.beneath.lstat(base.as_fd(), &place.names);
                status.map_err(|error| self.disk.lost(&self.asked, place.base, error))
            }
            Spot::Asked => {
                let status = stat(self.disk.current(), &self.asked);
                self.unchanged(status.map_err(|error| refusal::system(&self.asked, error))?)
            }
        }
    }

    fn handle(&self, flags: OFlags) -> Result<OwnedFd, ReadError> {
        match &self.found.spot {
            Spot::Place(place) => {
                let base = self.disk.base(place.base, &self.asked)?;
                let opened = self.disk.beneath.open(base.as_fd(), &place.names, flags);
                opened.map_err(|error| self.disk.lost(&self.asked, place.base, error))
            }
            Spot::Asked => {
                let flags = flags.difference(OFlags::NOFOLLOW);
                let opened =
                    retry_on_intr(|| openat(self.disk.current(), &*self.asked, flags, Mode::empty()));
                let opened = opened.map_err(|error| refusal::system(&self.asked, error))?;
                self.unchanged(fstat(&opened).map_err(|error| refusal::system(&self.asked, error))?)?;
                Ok(opened)
            }
        }
    }

    /// Where only the path asked for leads to it, it must be the very same file.
    fn unchanged(&self, status: Status) -> Result<Status, ReadError> {
        if status.is_same_file(self.found.status) { Ok(status) } else { Err(refusal::changed(&self.asked)) }
    }

    fn said(&self, error: Option<i32>) -> ReadError {
        refusal::system(&self.asked, error.map_or(Errno::IO, Errno::from_raw_os_error))
    }
}

impl Disk {
    /// The handle that a place is counted from.
    fn base(&self, base: Base, asked: &[u8]) -> Result<BaseHandle<'_>, ReadError> {
        match base {
            Base::Root(root) => match self.roots.get(root) {
                Some(root) => Ok(BaseHandle::Root(root)),
                None => Err(refusal::changed(asked)),
            },
            Base::Slash => {
                roots::slash().map(BaseHandle::Slash).map_err(|error| refusal::system(asked, error))
            }
        }
    }

    /// What it means that a canonical path no longer opens.
    fn lost(&self, asked: &[u8], base: Base, error: Errno) -> ReadError {
        match error {
            Errno::NOENT => match self.require_root(asked, base) {
                Ok(()) => refusal::vanished(asked),
                Err(gone) => gone,
            },
            // It has no link in it, unless one was put there.
            Errno::LOOP | Errno::MLINK | Errno::NOTDIR | Errno::XDEV | Errno::NXIO => refusal::changed(asked),
            error => refusal::system(asked, error),
        }
    }

    /// The place that a path asked for spells, links not looked at.
    pub(super) fn spelled(&self, asked: &[u8]) -> Place {
        match self.reading(asked) {
            Reading::Inside(root, rest) => {
                Place::new(Base::Root(root), super::place::cleaned(rest).unwrap_or_default())
            }
            Reading::Anywhere | Reading::Outside => self.spelled_place(asked),
        }
    }

    /// Opens the file beside `place` whose name has `suffix` at its end. A link that led to `place` has none of its own.
    fn sibling(self: &Arc<Self>, place: &Place, suffix: &str) -> Result<Option<Source>, ReadError> {
        if suffix.is_empty() || suffix.contains(['/', '\0']) || place.names.is_empty() {
            return Ok(None);
        }
        let asked = [&*self.shown(place), suffix.as_bytes()].concat();
        let names = [&*place.names, suffix.as_bytes()].concat();
        if !self.permits_within(&self.spelled(&asked)) {
            return Err(refusal::denied(&asked));
        }
        let found = match place.base {
            Base::Root(root) => self.inside(&asked, root, &names),
            Base::Slash => self.anywhere(&absolute(&names)),
        };
        let found = match found {
            Ok(Some(found)) => found,
            Ok(None) => return Ok(None),
            Err(error) if error.code() == ErrorCode::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        // Beside a file outside the workspace lies nothing of anywhere else.
        if place.base == Base::Slash && !matches!(&found.spot, Spot::Place(there) if there.names == names) {
            return Err(refusal::link_refused(&asked));
        }
        let contained = found.contained;
        Token { disk: Arc::clone(self), asked, found }.open(contained).map(Some)
    }
}

/// A root, or `/` opened for the moment.
enum BaseHandle<'a> {
    Root(&'a roots::Root),
    Slash(OwnedFd),
}

impl AsFd for BaseHandle<'_> {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        match self {
            Self::Root(root) => root.as_fd(),
            Self::Slash(handle) => handle.as_fd(),
        }
    }
}
