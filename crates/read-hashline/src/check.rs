//! What a store answers when an edit is about to be made.

use crate::lines::{LineRange, LineSet};

/// Whether lines that a caller wants to change are what it saw.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Check {
    /// The live text is the one that was tagged, blanks at line ends and the like apart, and every line asked about
    /// was shown.
    Fresh,
    /// The live text is another by now. Every line asked about was shown.
    Drifted {
        /// Where the ranges asked about are now, in the order in which they were asked about.
        moved: Vec<Moved>,
    },
    /// These of the lines asked about were never shown, so the caller cannot know them. Nothing is said about the
    /// live text.
    Unseen(LineSet),
    /// No text of this path is known under this tag: it never was, or it was let go.
    UnknownTag,
}

impl Check {
    /// Whether the lines are safe to change by their numbers.
    #[must_use]
    pub fn is_fresh(&self) -> bool {
        *self == Self::Fresh
    }
}

/// Where a range of lines of an older text is in a newer one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Moved {
    /// The lines in the older text.
    pub from: LineRange,
    /// The same lines in the newer text, one below the other as they were; `None` where they are no longer there as a
    /// whole, or where it cannot be told which of several places is theirs.
    pub to: Option<LineRange>,
}
