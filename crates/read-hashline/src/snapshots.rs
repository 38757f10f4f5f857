//! The snapshots of a store and the order in which they go. Not yet shared between threads.

use std::collections::HashMap;
use std::sync::Arc;

use crate::given::Given;
use crate::limits::Limits;
use crate::lines::{LineRange, LineSet};
use crate::no_tag::NoTag;
use crate::tag::{DIGEST_DIGITS, Digest, TAG_DIGITS, Tag};
use crate::text::NormalText;

/// A text that was read, the tag it was shown under, and which of its lines were shown. Cloning it copies no text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    path: Arc<str>,
    text: NormalText,
    tag: Tag,
    shown: Arc<LineSet>,
}

impl Snapshot {
    /// The path it was recorded under, or moved to.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The whole text in normal form.
    #[must_use]
    pub fn text(&self) -> &NormalText {
        &self.text
    }

    /// The tag that it was shown under.
    #[must_use]
    pub fn tag(&self) -> Tag {
        self.tag
    }

    /// The digest that the tag was cut from.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.text.digest()
    }

    /// The lines that all reads of this text together showed.
    #[must_use]
    pub fn shown(&self) -> &LineSet {
        &self.shown
    }
}

/// A snapshot, and when it was last recorded and last used. The moments are counted, not measured.
#[derive(Debug)]
struct Entry {
    snapshot: Snapshot,
    recorded: u64,
    used: u64,
}

/// All snapshots. They are few, so that looking at each is the quickest way.
#[derive(Debug, Default)]
pub(crate) struct Snapshots {
    entries: Vec<Entry>,
    /// Tags of texts that were let go.
    given: Given,
    now: u64,
}

impl Snapshots {
    fn tick(&mut self) -> u64 {
        self.now = self.now.saturating_add(1);
        self.now
    }

    pub(crate) fn record(
        &mut self,
        path: &str,
        text: &NormalText,
        shown: &LineSet,
        limits: &Limits,
    ) -> Result<Tag, NoTag> {
        if text.decoded_bytes() > limits.text_bytes {
            return Err(NoTag::TooLarge { limit: limits.text_bytes });
        }
        if text.as_str().len() > limits.total_bytes {
            return Err(NoTag::TooLarge { limit: limits.total_bytes });
        }
        let most = limits.ranges.max(1);
        let shown = shown.intersection(&text.all_lines());
        let now = self.tick();
        let known = self.entries.iter_mut().find(|entry| entry.is_of(path) && entry.snapshot.text == *text);
        if let Some(entry) = known {
            let all = entry.snapshot.shown.union(&shown);
            let kept = if all.ranges().len() > most { shown.truncated(most) } else { all };
            entry.snapshot.shown = Arc::new(kept);
            // The line counts differ where one text ends in a line of blanks; the longer one has all lines shown.
            if text.line_count() > entry.snapshot.text.line_count() {
                entry.snapshot.text = text.clone();
            }
            (entry.recorded, entry.used) = (now, now);
            return Ok(entry.snapshot.tag);
        }
        let tag = self.free_tag(path, text.digest())?;
        let shown = Arc::new(shown.truncated(most));
        let snapshot = Snapshot { path: path.into(), text: text.clone(), tag, shown };
        self.entries.push(Entry { snapshot, recorded: now, used: now });
        self.evict(path, limits);
        Ok(tag)
    }

    /// The tag that this text had before it was let go, or the shortest of its digest that no other text of the path is or
    /// was shown under.
    fn free_tag(&mut self, path: &str, digest: Digest) -> Result<Tag, NoTag> {
        let earlier = self.given.take(path, digest);
        let shown =
            |tag: &Tag| self.entries.iter().any(|entry| entry.is_of(path) && entry.snapshot.tag == *tag);
        earlier
            .into_iter()
            .chain((TAG_DIGITS..=DIGEST_DIGITS).map(|digits| digest.tag_with(digits)))
            .find(|tag| !shown(tag) && !self.given.has_other(path, *tag, digest))
            .ok_or(NoTag::Collision)
    }

    /// Lets go what is over the limits after a new text of `path`, but for the tags.
    fn evict(&mut self, path: &str, limits: &Limits) {
        while self.entries.iter().filter(|entry| entry.is_of(path)).count() > limits.versions.max(1) {
            self.drop_least_used(|entry| entry.is_of(path));
        }
        loop {
            let mut used: HashMap<Arc<str>, u64> = HashMap::new();
            for entry in &self.entries {
                let latest = used.entry(Arc::clone(&entry.snapshot.path)).or_default();
                *latest = entry.used.max(*latest);
            }
            if used.len() <= limits.paths.max(1) {
                break;
            }
            let Some((oldest, _)) = used.into_iter().min_by_key(|(_, used)| *used) else { break };
            self.forget(&oldest);
        }
        while self.bytes() > limits.total_bytes {
            self.drop_least_used(|_| true);
        }
        self.given.cut(limits.tags);
    }

    fn drop_least_used(&mut self, among: impl Fn(&Entry) -> bool) {
        let candidates = self.entries.iter().enumerate().filter(|(_, entry)| among(entry));
        if let Some((index, _)) = candidates.min_by_key(|(_, entry)| entry.used) {
            let snapshot = self.entries.swap_remove(index).snapshot;
            self.given.note(&snapshot.path, snapshot.tag, snapshot.digest());
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.entries.iter().fold(0, |sum, entry| sum.saturating_add(entry.snapshot.text.as_str().len()))
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The text of `path` that was recorded last among those that `is` picks; this counts as a use.
    pub(crate) fn find(&mut self, path: &str, is: impl Fn(&Snapshot) -> bool) -> Option<Snapshot> {
        let now = self.tick();
        let found = self.entries.iter_mut().filter(|entry| entry.is_of(path) && is(&entry.snapshot));
        let entry = found.max_by_key(|entry| entry.recorded)?;
        entry.used = now;
        Some(entry.snapshot.clone())
    }

    /// The paths of all snapshots that `is` picks, each once, the one used last first. This is no use.
    pub(crate) fn paths(&self, is: impl Fn(&Snapshot) -> bool) -> Vec<Arc<str>> {
        let mut found: Vec<&Entry> = self.entries.iter().filter(|entry| is(&entry.snapshot)).collect();
        found.sort_unstable_by_key(|entry| std::cmp::Reverse(entry.used));
        let mut paths: Vec<Arc<str>> = Vec::new();
        for entry in found {
            if !paths.contains(&entry.snapshot.path) {
                paths.push(Arc::clone(&entry.snapshot.path));
            }
        }
        paths
    }

    pub(crate) fn rename(&mut self, from: &str, to: &str) -> bool {
        if !self.entries.iter().any(|entry| entry.is_of(from)) {
            return false;
        }
        if from != to {
            self.forget(to);
            let to: Arc<str> = to.into();
            self.given.rename(from, &to);
            for entry in self.entries.iter_mut().filter(|entry| entry.is_of(from)) {
                entry.snapshot.path = Arc::clone(&to);
            }
        }
        true
    }

    pub(crate) fn forget(&mut self, path: &str) -> bool {
        let before = self.entries.len();
        let given = &mut self.given;
        self.entries.retain(|entry| {
            let goes = entry.is_of(path);
            if goes {
                given.note(&entry.snapshot.path, entry.snapshot.tag, entry.snapshot.digest());
            }
            !goes
        });
        self.entries.len() < before
    }

    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.given = Given::default();
    }
}

impl Entry {
    fn is_of(&self, path: &str) -> bool {
        *self.snapshot.path == *path
    }
}

/// The lines of these ranges that the snapshot did not show.
pub(crate) fn unseen(snapshot: &Snapshot, lines: &[LineRange]) -> LineSet {
    lines.iter().copied().collect::<LineSet>().difference(&snapshot.shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forged(text: &str, digest: [u8; 32]) -> NormalText {
        NormalText::new(text).under(Digest::from_bytes(digest))
    }

    fn record(snapshots: &mut Snapshots, text: &NormalText) -> Result<String, NoTag> {
        let limits = Limits { versions: 100, ..Limits::default() };
        snapshots.record("f", text, &text.all_lines(), &limits).map(|tag| tag.to_string())
    }

    #[test]
    fn a_tag_is_lengthened_until_it_is_free_and_then_stays() {
        let mut snapshots = Snapshots::default();
        let mut last = [0xAB; 32];
        last[31] = 0;
        let one = forged("one", [0xAB; 32]);
        let two = forged("two", last);
        let three = forged("three", [0xAB; 32]);
        assert_eq!(record(&mut snapshots, &one).unwrap(), "ABAB");
        assert_eq!(record(&mut snapshots, &two).unwrap(), "ABABA");
        assert_eq!(record(&mut snapshots, &three).unwrap(), "ABABAB");
        assert_eq!(record(&mut snapshots, &two).unwrap(), "ABABA");
        let of = |snapshots: &mut Snapshots, tag: &str| {
            let tag: Tag = tag.parse().unwrap();
            snapshots.find("f", |snapshot| snapshot.tag == tag).map(|found| found.text.as_str().to_owned())
        };
        assert_eq!(of(&mut snapshots, "ABAB").unwrap(), "one");
        assert_eq!(of(&mut snapshots, "ABABA").unwrap(), "two");
        assert_eq!(of(&mut snapshots, "ABABAB").unwrap(), "three");
        assert_eq!(of(&mut snapshots, "ABABABA"), None);
        // Another path knows nothing of it.
        let tag = snapshots.record("g", &two, &LineSet::new(), &Limits::default()).unwrap();
        assert_eq!(tag.to_string(), "ABAB");
    }

    #[test]
    fn a_tag_that_was_shown_is_given_to_no_other_text() {
        let limits = Limits { versions: 1, paths: 1, ..Limits::default() };
        let mut snapshots = Snapshots::default();
        let mut show = |path: &str, text: &NormalText| {
            snapshots.record(path, text, &text.all_lines(), &limits).unwrap().to_string()
        };
        let (one, mut other) = (forged("one", [0xAB; 32]), [0xAB; 32]);
        other[31] = 0;
        let two = forged("two", other);
        assert_eq!(show("f", &one), "ABAB");
        // The first text goes for the second, and both for another path: what they were shown under stays theirs.
        assert_eq!(show("f", &two), "ABABA");
        assert_eq!(show("g", &two), "ABAB");
        assert_eq!(show("f", &two), "ABABA");
        assert_eq!(show("f", &one), "ABAB");
        assert_eq!(show("f", &forged("three", [0xAB; 32])), "ABABAB");
        assert!(snapshots.forget("f"));
        let mut show = |path: &str, text: &NormalText| {
            snapshots.record(path, text, &text.all_lines(), &limits).unwrap().to_string()
        };
        assert_eq!(show("f", &two), "ABABA");
    }

    #[test]
    fn tags_go_with_their_path_and_are_remembered_within_a_limit() {
        let limits = Limits { versions: 1, tags: 2, ..Limits::default() };
        let mut snapshots = Snapshots::default();
        let texts: Vec<NormalText> = (0..6_u8)
            .map(|n| forged(&n.to_string(), std::array::from_fn(|at| if at < 4 { 1 } else { n })))
            .collect();
        let mut tags = Vec::new();
        for text in &texts {
            tags.push(snapshots.record("f", text, &LineSet::new(), &limits).unwrap().digits());
        }
        // The oldest of more than two is forgotten, and free again.
        assert_eq!(tags, [4, 5, 6, 7, 4, 5]);
        assert!(snapshots.rename("f", "g"));
        let tag = snapshots.record("g", &texts[0], &LineSet::new(), &limits).unwrap();
        assert_eq!(tag.digits(), 6);
        let tag = snapshots.record("f", &texts[1], &LineSet::new(), &limits).unwrap();
        assert_eq!(tag.digits(), 4);
    }

    #[test]
    fn texts_are_told_apart_even_under_one_digest_as_long_as_there_are_tags() {
        let mut snapshots = Snapshots::default();
        for text in 0..=DIGEST_DIGITS - TAG_DIGITS {
            let tag = record(&mut snapshots, &forged(&text.to_string(), [1; 32])).unwrap();
            assert_eq!(tag.len(), text + TAG_DIGITS);
        }
        assert_eq!(record(&mut snapshots, &forged("one more", [1; 32])), Err(NoTag::Collision));
        assert_eq!(record(&mut snapshots, &forged("5", [1; 32])).unwrap().len(), 9);
    }
}
