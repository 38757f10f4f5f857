//! Shared locks on a database file, as SQLite takes them itself, on a file that is already open.
//!
//! The bytes and their order are those of SQLite's own Unix locks: <https://www.sqlite.org/lockingv3.html>. The locks
//! belong to the open file (Linux's `F_OFD_SETLK`), so that they neither replace nor drop locks that another part of this
//! process holds. Where such locks do not exist, none are taken, and a change is noticed by the file's size and times.

use std::fs::File;
use std::sync::Arc;

use read_core::ReadAt;

use crate::format::LOCK_BYTE;

/// Held for a moment by whoever takes a shared lock, and by a writer that waits for readers to leave.
const PENDING: i64 = LOCK_BYTE as i64;
/// Held by the one connection that prepares a change.
const RESERVED: i64 = PENDING + 1;
/// Readers hold all of it shared; a writer of the file holds all of it alone.
const SHARED: (i64, i64) = (PENDING + 2, 510);

/// A shared lock on a database file, let go when dropped. Nobody changes the file meanwhile, save the pages that a
/// write-ahead log is copied to.
pub(crate) struct SharedLock {
    /// Keeps the file open.
    at: Arc<dyn ReadAt>,
}

impl std::fmt::Debug for SharedLock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SharedLock").finish_non_exhaustive()
    }
}

/// What became of an attempt to lock.
#[derive(Debug)]
pub(crate) enum Attempt {
    /// The lock is held.
    Held(SharedLock),
    /// Somebody writes to the file, or is about to.
    Busy,
    /// The platform, the file system or the kind of source has no such locks.
    Impossible,
}

impl SharedLock {
    /// Tries to take the lock, without waiting.
    pub(crate) fn attempt(at: &Arc<dyn ReadAt>) -> Attempt {
        let Some(file) = at.as_file() else { return Attempt::Impossible };
        match set(file, Kind::Read, PENDING, 1) {
            Ok(true) => {}
            Ok(false) => return Attempt::Busy,
            Err(_) => return Attempt::Impossible,
        }
        let shared = set(file, Kind::Read, SHARED.0, SHARED.1);
        let _ = set(file, Kind::Unlock, PENDING, 1);
        match shared {
            Ok(true) => Attempt::Held(Self { at: Arc::clone(at) }),
            Ok(false) => Attempt::Busy,
            Err(_) => Attempt::Impossible,
        }
    }

    /// Whether some connection prepares a change, and so owns the journal beside the file.
    pub(crate) fn is_reserved(&self) -> bool {
        self.at.as_file().is_some_and(|file| is_write_locked(file, RESERVED).unwrap_or(false))
    }
}

impl Drop for SharedLock {
    fn drop(&mut self) {
        if let Some(file) = self.at.as_file() {
            let _ = set(file, Kind::Unlock, SHARED.0, SHARED.1);
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Read,
    Unlock,
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn set(file: &File, kind: Kind, start: i64, len: i64) -> std::io::Result<bool> {
    let kind = match kind {
        Kind::Read => libc::F_RDLCK,
        Kind::Unlock => libc::F_UNLCK,
    };
    let mut lock = region(kind, start, len);
    match call(file, libc::F_OFD_SETLK, &mut lock) {
        Ok(()) => Ok(true),
        Err(error) if matches!(error.raw_os_error(), Some(libc::EAGAIN | libc::EACCES)) => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn is_write_locked(file: &File, start: i64) -> std::io::Result<bool> {
    let mut lock = region(libc::F_WRLCK, start, 1);
    call(file, libc::F_OFD_GETLK, &mut lock)?;
    Ok(i32::from(lock.l_type) == libc::F_WRLCK)
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn region(kind: libc::c_int, start: i64, len: i64) -> libc::flock {
    // SAFETY: the structure is plain numbers, for which zero is a value; the process id must be 0 for these locks.
    let mut lock: libc::flock = unsafe { std::mem::zeroed() };
    lock.l_type = libc::c_short::try_from(kind).unwrap_or_default();
    lock.l_whence = libc::c_short::try_from(libc::SEEK_SET).unwrap_or_default();
    lock.l_start = libc::off_t::try_from(start).unwrap_or_default();
    lock.l_len = libc::off_t::try_from(len).unwrap_or_default();
    lock
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn call(file: &File, command: libc::c_int, lock: &mut libc::flock) -> std::io::Result<()> {
    use std::os::fd::AsRawFd;
    loop {
        // SAFETY: the descriptor is open as long as `file` is borrowed, and the structure is valid for both commands.
        let result = unsafe { libc::fcntl(file.as_raw_fd(), command, &raw mut *lock) };
        if result != -1 {
            return Ok(());
        }
        let error = std::io::Error::last_os_error();
        if error.kind() != std::io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn set(_: &File, _: Kind, _: i64, _: i64) -> std::io::Result<bool> {
    Err(std::io::ErrorKind::Unsupported.into())
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn is_write_locked(_: &File, _: i64) -> std::io::Result<bool> {
    Err(std::io::ErrorKind::Unsupported.into())
}
