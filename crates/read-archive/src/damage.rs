//! Archives that are cut or damaged: what precedes the fault is read, and the fault is told.

use read_core::{Notice, Rank, size};

/// Where an archive stops making sense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Damage {
    /// The bytes of the archive that precede the fault.
    pub(crate) after: u64,
    /// What is wrong there.
    pub(crate) reason: String,
}

impl Damage {
    pub(crate) fn new(after: u64, reason: impl Into<String>) -> Self {
        Self { after, reason: reason.into() }
    }

    /// What is said about it beside everything that is read from the archive at `path`.
    pub(crate) fn notices(&self, path: &str) -> [Notice; 2] {
        let after = size(self.after);
        [
            Notice::new(
                Rank::LeftOut,
                format!("{path} is damaged or cut after {after}; what precedes is shown"),
            ),
            Notice::detail(Rank::Odd, format!("{path}: {} at byte {}", self.reason, self.after)),
        ]
    }
}
