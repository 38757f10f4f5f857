//! Following links, one component at a time: the kernel follows none of them, so that each step can be judged.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{FileType, readlinkat};
use rustix::io::{Errno, retry_on_intr};

use super::beneath::{DIRECTORY, Status, child, fstat, lstat};
use super::builder::SymlinkPolicy;
use super::disk::Disk;
use super::place::{Base, Place, pop};
use super::roots::slash;

/// How many links one path may lead through, as many as Linux allows.
const MAX_HOPS: usize = 40;

/// Where a path leads.
#[derive(Debug)]
pub(super) enum Arrival {
    /// To something in a root.
    At(Place, Status),
    /// To nothing.
    Missing,
    /// It is a link with this text, to nothing, somewhere in a root.
    Dangling(Vec<u8>),
    /// Out of all roots.
    Outside,
    /// Through a link that the policy refuses, to somewhere in a root or in circles.
    Refused,
    /// Through what the guard does not permit.
    Denied,
    /// In circles.
    Loop,
    /// Something moved meanwhile.
    Changed,
    /// Into an error of the operating system, within a root.
    Failed(Errno),
}

/// A component still to go.
struct Step {
    name: Vec<u8>,
    /// Whether the caller wrote it; else a link did.
    asked: bool,
}

struct Walker<'a> {
    disk: &'a Disk,
    place: Place,
    directory: Held<'a>,
    pending: Vec<Step>,
    hops: usize,
    refused: bool,
    /// The text of the link that the path ends with, once that was reached.
    last_link: Option<Vec<u8>>,
}

/// A root's handle, or one opened on the way.
enum Held<'a> {
    Root(BorrowedFd<'a>),
    Opened(OwnedFd),
}

impl AsFd for Held<'_> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Root(handle) => *handle,
            Self::Opened(handle) => handle.as_fd(),
        }
    }
}

impl Disk {
    /// Follows `path` from the root of that number.
    pub(super) fn walk(&self, root: usize, path: &[u8]) -> Arrival {
        let Some(handle) = self.roots.get(root) else { return Arrival::Missing };
        let mut walker = Walker {
            disk: self,
            place: Place::new(Base::Root(root), b""),
            directory: Held::Root(handle.as_fd()),
            pending: Vec::new(),
            hops: 0,
            refused: false,
            last_link: None,
        };
        walker.expect(path, true);
        let arrival = walker.run().unwrap_or_else(|stop| stop);
        match arrival {
            Arrival::At(..) | Arrival::Missing | Arrival::Dangling(_) | Arrival::Loop if walker.refused => {
                Arrival::Refused
            }
            arrival => arrival,
        }
    }
}

impl Walker<'_> {
    /// Puts the components of `path` before all that is pending.
    fn expect(&mut self, path: &[u8], asked: bool) {
        // A slash at the end asks for a directory, as a dot does.
        let end = path.ends_with(b"/").then_some(&b"."[..]);
        let names = path.split(|byte| *byte == b'/').filter(|name| !name.is_empty()).chain(end);
        let steps: Vec<_> = names.map(|name| Step { name: name.to_vec(), asked }).collect();
        self.pending.extend(steps.into_iter().rev());
    }

    fn run(&mut self) -> Result<Arrival, Arrival> {
        while let Some(step) = self.pending.pop() {
            match &*step.name {
                b"." => {}
                b".." => self.up(step.asked)?,
                name => {
                    if let Some(status) = self.down(name)? {
                        return Ok(self.arrived(status));
                    }
                }
            }
        }
        let status = fstat(&self.directory).map_err(|error| self.failed(error))?;
        Ok(self.arrived(status))
    }

    fn arrived(&self, status: Status) -> Arrival {
        match self.place.base {
            Base::Slash => Arrival::Outside,
            Base::Root(_) => Arrival::At(self.place.clone(), status),
        }
    }

    /// Goes to the parent directory.
    fn up(&mut self, asked: bool) -> Result<(), Arrival> {
        if !pop(&mut self.place.names)
            && let Base::Root(root) = self.place.base
        {
            if asked {
                return Err(Arrival::Outside);
            }
            // A link may leave a root and end in one; what counts is where.
            let mut names = self.disk.roots.get(root).map(|root| root.path().to_vec()).unwrap_or_default();
            pop(&mut names);
            self.place = self.disk.roots.place_of(names);
        }
        self.reopen()
    }

    /// Takes one component: something that is no directory ends the walk.
    fn down(&mut self, name: &[u8]) -> Result<Option<Status>, Arrival> {
        let next = self.place.join(name);
        if matches!(next.base, Base::Root(_)) && !self.disk.permits(&next) {
            return Err(Arrival::Denied);
        }
        let status = lstat(self.directory.as_fd(), name).map_err(|error| self.failed(error))?;
        match status.kind {
            FileType::Symlink => {
                self.follow(name)?;
                return Ok(None);
            }
            FileType::Directory => {}
            _ if self.pending.is_empty() => {
                self.place = next;
                return Ok(Some(status));
            }
            // The link itself is sound where only the caller takes what it leads to for a directory.
            _ if self.place.base != Base::Slash && self.pending.iter().all(|step| step.asked) => {
                return Err(Arrival::Missing);
            }
            _ => return Err(self.failed(Errno::NOTDIR)),
        }
        // Where nothing follows, no permission to enter is needed.
        self.place = next;
        if self.pending.is_empty() && matches!(self.place.base, Base::Root(_)) {
            return Ok(Some(status));
        }
        let opened = child(self.directory.as_fd(), name, DIRECTORY).map_err(|error| match error {
            // It was a directory just now.
            Errno::NOTDIR | Errno::LOOP => Arrival::Changed,
            error => self.failed(error),
        })?;
        self.directory = Held::Opened(opened);
        if self.place.base == Base::Slash {
            let place = self.disk.roots.place_of(self.place.names.clone());
            if matches!(place.base, Base::Root(_)) {
                self.place = place;
                self.reopen()?;
            }
        }
        Ok(None)
    }

    /// Puts the text of the link `name` in its place.
    fn follow(&mut self, name: &[u8]) -> Result<(), Arrival> {
        self.hops = self.hops.saturating_add(1);
        if self.hops > MAX_HOPS {
            return Err(if self.place.base == Base::Slash { Arrival::Outside } else { Arrival::Loop });
        }
        let text = retry_on_intr(|| readlinkat(self.directory.as_fd(), name, Vec::new()));
        let text = text.map_err(|error| match error {
            // It was a link just now.
            Errno::INVAL => Arrival::Changed,
            error => self.failed(error),
        })?;
        let text = text.into_bytes();
        if is_magic(self.directory.as_fd(), &text) {
            return Err(Arrival::Outside);
        }
        let is_last = self.pending.iter().all(|step| step.name == b".");
        self.refused |= match self.disk.symlinks {
            SymlinkPolicy::Follow => false,
            SymlinkPolicy::NoFinal => is_last,
            SymlinkPolicy::None => true,
        };
        if text.is_empty() {
            return Err(self.failed(Errno::NOENT));
        }
        if is_last {
            self.last_link = Some(text.clone());
        }
        if !text.starts_with(b"/") {
            self.expect(&text, false);
            return Ok(());
        }
        if let Some((root, rest)) = self.disk.roots.spelled(&text) {
            self.place = Place::new(Base::Root(root), b"");
            self.expect(rest, false);
        } else {
            self.place = Place::new(Base::Slash, b"");
            self.expect(&text, false);
        }
        self.reopen()
    }

    /// Opens the directory of the current place anew.
    fn reopen(&mut self) -> Result<(), Arrival> {
        let base = match self.place.base {
            Base::Root(root) => match self.disk.roots.get(root) {
                Some(root) => Held::Root(root.as_fd()),
                None => return Err(Arrival::Missing),
            },
            Base::Slash => Held::Opened(slash().map_err(|_| Arrival::Outside)?),
        };
        self.directory = if self.place.names.is_empty() {
            base
        } else {
            let opened = self.disk.beneath.directory(base.as_fd(), &self.place.names);
            Held::Opened(opened.map_err(|error| match error {
                Errno::NOTDIR | Errno::LOOP => Arrival::Changed,
                error => self.failed(error),
            })?)
        };
        Ok(())
    }

    /// What an error means here: outside the roots, nothing is told.
    fn failed(&self, error: Errno) -> Arrival {
        match (self.place.base, error) {
            (Base::Slash, _) => Arrival::Outside,
            (Base::Root(_), Errno::NOENT | Errno::NOTDIR | Errno::NAMETOOLONG) => match &self.last_link {
                Some(text) => Arrival::Dangling(text.clone()),
                None => Arrival::Missing,
            },
            (Base::Root(_), error) => Arrival::Failed(error),
        }
    }
}

/// Whether a link in `directory` is one of those in `/proc` whose text is not where they lead.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn is_magic(directory: BorrowedFd<'_>, text: &[u8]) -> bool {
    // Its plain links (`self`, `mounts`, …) are relative and simply named.
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'.' | b'_' | b'-');
    let may_be = text.starts_with(b"/") || !text.iter().all(plain);
    may_be && rustix::fs::fstatfs(directory).is_ok_and(|fs| fs.f_type == rustix::fs::PROC_SUPER_MAGIC)
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn is_magic(_: BorrowedFd<'_>, _: &[u8]) -> bool {
    false
}
