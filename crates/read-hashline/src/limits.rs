//! How much a store keeps.

use crate::text::TEXT_LIMIT;

/// How much a [`SnapshotStore`](crate::SnapshotStore) keeps. What is over goes, least recently used first.
///
/// ```
/// # use read_hashline::{Limits, SnapshotStore};
/// let store = SnapshotStore::new(Limits { paths: 100, ..Limits::default() });
/// # assert_eq!(store.limits().paths, 100);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// How many paths; 0 is taken as 1.
    pub paths: usize,
    /// How many texts of one path; 0 is taken as 1.
    pub versions: usize,
    /// How many bytes all texts have together, in normal form. A longer text is refused.
    pub total_bytes: usize,
    /// How many bytes of UTF-8 a decoded text may have. A longer one is refused.
    pub text_bytes: usize,
    /// How many ranges of shown lines are kept for a text; 0 is taken as 1. Where there would be more, those of the
    /// latest read stay, the first ones if even these are too many. What is forgotten counts as not shown.
    pub ranges: usize,
    /// How many tags of texts that were let go are remembered, over all paths, oldest first to go, so that a tag that was
    /// shown for one text is never given to another of its path.
    pub tags: usize,
}

impl Limits {
    /// The default for [`paths`](Self::paths).
    pub const PATHS: usize = 30;
    /// The default for [`versions`](Self::versions).
    pub const VERSIONS: usize = 4;
    /// The default for [`total_bytes`](Self::total_bytes): 64 MiB.
    pub const TOTAL_BYTES: usize = 64 * 1024 * 1024;
    /// The default for [`text_bytes`](Self::text_bytes): 4 MiB.
    pub const TEXT_BYTES: usize = TEXT_LIMIT;
    /// The default for [`ranges`](Self::ranges).
    pub const RANGES: usize = 4096;
    /// The default for [`tags`](Self::tags): some 400 KiB of memory.
    pub const TAGS: usize = 4096;
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            paths: Self::PATHS,
            versions: Self::VERSIONS,
            total_bytes: Self::TOTAL_BYTES,
            text_bytes: Self::TEXT_BYTES,
            ranges: Self::RANGES,
            tags: Self::TAGS,
        }
    }
}
