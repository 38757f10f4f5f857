//! What a long-lived tool keeps between reads: line indexes, archive indexes, spools.

use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use crate::source::Identity;

/// Values under (space, identity), the least recently used let go first. Nothing is kept for content that changed less
/// than 2 s ago. One cache belongs to one tool and its policy.
pub struct Cache {
    bound: u64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    entries: HashMap<(&'static str, Identity), Kept>,
    weight: u64,
    clock: u64,
}

struct Kept {
    value: Arc<dyn Any + Send + Sync>,
    weight: u64,
    used: u64,
}

impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.lock();
        f.debug_struct("Cache")
            .field("bound", &self.bound)
            .field("entries", &state.entries.len())
            .field("weight", &state.weight)
            .finish_non_exhaustive()
    }
}

impl Cache {
    /// The bound of [`Cache::default`] in bytes (256 MiB).
    pub const DEFAULT_BOUND: u64 = 256 << 20;

    /// A cache that keeps at most `bound` bytes, as their owners weigh them. Zero keeps nothing.
    pub fn new(bound: u64) -> Self {
        Self { bound, state: Mutex::default() }
    }

    /// What was put under `space` for this very content.
    pub fn get<T: Send + Sync + 'static>(&self, space: &'static str, identity: &Identity) -> Option<Arc<T>> {
        let mut state = self.lock();
        state.clock = state.clock.saturating_add(1);
        let now = state.clock;
        let kept = state.entries.get_mut(&(space, identity.clone()))?;
        kept.used = now;
        Arc::clone(&kept.value).downcast().ok()
    }

    /// Keeps `value`, which weighs `weight` bytes, for later reads of the same content.
    pub fn put<T: Send + Sync + 'static>(
        &self,
        space: &'static str,
        identity: &Identity,
        value: Arc<T>,
        weight: u64,
    ) {
        // A zero bound is also how hosts without a clock say that nothing is kept.
        if weight > self.bound || self.bound == 0 || !identity.is_settled(SystemTime::now()) {
            return;
        }
        let mut state = self.lock();
        state.clock = state.clock.saturating_add(1);
        let kept = Kept { value, weight, used: state.clock };
        if let Some(old) = state.entries.insert((space, identity.clone()), kept) {
            state.weight = state.weight.saturating_sub(old.weight);
        }
        state.weight = state.weight.saturating_add(weight);
        while state.weight > self.bound {
            let Some(oldest) =
                state.entries.iter().min_by_key(|(_, kept)| kept.used).map(|(key, _)| key.clone())
            else {
                break;
            };
            if let Some(gone) = state.entries.remove(&oldest) {
                state.weight = state.weight.saturating_sub(gone.weight);
            }
        }
    }

    /// Lets go what was used least recently of `space`; false when there is nothing.
    pub(crate) fn forget_oldest(&self, space: &'static str) -> bool {
        let mut state = self.lock();
        let of_space = state.entries.iter().filter(|((other, _), _)| *other == space);
        let Some(oldest) = of_space.min_by_key(|(_, kept)| kept.used).map(|(key, _)| key.clone()) else {
            return false;
        };
        if let Some(gone) = state.entries.remove(&oldest) {
            state.weight = state.weight.saturating_sub(gone.weight);
        }
        true
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Cache {
    fn default() -> Self {
        Self::new(Self::DEFAULT_BOUND)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_goes_first() {
        let cache = Cache::new(20);
        let id = |n| Identity::stamped(n, 0, 0);
        cache.put("t", &id(1), Arc::new(1_u8), 10);
        cache.put("t", &id(2), Arc::new(2_u8), 10);
        assert_eq!(cache.get::<u8>("t", &id(1)).as_deref(), Some(&1));
        cache.put("t", &id(3), Arc::new(3_u8), 10);
        assert!(cache.get::<u8>("t", &id(2)).is_none());
        assert_eq!(cache.get::<u8>("t", &id(1)).as_deref(), Some(&1));
        assert!(cache.get::<u8>("other", &id(1)).is_none());
        assert!(cache.get::<u64>("t", &id(1)).is_none(), "another type is another value");
    }

    #[test]
    fn what_changed_just_now_is_not_kept() {
        let cache = Cache::default();
        let now = SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
        let fresh = Identity::of_file(1, 1, 1, (i64::try_from(now).unwrap(), 0), (0, 0));
        cache.put("t", &fresh, Arc::new(1_u8), 1);
        assert!(cache.get::<u8>("t", &fresh).is_none());
    }
}
