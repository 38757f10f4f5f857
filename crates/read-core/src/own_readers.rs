//! The readers that every host has.

use crate::directory::DIRECTORY;
use crate::registry::Registry;
use crate::text::TEXT;

impl Registry {
    /// Core's own readers alone: text and directories.
    pub fn core() -> Self {
        Self::empty().with(TEXT).with(DIRECTORY)
    }

    /// Core's own readers and whatever else is linked.
    #[cfg(feature = "inventory")]
    pub fn discovered() -> Self {
        Self::core().with_discovered()
    }
}
