//! What is known of one path.

use std::time::{SystemTime, UNIX_EPOCH};

use read_core::selector::{LineRange, LineRanges};
use sha2::{Digest, Sha256};

use super::Completeness;

/// SHA-256 of a file's raw bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hash(pub(super) [u8; 32]);

impl Hash {
    pub(super) fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }
}

/// What was seen at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// Nothing: it does not exist.
    Absent,
    /// A file.
    File {
        /// The hash of all its bytes; `None` where they were not all read.
        hash: Option<Hash>,
        /// Its size in bytes, as far as it was read.
        size: u64,
        /// The lines shown of these very bytes.
        shown: Option<LineRanges>,
        total_lines: Option<u64>,
    },
}

impl Seen {
    fn is_complete(&self, completeness: Completeness) -> bool {
        match self {
            Self::Absent => true,
            Self::File { hash: None, .. } => false,
            Self::File { shown, total_lines, .. } => {
                completeness == Completeness::EveryByteRead
                    || total_lines.is_some_and(|total| covers(shown.as_ref(), total))
            }
        }
    }
}

/// A row of the ledger.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) seen: Seen,
    pub(super) order: u64,
    /// When it was observed last, in milliseconds since 1970.
    pub(super) at_ms: u64,
}

impl Row {
    /// What was seen just now.
    pub(super) fn new(seen: Seen, order: u64) -> Self {
        Self { seen, order, at_ms: now_ms() }
    }

    pub(super) fn is_complete(&self, completeness: Completeness) -> bool {
        self.seen.is_complete(completeness)
    }

    /// Adds an observation: pages of the same bytes add up, other bytes replace; but a partial one never lowers a complete
    /// one, unless it proves that the bytes are other ones.
    pub(super) fn add(&mut self, new: Seen, completeness: Completeness, max_ranges: usize, order: u64) {
        (self.order, self.at_ms) = (order, now_ms());
        match (&mut self.seen, new) {
            (
                Seen::File { hash: Some(old), shown, total_lines, .. },
                Seen::File { hash: Some(hash), shown: more, total_lines: total, .. },
            ) if *old == hash => {
                let ranges = shown.iter().flatten().chain(more.iter().flatten());
                *shown = LineRanges::new(ranges).filter(|ranges| ranges.len() <= max_ranges);
                *total_lines = total_lines.or(total);
            }
            // Without a hash nothing is known about the bytes: what was known before stands.
            (seen @ Seen::File { .. }, Seen::File { hash: None, .. }) if seen.is_complete(completeness) => {}
            (seen, new) => *seen = new,
        }
    }
}

/// Whether `shown` covers every one of `total` lines.
fn covers(shown: Option<&LineRanges>, total: u64) -> bool {
    let all = LineRange::closed(1, total);
    total == 0
        || shown.is_some_and(|shown| shown.line_count_within(total) == all.map_or(0, |all| all.line_count()))
}

fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
