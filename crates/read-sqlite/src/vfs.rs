//! SQLite's view of the world: one database that is [`Pages`], temporary files in memory, and nothing else.
//!
//! The only module of this crate with `unsafe` code. It registers a file system (VFS) with SQLite for each connection, and
//! functions that take the place of SQLite's own.
//! That file system opens no path: the one database it knows is the one it was made for, temporary files are memory
//! within a bound, and to every other name it answers "no". Kept crates were looked at first: one generates its bindings
//! when it is built and so needs libclang on every machine, another has had no release for years; neither catches panics
//! before they reach C.
//!
//! What makes it sound: the structures that SQLite holds on to live as long as the registration, which ends after the
//! connection is closed ([`Hosted`]); files own a share of the state; every callback catches panics.
#![allow(unsafe_code, reason = "SQLite is C, and calls back: one of the two audited modules")]

mod callbacks;
mod functions;
pub(crate) mod lock;
mod memory;
mod presence;

use std::ffi::{CStr, CString, c_int};
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use rusqlite::{Connection, OpenFlags, Statement, ffi};

use crate::pages::Pages;
use crate::watch::Watch;
pub(crate) use functions::{Answer, Call, Function, Kind};
use memory::Allowance;
use presence::Presence;

/// The name of the one database.
const DATABASE: &str = "database";

/// What the callbacks of one connection share.
struct State {
    pages: Pages,
    watch: Watch,
    temporary: Allowance,
    /// Whether the database was opened: that happens once.
    opened: AtomicBool,
    _presence: Presence,
    over_memory: AtomicBool,
}

/// A connection to a database that is [`Pages`]. It is not given out mutably: a connection that was swapped out of here
/// would outlive its file system.
pub(crate) struct Hosted {
    connection: ManuallyDrop<Connection>,
    vfs: ManuallyDrop<Registered>,
    state: Arc<State>,
    /// What the authorizer's argument points to; dropped after the connection, as all fields are.
    permits: Option<Box<Permits>>,
}

/// Decides whether an action is allowed: its code (`SQLITE_READ`, …) and its two arguments.
pub(crate) type Permits = Box<dyn Fn(c_int, Option<&str>, Option<&str>) -> bool + Send>;

impl std::fmt::Debug for Hosted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hosted").field("state", &self.state).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State").field("pages", &self.pages).finish_non_exhaustive()
    }
}

impl Hosted {
    /// Connects to `pages`, read-only. Temporary files may hold `temporary` bytes. Once `watch` says stop, reads fail.
    pub(crate) fn connect(pages: Pages, watch: Watch, temporary: u64) -> rusqlite::Result<Self> {
        let state = Arc::new(State {
            pages,
            watch,
            temporary: Allowance::new(temporary),
            opened: AtomicBool::new(false),
            _presence: Presence::new(),
            over_memory: AtomicBool::new(false),
        });
        let vfs = Registered::new(Arc::clone(&state))?;
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_PRIVATE_CACHE;
        let connection = Connection::open_with_flags_and_vfs(DATABASE, flags, vfs.name.as_c_str())?;
        Ok(Self {
            connection: ManuallyDrop::new(connection),
            vfs: ManuallyDrop::new(vfs),
            state,
            permits: None,
        })
    }

    /// Asks `permits` about everything that a statement would do. Names that are no UTF-8 are shown to it with U+FFFD
    /// (the library's own hook panics on them).
    pub(crate) fn set_authorizer(&mut self, permits: Permits) {
        let permits = Box::new(permits);
        let argument: *const Permits = &raw const *permits;
        // SAFETY: the connection is open; the argument is behind a box that is kept until the connection is closed, and is
        // only read through it.
        unsafe {
            ffi::sqlite3_set_authorizer(
                self.connection.handle(),
                Some(callbacks::authorize),
                argument.cast_mut().cast(),
            );
        }
        self.permits = Some(permits);
    }

    /// The names of the columns of `statement`, prepared from `sql`, as bytes: they need not be UTF-8 (and the library
    /// panics where they are not).
    pub(crate) fn column_names(&self, sql: &str, statement: &Statement<'_>) -> Vec<Vec<u8>> {
        let mut names = Vec::new();
        if let Some(raw) = self.raw(sql, statement) {
            for index in 0..c_int::try_from(statement.column_count()).unwrap_or(0) {
                // SAFETY: the statement is not finalised, as it is borrowed; a name is null, or a C string that stays valid
                // until the next call with the statement, and is copied.
                names.push(unsafe {
                    let name = ffi::sqlite3_column_name(raw, index);
                    if name.is_null() { Vec::new() } else { CStr::from_ptr(name).to_bytes().to_vec() }
                });
            }
        }
        names.resize(statement.column_count(), Vec::new());
        names
    }

    /// How many steps of `statement`, prepared from `sql`, are called one of `names`; `None` where that cannot be said. The
    /// statement is explained as it stands, which takes a fraction of the time of preparing it once more.
    pub(crate) fn count_steps(
        &self,
        sql: &str,
        statement: &mut Statement<'_>,
        names: &[&str],
    ) -> rusqlite::Result<Option<u64>> {
        let Some(raw) = self.raw(sql, statement) else { return Ok(None) };
        // SAFETY: the statement is not finalised, and nobody else uses it, as it is borrowed mutably; it does not run. It is
        // an explanation from the first call on, and itself again behind the last. A text is null, or a C string that stays
        // valid until the next step.
        let (count, restored) = unsafe {
            if ffi::sqlite3_stmt_isexplain(raw) != 0 {
                return Ok(Some(0));
            }
            if ffi::sqlite3_stmt_explain(raw, 1) != ffi::SQLITE_OK {
                return Ok(None);
            }
            let mut count = 0;
            while ffi::sqlite3_step(raw) == ffi::SQLITE_ROW {
                let name = ffi::sqlite3_column_text(raw, 1);
                let is_one = !name.is_null() && {
                    let name = CStr::from_ptr(name.cast()).to_bytes();
                    names.iter().any(|one| one.as_bytes() == name)
                };
                count += u64::from(is_one);
            }
            ffi::sqlite3_reset(raw);
            (count, ffi::sqlite3_stmt_explain(raw, 0))
        };
        match restored {
            ffi::SQLITE_OK => Ok(Some(count)),
            code => Err(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None)),
        }
    }

    /// SQLite's own handle of `statement`, prepared from `sql`.
    fn raw(&self, sql: &str, statement: &Statement<'_>) -> Option<*mut ffi::sqlite3_stmt> {
        let count = c_int::try_from(statement.column_count()).unwrap_or(0);
        // SAFETY: the connection is open and used by this thread alone; its statements are valid while the list is walked,
        // as none is finalised meanwhile. A text is a C string that stays valid until then.
        unsafe {
            let mut raw = ffi::sqlite3_next_stmt(self.connection.handle(), ptr::null_mut());
            while !raw.is_null() {
                let text = ffi::sqlite3_sql(raw);
                let is_it = !text.is_null()
                    && sql.as_bytes().starts_with(CStr::from_ptr(text).to_bytes())
                    && ffi::sqlite3_column_count(raw) == count;
                if is_it {
                    return Some(raw);
                }
                raw = ffi::sqlite3_next_stmt(self.connection.handle(), raw);
            }
        }
        None
    }

    /// Ends statements when it is time to, or when they take more than `memory` bytes; that is looked at every `steps` of
    /// their steps.
    pub(crate) fn set_progress(&mut self, steps: c_int, memory: u64) -> rusqlite::Result<()> {
        let state = Arc::clone(&self.state);
        let must_stop = move || {
            let over = Presence::are_over(memory);
            if over {
                state.over_memory.store(true, Relaxed);
            }
            over || state.watch.must_stop()
        };
        self.connection.progress_handler(steps, Some(must_stop))
    }

    /// The bytes that the database is read from.
    pub(crate) fn pages(&self) -> &Pages {
        &self.state.pages
    }

    /// Whether a statement wanted more memory than it may have, or more for temporary files.
    pub(crate) fn wanted_more_memory(&self) -> bool {
        self.state.temporary.was_exceeded() || self.state.over_memory.load(Relaxed)
    }
}

impl Deref for Hosted {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        &self.connection
    }
}

impl Drop for Hosted {
    fn drop(&mut self) {
        // SAFETY: neither field is used again after it was taken here.
        let (connection, vfs) =
            unsafe { (ManuallyDrop::take(&mut self.connection), ManuallyDrop::take(&mut self.vfs)) };
        if let Err((connection, _)) = connection.close() {
            // Statements cannot outlive the borrow of the connection, so this does not happen. If it did, SQLite would
            // still hold pointers into the file system: both stay for ever.
            std::mem::forget((connection, vfs, self.permits.take()));
        }
    }
}

/// A file system that is registered with SQLite.
#[derive(Debug)]
struct Registered {
    vfs: *mut ffi::sqlite3_vfs,
    /// What `vfs.zName` points to.
    name: CString,
}

// SAFETY: the structure behind the pointer is read by SQLite under its own mutex and written by nobody else after it was
// registered; what `pAppData` points to is `Send + Sync` (see `State`).
unsafe impl Send for Registered {}

impl Registered {
    fn new(state: Arc<State>) -> rusqlite::Result<Self> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        // The address tells copies of this crate in one process apart.
        let name = format!("read-sqlite-{:p}-{}", &raw const COUNT, COUNT.fetch_add(1, Relaxed));
        let name = CString::new(name)?;
        let state = Arc::into_raw(state).cast_mut().cast();
        let vfs = Box::into_raw(Box::new(callbacks::vfs(name.as_ptr(), state)));
        // From here on the drop below undoes everything.
        let this = Self { vfs, name };
        // SAFETY: `vfs` points to a valid structure that stays where it is until it is unregistered in `drop`.
        let result = unsafe { ffi::sqlite3_vfs_register(this.vfs, 0) };
        if result == ffi::SQLITE_OK {
            Ok(this)
        } else {
            Err(rusqlite::Error::SqliteFailure(ffi::Error::new(result), None))
        }
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        // SAFETY: the pointer came from `Box::into_raw` in `new`, and so did `pAppData` from `Arc::into_raw`; both are
        // given back once. SQLite forgets the structure before it is freed (it tolerates one that is not registered),
        // and no connection uses it any more: `Hosted` closes its own first.
        unsafe {
            ffi::sqlite3_vfs_unregister(self.vfs);
            let vfs = Box::from_raw(self.vfs);
            drop(Arc::from_raw(vfs.pAppData.cast::<State>().cast_const()));
        }
        self.vfs = ptr::null_mut();
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use read_core::{Meter, Slice};
    use std::collections::HashMap;
    use std::time::Duration;

    /// A one-page database without tables, as SQLite would write it.
    fn empty_database() -> Slice {
        let mut page = vec![0_u8; 4096];
        page[..16].copy_from_slice(b"SQLite format 3\0");
        page[16..24].copy_from_slice(&[0x10, 0, 1, 1, 0, 64, 32, 32]);
        page[28..32].copy_from_slice(&1_u32.to_be_bytes());
        page[44..48].copy_from_slice(&4_u32.to_be_bytes());
        page[56..60].copy_from_slice(&1_u32.to_be_bytes());
        page[100] = 13;
        page[105..107].copy_from_slice(&4096_u16.to_be_bytes());
        Slice::from_bytes(page)
    }

    /// A connection to a database without tables, under that watch.
    pub(crate) fn connect_with(watch: Watch) -> Hosted {
        Hosted::connect(Pages::new(empty_database(), None), watch, 1 << 20).unwrap()
    }

    /// A connection to a database without tables, with so much for temporary files.
    pub(crate) fn connect(temporary: u64) -> Hosted {
        let watch = Watch::start(Meter::unbounded(), Duration::from_secs(60));
        Hosted::connect(Pages::new(empty_database(), None), watch, temporary).unwrap()
    }

    #[test]
    fn it_opens_and_computes() {
        let database = connect(1 << 20);
        let sum: i64 = database
            .query_row("SELECT 1 + (SELECT count(*) FROM sqlite_schema)", [], |row| row.get(0))
            .unwrap();
        assert_eq!(sum, 1);
        let today: String = database.query_row("SELECT date('now')", [], |row| row.get(0)).unwrap();
        assert_eq!(today.len(), 10);
    }

    #[test]
    fn no_name_opens_anything() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.db");
        let database = connect(1 << 20);
        for sql in [
            format!("ATTACH '{}' AS a", path.display()),
            format!("ATTACH 'file:{}?mode=rwc' AS b", path.display()),
            "ATTACH 'database' AS c".to_owned(),
            format!("VACUUM INTO '{}'", path.display()),
            "CREATE TABLE t(x)".to_owned(),
        ] {
            assert!(database.execute_batch(&sql).is_err(), "{sql}");
        }
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn names_that_are_no_utf8_come_as_they_are() {
        let mut database = connect(1 << 20);
        database.set_authorizer(Box::new(|_, _, _| true));
        let sql = "SELECT 1 AS a, 2 AS b; -- and no more";
        let statement = database.prepare(sql).unwrap();
        assert_eq!(database.column_names(sql, &statement), [b"a", b"b"]);
    }

    #[test]
    fn a_statement_that_was_explained_still_runs() {
        let database = connect(1 << 20);
        let sql = format!("SELECT {}", vec!["abs(x + 1)"; 20].join(" + ") + " FROM (SELECT 1 AS x)");
        let mut statement = database.prepare(&sql).unwrap();
        let steps = database.count_steps(&sql, &mut statement, &["Add", "Function"]).unwrap();
        assert!(steps >= Some(39), "{steps:?}");
        let sum: i64 = statement.query_row([], |row| row.get(0)).unwrap();
        assert_eq!((sum, statement.column_count()), (40, 1));
        let sql = "EXPLAIN SELECT 1";
        let mut statement = database.prepare(sql).unwrap();
        assert_eq!(database.count_steps(sql, &mut statement, &["Init"]).unwrap(), Some(0));
    }

    #[test]
    fn what_is_not_permitted_is_not_prepared_and_a_panic_permits_nothing() {
        let mut database = connect(1 << 20);
        database
            .set_authorizer(Box::new(|code, _, name| code != ffi::SQLITE_FUNCTION || name == Some("abs")));
        assert!(database.prepare("SELECT abs(1)").is_ok());
        assert!(database.prepare("SELECT hex(1)").is_err());
        database.set_authorizer(Box::new(|_, _, _| std::panic::resume_unwind(Box::new(()))));
        assert!(database.prepare("SELECT 1").is_err());
    }

    #[test]
    fn sorting_stays_within_its_allowance() {
        let rows = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 200000) \
                    SELECT count(*) FROM (SELECT DISTINCT x, hex(x) || zeroblob(40) AS y FROM c ORDER BY y)";
        let count = |database: &Hosted| database.query_row(rows, [], |row| row.get::<_, i64>(0));
        assert_eq!(count(&connect(1 << 30)).unwrap(), 200_000);
        let small = connect(1 << 20);
        assert!(count(&small).is_err());
        assert!(small.wanted_more_memory());
    }

    /// The words of SQL that this SQLite knows.
    fn keywords() -> Vec<String> {
        // SAFETY: the first function takes nothing; the second gives a name that lives for ever and is as long as it says.
        unsafe {
            (0..ffi::sqlite3_keyword_count())
                .map(|number| {
                    let (mut name, mut len) = (ptr::null(), 0);
                    assert_eq!(
                        ffi::sqlite3_keyword_name(number, &raw mut name, &raw mut len),
                        ffi::SQLITE_OK
                    );
                    let bytes = std::slice::from_raw_parts(name.cast::<u8>(), usize::try_from(len).unwrap());
                    String::from_utf8(bytes.to_vec()).unwrap()
                })
                .collect()
        }
    }

    #[test]
    fn what_is_written_without_quotes_is_read_as_a_name() {
        let keywords = keywords();
        assert!(keywords.len() > 100);
        let mut wrong = Vec::new();
        for word in keywords.iter().filter(|word| crate::sql::is_plain(word)) {
            let database = Connection::open_in_memory().unwrap();
            database
                .execute_batch(&format!(
                    "CREATE TABLE t(id, \"{word}\" DEFAULT 5); INSERT INTO t(id) VALUES (1)"
                ))
                .unwrap();
            for condition in [
                format!("{word}>4"),
                format!("({word},id)>(4,0)"),
                format!("({word} IS NOT NULL AND {word}=5)"),
            ] {
                let sql = format!("SELECT count(*) FROM t WHERE (1) AND {condition} ORDER BY {word}");
                let count = database.query_row(&sql, [], |row| row.get::<_, i64>(0));
                if count.ok() != Some(1) {
                    wrong.push(sql);
                }
            }
        }
        assert_eq!(wrong, [""; 0]);
    }

    #[test]
    fn opening_leaves_nothing_behind() {
        let shared = empty_database();
        let bytes = Arc::clone(shared.at());
        let before = Arc::strong_count(&bytes);
        for n in 0..10_000 {
            let watch = Watch::start(Meter::unbounded(), Duration::from_secs(600));
            let pages = Pages::new(Slice::new(Arc::clone(&bytes), shared.len()), None);
            let database = Hosted::connect(pages, watch, 1 << 20).unwrap();
            if n % 1000 == 0 {
                let tables: i64 =
                    database.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).unwrap();
                assert_eq!(tables, 0);
            }
        }
        assert_eq!(Arc::strong_count(&bytes), before);
        // SAFETY: a read of SQLite's list of file systems; a null name gives the first of them.
        let mut vfs = unsafe { ffi::sqlite3_vfs_find(ptr::null()) };
        let mut names: HashMap<String, usize> = HashMap::new();
        while !vfs.is_null() {
            // SAFETY: SQLite's own list of valid structures. (Other tests may add to it; only names are counted.)
            unsafe {
                *names.entry(CStr::from_ptr((*vfs).zName).to_string_lossy().into_owned()).or_default() += 1;
                vfs = (*vfs).pNext;
            }
        }
        assert!(names.keys().filter(|name| name.starts_with("read-sqlite-")).count() < 100, "{names:?}");
    }
}
