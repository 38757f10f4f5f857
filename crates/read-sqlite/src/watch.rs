//! What stops work on a database: the read's own meter, and a deadline of this reader.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use read_core::{ErrorCode, Meter, ReadError};

/// Watches over one read of a database. Clones share the state: one goes into SQLite's progress handler, one under the
/// file that it reads.
#[derive(Clone, Debug)]
pub(crate) struct Watch(Arc<State>);

#[derive(Debug)]
struct State {
    meter: Meter,
    start: Instant,
    /// Nanoseconds after the start at which the work must be over.
    until: AtomicU64,
    /// How long the whole read may take.
    limit: AtomicU64,
    /// A nearer end for one part of the work, in nanoseconds after the start.
    part: AtomicU64,
}

impl Watch {
    /// A watch whose time runs from now.
    pub(crate) fn start(meter: Meter, timeout: Duration) -> Self {
        let limit = nanos(timeout);
        Self(Arc::new(State {
            meter,
            start: Instant::now(),
            until: AtomicU64::new(limit),
            limit: AtomicU64::new(limit),
            part: AtomicU64::new(u64::MAX),
        }))
    }

    /// The read's own meter.
    pub(crate) fn meter(&self) -> &Meter {
        &self.0.meter
    }

    /// Adds time that was spent waiting for others.
    pub(crate) fn extend(&self, waited: Duration) {
        let until = self.0.until.load(Relaxed);
        self.0.until.store(until.saturating_add(nanos(waited)), Relaxed);
    }

    /// Gives the part of the work that follows `time`, until [`end_part`](Self::end_part).
    pub(crate) fn begin_part(&self, time: Duration) {
        self.0.part.store(nanos(self.0.start.elapsed()).saturating_add(nanos(time)), Relaxed);
    }

    /// Ends a part of the work.
    pub(crate) fn end_part(&self) {
        self.0.part.store(u64::MAX, Relaxed);
    }

    /// Whether the part of the work that was begun is over its time.
    pub(crate) fn part_is_over(&self) -> bool {
        nanos(self.0.start.elapsed()) >= self.0.part.load(Relaxed)
    }

    /// Whether to stop. Cheap: asked for every page and every few hundred steps of a query.
    pub(crate) fn must_stop(&self) -> bool {
        self.0.meter.check().is_err() || nanos(self.0.start.elapsed()) >= self.until()
    }

    /// Fails once the whole read must stop.
    pub(crate) fn check(&self) -> Result<(), ReadError> {
        self.0.meter.check()?;
        if nanos(self.0.start.elapsed()) < self.0.until.load(Relaxed) {
            return Ok(());
        }
        let seconds = Duration::from_nanos(self.0.limit.load(Relaxed)).as_secs_f64();
        Err(ReadError::new(
            ErrorCode::TimedOut,
            format!(
                "The database took longer than {seconds} s to answer. Narrow the query: a WHERE on an indexed column, \
                 a smaller LIMIT or OFFSET, fewer joins."
            ),
        ))
    }

    fn until(&self) -> u64 {
        self.0.until.load(Relaxed).min(self.0.part.load(Relaxed))
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_ends_before_the_whole() {
        let watch = Watch::start(Meter::unbounded(), Duration::from_secs(1_000));
        assert!(!watch.must_stop());
        watch.begin_part(Duration::ZERO);
        assert!(watch.must_stop() && watch.part_is_over());
        assert!(watch.check().is_ok());
        watch.end_part();
        assert!(!watch.must_stop());
    }

    #[test]
    fn the_whole_read_ends_as_timed_out() {
        let watch = Watch::start(Meter::unbounded(), Duration::ZERO);
        assert_eq!(watch.check().unwrap_err().code(), ErrorCode::TimedOut);
        watch.extend(Duration::from_secs(1_000));
        assert!(watch.check().is_ok());
    }
}
