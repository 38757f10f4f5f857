//! From a path as it was asked for to what it means, or to why it is refused.

use super::beneath::Status;
use super::disk::Disk;
use super::place::{Base, Place, cleaned, leaf, means_directory, parts, split};
use super::refusal;
use super::walk::Arrival;
use crate::error::ReadError;
use crate::limits::MAX_PATH;
use rustix::fs::FileType;
use rustix::io::Errno;

/// What a path means.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) spot: Spot,
    pub(super) status: Status,
    /// The canonical path, to be printed.
    pub(super) shown: Vec<u8>,
    /// Whether it lies in the workspace, or there is none.
    pub(super) contained: bool,
}

/// How it is found again.
#[derive(Clone, Debug)]
pub(super) enum Spot {
    /// By its canonical path.
    Place(Place),
    /// By the path asked for: it has no other, as what `/dev/fd/3` leads to after it was removed.
    Asked,
}

/// How a path is to be taken.
pub(super) enum Reading<'a> {
    /// It lies in the root of that number; what follows the root.
    Inside(usize, &'a [u8]),
    /// As the shell takes it.
    Anywhere,
    Outside,
}

impl Disk {
    /// Finds what `asked` means; `None` when nothing is there.
    pub(super) fn find(&self, asked: &[u8]) -> Result<Option<Found>, ReadError> {
        if asked.is_empty() || asked.len() > MAX_PATH || asked.contains(&0) {
            return Ok(None);
        }
        match self.reading(asked) {
            Reading::Inside(root, rest) => self.inside(asked, root, rest),
            Reading::Anywhere => self.anywhere(asked),
            Reading::Outside => Err(refusal::outside(asked)),
        }
    }

    pub(super) fn reading<'a>(&self, asked: &'a [u8]) -> Reading<'a> {
        if self.current.is_some() {
            return Reading::Anywhere;
        }
        let absolute = asked.starts_with(b"/");
        let inside = if absolute { self.roots.spelled(asked) } else { Some((0, asked)) };
        match inside {
            Some((root, rest)) if cleaned(rest).is_some() => Reading::Inside(root, rest),
            _ if absolute && self.host_reads => Reading::Anywhere,
            _ => Reading::Outside,
        }
    }

    /// Finds `rest` below a root, for a path asked for as `asked`.
    pub(super) fn inside(&self, asked: &[u8], root: usize, rest: &[u8]) -> Result<Option<Found>, ReadError> {
        let Some(names) = cleaned(rest) else { return Err(refusal::outside(asked)) };
        let place = Place::new(Base::Root(root), names);
        // Before anything is looked at: whether a denied path exists is not told.
        if !self.permits_within(&place) {
            return Err(refusal::denied(asked));
        }
        match self.straight(place, rest).unwrap_or_else(|| self.walk(root, rest)) {
            Arrival::At(place, status) => {
                if place.names.is_empty() {
                    self.require_root(asked, place.base)?;
                }
                let shown = self.shown(&place);
                Ok(Some(Found { spot: Spot::Place(place), status, shown, contained: true }))
            }
            Arrival::Missing => self.require_root(asked, Base::Root(root)).map(|()| None),
            Arrival::Dangling(target) => Err(refusal::dangling(asked, &target)),
            Arrival::Outside => Err(refusal::outside(asked)),
            Arrival::Refused => Err(refusal::link_refused(asked)),
            Arrival::Denied => Err(refusal::denied(asked)),
            Arrival::Loop => Err(refusal::too_many_links(asked)),
            Arrival::Changed => Err(refusal::changed(asked)),
            Arrival::Failed(error) => Err(refusal::system(asked, error)),
        }
    }

    /// Where a path leads that has no link in it, in one call; `None` where the walk must tell.
    fn straight(&self, place: Place, rest: &[u8]) -> Option<Arrival> {
        let Base::Root(root) = place.base else { return None };
        // What `..` passes through must be judged, too.
        if !self.beneath.is_whole() || parts(rest).any(|part| part == b"..") {
            return None;
        }
        let root = self.roots.get(root)?;
        match self.beneath.lstat(std::os::fd::AsFd::as_fd(root), &place.names) {
            Ok(status) if status.kind == FileType::Symlink => None,
            Ok(status) if status.kind != FileType::Directory && means_directory(rest) => {
                Some(Arrival::Missing)
            }
            Ok(status) => Some(Arrival::At(place, status)),
            Err(Errno::NOENT | Errno::NOTDIR | Errno::NAMETOOLONG) => Some(Arrival::Missing),
            Err(Errno::LOOP | Errno::XDEV | Errno::AGAIN) => None,
            Err(error) => Some(Arrival::Failed(error)),
        }
    }

    /// The name of the directory that holds it, also where that is a root.
    pub(super) fn directory(&self, spot: &Spot) -> Option<Vec<u8>> {
        let Spot::Place(place) = spot else { return None };
        let names = self.roots.names_from_slash(place);
        Some(leaf(split(&names).0).to_vec())
    }

    /// An error when the root itself was removed: nothing in it will be found again.
    pub(super) fn require_root(&self, asked: &[u8], base: Base) -> Result<(), ReadError> {
        match base {
            Base::Root(root) if self.roots.get(root).is_some_and(super::roots::Root::is_gone) => {
                Err(refusal::root_is_gone(asked))
            }
            Base::Root(_) | Base::Slash => Ok(()),
        }
    }
}
