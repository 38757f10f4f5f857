//! Paths that no root confines: the kernel follows them, and what they lead to is named and judged after that.

use std::ffi::OsStr;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{CWD, FileType, readlinkat};
use rustix::io::Errno;

use super::beneath::{Status, lstat, stat};
use super::builder::SymlinkPolicy;
use super::disk::Disk;
use super::place::{Base, Place, absolute, cleaned_from_slash, leaf};
use super::resolve::{Found, Spot};
use super::{refusal, roots};
use crate::error::ReadError;

impl Disk {
    /// Where relative paths begin that no root confines.
    pub(super) fn current(&self) -> BorrowedFd<'_> {
        self.current.as_ref().map_or(CWD, |current| current.handle.as_fd())
    }

    /// The place that a path spells, links not looked at.
    pub(super) fn spelled_place(&self, asked: &[u8]) -> Place {
        self.roots.place_of(cleaned_from_slash(&self.spelled_path(asked)))
    }

    /// The path as an absolute one.
    fn spelled_path(&self, asked: &[u8]) -> Vec<u8> {
        match self.current.as_ref().and_then(|current| current.path.as_ref()) {
            Some(current) if !asked.starts_with(b"/") => [&*absolute(current), b"/", asked].concat(),
            _ => asked.to_vec(),
        }
    }

    /// Finds what the shell would find under `asked`.
    pub(super) fn anywhere(&self, asked: &[u8]) -> Result<Option<Found>, ReadError> {
        let spelled = self.spelled_place(asked);
        if !self.permits_within(&spelled) {
            return Err(refusal::denied(asked));
        }
        let itself = match lstat(self.current(), asked) {
            Ok(status) => status,
            Err(Errno::NOENT | Errno::NOTDIR | Errno::NAMETOOLONG) => return Ok(None),
            Err(Errno::LOOP) => return Err(refusal::too_many_links(asked)),
            Err(error) => return Err(refusal::system(asked, error)),
        };
        let status = match itself.kind {
            FileType::Symlink => stat(self.current(), asked).map_err(|error| self.astray(asked, error))?,
            _ => itself,
        };
        let canonical = Path::new(OsStr::from_bytes(&self.spelled_path(asked))).canonicalize().ok();
        let canonical =
            canonical.map(|path| self.roots.place_of(cleaned_from_slash(path.as_os_str().as_bytes())));
        if self.passes_refused_link(asked) {
            return Err(refusal::link_refused(asked));
        }
        let Some(canonical) = canonical else { return Ok(Some(self.nameless(&spelled, status))) };
        if let Base::Root(root) = canonical.base {
            // It came back to the workspace, whose own rules hold there.
            return self.inside(asked, root, &canonical.names);
        }
        if !self.permits_within(&canonical) {
            return Err(refusal::denied(asked));
        }
        if !self.is_at(&canonical, status) {
            return Ok(Some(self.nameless(&spelled, status)));
        }
        let shown = self.shown(&canonical);
        Ok(Some(Found { spot: Spot::Place(canonical), status, shown, contained: self.current.is_some() }))
    }

    /// Whether one of the names in the path is a link that the policy refuses: each as it is written, also before `..` and
    /// with a slash behind it.
    fn passes_refused_link(&self, asked: &[u8]) -> bool {
        let is_link =
            |path: &[u8]| lstat(self.current(), path).is_ok_and(|status| status.kind == FileType::Symlink);
        let ends = asked.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        let prefixes = ends.chain([asked.len()]).filter_map(|end| asked.get(..end));
        let mut named = prefixes.filter(|prefix| !matches!(leaf(prefix), b"" | b"." | b".."));
        match self.symlinks {
            SymlinkPolicy::Follow => false,
            SymlinkPolicy::NoFinal => named.next_back().is_some_and(is_link),
            SymlinkPolicy::None => named.any(is_link),
        }
    }

    /// Something that can only be found again by the path asked for.
    fn nameless(&self, spelled: &Place, status: Status) -> Found {
        Found { spot: Spot::Asked, status, shown: self.shown(spelled), contained: self.current.is_some() }
    }

    /// Whether the canonical path leads there without a link: magic links have texts that do not.
    fn is_at(&self, place: &Place, status: Status) -> bool {
        let Ok(slash) = roots::slash() else { return false };
        self.beneath.lstat(slash.as_fd(), &place.names).is_ok_and(|there| there.is_same_file(status))
    }

    /// Why a link leads nowhere.
    fn astray(&self, asked: &[u8], error: Errno) -> ReadError {
        match error {
            Errno::NOENT | Errno::NOTDIR | Errno::NAMETOOLONG => {
                match readlinkat(self.current(), asked, Vec::new()) {
                    Ok(target) => refusal::dangling(asked, target.as_bytes()),
                    Err(_) => refusal::vanished(asked),
                }
            }
            Errno::LOOP => refusal::too_many_links(asked),
            error => refusal::system(asked, error),
        }
    }
}
