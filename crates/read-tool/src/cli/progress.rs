//! A progress bar on a terminal's standard error, for reads that take longer than half a second.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use read_core::{Progress, size};

/// Reads that are done sooner show no bar.
const QUIET: Duration = Duration::from_millis(500);

/// The time between two drawings.
const EVERY_MS: u64 = 100;

/// Characters of the bar.
const WIDTH: u64 = 30;

static DRAWN: AtomicBool = AtomicBool::new(false);

struct Bar {
    begun: Instant,
    last_drawn_ms: AtomicU64,
}

/// A bar, where standard error is a terminal.
pub(super) fn bar() -> Option<Arc<dyn Progress>> {
    io::stderr().is_terminal().then(|| {
        Arc::new(Bar { begun: Instant::now(), last_drawn_ms: AtomicU64::new(0) }) as Arc<dyn Progress>
    })
}

/// Wipes the bar away, if one was drawn.
pub(super) fn clear() {
    if DRAWN.load(Relaxed) {
        // A terminal that is gone needs no wiping.
        let _ = write!(io::stderr(), "\r\x1b[K");
    }
}

impl Progress for Bar {
    fn advanced(&self, done: u64, total: Option<u64>) {
        let elapsed = self.begun.elapsed();
        let now_ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
        let last = self.last_drawn_ms.load(Relaxed);
        let due = elapsed >= QUIET && now_ms.saturating_sub(last) >= EVERY_MS;
        // Of several threads, one draws.
        if !due || self.last_drawn_ms.compare_exchange(last, now_ms, Relaxed, Relaxed).is_err() {
            return;
        }
        DRAWN.store(true, Relaxed);
        let line = match total.filter(|total| *total > 0 && done <= *total) {
            Some(total) => {
                let full = usize::try_from(done.saturating_mul(WIDTH) / total).unwrap_or(0);
                let empty = usize::try_from(WIDTH).unwrap_or(0).saturating_sub(full);
                format!("[{}{}] {} of {}", "#".repeat(full), " ".repeat(empty), size(done), size(total))
            }
            None => format!("{} read", size(done)),
        };
        let _ = write!(io::stderr(), "\r{line}\x1b[K");
    }
}
