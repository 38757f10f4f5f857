//! How long values may be in a statement: the more of its steps compute, the shorter.

use std::cell::Cell;

use rusqlite::limits::Limit;
use rusqlite::{Statement, StatementStatus};

use crate::fault::Author;
use crate::limits::{ASKED_VALUE, MAX_STEPS, MAX_WORK, OWN_VALUE, QUADRATIC_VALUE};
use crate::vfs::Hosted;

/// Bytes of memory up to which a statement has so few steps that they are not counted.
const SHORT: i32 = 8 << 10;

/// Steps whose time grows with the length of a value, as `EXPLAIN` calls them.
const COMPUTING: [&str; 17] = [
    "Add",
    "BitAnd",
    "BitOr",
    "Cast",
    "Concat",
    "Divide",
    "Eq",
    "Function",
    "Ge",
    "Gt",
    "Le",
    "Lt",
    "Multiply",
    "Ne",
    "PureFunc",
    "Remainder",
    "Subtract",
];

/// How long values may be, over one connection.
#[derive(Debug)]
pub(crate) struct ValueBudget {
    /// How long a value may be, apart from what a statement is like.
    longest: Cell<u32>,
}

impl ValueBudget {
    /// A budget of values of at most `longest` bytes.
    pub(crate) fn new(longest: u32) -> Self {
        Self { longest: Cell::new(longest) }
    }

    /// Bounds the values of what runs next by how many steps `statement` has; see [`MAX_WORK`].
    pub(crate) fn bound(
        &self,
        hosted: &Hosted,
        (sql, statement): (&str, &mut Statement<'_>),
        author: Author,
        is_quadratic: bool,
    ) -> rusqlite::Result<()> {
        let least = match author {
            Author::Own => OWN_VALUE,
            Author::Caller => ASKED_VALUE,
        };
        let mut value = self.longest.get();
        if statement.get_status(StatementStatus::MemUsed) > SHORT {
            // Where that cannot be said, all of them may be.
            let steps =
                hosted.count_steps(sql, statement, &COMPUTING)?.unwrap_or(MAX_STEPS.unsigned_abs().into());
            let each = MAX_WORK / steps.max(1);
            value = u32::try_from(each).unwrap_or(u32::MAX).max(least).min(value);
        }
        set(hosted, value, is_quadratic)
    }

    /// Changes how long a value may be from here on, also for what was prepared already.
    pub(crate) fn change(&self, hosted: &Hosted, longest: u32, is_quadratic: bool) -> rusqlite::Result<()> {
        self.longest.set(longest);
        set(hosted, longest, is_quadratic)
    }
}

fn set(hosted: &Hosted, bytes: u32, is_quadratic: bool) -> rusqlite::Result<()> {
    let bytes = if is_quadratic { bytes.min(QUADRATIC_VALUE) } else { bytes };
    let bytes = i32::try_from(bytes).unwrap_or(i32::MAX);
    hosted.set_limit(Limit::SQLITE_LIMIT_LENGTH, bytes).map(|_| ())
}
