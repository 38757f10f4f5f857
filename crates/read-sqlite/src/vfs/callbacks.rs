//! The functions that SQLite calls: of the file system, and of the files that it opened.
//! <https://www.sqlite.org/c3ref/vfs.html>, <https://www.sqlite.org/c3ref/io_methods.html>

use std::borrow::Cow;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use std::{mem, ptr, slice};

use rusqlite::ffi;

use super::memory::MemoryFile;
use super::{DATABASE, Permits, State};

/// The longest name, with its end; there is only one.
const NAME_MAX: c_int = 64;

/// Bytes that are read at a time where neighbouring pages are asked for one after another.
const READ_AHEAD: usize = 16 << 10;

/// What SQLite allocates for a file and hands to every callback. It begins as C expects it.
#[repr(C)]
struct File {
    base: ffi::sqlite3_file,
    /// From `Box::into_raw`; null where opening failed.
    open: *mut Open,
}

/// An open file.
enum Open {
    Database { state: Arc<State>, ahead: Ahead },
    Temporary(MemoryFile),
}

/// A block that was read beyond what was asked for.
#[derive(Default)]
struct Ahead {
    bytes: Vec<u8>,
    start: u64,
    /// Where the last read ended: a read from there on goes through the file in order.
    next: u64,
}

static METHODS: ffi::sqlite3_io_methods = ffi::sqlite3_io_methods {
    // Version 1 has neither shared memory nor mapped pages: SQLite uses no write-ahead log of its own.
    iVersion: 1,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(file_size),
    xLock: Some(lock),
    xUnlock: Some(lock),
    xCheckReservedLock: Some(check_reserved_lock),
    xFileControl: Some(file_control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(device_characteristics),
    xShmMap: None,
    xShmLock: None,
    xShmBarrier: None,
    xShmUnmap: None,
    xFetch: None,
    xUnfetch: None,
};

/// A file system of that name. `state` comes from `Arc::into_raw` of an `Arc<State>`; it and the name must live as long
/// as the file system is registered.
pub(super) fn vfs(name: *const c_char, state: *mut c_void) -> ffi::sqlite3_vfs {
    ffi::sqlite3_vfs {
        iVersion: 2,
        szOsFile: c_int::try_from(size_of::<File>()).unwrap_or(c_int::MAX),
        mxPathname: NAME_MAX,
        pNext: ptr::null_mut(),
        zName: name,
        pAppData: state,
        xOpen: Some(open),
        xDelete: Some(delete),
        xAccess: Some(access),
        xFullPathname: Some(full_pathname),
        xDlOpen: Some(dl_open),
        xDlError: Some(dl_error),
        xDlSym: Some(dl_sym),
        xDlClose: Some(dl_close),
        xRandomness: Some(randomness),
        xSleep: Some(sleep),
        xCurrentTime: Some(current_time),
        xGetLastError: None,
        xCurrentTimeInt64: Some(current_time_ms),
        xSetSystemCall: None,
        xGetSystemCall: None,
        xNextSystemCall: None,
    }
}

/// Runs a callback; a panic in it becomes `failure`, since it must not pass through C.
fn shielded(failure: c_int, callback: impl FnOnce() -> c_int) -> c_int {
    catch_unwind(AssertUnwindSafe(callback)).unwrap_or(failure)
}

/// The open file behind what SQLite hands to a callback.
///
/// # Safety
///
/// `file` is what `open` was given and filled, and no other reference to its content exists.
unsafe fn opened<'a>(file: *mut ffi::sqlite3_file) -> Option<&'a mut Open> {
    // SAFETY: by the contract above `file` points to a `File`; SQLite uses a file from one thread at a time.
    unsafe { file.cast::<File>().as_ref().and_then(|file| file.open.as_mut()) }
}

/// Asks the authorizer; <https://www.sqlite.org/c3ref/set_authorizer.html>.
pub(super) unsafe extern "C" fn authorize(
    permits: *mut c_void,
    code: c_int,
    first: *const c_char,
    second: *const c_char,
    _: *const c_char,
    _: *const c_char,
) -> c_int {
    shielded(ffi::SQLITE_DENY, || {
        // SAFETY: the argument is what `set_authorizer` gave, which lives as long as the connection; names are null or C
        // strings that live as long as this call.
        let (permits, first, second) =
            unsafe { (permits.cast::<Permits>().as_ref(), name(first), name(second)) };
        match permits {
            Some(permits) if permits(code, first.as_deref(), second.as_deref()) => ffi::SQLITE_OK,
            _ => ffi::SQLITE_DENY,
        }
    })
}

/// A name of SQLite's; `None` for null.
///
/// # Safety
///
/// `name` is null, or a C string that lives as long as what is given.
unsafe fn name<'a>(name: *const c_char) -> Option<Cow<'a, str>> {
    // SAFETY: by the contract above.
    (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) }.to_string_lossy())
}

unsafe extern "C" fn open(
    vfs: *mut ffi::sqlite3_vfs,
    name: *const c_char,
    file: *mut ffi::sqlite3_file,
    flags: c_int,
    out_flags: *mut c_int,
) -> c_int {
    // SAFETY: SQLite gives `szOsFile` bytes for the file. Without methods it does not close what was not opened.
    unsafe {
        file.cast::<File>()
            .write(File { base: ffi::sqlite3_file { pMethods: ptr::null() }, open: ptr::null_mut() });
    };
    shielded(ffi::SQLITE_CANTOPEN, || {
        // SAFETY: `pAppData` came from `Arc::into_raw` and is given back only after the last connection was closed; the
        // count is raised before the second `Arc` is made.
        let state = unsafe {
            let state = (*vfs).pAppData.cast::<State>().cast_const();
            Arc::increment_strong_count(state);
            Arc::from_raw(state)
        };
        let open = if name.is_null() {
            Open::Temporary(MemoryFile::new(state.temporary.clone()))
        } else {
            // SAFETY: a name is a C string.
            let name = unsafe { CStr::from_ptr(name) };
            let is_it = flags & ffi::SQLITE_OPEN_MAIN_DB != 0 && name.to_bytes() == DATABASE.as_bytes();
            if !is_it || state.opened.swap(true, Relaxed) {
                return ffi::SQLITE_CANTOPEN;
            }
            Open::Database { state, ahead: Ahead::default() }
        };
        let read_only = matches!(open, Open::Database { .. });
        // SAFETY: `file` was written above; `out_flags` is null or SQLite's own.
        unsafe {
            (*file.cast::<File>()).open = Box::into_raw(Box::new(open));
            (*file).pMethods = &raw const METHODS;
            if let Some(out) = out_flags.as_mut() {
                *out = if read_only { ffi::SQLITE_OPEN_READONLY | ffi::SQLITE_OPEN_MAIN_DB } else { flags };
            }
        }
        ffi::SQLITE_OK
    })
}

unsafe extern "C" fn close(file: *mut ffi::sqlite3_file) -> c_int {
    shielded(ffi::SQLITE_IOERR_CLOSE, || {
        // SAFETY: `file` is what `open` filled; its box is taken out once, as the pointer is null from then on.
        let open = unsafe {
            let file = &mut *file.cast::<File>();
            mem::replace(&mut file.open, ptr::null_mut())
        };
        if !open.is_null() {
            // SAFETY: the pointer came from `Box::into_raw` in `open`.
            drop(unsafe { Box::from_raw(open) });
        }
        ffi::SQLITE_OK
    })
}

unsafe extern "C" fn read(
    file: *mut ffi::sqlite3_file,
    buf: *mut c_void,
    len: c_int,
    offset: ffi::sqlite3_int64,
) -> c_int {
    shielded(ffi::SQLITE_IOERR_READ, || {
        let (Ok(len), Ok(offset)) = (usize::try_from(len), u64::try_from(offset)) else {
            return ffi::SQLITE_IOERR_READ;
        };
        // SAFETY: SQLite gives `len` bytes at `buf`, which it has allocated (and so may be read as bytes, whatever they
        // are); `file` as in `opened`.
        let (buf, open) = unsafe { (slice::from_raw_parts_mut(buf.cast::<u8>(), len), opened(file)) };
        let n = match open {
            Some(Open::Database { state, ahead }) => match ahead.read(state, buf, offset) {
                Some(n) => n,
                None => return ffi::SQLITE_IOERR_READ,
            },
            Some(Open::Temporary(memory)) => memory.read(buf, offset),
            None => return ffi::SQLITE_IOERR_READ,
        };
        if n == len {
            return ffi::SQLITE_OK;
        }
        buf.get_mut(n..).unwrap_or_default().fill(0);
        ffi::SQLITE_IOERR_SHORT_READ
    })
}

impl Ahead {
    /// Reads at `offset` as far as there are bytes; `None` when that fails, or when it is time to stop.
    fn read(&mut self, state: &State, buf: &mut [u8], offset: u64) -> Option<usize> {
        if state.watch.must_stop() {
            return None;
        }
        let in_order = mem::replace(&mut self.next, offset.saturating_add(buf.len() as u64)) == offset;
        if let Some(ready) = self.ready(buf.len(), offset) {
            buf.copy_from_slice(ready);
            return Some(buf.len());
        }
        if !in_order || !state.pages.is_plain() || buf.len() >= READ_AHEAD {
            return state.pages.read(buf, offset).ok();
        }
        self.bytes.resize(READ_AHEAD, 0);
        let n = state.pages.read(&mut self.bytes, offset).ok()?;
        self.bytes.truncate(n);
        self.start = offset;
        let n = n.min(buf.len());
        buf.get_mut(..n)?.copy_from_slice(self.bytes.get(..n)?);
        Some(n)
    }

    fn ready(&self, len: usize, offset: u64) -> Option<&[u8]> {
        let from = usize::try_from(offset.checked_sub(self.start)?).ok()?;
        self.bytes.get(from..from.checked_add(len)?)
    }
}

unsafe extern "C" fn write(
    file: *mut ffi::sqlite3_file,
    buf: *const c_void,
    len: c_int,
    offset: ffi::sqlite3_int64,
) -> c_int {
    shielded(ffi::SQLITE_IOERR_WRITE, || {
        let (Ok(len), Ok(offset)) = (usize::try_from(len), u64::try_from(offset)) else {
            return ffi::SQLITE_IOERR_WRITE;
        };
        // SAFETY: SQLite gives `len` bytes at `buf`; `file` as in `opened`.
        let (buf, open) = unsafe { (slice::from_raw_parts(buf.cast::<u8>(), len), opened(file)) };
        match open {
            Some(Open::Temporary(memory)) => {
                memory.write(buf, offset).map_or(ffi::SQLITE_FULL, |()| ffi::SQLITE_OK)
            }
            _ => ffi::SQLITE_READONLY,
        }
    })
}

unsafe extern "C" fn truncate(file: *mut ffi::sqlite3_file, len: ffi::sqlite3_int64) -> c_int {
    shielded(ffi::SQLITE_IOERR_TRUNCATE, || {
        // SAFETY: `file` as in `opened`.
        match (unsafe { opened(file) }, u64::try_from(len)) {
            (Some(Open::Temporary(memory)), Ok(len)) => {
                memory.truncate(len);
                ffi::SQLITE_OK
            }
            _ => ffi::SQLITE_READONLY,
        }
    })
}

unsafe extern "C" fn sync(_: *mut ffi::sqlite3_file, _: c_int) -> c_int {
    ffi::SQLITE_OK
}

unsafe extern "C" fn file_size(file: *mut ffi::sqlite3_file, size: *mut ffi::sqlite3_int64) -> c_int {
    shielded(ffi::SQLITE_IOERR_FSTAT, || {
        // SAFETY: `file` as in `opened`.
        let len = match unsafe { opened(file) } {
            Some(Open::Database { state, .. }) => state.pages.len(),
            Some(Open::Temporary(memory)) => memory.len(),
            None => return ffi::SQLITE_IOERR_FSTAT,
        };
        let Ok(len) = i64::try_from(len) else { return ffi::SQLITE_IOERR_FSTAT };
        // SAFETY: SQLite gives room for one number.
        unsafe { size.write(len) };
        ffi::SQLITE_OK
    })
}

/// Locks are held around the whole connection, not by it.
unsafe extern "C" fn lock(_: *mut ffi::sqlite3_file, _: c_int) -> c_int {
    ffi::SQLITE_OK
}

unsafe extern "C" fn check_reserved_lock(_: *mut ffi::sqlite3_file, reserved: *mut c_int) -> c_int {
    // SAFETY: SQLite gives room for one number.
    unsafe { reserved.write(0) };
    ffi::SQLITE_OK
}

unsafe extern "C" fn file_control(_: *mut ffi::sqlite3_file, _: c_int, _: *mut c_void) -> c_int {
    ffi::SQLITE_NOTFOUND
}

unsafe extern "C" fn sector_size(_: *mut ffi::sqlite3_file) -> c_int {
    4096
}

unsafe extern "C" fn device_characteristics(file: *mut ffi::sqlite3_file) -> c_int {
    // SAFETY: `file` as in `opened`.
    match unsafe { opened(file) } {
        // What a connection sees does not change: there is no journal to look for and nothing to lock.
        Some(Open::Database { .. }) => ffi::SQLITE_IOCAP_IMMUTABLE,
        _ => 0,
    }
}

unsafe extern "C" fn delete(_: *mut ffi::sqlite3_vfs, _: *const c_char, _: c_int) -> c_int {
    ffi::SQLITE_IOERR_DELETE
}

unsafe extern "C" fn access(
    _: *mut ffi::sqlite3_vfs,
    _: *const c_char,
    _: c_int,
    exists: *mut c_int,
) -> c_int {
    // SAFETY: SQLite gives room for one number.
    unsafe { exists.write(0) };
    ffi::SQLITE_OK
}

unsafe extern "C" fn full_pathname(
    _: *mut ffi::sqlite3_vfs,
    name: *const c_char,
    len: c_int,
    out: *mut c_char,
) -> c_int {
    shielded(ffi::SQLITE_CANTOPEN, || {
        // SAFETY: a name is a C string.
        let name = unsafe { CStr::from_ptr(name) }.to_bytes_with_nul();
        if usize::try_from(len).is_ok_and(|len| name.len() <= len) {
            // SAFETY: SQLite gives `len` bytes at `out`, which do not overlap the name.
            unsafe { ptr::copy_nonoverlapping(name.as_ptr(), out.cast::<u8>(), name.len()) };
            ffi::SQLITE_OK
        } else {
            ffi::SQLITE_CANTOPEN
        }
    })
}

unsafe extern "C" fn dl_open(_: *mut ffi::sqlite3_vfs, _: *const c_char) -> *mut c_void {
    ptr::null_mut()
}

unsafe extern "C" fn dl_error(_: *mut ffi::sqlite3_vfs, len: c_int, out: *mut c_char) {
    if len > 0 {
        // SAFETY: SQLite gives `len` bytes at `out`; the empty text needs one.
        unsafe { out.write(0) };
    }
}

type Symbol = unsafe extern "C" fn(*mut ffi::sqlite3_vfs, *mut c_void, *const c_char);

unsafe extern "C" fn dl_sym(_: *mut ffi::sqlite3_vfs, _: *mut c_void, _: *const c_char) -> Option<Symbol> {
    None
}

unsafe extern "C" fn dl_close(_: *mut ffi::sqlite3_vfs, _: *mut c_void) {}

/// SQLite seeds its generator from the system's own file system; here it only asks for names of files, which have none.
unsafe extern "C" fn randomness(_: *mut ffi::sqlite3_vfs, _: c_int, _: *mut c_char) -> c_int {
    0
}

unsafe extern "C" fn sleep(_: *mut ffi::sqlite3_vfs, microseconds: c_int) -> c_int {
    // Nothing here is ever busy, so nobody waits.
    microseconds
}

/// Milliseconds from the start of the Julian calendar to 1970.
const JULIAN_1970_MS: i64 = 210_866_760_000_000;

fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    i64::try_from(since.as_millis()).unwrap_or(0).saturating_add(JULIAN_1970_MS)
}

unsafe extern "C" fn current_time_ms(_: *mut ffi::sqlite3_vfs, out: *mut ffi::sqlite3_int64) -> c_int {
    shielded(ffi::SQLITE_ERROR, || {
        // SAFETY: SQLite gives room for one number.
        unsafe { out.write(now_ms()) };
        ffi::SQLITE_OK
    })
}

unsafe extern "C" fn current_time(_: *mut ffi::sqlite3_vfs, out: *mut f64) -> c_int {
    shielded(ffi::SQLITE_ERROR, || {
        #[allow(
            clippy::cast_precision_loss,
            reason = "a date as a number of days is a float by its definition"
        )]
        let days = now_ms() as f64 / 86_400_000.0;
        // SAFETY: SQLite gives room for one number.
        unsafe { out.write(days) };
        ffi::SQLITE_OK
    })
}
