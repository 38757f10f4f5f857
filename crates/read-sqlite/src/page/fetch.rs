//! Reading the rows of a page.

use std::fmt::Write;

use read_core::{ErrorCode, ReadError, printed};

use super::Page;
use crate::columns::{self, Reasons, Texts};
use crate::database::Database;
use crate::limits::{MAX_COLUMNS, PAGE_READABLE, PAGE_VALUE};
use crate::schema::{Key, Table};
use crate::value::Value;

/// The rows of a page, as they were read.
#[derive(Debug)]
pub(super) struct PageRows {
    pub(super) names: Vec<String>,
    pub(super) rows: Vec<Vec<Value>>,
    /// The number of each row, where it has one.
    pub(super) numbers: Vec<Option<i64>>,
    /// Whether there is at least one more.
    pub(super) more: bool,
    /// What ended the rows before their end.
    pub(super) ended: Option<ReadError>,
    /// Columns that cannot be read, and why.
    pub(super) unreadable: Vec<(String, String)>,
}

/// Reads the rows of `page`, and whether one more follows.
pub(super) fn fetch(
    database: &Database,
    table: &Table,
    page: &Page,
    limit: u64,
) -> Result<PageRows, ReadError> {
    columns::readable(database, table, |reasons| select(database, table, page, limit, reasons))
}

/// The statement of a page, and where in its result the number of a row stands.
fn statement(table: &Table, page: &Page, limit: u64, reasons: &Reasons) -> (String, Option<usize>) {
    let rows = page.offset.saturating_add(limit).saturating_add(1);
    let texts = match (&table.rowid, &page.order) {
        (Some(_), None) => Texts::of(rows, reasons.len(), PAGE_VALUE, PAGE_VALUE * 64),
        (Some(_), Some(_)) => Texts::Heads { short: PAGE_VALUE, readable: PAGE_VALUE * 64 },
        (None, _) => Texts::Heads { short: PAGE_VALUE, readable: PAGE_READABLE },
    };
    let mut list = columns::selected(table, reasons, texts);
    let number = match (&table.key, &table.rowid) {
        (Key::Rowid(name), Some(_)) if table.column(name).is_some() => {
            table.shown().position(|column| column.name == *name)
        }
        (_, Some(rowid)) if list.len() < MAX_COLUMNS => {
            list.push(table.rowid_in_sql(rowid));
            Some(list.len() - 1)
        }
        _ => None,
    };
    let mut sql = format!("SELECT {}", list.join(", "));
    // Writing to a string does not fail.
    let _ = write!(
        sql,
        " FROM {}{}{} LIMIT {} OFFSET {}",
        table.quoted(),
        page.filtered(),
        page.order_by(table),
        limit.saturating_add(1),
        i64::try_from(page.offset).unwrap_or(i64::MAX)
    );
    (sql, number)
}

fn select(
    database: &Database,
    table: &Table,
    page: &Page,
    limit: u64,
    reasons: &Reasons,
) -> Result<PageRows, ReadError> {
    let (sql, number_at) = statement(table, page, limit, reasons);
    let mut statement =
        if page.filter.is_some() { database.prepare_asked(&sql)? } else { database.prepare(&sql)? };
    if statement.has_parameters() {
        return Err(database.invalid_query("where has parameters; write the values into it."));
    }
    let names: Vec<String> =
        table.shown().map(|column| printed(column.name.as_bytes()).into_owned()).collect();
    let mut rows = PageRows {
        unreadable: columns::named(table, reasons),
        names,
        rows: Vec::new(),
        numbers: Vec::new(),
        more: false,
        ended: None,
    };
    let mut result = statement.rows([])?;
    loop {
        let row = match result.next() {
            Ok(Some(row)) => row,
            Ok(None) => return Ok(rows),
            Err(error) => {
                let ends =
                    matches!(error.code(), ErrorCode::Corrupt | ErrorCode::QueryFailed | ErrorCode::TooLarge);
                if !ends || rows.rows.is_empty() {
                    return Err(error);
                }
                rows.ended = Some(error);
                return Ok(rows);
            }
        };
        if rows.rows.len() as u64 >= limit {
            rows.more = true;
            return Ok(rows);
        }
        let number = number_at.and_then(|at| row.integer(at));
        let values = columns::values(database, table, reasons, &row, (number, PAGE_VALUE))?;
        rows.numbers.push(number);
        rows.rows.push(values);
    }
}
