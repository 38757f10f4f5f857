//! One committed state of a database: locks are met, an unapplied log is put over the file, an unfinished transaction is
//! taken back, all without a write; and at the end it can be told whether the state held while it was read.
//!
//! # Rollback journals
//!
//! While the shared lock is held nobody writes to the file. A journal beside it is either its writer's own (that holds the
//! reserved lock, and the file is as it was), or hot: a writer crashed, and the pages in it are those of the last committed
//! state. Only somebody with the file for himself could take them back, so that it stays hot as long as the lock is held.
//!
//! # Write-ahead logs
//!
//! Writers append frames to the log and checkpoints copy committed frames into the file, both while others hold shared
//! locks. `-shm`, by which they agree with each other, is not looked at (it may be missing, and what it says is in the log
//! too): a read is made as if nobody wrote, and then proved. Let G be the log as its header names it (salts that change
//! whenever it starts anew), and e the end of the last commit that was read in it.
//!
//! * *What is shown.* A page is taken from the last frame up to e that holds it, else from the file. The log starts anew only
//!   once all its frames were copied, so that pages without a frame in G are in the file as they were before G, in full; the
//!   length of the file is asked after the log was read, for the same reason.
//! * *What could be wrong with it.* A page from the file is wrong only if a checkpoint copied a frame beyond e to it (frames
//!   up to e are of pages that the file is not asked for). A page from the log is wrong only if it started anew, for frames
//!   up to e are never written over while G lasts; frames beyond e that were not committed may be.
//! * *How that shows.* Whatever is copied was committed before, by a frame that stands in the log; and a log that starts anew
//!   gets its header before any frame is written over. So after the last read ([`Mark::compare`]): if no valid frame from e
//!   on commits anything, *and then* the header is the same, no such frame can have been copied, and nothing was written
//!   over. What was pending behind e when the log was read proves nothing: it may have become a commit since, so that frames
//!   are followed from e, not from where reading ended.
//! * *Where something was committed meanwhile* the state still holds if nothing was copied: if size and time of the file are
//!   those from before the log was read, and that time was old enough that a later change would show.
//! * *Where there was no log,* or an empty one, nothing was committed if that is still so. One that has appeared says nothing,
//!   even without a commit: it may have started anew after others. One without a valid header holds nothing until that changes.
//!
//! What cannot be proved is read again, for as long as a lock would be waited for; from the second time on a database of
//! moderate size is copied first, so that the time in which nothing may be committed is that of the copy and not that of a
//! query. Errors count as little as answers before the proof: a mixture of two states looks damaged.

use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use read_core::{ErrorCode, Identity, Notice, Rank, ReadContext, ReadError, Slice, Source, size};

use crate::format::{PAGE_SIZE_AT, page_size};
use crate::journal::{self, Journal};
use crate::limits::{COPIED, SqliteLimits};
use crate::pages::{Overlay, Pages};
use crate::vfs::lock::{Attempt, SharedLock};
use crate::wal::{self, Mark, Since, Wal};
use crate::watch::Watch;

/// What the name of the rollback journal has behind the database's.
pub(crate) const JOURNAL: &str = "-journal";
/// What the name of the write-ahead log has behind the database's.
pub(crate) const LOG: &str = "-wal";

/// How long to wait between two attempts at a lock.
const PAUSE: Duration = Duration::from_millis(10);

/// File systems stamp times by a clock that ticks at most this far apart.
const TICK: Duration = Duration::from_millis(50);

/// What proves that a state held while it was read.
#[derive(Debug)]
pub(crate) struct Committed {
    source: Source,
    begun: SystemTime,
    lock: Option<SharedLock>,
    /// The file as it was when reading began, where it is a file.
    identity: Option<Identity>,
    log: Option<Log>,
    /// Whether the file may be written to beside the lock: by a checkpoint, or since there is no lock.
    may_change: bool,
}

/// The log beside the file, as it was.
#[derive(Debug)]
struct Log {
    slice: Slice,
    mark: Mark,
}

/// A state to read.
pub(crate) struct State {
    pub(crate) pages: Pages,
    pub(crate) committed: Committed,
    pub(crate) notices: Vec<Notice>,
}

impl Committed {
    /// Finds the last committed state of `source`.
    pub(crate) fn find(
        source: &Source,
        cx: &ReadContext<'_>,
        limits: &SqliteLimits,
        watch: &Watch,
    ) -> Result<State, ReadError> {
        let held = cx.held(source)?;
        // A part of an archive is not locked: what the locks would be about is the archive.
        let is_file = is_file(source);
        let lock = if is_file { acquire(&held, source, limits, watch)? } else { None };
        let io = |error| ReadError::io(source.path(), error);
        let mut committed = Self {
            source: source.clone(),
            begun: SystemTime::now(),
            identity: held.at().as_file().filter(|_| is_file).and_then(|file| Identity::now(file).ok()),
            log: None,
            may_change: is_file && lock.is_none(),
            lock,
        };
        let mut notices = Vec::new();
        let mut head = [0; 4];
        held.read_full_at(&mut head, PAGE_SIZE_AT).map_err(io)?;
        let [size @ .., write, read] = head;
        let (stated, in_wal_mode) = (page_size(size), [write, read] == [2, 2]);
        if let Some(overlay) = committed.hot_journal(in_wal_mode, cx, watch)? {
            return Ok(State { pages: Pages::new(at_present(&held), Some(overlay)), committed, notices });
        }
        committed.may_change |= is_file && in_wal_mode;
        let mut overlay = None;
        match committed.side_file(LOG, cx)? {
            Side::Absent => {}
            Side::Unreadable(error) => notices.push(unreadable_log(&error)),
            Side::Content(log) => {
                let (wal, mark) = wal::read(&log, watch).map_err(|error| stopped(watch, source, error))?;
                match wal {
                    Wal::Empty => {}
                    Wal::Committed(pages) if stated == Some(pages.page_size) => {
                        overlay = Some(pages);
                    }
                    Wal::Committed(_) | Wal::Unknown => notices.push(not_applied(&log)),
                }
                committed.may_change |= is_file;
                committed.log = Some(Log { slice: log, mark });
            }
        }
        // The length is that after the log was read: see above.
        Ok(State { pages: Pages::new(at_present(&held), overlay), committed, notices })
    }

    /// Whether what was read up to now is one state. Asked after the last read.
    pub(crate) fn held(&self, watch: &Watch) -> bool {
        if !self.may_change {
            return true;
        }
        match self.since(watch) {
            Since::Same => true,
            Since::Longer => !self.file_changed() && self.is_settled(),
            Since::Anew => false,
        }
    }

    /// What happened to the log.
    fn since(&self, watch: &Watch) -> Since {
        let now = self.source.sibling(LOG);
        match (&self.log, now) {
            // Without locks somebody may write to the file itself. A log that appeared since this read was prepared is not
            // looked at: whatever it holds is newer.
            (None, _) if self.lock.is_none() => Since::Longer,
            (None, Err(_)) => Since::Longer,
            (None, Ok(None)) => Since::Same,
            // A log without commits may follow others that were copied to the file in full.
            (None, Ok(Some(log))) => match log.slice().map(at_present) {
                Some(log) if log.is_empty() => Since::Same,
                _ => Since::Longer,
            },
            (Some(_), Ok(None) | Err(_)) => Since::Anew,
            (Some(log), Ok(Some(now))) => {
                let now = now.slice().and_then(|slice| slice.at().as_file());
                let replaced =
                    log.slice.at().as_file().zip(now).is_some_and(|(then, now)| !is_same(then, now));
                if replaced {
                    return Since::Anew;
                }
                log.mark.compare(&at_present(&log.slice), watch).unwrap_or(Since::Anew)
            }
        }
    }

    /// Puts a copy in place of what may change, if the database is not too large for that: then the state holds for good.
    /// `None` where it did not hold until the copy was made.
    pub(crate) fn copied(
        mut self,
        pages: Pages,
        cx: &ReadContext<'_>,
        watch: &Watch,
    ) -> Result<Option<(Self, Pages)>, ReadError> {
        if !self.may_change || pages.len() > COPIED {
            return Ok(Some((self, pages)));
        }
        let mut whole = PagesReader { pages: &pages, at: 0 };
        let copy = cx.spool().hold(&mut whole, COPIED);
        let copy = copy.map_err(|error| stopped(watch, &self.source, error))?;
        if !self.held(watch) {
            return Ok(None);
        }
        Ok(Some(match copy {
            Some(copy) => {
                self.may_change = false;
                (self, Pages::new(copy, None))
            }
            None => (self, pages),
        }))
    }

    /// Whether a log is part of what is read: the file's identity does not tell its content then.
    pub(crate) fn has_log(&self) -> bool {
        self.log.is_some()
    }

    fn file_changed(&self) -> bool {
        let Some(then) = &self.identity else { return false };
        let file = self.source.slice().and_then(|slice| slice.at().as_file());
        file.and_then(|file| Identity::now(file).ok()).is_none_or(|now| !then.same_content(&now))
    }

    /// Whether the file's time of change was old enough, when reading began, that another change would show in it.
    fn is_settled(&self) -> bool {
        let Some((seconds, nanos)) = self.identity.as_ref().map(Identity::modified) else { return false };
        let Ok(seconds) = u64::try_from(seconds) else { return true };
        UNIX_EPOCH
            .checked_add(Duration::new(seconds, nanos.min(999_999_999)))
            .and_then(|modified| self.begun.duration_since(modified).ok())
            .is_some_and(|age| age > TICK)
    }

    /// The pages that an unfinished transaction replaced.
    fn hot_journal(
        &self,
        in_wal_mode: bool,
        cx: &ReadContext<'_>,
        watch: &Watch,
    ) -> Result<Option<Overlay>, ReadError> {
        let journal = match self.side_file(JOURNAL, cx)? {
            Side::Absent => return Ok(None),
            // A journal of a transaction that is under way is its writer's own; the file is as it was until that writer has
            // the file for itself.
            _ if self.lock.as_ref().is_some_and(SharedLock::is_reserved) => return Ok(None),
            // Those that write to a log have no other journal.
            Side::Unreadable(_) if in_wal_mode => return Ok(None),
            Side::Unreadable(error) => return Err(unreadable_journal(&self.source, error)),
            Side::Content(journal) => journal,
        };
        match journal::read(&journal, watch).map_err(|error| stopped(watch, &self.source, error))? {
            Journal::Cold => Ok(None),
            Journal::Hot(_) if self.lock.is_none() && self.identity.is_some() => {
                Err(unfinished(&self.source))
            }
            Journal::Hot(overlay) => Ok(Some(overlay)),
            Journal::OfSeveralFiles => Err(unfinished(&self.source)),
        }
    }

    /// A file beside the database.
    fn side_file(&self, suffix: &str, cx: &ReadContext<'_>) -> Result<Side, ReadError> {
        let side = match self.source.sibling(suffix) {
            Ok(Some(side)) if side.entries().is_some() => return Ok(Side::Absent),
            Ok(Some(side)) => side,
            Ok(None) => return Ok(Side::Absent),
            Err(error) => return self.without(suffix, error),
        };
        let slice = match cx.held(&side) {
            Ok(slice) => at_present(&slice),
            Err(error) => return self.without(suffix, error),
        };
        Ok(if slice.is_empty() { Side::Absent } else { Side::Content(slice) })
    }

    fn without(&self, suffix: &str, error: ReadError) -> Result<Side, ReadError> {
        match error.code() {
            ErrorCode::Cancelled | ErrorCode::TimedOut => Err(error),
            // A journal that is its writer's own is not looked at in any case.
            ErrorCode::ResolutionChanged
                if suffix == JOURNAL && self.lock.as_ref().is_some_and(SharedLock::is_reserved) =>
            {
                Ok(Side::Absent)
            }
            ErrorCode::ResolutionChanged => Err(written_to(&self.source).with_cause(error)),
            _ => Ok(Side::Unreadable(error)),
        }
    }
}

/// What lies beside a database under one name.
enum Side {
    /// Nothing, or nothing in it.
    Absent,
    Content(Slice),
    /// Something, or something that may not even be looked for.
    Unreadable(ReadError),
}

/// Reads pages from the first to the last.
struct PagesReader<'a> {
    pages: &'a Pages,
    at: u64,
}

impl Read for PagesReader<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.pages.read(buf, self.at)?;
        self.at = self.at.saturating_add(n as u64);
        Ok(n)
    }
}

/// Takes the shared lock, waiting for a writer as long as the limits say.
fn acquire(
    file: &Slice,
    source: &Source,
    limits: &SqliteLimits,
    watch: &Watch,
) -> Result<Option<SharedLock>, ReadError> {
    let start = Instant::now();
    loop {
        match SharedLock::attempt(file.at()) {
            Attempt::Held(lock) => {
                watch.extend(start.elapsed());
                return Ok(Some(lock));
            }
            Attempt::Impossible => return Ok(None),
            Attempt::Busy if start.elapsed() >= limits.lock_wait => {
                return Err(ReadError::new(
                    ErrorCode::Busy,
                    format!(
                        "'{}' is locked by another program that is writing to it (waited {} s). Try again later.",
                        source.path(),
                        limits.lock_wait.as_secs_f64()
                    ),
                ));
            }
            Attempt::Busy => {
                // The time to wait does not count as work, so only the read's own meter is asked.
                watch.extend(PAUSE);
                watch.check()?;
                std::thread::sleep(PAUSE);
            }
        }
    }
}

/// Whether a source is a file, not a part of one, such as a member of an archive, nor what was decoded from one.
fn is_file(source: &Source) -> bool {
    source.slice().is_some_and(|slice| slice.start() == 0 && slice.at().as_file().is_some())
}

/// A file as long as it is now: it may have grown since it was opened.
fn at_present(slice: &Slice) -> Slice {
    let len = slice.at().as_file().and_then(|file| file.metadata().ok()).map(|meta| meta.len());
    match len {
        Some(len) if slice.start() == 0 && len != slice.len() => Slice::new(Arc::clone(slice.at()), len),
        _ => slice.clone(),
    }
}

/// Whether two handles are of one file.
#[cfg(unix)]
fn is_same(then: &File, now: &File) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |file: &File| file.metadata().ok().map(|meta| (meta.dev(), meta.ino()));
    id(then).is_some_and(|then| id(now) == Some(then))
}

/// Whether two handles are of one file; not to be told on this platform.
#[cfg(not(unix))]
fn is_same(_: &File, _: &File) -> bool {
    false
}

fn not_applied(log: &Slice) -> Notice {
    Notice::new(
        Rank::Odd,
        format!("{} of write-ahead log not applied; recent changes may be missing", size(log.len())),
    )
}

fn unreadable_log(error: &ReadError) -> Notice {
    let text = if error.code() == ErrorCode::Denied {
        format!("The database's {LOG} file may not be read; recent changes may be missing")
    } else {
        format!("Write-ahead log not applied, as it cannot be read; recent changes may be missing: {error}")
    };
    Notice::new(Rank::Odd, text)
}

fn unreadable_journal(source: &Source, error: ReadError) -> ReadError {
    let path = source.path();
    let (code, why) = match error.code() {
        ErrorCode::Denied => (ErrorCode::Denied, "is denied by this host's rules".to_owned()),
        _ => (ErrorCode::Busy, format!("cannot be read ({error})")),
    };
    let message = format!(
        "'{path}': its {JOURNAL} file {why}, and only that tells whether a transaction was left unfinished and what it \
         replaced. Without it no committed state can be shown."
    );
    ReadError::new(code, message).with_cause(error)
}

fn stopped(watch: &Watch, source: &Source, error: io::Error) -> ReadError {
    watch.check().err().unwrap_or_else(|| ReadError::io(source.path(), error))
}

/// The error where no unchanged state could be read.
pub(crate) fn written_to(source: &Source) -> ReadError {
    ReadError::new(
        ErrorCode::Busy,
        format!(
            "'{}' was being written to while it was read, and no one state of it could be shown. Read again.",
            source.path()
        ),
    )
}

fn unfinished(source: &Source) -> ReadError {
    ReadError::new(
        ErrorCode::Busy,
        format!(
            "'{}' has the journal of an unfinished transaction beside it, which only a program that may write to it can roll \
             back. Open it once with that program, then read again.",
            source.path()
        ),
    )
}
