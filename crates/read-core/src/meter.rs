//! The meter that every loop of a read checks: cancellation, deadline and the budget of decoded bytes.

use std::fmt;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use crate::names::size;

/// Cancels reads from another thread. Clones share one switch.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// A switch that is off.
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops the reads that hold this switch at their next step. It cannot be undone.
    pub fn cancel(&self) {
        self.0.store(true, Relaxed);
    }

    /// Whether [`cancel`](Self::cancel) was called.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Relaxed)
    }
}

/// What stopped a read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Trip {
    /// The caller cancelled.
    #[error("The read was cancelled.")]
    Cancelled,
    /// The deadline passed.
    #[error(
        "The read took longer than {} s. Ask for a narrower window, or an earlier one.",
        .limit.as_secs_f64()
    )]
    TimedOut {
        /// How long it could have taken.
        limit: Duration,
    },
    /// Decoding gave more than the budget allows for the bytes that went in.
    #[error(
        "Decompression stopped after {}: the data expands too far for one read. Ask for an earlier window.",
        size(*.spent)
    )]
    Budget {
        /// Decoded bytes so far.
        spent: u64,
    },
}

/// Told how far a read has come; for progress bars. Called from the reading thread, often: be quick.
pub trait Progress: Send + Sync {
    /// `done` source bytes are read, of `total` when that is known.
    fn advanced(&self, done: u64, total: Option<u64>);
}

/// What bounds one read.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct Bounds {
    /// Cancels the read from outside.
    pub cancel: Cancel,
    /// How long the read may take from [`Meter::start`] on; `None` is for ever.
    pub timeout: Option<Duration>,
    /// How much decoding may give; `None` is without end.
    pub budget: Option<Budget>,
    /// Told how far the read has come.
    pub progress: Option<Arc<dyn Progress>>,
}

/// A budget of decoded bytes over all layers of a nested target: an honest log or tarball passes, a bomb stops early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Bytes that are always allowed.
    pub base: u64,
    /// Further bytes for each byte read from the outermost source.
    pub factor: u64,
}

impl fmt::Debug for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bounds")
            .field("cancel", &self.cancel)
            .field("timeout", &self.timeout)
            .field("budget", &self.budget)
            .finish_non_exhaustive()
    }
}

/// Meters one read. Clones share the state, so that streams and callbacks own one each.
#[derive(Clone)]
pub struct Meter(Arc<State>);

struct State {
    bounds: Bounds,
    deadline: Option<Instant>,
    consumed: AtomicU64,
    spent: AtomicU64,
    total: AtomicU64,
    tripped: OnceLock<Trip>,
}

impl fmt::Debug for Meter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Meter")
            .field("bounds", &self.0.bounds)
            .field("consumed", &self.0.consumed)
            .field("spent", &self.0.spent)
            .field("tripped", &self.0.tripped.get())
            .finish_non_exhaustive()
    }
}

impl Meter {
    /// A meter whose time runs from now.
    pub fn start(bounds: Bounds) -> Self {
        // The clock is asked only where a timeout was: some hosts have none.
        let deadline = bounds.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        Self(Arc::new(State {
            bounds,
            deadline,
            consumed: AtomicU64::new(0),
            spent: AtomicU64::new(0),
            total: AtomicU64::new(0),
            tripped: OnceLock::new(),
        }))
    }

    /// A meter that never trips.
    pub fn unbounded() -> Self {
        Self::start(Bounds::default())
    }

    /// Fails once the read is cancelled, late, or over its budget. Cheap: call it in every loop.
    pub fn check(&self) -> Result<(), Trip> {
        if let Some(trip) = self.0.tripped.get() {
            return Err(trip.clone());
        }
        if self.0.bounds.cancel.is_cancelled() {
            return Err(self.trip(Trip::Cancelled));
        }
        if let (Some(deadline), Some(limit)) = (self.0.deadline, self.0.bounds.timeout)
            && Instant::now() >= deadline
        {
            return Err(self.trip(Trip::TimedOut { limit }));
        }
        Ok(())
    }

    /// Counts `bytes` that a decoder gave, and fails when that passes the budget.
    pub fn charge(&self, bytes: u64) -> Result<(), Trip> {
        let spent = self.0.spent.fetch_add(bytes, Relaxed).saturating_add(bytes);
        if let Some(budget) = self.0.bounds.budget {
            let earned = self.0.consumed.load(Relaxed).saturating_mul(budget.factor);
            if spent > budget.base.saturating_add(earned) {
                return Err(self.trip(Trip::Budget { spent }));
            }
        }
        self.check()
    }

    /// Counts `bytes` that were read from the outermost source; they earn budget and move the progress on.
    pub fn consume(&self, bytes: u64) {
        let done = self.0.consumed.fetch_add(bytes, Relaxed).saturating_add(bytes);
        if let Some(progress) = &self.0.bounds.progress {
            let total = self.0.total.load(Relaxed);
            progress.advanced(done, (total > 0).then_some(total));
        }
    }

    /// Says how long the outermost source is, for progress.
    pub fn expect_total(&self, bytes: u64) {
        self.0.total.store(bytes, Relaxed);
    }

    /// The first thing that stopped this read, if anything did. Error chains lose it on their way through decoders; here
    /// it stays.
    pub fn tripped(&self) -> Option<Trip> {
        self.0.tripped.get().cloned()
    }

    /// When the read must be over, and how much time it had.
    pub fn deadline(&self) -> Option<(Instant, Duration)> {
        self.0.deadline.zip(self.0.bounds.timeout)
    }

    /// The switch that cancels this read.
    pub fn cancel(&self) -> &Cancel {
        &self.0.bounds.cancel
    }

    fn trip(&self, trip: Trip) -> Trip {
        self.0.tripped.get_or_init(|| trip).clone()
    }
}

impl From<Trip> for io::Error {
    fn from(trip: Trip) -> Self {
        let kind = match trip {
            Trip::TimedOut { .. } => io::ErrorKind::TimedOut,
            Trip::Cancelled | Trip::Budget { .. } => io::ErrorKind::Other,
        };
        Self::new(kind, trip)
    }
}

/// A stream under the meter: every read checks it, and a decoder's output is charged to the budget.
pub(crate) struct Metered<R> {
    inner: R,
    meter: Meter,
    decoded: bool,
    /// Bytes that were given.
    done: usize,
}

/// Bytes that a decoder is asked for at first.
const FIRST_OF_DECODER: usize = 32;

impl<R> Metered<R> {
    pub(crate) fn new(inner: R, meter: Meter, decoded: bool) -> Self {
        Self { inner, meter, decoded, done: 0 }
    }

    /// How many bytes to ask for at most. Many a decoder loses what it has decoded in the call in which it meets damage: so it
    /// is never asked for more than an eighth of what it gave before.
    fn room(&self) -> usize {
        if self.decoded { (self.done / 8).max(FIRST_OF_DECODER) } else { usize::MAX }
    }
}

impl<R: io::Read> io::Read for Metered<R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.meter.check()?;
        let room = self.room().min(buf.len());
        let n = self.inner.read(buf.get_mut(..room).unwrap_or_default())?;
        self.done = self.done.saturating_add(n);
        if self.decoded {
            self.meter.charge(n as u64)?;
        }
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn cancel_trips_once_and_stays() {
        let cancel = Cancel::new();
        let meter = Meter::start(Bounds { cancel: cancel.clone(), ..Bounds::default() });
        assert_eq!(meter.check(), Ok(()));
        cancel.cancel();
        assert_eq!(meter.check(), Err(Trip::Cancelled));
        assert_eq!(meter.tripped(), Some(Trip::Cancelled));
    }

    #[test]
    fn consumed_bytes_earn_budget() {
        let budget = Some(Budget { base: 10, factor: 2 });
        let meter = Meter::start(Bounds { budget, ..Bounds::default() });
        assert_eq!(meter.charge(10), Ok(()));
        meter.consume(5);
        assert_eq!(meter.charge(10), Ok(()));
        assert_eq!(meter.charge(1), Err(Trip::Budget { spent: 21 }));
        assert_eq!(meter.check(), Err(Trip::Budget { spent: 21 }), "a tripped meter stays tripped");
    }

    #[test]
    fn a_deadline_in_the_past_trips_a_stream() {
        let meter = Meter::start(Bounds { timeout: Some(Duration::ZERO), ..Bounds::default() });
        let mut stream = Metered::new(io::repeat(0), meter.clone(), false);
        assert!(stream.read(&mut [0; 8]).is_err());
        assert_eq!(meter.tripped(), Some(Trip::TimedOut { limit: Duration::ZERO }));
    }

    #[test]
    fn a_decoder_that_meets_damage_loses_little() {
        /// Gives what it is asked for, and nothing at all where that goes beyond `sound` bytes.
        struct Decoder {
            sound: usize,
        }
        impl Read for Decoder {
            fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
                self.sound = self.sound.checked_sub(buf.len()).ok_or(io::ErrorKind::InvalidData)?;
                Ok(buf.len())
            }
        }
        for sound in [40, 600, 5_000, 70_000, 3_000_000] {
            let mut stream = Metered::new(Decoder { sound }, Meter::unbounded(), true);
            let mut given = Vec::new();
            let mut buffer = vec![0; 1 << 20];
            while let Ok(n) = stream.read(&mut buffer) {
                given.extend_from_slice(&buffer[..n]);
            }
            let lost = sound - given.len();
            assert!(lost <= FIRST_OF_DECODER.max(sound / 8), "{lost} of {sound}");
        }
    }
}
