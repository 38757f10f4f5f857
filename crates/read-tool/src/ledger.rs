//! Observations: what was read of each file, as proof for an edit that comes later.

mod observing;
mod row;
mod stored;

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) use observing::Observing;
use row::{Hash, Row, Seen};
pub use stored::{Loaded, StoredLedger};

/// What makes a read complete enough to edit by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Completeness {
    /// Every line was shown; pages of the same bytes add up.
    #[default]
    EveryLineShown,
    /// Every byte was read, whatever part of it was shown.
    EveryByteRead,
}

/// Whether a file may be edited by what was read of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CanEdit {
    /// It was read completely and has not changed; or it was found absent and still is.
    Yes,
    /// It was not read.
    ReadRequired,
    /// It was read, but not completely.
    Truncated,
    /// It has changed since it was read.
    Stale,
}

/// The bounds of a [`Ledger`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LedgerLimits {
    /// Paths remembered; the one observed longest ago is forgotten first. Default 10,000.
    pub paths: usize,
    /// The longest file that is read whole for its hash when only a page of it is shown, in bytes. A longer one counts as
    /// truncated unless its page is the whole. Default 16 MiB.
    pub whole_bytes: u64,
    /// Separate ranges of lines remembered for one path. Default 1,000.
    pub ranges: usize,
}

impl Default for LedgerLimits {
    fn default() -> Self {
        Self { paths: 10_000, whole_bytes: 16 << 20, ranges: 1_000 }
    }
}

/// What was read of each file. It observes a [`ReadTool`](crate::ReadTool) and answers an edit tool:
///
/// ```
/// use std::sync::Arc;
/// use read_tool::{CanEdit, Completeness, Ledger, MemoryFileSystem, ReadTool};
///
/// let ledger = Arc::new(Ledger::new(Completeness::EveryLineShown));
/// let files = MemoryFileSystem::new().with("a.txt", "one\ntwo\n");
/// let tool = ReadTool::builder().workspace(files).ledger(&ledger).build()?;
///
/// assert_eq!(ledger.can_edit("a.txt", Some(b"one\ntwo\n")), CanEdit::ReadRequired);
/// tool.read("a.txt:1-1")?;
/// assert_eq!(ledger.can_edit("a.txt", Some(b"one\ntwo\n")), CanEdit::Truncated);
/// tool.read("a.txt:2-2")?;
/// assert_eq!(ledger.can_edit("a.txt", Some(b"one\ntwo\n")), CanEdit::Yes);
/// assert_eq!(ledger.can_edit("a.txt", Some(b"other\n")), CanEdit::Stale);
/// # Ok::<(), read_tool::ReadError>(())
/// ```
#[derive(Debug, Default)]
pub struct Ledger {
    completeness: Completeness,
    limits: LedgerLimits,
    rows: Mutex<Rows>,
}

#[derive(Debug, Default)]
struct Rows {
    by_path: HashMap<String, Row>,
    /// Rises with each observation, to tell the oldest.
    clock: u64,
}

impl Ledger {
    /// An empty ledger with default limits.
    pub fn new(completeness: Completeness) -> Self {
        Self { completeness, ..Self::default() }
    }

    /// The same with these limits.
    #[must_use]
    pub fn with_limits(mut self, limits: LedgerLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Whether the file at `path` (as requirements and details name it) may be edited, given what it holds now; `None`: it
    /// does not exist now.
    pub fn can_edit(&self, path: &str, live: Option<&[u8]>) -> CanEdit {
        let rows = self.lock();
        let Some(row) = rows.by_path.get(path) else { return CanEdit::ReadRequired };
        match (&row.seen, live) {
            (Seen::Absent, None) => CanEdit::Yes,
            (Seen::Absent, Some(_)) | (Seen::File { .. }, None) => CanEdit::Stale,
            (Seen::File { hash, .. }, Some(live)) => {
                if !row.is_complete(self.completeness) {
                    return CanEdit::Truncated;
                }
                if hash.as_ref() == Some(&Hash::of(live)) { CanEdit::Yes } else { CanEdit::Stale }
            }
        }
    }

    /// Forgets what is known of a path: after a delete, say.
    pub fn forget(&self, path: &str) -> bool {
        self.lock().by_path.remove(path).is_some()
    }

    /// Paths remembered.
    pub fn len(&self) -> usize {
        self.lock().by_path.len()
    }

    /// Whether nothing is remembered.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn lock(&self) -> MutexGuard<'_, Rows> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn record(&self, path: &str, seen: Seen) {
        let mut rows = self.lock();
        rows.clock = rows.clock.saturating_add(1);
        let order = rows.clock;
        match rows.by_path.get_mut(path) {
            Some(row) => row.add(seen, self.completeness, self.limits.ranges, order),
            None => {
                rows.by_path.insert(path.to_owned(), Row::new(seen, order));
            }
        }
        while rows.by_path.len() > self.limits.paths {
            let oldest = rows.by_path.iter().min_by_key(|(_, row)| row.order).map(|(path, _)| path.clone());
            let Some(oldest) = oldest else { break };
            rows.by_path.remove(&oldest);
        }
    }
}
