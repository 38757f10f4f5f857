//! The columns of a table as statements read them; and those that cannot be read, so that the others can: one whose default or expression names a function that is unknown or
//! refused, or fails.

use read_core::{ErrorCode, ReadError, printed};

use crate::cell::head_of_cell;
use crate::database::{Database, Row};
use crate::limits::{READ_OF_PAGE, READ_OF_ROW};
use crate::schema::Table;
use crate::sql::quoted;
use crate::value::{Value, measured, with_head};

/// Why columns cannot be read, for each that is shown; `None` for one that can.
pub(crate) type Reasons = [Option<String>];

/// Reads all columns; where that fails, those that can be read alone; where that fails too, those that are not computed.
pub(crate) fn readable<T>(
    database: &Database,
    table: &Table,
    mut read: impl FnMut(&Reasons) -> Result<T, ReadError>,
) -> Result<T, ReadError> {
    let is_about_columns =
        |error: &ReadError| matches!(error.code(), ErrorCode::QueryFailed | ErrorCode::InvalidQuery);
    let mut reasons: Vec<Option<String>> = vec![None; table.shown().count()];
    let first = match read(&reasons) {
        Err(error) if is_about_columns(&error) => error,
        read => return read,
    };
    for (column, reason) in table.shown().zip(&mut reasons) {
        *reason =
            database.why_not(&format!("SELECT {} FROM {} LIMIT 0", quoted(&column.name), table.quoted()));
    }
    let mut last = None;
    if reasons.iter().any(Option::is_some) && !reasons.iter().all(Option::is_some) {
        match read(&reasons) {
            Err(error) if is_about_columns(&error) => last = Some(error),
            read => return read,
        }
    }
    let why = last.as_ref().unwrap_or(&first).message().to_owned();
    let computed =
        table.shown().zip(&mut reasons).filter(|(column, reason)| column.computed && reason.is_none());
    let mut excluded = false;
    for (_, reason) in computed {
        *reason = Some(why.clone());
        excluded = true;
    }
    if excluded && !reasons.iter().all(Option::is_some) {
        // What is wrong is something else where this fails as well.
        return read(&reasons).map_err(|_| first);
    }
    Err(first)
}

/// How a statement reads texts of some length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Texts {
    /// Whole, up to so many bytes; of longer ones the size, as they can be read from where they lie.
    Whole(u64),
    /// Their first letters, where they are no longer than `readable` bytes.
    Heads { short: u64, readable: u64 },
}

impl Texts {
    /// How to read them in so many rows and columns that have numbers and need not be sorted: whole, which is sooner prepared,
    /// where a statement may have that much at hand. (SQLite may sort what a filter finds by an index.)
    pub(crate) fn of(rows: u64, columns: usize, short: u64, readable: u64) -> Self {
        let row = readable.saturating_mul(columns as u64);
        if row <= READ_OF_ROW && row.saturating_mul(rows) <= READ_OF_PAGE {
            Self::Whole(readable)
        } else {
            Self::Heads { short, readable }
        }
    }
}

/// What a statement selects of the columns that are shown, so that [`values`] can be made of it.
pub(crate) fn selected(table: &Table, reasons: &Reasons, texts: Texts) -> Vec<String> {
    let select = |name: &str| match texts {
        Texts::Whole(most) => measured(&quoted(name), most),
        Texts::Heads { short, readable } => with_head(&quoted(name), short, readable),
    };
    let columns = table.shown().zip(reasons);
    columns
        .map(|(column, reason)| if reason.is_none() { select(&column.name) } else { "NULL".to_owned() })
        .collect()
}

/// The values of the columns that are shown, of a row that has that number where it has one. What a statement did not read of
/// a long text is read from where it lies, the first `keep` bytes.
pub(crate) fn values(
    database: &Database,
    table: &Table,
    reasons: &Reasons,
    row: &Row<'_>,
    (number, keep): (Option<i64>, u64),
) -> Result<Vec<Value>, ReadError> {
    let kept = usize::try_from(keep).unwrap_or(usize::MAX);
    let mut values = Vec::with_capacity(reasons.len());
    for (index, (column, reason)) in table.shown().zip(reasons).enumerate() {
        if reason.is_some() {
            values.push(Value::Unreadable);
            continue;
        }
        let value = Value::of_measured(row.value(index)?, database.encoding, kept);
        values.push(match (value, number) {
            (Value::Text { head, total }, Some(number)) if head.is_empty() && total > 0 => {
                let head = head_of_cell(database, table, &column.name, number, keep);
                Value::Text { head: head.unwrap_or_default(), total }
            }
            (value, _) => value,
        });
    }
    Ok(values)
}

/// The names of the columns that cannot be read, printable, with the reasons.
pub(crate) fn named(table: &Table, reasons: &Reasons) -> Vec<(String, String)> {
    let columns = table.shown().zip(reasons);
    columns
        .filter_map(|(column, reason)| Some((printed(column.name.as_bytes()).into_owned(), reason.clone()?)))
        .collect()
}

/// What is to be said of columns that cannot be read.
pub(crate) fn said(unreadable: &[(String, String)]) -> Option<String> {
    let (name, reason) = unreadable.first()?;
    Some(match unreadable.len() {
        1 => format!("Column '{name}' cannot be read: {reason}"),
        n => format!("{n} columns cannot be read; '{name}': {reason}"),
    })
}
