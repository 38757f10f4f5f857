//! Archives that are cut or damaged: what precedes the fault is read, and the fault is told.

use read_core::{Notice, Rank, shortened, size};

use crate::tree::Tree;

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

/// Members of which something is wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Faulty {
    members: u32,
    first: u32,
}

impl Faulty {
    /// Notes a member by its number; they come in order.
    pub(crate) fn note(&mut self, number: u32) {
        if self.members == 0 {
            self.first = number;
        }
        self.members = self.members.saturating_add(1);
    }

    /// What is said about them; `said` is given their names, as far as they are told.
    pub(crate) fn notice(self, tree: &Tree, said: impl FnOnce(&str) -> String) -> Option<Notice> {
        let first = shortened(tree.path(self.first));
        let names = match self.members {
            0 => return None,
            1 => format!("'{first}'"),
            2 => format!("'{first}' and 1 further member"),
            members => format!("'{first}' and {} further members", members - 1),
        };
        Some(Notice::new(Rank::Odd, said(&names)))
    }
}
