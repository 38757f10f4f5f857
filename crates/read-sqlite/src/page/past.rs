//! A way past damage in a table.

use read_core::{ErrorCode, ReadError};

use super::cursor::Cursor;
use super::fetch::fetch;
use super::{Page, Paging};
use crate::database::Database;
use crate::schema::Table;

impl Paging<'_> {
    /// The target of the first rows that can be read again behind the one numbered `last`, in the order of the page; `None`
    /// where rows have no numbers, or none can be read.
    pub(super) fn way_past(&self, cursor: &Cursor, last: i64) -> Option<String> {
        let database = self.database;
        database.watch.begin_part(database.limits.list_time);
        let way = found(database, self.table, self.page, cursor, last);
        database.watch.end_part();
        Some(self.call_behind(0, Some(&way?)))
    }

    /// The error of a page whose first row is damaged, with a way past that where there is one.
    pub(super) fn with_way_past(&self, error: ReadError) -> ReadError {
        if error.code() != ErrorCode::Corrupt || self.page.offset > 0 {
            return error;
        }
        let way = self.cursor.as_ref().and_then(|cursor| {
            let asked = self.page.filter.as_deref().and_then(|filter| cursor.number_in(filter));
            // Numbers of rows begin at 1, most often.
            let last = asked.or((!cursor.is_descending()).then_some(0))?;
            self.way_past(cursor, last)
        });
        match way {
            Some(call) => {
                let message = format!("{} Use {call} for rows behind the damage.", error.message());
                ReadError::new(ErrorCode::Corrupt, message).with_cause(error)
            }
            None => error,
        }
    }
}

/// The condition of the first rows that can be read again.
fn found(database: &Database, table: &Table, page: &Page, cursor: &Cursor, last: i64) -> Option<String> {
    let number = cursor.number()?;
    let sign = if cursor.is_descending() { '<' } else { '>' };
    let condition = |distance: i64| {
        let place =
            if cursor.is_descending() { last.checked_sub(distance)? } else { last.checked_add(distance)? };
        Some(format!("{number}{sign}{place}"))
    };
    // A row is found by its number in a few pages, so that those which are damaged are met only by the numbers in them.
    let is_readable = |distance: i64| {
        let Some(condition) = condition(distance).filter(|_| !database.watch.must_stop()) else {
            return Some(false);
        };
        let filter = cursor.filtered(page.filter.as_deref(), &condition);
        let one = Page { filter: Some(filter), offset: 0, limit: Some(1), ..page.clone() };
        match fetch(database, table, &one, 1) {
            Ok(rows) if rows.rows.is_empty() => None,
            Ok(rows) => Some(rows.ended.is_none()),
            Err(_) => Some(false),
        }
    };
    let (mut bad, mut good) = (0_i64, 1_i64);
    loop {
        // Beyond the last row there is nothing to read.
        match is_readable(good) {
            Some(true) => break,
            Some(false) => bad = good,
            None => {
                good = between(database, bad, good, &is_readable)?;
                break;
            }
        }
        good = good.checked_mul(2)?;
    }
    while good - bad > 1 && !database.watch.must_stop() {
        let middle = bad + (good - bad) / 2;
        if is_readable(middle) == Some(true) { good = middle } else { bad = middle }
    }
    condition(good)
}

/// A distance between one that is damaged and one that has no rows where rows can be read.
fn between(
    database: &Database,
    bad: i64,
    none: i64,
    is_readable: &dyn Fn(i64) -> Option<bool>,
) -> Option<i64> {
    let (mut bad, mut none) = (bad, none);
    while none - bad > 1 && !database.watch.must_stop() {
        let middle = bad + (none - bad) / 2;
        match is_readable(middle) {
            Some(true) => return Some(middle),
            Some(false) => bad = middle,
            None => none = middle,
        }
    }
    None
}
