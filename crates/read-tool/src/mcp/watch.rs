//! Who is at work in a read, seen from outside its thread: for readers that must take turns, and for readers that no
//! longer answer.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use read_core::{
    ErrorCode, Match, Outcome, Probe, ReadContext, ReadError, Reader, ReaderHelp, Registry, Source,
    TargetReader,
};

use crate::ReadTool;

/// Reads that a reader may leave stuck before it is refused.
pub const STUCK_READS: usize = 4;

/// Who is blamed while no reader is at work: looking a path up and opening it can hang too, on a network's disk.
const LOOK_UP: &str = "file system";

/// How often a read that waits for its turn looks at its meter.
const PAUSE: Duration = Duration::from_millis(10);

/// What the reads of one server share.
#[derive(Debug)]
pub(super) struct Ward {
    stuck: Mutex<HashMap<&'static str, usize>>,
    turns: Mutex<usize>,
    freed: Condvar,
}

impl Ward {
    /// A ward in which `turns` heavy reads run at once.
    pub(super) fn new(turns: usize) -> Arc<Self> {
        Arc::new(Self { stuck: Mutex::default(), turns: Mutex::new(turns), freed: Condvar::new() })
    }

    /// Refuses a reader that left too many reads stuck.
    fn admit(&self, reader: &'static str) -> Result<(), ReadError> {
        if locked(&self.stuck).get(reader).is_none_or(|stuck| *stuck < STUCK_READS) {
            return Ok(());
        }
        Err(ReadError::new(
            ErrorCode::Busy,
            format!(
                "The {reader} reader is still stuck in {STUCK_READS} earlier reads and takes no more until one of them \
                 ends. Read something else, or the bytes with :hex."
            ),
        ))
    }

    fn give_turn_back(&self) {
        *locked(&self.turns) += 1;
        self.freed.notify_one();
    }
}

/// One read, as the server sees it.
#[derive(Debug)]
pub(super) struct Watch {
    ward: Arc<Ward>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The readers on the way in, outermost first: a stream of the first may hang in the hands of the last.
    at_work: Vec<(&'static str, bool)>,
    holds_turn: bool,
    blamed: Option<&'static str>,
    over: bool,
}

impl Watch {
    pub(super) fn new(ward: &Arc<Ward>) -> Arc<Self> {
        Arc::new(Self { ward: Arc::clone(ward), state: Mutex::default() })
    }

    /// Runs `read` on this thread, watched.
    pub(super) fn over<T>(
        self: &Arc<Self>,
        read: impl FnOnce() -> Result<T, ReadError>,
    ) -> Result<T, ReadError> {
        self.ward.admit(LOOK_UP)?;
        let _end = End(self);
        CURRENT.set(Some(Arc::clone(self)));
        read()
    }

    /// Gives the read up: its reader is blamed until the thread ends after all.
    pub(super) fn abandon(&self) {
        let mut state = locked(&self.state);
        // Core's own readers check the meter in every loop: where another one is in the chain, it is that one's stream.
        let foreign = state.at_work.iter().rev().find(|(_, ours)| !ours);
        let reader = foreign.or(state.at_work.last()).map_or(LOOK_UP, |(name, _)| *name);
        if !state.over && state.blamed.is_none() {
            state.blamed = Some(reader);
            *locked(&self.ward.stuck).entry(reader).or_default() += 1;
        }
        if std::mem::take(&mut state.holds_turn) {
            self.ward.give_turn_back();
        }
    }

    fn enter(&self, reader: Reader) -> Result<(), ReadError> {
        self.ward.admit(reader.name())?;
        locked(&self.state).at_work.push((reader.name(), reader.package() == CORE));
        Ok(())
    }

    fn leave(&self) {
        locked(&self.state).at_work.pop();
    }

    /// Waits for a turn, under the read's own meter.
    fn take_turn(&self, cx: &ReadContext<'_>) -> Result<(), ReadError> {
        let mut turns = locked(&self.ward.turns);
        while *turns == 0 {
            cx.meter().check()?;
            let waited = self.ward.freed.wait_timeout(turns, PAUSE);
            turns = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        *turns -= 1;
        drop(turns);
        locked(&self.state).holds_turn = true;
        Ok(())
    }

    fn give_turn_back(&self) {
        if std::mem::take(&mut locked(&self.state).holds_turn) {
            self.ward.give_turn_back();
        }
    }
}

/// The crate of the readers that are trusted to check their meter.
const CORE: &str = "read-core";

thread_local! {
    /// The read that this thread runs.
    static CURRENT: RefCell<Option<Arc<Watch>>> = const { RefCell::new(None) };
}

fn current() -> Option<Arc<Watch>> {
    CURRENT.with_borrow(Clone::clone)
}

/// Ends the watch, also when the read unwinds.
struct End<'a>(&'a Watch);

impl Drop for End<'_> {
    fn drop(&mut self) {
        CURRENT.set(None);
        let mut state = locked(&self.0.state);
        state.over = true;
        if let Some(reader) = state.blamed.take()
            && let Some(stuck) = locked(&self.0.ward.stuck).get_mut(reader)
        {
            *stuck = stuck.saturating_sub(1);
        }
    }
}

/// Gives a turn back, also when the reader unwinds.
struct Turn<'a>(&'a Watch);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.give_turn_back();
    }
}

/// The same tool with readers each of which says when it is at work.
pub(super) fn watched(tool: ReadTool) -> ReadTool {
    let watched = tool.registry().iter().fold(Registry::empty(), |all, reader| all.with(watcher(reader)));
    tool.with_registry(watched)
}

/// The watcher of a reader: made once for each, so that a program that builds many tools leaks nothing with each.
fn watcher(reader: Reader) -> Reader {
    static WATCHERS: OnceLock<Mutex<Vec<&'static Watched>>> = OnceLock::new();
    let mut watchers = locked(WATCHERS.get_or_init(Mutex::default));
    // Readers without fields may share an address.
    let is = |one: Reader| std::ptr::addr_eq(one, reader) && one.name() == reader.name();
    if let Some(watcher) = watchers.iter().find(|watcher| is(watcher.0) || is(**watcher)) {
        return *watcher;
    }
    let watcher: &'static Watched = Box::leak(Box::new(Watched(reader)));
    watchers.push(watcher);
    watcher
}

struct Watched(Reader);

impl TargetReader for Watched {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn package(&self) -> &'static str {
        self.0.package()
    }

    fn help(&self) -> ReaderHelp {
        self.0.help()
    }

    fn priority(&self) -> i32 {
        self.0.priority()
    }

    fn holds_paths(&self) -> bool {
        self.0.holds_paths()
    }

    fn side_files(&self) -> &'static [&'static str] {
        self.0.side_files()
    }

    fn tells_damage(&self) -> bool {
        self.0.tells_damage()
    }

    fn is_heavy(&self) -> bool {
        self.0.is_heavy()
    }

    fn probe(&self, probe: &Probe<'_>) -> Option<Match> {
        self.0.probe(probe)
    }

    fn probe_end(&self, probe: &Probe<'_>) -> Option<Match> {
        self.0.probe_end(probe)
    }

    fn read(&self, source: &Source, rest: &str, cx: &ReadContext<'_>) -> Result<Outcome, ReadError> {
        let Some(watch) = current() else { return self.0.read(source, rest, cx) };
        watch.enter(self.0)?;
        let turn = if self.is_heavy() {
            watch.take_turn(cx)?;
            Some(Turn(&watch))
        } else {
            None
        };
        let outcome = self.0.read(source, rest, cx)?;
        drop(turn);
        if matches!(outcome, Outcome::Decline) {
            watch.leave();
        }
        Ok(outcome)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
