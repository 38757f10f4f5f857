//! How much a store keeps.

/// How much a [`SnapshotStore`](crate::SnapshotStore) keeps. What is over goes, least recently used first.
///
/// ```
/// # use read_hashline::{Limits, SnapshotStore};
/// let mut limits = Limits::DEFAULT;
/// limits.paths = 100;
/// let store = SnapshotStore::new(limits);
/// # assert_eq!(store.limits().paths, 100);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// How many paths; 0 is taken as 1. Default 30.
    pub paths: usize,
    /// How many texts of one path; 0 is taken as 1. Default 4.
    pub versions: usize,
    /// How many bytes all texts have together, in normal form. A longer text is refused. Default 64 MiB.
    pub total_bytes: usize,
    /// How many bytes of UTF-8 a decoded text may have. A longer one is refused. Default 4 MiB.
    pub text_bytes: usize,
    /// How many ranges of shown lines are kept for a text; 0 is taken as 1. Where there would be more, those of the
    /// latest read stay, the first ones if even these are too many. What is forgotten counts as not shown. Default 4,096.
    pub ranges: usize,
    /// How many tags of texts that were let go are remembered, over all paths, oldest first to go, so that a tag that was
    /// shown for one text is never given to another of its path. Default 4,096: some 400 KiB of memory.
    pub tags: usize,
}

impl Limits {
    /// What a store keeps unless its host says otherwise.
    pub const DEFAULT: Self = Self {
        paths: 30,
        versions: 4,
        total_bytes: 64 << 20,
        text_bytes: 4 << 20,
        ranges: 4_096,
        tags: 4_096,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

#[cfg(test)]
mod tests {
    use super::Limits;

    #[test]
    fn the_page_of_limits_names_every_limit_with_its_default() {
        let page = include_str!("../../../docs/limits.md").replace('\n', " ");
        let start = page.find("Of `read-hashline`:").expect("a section of its own");
        let said = page.get(start..).unwrap_or_default();
        let Limits { paths, versions, total_bytes, text_bytes, ranges, tags } = Limits::DEFAULT;
        assert_eq!((ranges, tags), (4_096, 4_096));
        for text in [
            format!("{paths} `paths`"),
            format!("{versions} `versions`"),
            format!("{} MiB (`total_bytes`)", total_bytes >> 20),
            format!("{} MiB (`text_bytes`)", text_bytes >> 20),
            "4,096 `ranges`".to_owned(),
            "4,096 `tags`".to_owned(),
        ] {
            assert!(said.contains(&text), "{text}");
        }
    }
}
