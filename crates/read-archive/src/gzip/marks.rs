//! Marks on a gzip stream: places at which it can be taken up again without decoding what precedes them.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::limits::MAX_MARKS;

/// Decoded bytes between two marks, as long as they are few (1 MiB).
const SPACING: u64 = 1 << 20;

/// How far back deflate refers (32 KiB).
pub(crate) const WINDOW: usize = 32 << 10;

/// A place between two blocks of a deflate stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// Decoded bytes before it, over all members of the file.
    pub(super) output: u64,
    /// Compressed bytes before it; the last of them may hold bits of the next block.
    pub(super) input: u64,
    /// That byte.
    pub(super) last: u8,
    /// The decoded bytes before it that the next blocks may refer to.
    pub(super) window: Box<[u8]>,
    /// The checksum of the [`PROOF`] decoded bytes behind it: where the blocks begin in the last byte is found by trying.
    pub(super) proof: u32,
}

/// Decoded bytes behind a mark that prove that it was taken up rightly (4 KiB).
pub(super) const PROOF: usize = 4 << 10;

/// The marks of one stream. Every reader of it adds to them.
#[derive(Debug, Default)]
pub(super) struct Marks(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    marks: Vec<Mark>,
    /// How often every other mark was let go.
    thinned: u32,
}

impl Marks {
    /// What a cache takes them to weigh: as much as they may become.
    pub(super) const WEIGHT: u64 = (MAX_MARKS * (WINDOW + 64)) as u64;

    /// The decoded position from which the next mark is wanted.
    pub(super) fn wanted_from(&self) -> u64 {
        let state = self.lock();
        state.marks.last().map_or(0, |mark| mark.output).saturating_add(spacing(&state))
    }

    /// Adds a mark, unless another reader was there before.
    pub(super) fn add(&self, mark: Mark) {
        let mut state = self.lock();
        let last = state.marks.last().map_or(0, |mark| mark.output);
        if mark.output < last.saturating_add(spacing(&state)) {
            return;
        }
        state.marks.push(mark);
        if state.marks.len() > MAX_MARKS {
            let mut keep = false;
            state.marks.retain(|_| {
                keep = !keep;
                !keep
            });
            state.thinned = state.thinned.saturating_add(1);
        }
    }

    /// The last mark at or before a decoded position.
    pub(super) fn before(&self, output: u64) -> Option<Mark> {
        let state = self.lock();
        let behind = state.marks.partition_point(|mark| mark.output <= output);
        state.marks.get(behind.checked_sub(1)?).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn spacing(state: &State) -> u64 {
    SPACING.checked_shl(state.thinned).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(output: u64) -> Mark {
        Mark { output, input: 0, last: 0, window: Box::default(), proof: 0 }
    }

    #[test]
    fn marks_are_thinned_and_found() {
        let marks = Marks::default();
        assert_eq!(marks.wanted_from(), SPACING);
        for n in 1..=1_000_u64 {
            marks.add(mark(n * SPACING));
        }
        assert!(marks.lock().marks.len() <= MAX_MARKS);
        for position in [0, 5 * SPACING, 777 * SPACING, u64::MAX] {
            if let Some(found) = marks.before(position) {
                assert!(found.output <= position);
                assert!(position == u64::MAX || position - found.output <= 8 * SPACING);
            } else {
                assert!(position < 8 * SPACING);
            }
        }
    }

    #[test]
    fn a_mark_too_close_to_the_last_is_not_kept() {
        let marks = Marks::default();
        marks.add(mark(SPACING));
        marks.add(mark(SPACING + 1));
        assert_eq!(marks.lock().marks.len(), 1);
    }
}
