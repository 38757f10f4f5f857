//! The store that remembers what was shown.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::check::Check;
use crate::drift::locate;
use crate::limits::Limits;
use crate::lines::{LineRange, LineSet};
use crate::no_tag::NoTag;
use crate::normalize::normalize;
use crate::snapshots::{Snapshot, Snapshots, unseen};
use crate::tag::Tag;
use crate::text::{Capture, NormalText};

/// Remembers the texts that were shown under a tag, and which of their lines, within [`Limits`].
///
/// Paths are whatever the host uses to name files, as long as it always uses the same name: best the path as it
/// stands in the [`Header`](crate::Header). Every method that gives or takes a single snapshot counts as a use of it.
/// The store can be shared between threads; nothing long is done while it is locked.
///
/// ```
/// use read_hashline::{Check, LineRange, NormalText, SnapshotStore};
///
/// let store = SnapshotStore::default();
/// let text = NormalText::new("a\nb\nc\n");
/// let tag = store.record("f.txt", &text, &text.all_lines())?;
///
/// let line = [LineRange::line(2).unwrap()];
/// assert_eq!(store.check("f.txt", tag, &line, "a\r\nb \r\nc\r\n"), Check::Fresh);
/// let Check::Drifted { moved } = store.check("f.txt", tag, &line, "new\na\nb\nc\n") else { panic!() };
/// assert_eq!(moved[0].to, LineRange::line(3));
/// # Ok::<(), read_hashline::NoTag>(())
/// ```
#[derive(Debug, Default)]
pub struct SnapshotStore {
    limits: Limits,
    snapshots: Mutex<Snapshots>,
}

impl SnapshotStore {
    /// An empty store with these limits.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self { limits, snapshots: Mutex::default() }
    }

    /// The limits it was made with.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// A panic of another thread leaves nothing half done here: each change is complete before the next one begins.
    fn lock(&self) -> MutexGuard<'_, Snapshots> {
        self.snapshots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A capture for a text that this store would take.
    #[must_use]
    pub fn capture(&self) -> Capture {
        Capture::with_limit(self.limits.text_bytes)
    }

    /// Remembers the whole text of a path and the lines of it that were shown; gives the tag to show it under.
    ///
    /// A text that is known already keeps its tag, gets the lines added, and becomes the path's latest. Lines that
    /// the text does not have are ignored, so that "all" can be said as 1 to `u64::MAX`. A line that was shown only
    /// in part should not be among them.
    ///
    /// # Errors
    ///
    /// [`NoTag`] where the text is over [`Limits::text_bytes`] or [`Limits::total_bytes`]; it is then not kept.
    pub fn record(&self, path: &str, text: &NormalText, shown: &LineSet) -> Result<Tag, NoTag> {
        self.lock().record(path, text, shown, &self.limits)
    }

    /// The text of the path that was recorded last.
    #[must_use]
    pub fn latest(&self, path: &str) -> Option<Snapshot> {
        self.lock().find(path, |_| true)
    }

    /// The text of the path that was shown under this very tag: a lengthened tag has no short form.
    #[must_use]
    pub fn by_tag(&self, path: &str, tag: Tag) -> Option<Snapshot> {
        self.lock().find(path, |snapshot| snapshot.tag() == tag)
    }

    /// The snapshot of the path whose text is this decoded text, once that is normalised.
    #[must_use]
    pub fn by_text(&self, path: &str, decoded: &str) -> Option<Snapshot> {
        let normal = normalize(decoded);
        self.lock().find(path, |snapshot| snapshot.text().as_str() == normal)
    }

    /// All paths with a text shown under this tag, the one used last first. Not a use of them.
    #[must_use]
    pub fn paths_with_tag(&self, tag: Tag) -> Vec<Arc<str>> {
        self.lock().paths(|snapshot| snapshot.tag() == tag)
    }

    /// All paths, the one used last first. Not a use of them.
    #[must_use]
    pub fn paths(&self) -> Vec<Arc<str>> {
        self.lock().paths(|_| true)
    }

    /// Whether these lines, which a caller saw under this tag, are still what it saw. `live` is the whole decoded
    /// text as it is now.
    ///
    /// Each range stands for itself: to change lines 3 to 9 as one, ask about that range; to change lines 3 and 9,
    /// ask about two. With no range, the question is only whether the text is the same.
    #[must_use]
    pub fn check(&self, path: &str, tag: Tag, lines: &[LineRange], live: &str) -> Check {
        let Some(snapshot) = self.by_tag(path, tag) else { return Check::UnknownTag };
        let unseen = unseen(&snapshot, lines);
        if !unseen.is_empty() {
            return Check::Unseen(unseen);
        }
        let live: Cow<'_, str> = normalize(live);
        let seen = snapshot.text().as_str();
        if seen == live { Check::Fresh } else { Check::Drifted { moved: locate(seen, &live, lines) } }
    }

    /// Moves all that is known of a path to another, as when the file was renamed. What was known of the other path
    /// is dropped: that file is gone. `false` where nothing was known.
    pub fn rename(&self, from: &str, to: &str) -> bool {
        self.lock().rename(from, to)
    }

    /// Drops all that is known of a path. `false` where nothing was.
    pub fn forget(&self, path: &str) -> bool {
        self.lock().forget(path)
    }

    /// Drops everything.
    pub fn clear(&self) {
        self.lock().clear();
    }

    /// How many texts are kept.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    /// Whether no text is kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many bytes the kept texts have together.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.lock().bytes()
    }
}

const _: () = {
    const fn shared<T: Send + Sync>() {}
    shared::<SnapshotStore>();
    shared::<Snapshot>();
    shared::<Capture>();
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_poisoned_lock_changes_nothing() {
        let store = SnapshotStore::default();
        let text = NormalText::new("a\n");
        let tag = store.record("f", &text, &text.all_lines()).unwrap();
        let poisoned = std::thread::scope(|scope| {
            let held = scope.spawn(|| {
                let _guard = store.snapshots.lock();
                panic!("while the store is locked");
            });
            held.join().is_err()
        });
        assert!(poisoned && store.snapshots.is_poisoned());
        assert_eq!(store.check("f", tag, &[], "a"), Check::Drifted { moved: vec![] });
        assert_eq!(store.latest("f").unwrap().tag(), tag);
        assert!(store.forget("f") && store.is_empty());
    }
}
