//! Tags of texts that a store has let go. Somebody may still hold one and mean that text by it.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::tag::{Digest, Tag};

/// Tags that were shown, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct Given(VecDeque<Shown>);

#[derive(Debug)]
struct Shown {
    path: Arc<str>,
    tag: Tag,
    digest: Digest,
}

impl Given {
    /// Remembers the tag that a text of the path was shown under.
    pub(crate) fn note(&mut self, path: &Arc<str>, tag: Tag, digest: Digest) {
        self.0.push_back(Shown { path: Arc::clone(path), tag, digest });
    }

    /// Whether another text of the path than the one with this digest was shown under this tag.
    pub(crate) fn has_other(&self, path: &str, tag: Tag, digest: Digest) -> bool {
        self.0.iter().any(|shown| shown.tag == tag && shown.digest != digest && *shown.path == *path)
    }

    /// The tag that the text with this digest was shown under. It is not remembered here any longer.
    pub(crate) fn take(&mut self, path: &str, digest: Digest) -> Option<Tag> {
        let at = self.0.iter().position(|shown| shown.digest == digest && *shown.path == *path)?;
        self.0.remove(at).map(|shown| shown.tag)
    }

    /// Moves the tags of a path to another, which keeps its own.
    pub(crate) fn rename(&mut self, from: &str, to: &Arc<str>) {
        for shown in self.0.iter_mut().filter(|shown| *shown.path == *from) {
            shown.path = Arc::clone(to);
        }
    }

    /// Forgets the oldest tags over `most`.
    pub(crate) fn cut(&mut self, most: usize) {
        self.0.drain(..self.0.len().saturating_sub(most));
    }
}
