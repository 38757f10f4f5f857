//! The ledger as an observer of reads.

use std::sync::Arc;

use read_core::selector::LineRanges;
use read_core::{End, Imprint, Observer, Subject, Tap};
use sha2::{Digest, Sha256};

use super::Ledger;
use super::row::{Hash, Seen};

/// The ledger as an observer: core wants one that it can share.
pub(crate) struct Observing(pub(crate) Arc<Ledger>);

impl Observer for Observing {
    fn begin(&self, subject: &Subject<'_>) -> Option<Box<dyn Tap>> {
        // Members, resources and host reads authorise nothing; nor does a file that only looks like the one asked for.
        if !subject.source.is_contained() || !subject.exact {
            return None;
        }
        let length = subject.source.length();
        Some(Box::new(LedgerTap {
            ledger: Arc::clone(&self.0),
            path: subject.resolved_path.to_owned(),
            whole: length.is_some_and(|length| length <= self.0.limits.whole_bytes),
            hash: Sha256::new(),
            size: 0,
        }))
    }

    fn absent(&self, path: &str) {
        self.0.record(path, Seen::Absent);
    }
}

struct LedgerTap {
    ledger: Arc<Ledger>,
    path: String,
    whole: bool,
    hash: Sha256,
    size: u64,
}

impl Tap for LedgerTap {
    fn wants_more(&self) -> bool {
        self.whole
    }

    fn raw(&mut self, bytes: &[u8]) {
        self.hash.update(bytes);
        self.size = self.size.saturating_add(bytes.len() as u64);
    }

    fn end(self: Box<Self>, end: &End<'_>) -> Imprint {
        let Self { ledger, path, whole, hash, size } = *self;
        // A lossy read shows something else than the file holds: it proves nothing.
        if !end.lossy {
            let known = whole && end.complete && !end.read_limit;
            let hash = known.then(|| Hash(hash.finalize().into()));
            let shown = LineRanges::new(end.shown.iter().copied()).filter(|_| known);
            ledger.record(&path, Seen::File { hash, size, shown, total_lines: end.total_lines });
        }
        Imprint::default()
    }
}
