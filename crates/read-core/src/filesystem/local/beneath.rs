//! Opening below a directory handle without following a single link: by `openat2`, or a component at a time.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat, openat, statat};
#[cfg(any(target_os = "linux", target_os = "android"))]
use rustix::io::Errno;
use rustix::io::{Result, retry_on_intr};

use super::place::{parts, push, split};

/// A directory held only to start walks from it: no permission to read it is needed where the system has such handles.
#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
const HANDLE: OFlags = OFlags::PATH;
#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "freebsd")))]
const HANDLE: OFlags = OFlags::RDONLY;

/// A directory to start walks from.
pub(super) const DIRECTORY: OFlags =
    HANDLE.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// A file to read: a FIFO or a terminal that slipped in must neither block nor become ours.
pub(super) const READ: OFlags = OFlags::RDONLY
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// A directory to list.
pub(super) const LIST: OFlags = READ.union(OFlags::DIRECTORY);

/// How often `openat2` is asked again when it says that something moved meanwhile.
#[cfg(any(target_os = "linux", target_os = "android"))]
const RETRIES: usize = 8;

/// The longest piece of a path that is handed to the kernel at once (its own limit is 4,096 with the final NUL).
const PIECE: usize = 4_000;

/// What `lstat` says, as far as resolution needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Status {
    pub(super) kind: FileType,
    pub(super) device: u64,
    pub(super) inode: u64,
}

impl Status {
    fn of(stat: &Stat) -> Self {
        // The widths of these fields differ between systems.
        fn wide(number: impl TryInto<u64>) -> u64 {
            number.try_into().unwrap_or(u64::MAX)
        }
        Self {
            kind: FileType::from_raw_mode(stat.st_mode),
            device: wide(stat.st_dev),
            inode: wide(stat.st_ino),
        }
    }

    /// Whether both are of one file.
    pub(super) fn is_same_file(self, other: Self) -> bool {
        (self.device, self.inode, self.kind) == (other.device, other.inode, other.kind)
    }
}

/// What `name` in `directory` is; a link is not followed.
pub(super) fn lstat(directory: BorrowedFd<'_>, name: &[u8]) -> Result<Status> {
    retry_on_intr(|| statat(directory, name, AtFlags::SYMLINK_NOFOLLOW)).map(|stat| Status::of(&stat))
}

/// What `path` leads to, links followed by the kernel: only for paths that no workspace confines.
pub(super) fn stat(directory: BorrowedFd<'_>, path: &[u8]) -> Result<Status> {
    retry_on_intr(|| statat(directory, path, AtFlags::empty())).map(|stat| Status::of(&stat))
}

/// What an open handle is of.
pub(super) fn fstat(handle: impl AsFd) -> Result<Status> {
    rustix::fs::fstat(handle).map(|stat| Status::of(&stat))
}

/// Opens the one `name` in `directory`, which must not be a link.
pub(super) fn child(directory: BorrowedFd<'_>, name: &[u8], flags: OFlags) -> Result<OwnedFd> {
    retry_on_intr(|| openat(directory, name, flags | OFlags::NOFOLLOW, Mode::empty()))
}

/// Opens what lies below a handle. Links are never followed: `ELOOP` or `ENOTDIR` where one stands in the way.
#[derive(Debug)]
pub(super) struct Beneath {
    openat2: AtomicBool,
}

impl Beneath {
    /// With `openat2`, unless `force_walk`, where the kernel has it and lets this process call it.
    pub(super) fn new(force_walk: bool) -> Self {
        Self { openat2: AtomicBool::new(!force_walk && available()) }
    }

    /// Whether whole paths go to the kernel.
    pub(super) fn is_whole(&self) -> bool {
        self.openat2.load(Relaxed)
    }

    /// What `names` below `base` are; a link at the end is not followed.
    pub(super) fn lstat(&self, base: BorrowedFd<'_>, names: &[u8]) -> Result<Status> {
        // One name is looked at where it stands: no component before it could be a link, and the call is one, not three.
        if !names.is_empty() && !names.contains(&b'/') {
            return lstat(base, names);
        }
        #[cfg(any(target_os = "linux", target_os = "android"))]
        if self.is_whole() && names.len() <= PIECE {
            match self.whole(base, names, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC) {
                Err(Errno::NOSYS | Errno::PERM) => {}
                result => return fstat(result?),
            }
        }
        let (directory, leaf) = split(names);
        if leaf.is_empty() {
            return fstat(base);
        }
        lstat(self.directory(base, directory)?.as_fd(), leaf)
    }

    /// The directory `names` below `base`, to start walks from.
    pub(super) fn directory(&self, base: BorrowedFd<'_>, names: &[u8]) -> Result<OwnedFd> {
        self.open(base, names, DIRECTORY)
    }

    /// Opens `names` below `base`.
    pub(super) fn open(&self, base: BorrowedFd<'_>, names: &[u8], flags: OFlags) -> Result<OwnedFd> {
        let (first, rest) = piece(names);
        if !rest.is_empty() {
            return self.open(self.open(base, first, DIRECTORY)?.as_fd(), rest, flags);
        }
        #[cfg(any(target_os = "linux", target_os = "android"))]
        if self.is_whole() {
            match self.whole(base, names, flags | OFlags::NOFOLLOW) {
                Err(Errno::NOSYS | Errno::PERM) => {}
                result => return result,
            }
        }
        let (directory, leaf) = split(names);
        let mut held: Option<OwnedFd> = None;
        for name in parts(directory) {
            held = Some(child(held.as_ref().map_or(base, AsFd::as_fd), name, DIRECTORY)?);
        }
        let directory = held.as_ref().map_or(base, AsFd::as_fd);
        child(directory, if leaf.is_empty() { b"." } else { leaf }, flags)
    }

    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn whole(&self, base: BorrowedFd<'_>, names: &[u8], flags: OFlags) -> Result<OwnedFd> {
        use rustix::fs::{ResolveFlags, openat2};
        let names = if names.is_empty() { b"." } else { names };
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_SYMLINKS;
        let mut result = Err(Errno::AGAIN);
        for _ in 0..RETRIES {
            result = retry_on_intr(|| openat2(base, names, flags, Mode::empty(), resolve));
            if !matches!(result, Err(Errno::AGAIN)) {
                break;
            }
        }
        if matches!(result, Err(Errno::NOSYS)) {
            // A filter was installed since this was built.
            self.openat2.store(false, Relaxed);
        }
        result
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn available() -> bool {
    use rustix::fs::{CWD, ResolveFlags, openat2};
    openat2(CWD, ".", OFlags::PATH | OFlags::CLOEXEC, Mode::empty(), ResolveFlags::BENEATH).is_ok()
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn available() -> bool {
    false
}

/// The names that fit one call, and the rest.
fn piece(names: &[u8]) -> (&[u8], &[u8]) {
    let Some((head, _)) = names.split_at_checked(PIECE) else { return (names, &[]) };
    let cut = head.iter().rposition(|byte| *byte == b'/').unwrap_or(names.len());
    let first = names.get(..cut).unwrap_or(names);
    (first, names.get(cut.saturating_add(1)..).unwrap_or_default())
}

/// `names` with `more` behind it.
pub(super) fn joined(names: &[u8], more: &[u8]) -> Vec<u8> {
    let mut all = names.to_vec();
    for part in parts(more) {
        push(&mut all, part);
    }
    all
}
