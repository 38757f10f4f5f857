//! A ledger on its way to disk and back.

use std::collections::HashMap;

use read_core::selector::{LineRange, LineRanges};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::row::{Hash, Row, Seen};
use super::{Completeness, Ledger, LedgerLimits, Rows};

/// The version of the stored form.
const VERSION: u32 = 1;

/// A ledger as it is stored: rows by path, the latest first.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StoredLedger {
    version: u32,
    /// Rows that were left out for want of room.
    cut: usize,
    rows: Vec<Value>,
}

impl StoredLedger {
    /// How many rows were left out for want of room: the ones observed longest ago.
    pub fn cut(&self) -> usize {
        self.cut
    }
}

/// A ledger that was loaded.
#[derive(Debug)]
pub struct Loaded {
    /// The ledger, as far as its rows make sense.
    pub ledger: Ledger,
    /// Rows that were skipped because they do not.
    pub skipped: usize,
}

#[derive(Serialize, Deserialize)]
struct StoredRow {
    path: String,
    at_ms: u64,
    #[serde(flatten)]
    seen: StoredSeen,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "seen", rename_all = "snake_case")]
enum StoredSeen {
    Absent,
    File { sha256: Option<String>, size: u64, shown: Vec<(u64, Option<u64>)>, total_lines: Option<u64> },
}

impl Ledger {
    /// The ledger as it is stored, at most `max_rows` of it.
    pub fn store(&self, max_rows: usize) -> StoredLedger {
        let rows = self.lock();
        let mut latest_first: Vec<(&String, &Row)> = rows.by_path.iter().collect();
        latest_first.sort_by_key(|(_, row)| std::cmp::Reverse(row.order));
        let cut = latest_first.len().saturating_sub(max_rows);
        let stored = latest_first.into_iter().take(max_rows).filter_map(|(path, row)| {
            let row = StoredRow { path: path.clone(), at_ms: row.at_ms, seen: StoredSeen::from(&row.seen) };
            serde_json::to_value(row).ok()
        });
        StoredLedger { version: VERSION, cut, rows: stored.collect() }
    }

    /// A ledger from its stored form. Rows that make no sense are skipped; a form of another version has none that do.
    pub fn load(stored: StoredLedger, completeness: Completeness, limits: LedgerLimits) -> Loaded {
        let total = stored.rows.len();
        let rows = if stored.version == VERSION { stored.rows } else { Vec::new() };
        let known = rows.into_iter().filter_map(|row| serde_json::from_value::<StoredRow>(row).ok());
        let known = known.filter_map(|row| Some((row.path, row.at_ms, row.seen.into_seen(limits.ranges)?)));
        let known: Vec<_> = known.take(limits.paths).collect();
        // The latest come first: they get the highest numbers.
        let mut clock = 0;
        let mut by_path = HashMap::with_capacity(known.len());
        for (path, at_ms, seen) in known.into_iter().rev() {
            clock += 1;
            by_path.insert(path, Row { seen, order: clock, at_ms });
        }
        let skipped = total.saturating_sub(by_path.len());
        let ledger = Self { completeness, limits, rows: Rows { by_path, clock }.into() };
        Loaded { ledger, skipped }
    }
}

impl From<&Seen> for StoredSeen {
    fn from(seen: &Seen) -> Self {
        match seen {
            Seen::Absent => Self::Absent,
            Seen::File { hash, size, shown, total_lines } => Self::File {
                sha256: hash.as_ref().map(|hash| hex(&hash.0)),
                size: *size,
                shown: shown.iter().flatten().map(|range| (range.start(), range.end())).collect(),
                total_lines: *total_lines,
            },
        }
    }
}

impl StoredSeen {
    fn into_seen(self, max_ranges: usize) -> Option<Seen> {
        let Self::File { sha256, size, shown, total_lines } = self else { return Some(Seen::Absent) };
        let hash = match sha256 {
            Some(digits) => Some(unhex(&digits)?),
            None => None,
        };
        if shown.len() > max_ranges {
            return None;
        }
        let ranges: Option<Vec<LineRange>> =
            shown.into_iter().map(|(start, end)| LineRange::new(start, end)).collect();
        Some(Seen::File { hash, size, shown: LineRanges::new(ranges?), total_lines })
    }
}

fn hex(bytes: &[u8; 32]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(64), |mut out, byte| {
        // Writing to a string does not fail.
        let _ = write!(out, "{byte:02x}");
        out
    })
}

fn unhex(digits: &str) -> Option<Hash> {
    let (pairs, []) = digits.as_bytes().as_chunks::<2>() else { return None };
    let bytes = pairs.iter().map(|[high, low]| {
        let value = |digit: &u8| char::from(*digit).to_digit(16);
        u8::try_from(value(high)? * 16 + value(low)?).ok()
    });
    let bytes: Option<Vec<u8>> = bytes.collect();
    Some(Hash(bytes?.try_into().ok()?))
}
