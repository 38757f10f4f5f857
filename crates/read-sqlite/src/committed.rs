//! One committed state of a database: locks are met, an unapplied log is put over the file, an unfinished transaction is
//! taken back, all without a write; and at the end it can be told whether the state held while it was read.

use std::fs::File;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use read_core::{ErrorCode, Identity, Notice, Rank, ReadContext, ReadError, Slice, Source, size};

use crate::journal::{self, Journal};
use crate::options::Options;
use crate::pages::Pages;
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
        options: &Options,
        watch: &Watch,
    ) -> Result<State, ReadError> {
        let held = source.to_seekable(cx.limits().max_buffered, cx.spool())?;
        // A part of an archive is not locked: what the locks would be about is the archive.
        let is_file = held.start() == 0 && held.at().as_file().is_some();
        let lock = if is_file { acquire(&held, source, options, watch)? } else { None };
        let file = if is_file { at_present(&held) } else { held };
        let io = |error| ReadError::io(source.path(), error);
        let mut committed = Self {
            source: source.clone(),
            begun: SystemTime::now(),
            identity: file.at().as_file().filter(|_| is_file).and_then(|file| Identity::now(file).ok()),
            log: None,
            may_change: is_file && lock.is_none(),
            lock,
        };
        let mut notices = Vec::new();
        if let Some(overlay) = committed.hot_journal(watch, &mut notices)? {
            return Ok(State { pages: Pages::new(file, Some(overlay)), committed, notices });
        }
        let mut head = [0; 20];
        file.read_full_at(&mut head, 0).map_err(io)?;
        let in_wal_mode = head.get(18..20) == Some(&[2, 2]);
        committed.may_change |= is_file && in_wal_mode;
        let mut overlay = None;
        if let Some(log) = committed.side_file(LOG, &mut notices)? {
            let (wal, mark) = wal::read(&log, watch).map_err(|error| stopped(watch, source, error))?;
            match wal {
                Wal::Empty => {}
                Wal::Committed(pages) if page_size(&file) == Some(pages.page_size) => overlay = Some(pages),
                Wal::Committed(_) | Wal::Unknown => notices.push(not_applied(&log)),
            }
            committed.may_change |= is_file;
            committed.log = Some(Log { slice: log, mark });
        }
        Ok(State { pages: Pages::new(file, overlay), committed, notices })
    }

    /// Whether what was read is one state: no checkpoint has written newer pages into the file, no log was overwritten,
    /// none appeared.
    pub(crate) fn held(&self) -> bool {
        if !self.may_change {
            return true;
        }
        let file_changed = self.file_changed();
        let Ok(now) = self.source.sibling(LOG) else {
            // It appeared since: what it holds is newer.
            return self.log.is_none() && !file_changed && self.is_settled();
        };
        match (&self.log, now) {
            (None, None) => !file_changed,
            // A log that appeared holds newer commits; as long as the file is the same, none of them is in it.
            (None, Some(log)) => !file_changed && (log.length() == Some(0) || self.is_settled()),
            (Some(_), None) => false,
            (Some(log), Some(now)) => {
                let now = now.slice().and_then(|slice| slice.at().as_file());
                let replaced =
                    log.slice.at().as_file().zip(now).is_some_and(|(then, now)| !is_same(then, now));
                !replaced
                    && match log.mark.compare(&at_present(&log.slice)) {
                        Ok(Since::Same) => true,
                        Ok(Since::Longer) => !file_changed && self.is_settled(),
                        Ok(Since::Anew) | Err(_) => false,
                    }
            }
        }
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
        watch: &Watch,
        notices: &mut Vec<Notice>,
    ) -> Result<Option<crate::pages::Overlay>, ReadError> {
        let Some(journal) = self.side_file(JOURNAL, notices)? else { return Ok(None) };
        // A journal of a transaction that is under way is its writer's own; the file is as it was until that writer has
        // the file for itself.
        if self.lock.as_ref().is_some_and(SharedLock::is_reserved) {
            return Ok(None);
        }
        match journal::read(&journal, watch).map_err(|error| stopped(watch, &self.source, error))? {
            Journal::Cold => Ok(None),
            Journal::Hot(_) if self.lock.is_none() && self.identity.is_some() => {
                Err(unfinished(&self.source))
            }
            Journal::Hot(overlay) => Ok(Some(overlay)),
            Journal::OfSeveralFiles => Err(unfinished(&self.source)),
        }
    }

    /// The content of a file beside the database; `None` when there is none, or nothing in it.
    fn side_file(&self, suffix: &str, notices: &mut Vec<Notice>) -> Result<Option<Slice>, ReadError> {
        let side = match self.source.sibling(suffix) {
            Ok(Some(side)) => side,
            Ok(None) => return Ok(None),
            Err(error) if error.code() == ErrorCode::Denied => {
                notices.push(Notice::new(
                    Rank::Odd,
                    format!("The database's {suffix} file may not be read; recent changes may be missing"),
                ));
                return Ok(None);
            }
            Err(error) if error.code() == ErrorCode::ResolutionChanged => {
                // A journal that is its writer's own is not looked at in any case.
                if suffix == JOURNAL && self.lock.as_ref().is_some_and(SharedLock::is_reserved) {
                    return Ok(None);
                }
                return Err(written_to(&self.source).with_cause(error));
            }
            Err(error) => return Err(error),
        };
        let Some(slice) = side.slice() else { return Ok(None) };
        let slice = at_present(slice);
        Ok((!slice.is_empty()).then_some(slice))
    }
}

/// Takes the shared lock, waiting for a writer as long as the options say.
fn acquire(
    file: &Slice,
    source: &Source,
    options: &Options,
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
            Attempt::Busy if start.elapsed() >= options.lock_wait => {
                return Err(ReadError::new(
                    ErrorCode::Busy,
                    format!(
                        "'{}' is locked by another program that is writing to it (waited {} s). Try again later.",
                        source.path(),
                        options.lock_wait.as_secs_f64()
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

/// The file as long as it is now: it may have grown since it was opened.
fn at_present(slice: &Slice) -> Slice {
    let len = slice.at().as_file().and_then(|file| file.metadata().ok()).map(|meta| meta.len());
    match len {
        Some(len) if len != slice.len() => Slice::new(Arc::clone(slice.at()), len),
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

/// The page size that the header states.
fn page_size(file: &Slice) -> Option<u32> {
    let mut bytes = [0; 2];
    file.read_full_at(&mut bytes, 16).ok().filter(|n| *n == 2)?;
    Some(match u16::from_be_bytes(bytes) {
        1 => 65_536,
        n => u32::from(n),
    })
}

fn not_applied(log: &Slice) -> Notice {
    Notice::new(
        Rank::Odd,
        format!("{} of write-ahead log not applied; recent changes may be missing", size(log.len())),
    )
}

fn stopped(watch: &Watch, source: &Source, error: std::io::Error) -> ReadError {
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
