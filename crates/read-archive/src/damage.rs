//! Archives that are cut or damaged: what precedes the fault is read, and the fault is told.

use std::io;

use read_core::{Notice, Rank, StreamFault, damage_notices, shortened};

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
        let [told, _] = damage_notices(path, Some(self.after), &self.reason);
        // The place is for whoever looks into it; a model has no use for it.
        [told, Notice::detail(Rank::Odd, format!("{path}: {} at byte {}", self.reason, self.after))]
    }
}

/// What a stream failed with, where that is what its format says of the content; else the end of the read, to be handed on.
pub(crate) fn of_format(error: io::Error) -> Result<io::Error, io::Error> {
    match StreamFault::of(error) {
        StreamFault::Format(error) => Ok(error),
        StreamFault::Host(error) => Err(error),
        StreamFault::Stopped(trip) => Err(trip.into()),
        StreamFault::Error(error) => Err(io::Error::other(error)),
        other => Err(io::Error::other(other.into_error("the archive"))),
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
