//! How much memory SQLite takes for the connections of this crate.
//!
//! SQLite counts what it has allocated in the whole process, not by connection. So what it had before the first of several
//! connections is taken off, and each of them may take its part of the rest.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rusqlite::ffi;

#[derive(Debug)]
struct Count {
    connections: u64,
    /// Bytes that SQLite held when there was none.
    before: u64,
}

static COUNT: Mutex<Count> = Mutex::new(Count { connections: 0, before: 0 });

fn count() -> MutexGuard<'static, Count> {
    COUNT.lock().unwrap_or_else(PoisonError::into_inner)
}

fn used() -> u64 {
    // SAFETY: the function takes nothing, and may be called from any thread at any time.
    u64::try_from(unsafe { ffi::sqlite3_memory_used() }).unwrap_or(0)
}

/// One connection, counted as long as it is there.
#[derive(Debug)]
pub(super) struct Presence(());

impl Presence {
    pub(super) fn new() -> Self {
        let mut count = count();
        if count.connections == 0 {
            count.before = used();
        }
        count.connections += 1;
        Self(())
    }

    /// Whether the connections that there are take more than `each` bytes on average.
    pub(super) fn are_over(each: u64) -> bool {
        let count = count();
        used() > count.before.saturating_add(each.saturating_mul(count.connections))
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        let mut count = count();
        count.connections = count.connections.saturating_sub(1);
    }
}
