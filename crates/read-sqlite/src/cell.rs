//! One cell as a source: read by pieces, and handed on to whatever reader knows its content.

use std::io::{self, Read};

use read_core::{
    Answer, Body, ErrorCode, Notice, Noun, Outcome, Rank, ReadContext, ReadError, Slice, Source, printed,
    size,
};
use rusqlite::MAIN_DB;
use rusqlite::types::ValueRef;

use crate::database::Database;
use crate::reader::MEDIA_TYPE;
use crate::row::Row;
use crate::schema::{Column, Table, quoted};
use crate::text::{Encoding, ToUtf8};
use crate::watch::Watch;

/// A cell that was found.
#[derive(Debug)]
pub(crate) struct Cell<'a> {
    pub(crate) table: &'a Table,
    pub(crate) row: &'a Row,
    pub(crate) column: &'a Column,
    /// How the target addresses it behind the table.
    pub(crate) name: &'a str,
    /// What follows it in the target.
    pub(crate) rest: &'a str,
}

/// Hands on the content of a cell.
pub(crate) fn outcome(
    database: &Database,
    source: &Source,
    cell: &Cell<'_>,
    cx: &ReadContext<'_>,
) -> Result<Outcome, ReadError> {
    let (table, column) = (cell.table.quoted(), quoted(&cell.column.name));
    let sql = format!(
        "SELECT typeof({column}), octet_length({column}) FROM {table} WHERE {} LIMIT 1",
        cell.row.condition
    );
    database.limit_values(database.options.max_cell)?;
    let (kind, bytes): (String, Option<i64>) = database
        .connection()
        .query_row(&sql, [&cell.row.key], |row| Ok((row.get(0)?, row.get(1)?)))
        .map_err(|error| database.fault(&error))?;
    let bytes = u64::try_from(bytes.unwrap_or(0)).unwrap_or(0);
    let max = u64::from(database.options.max_cell);
    if bytes > max {
        return Err(ReadError::new(
            ErrorCode::TooLarge,
            format!(
                "'{}:{}' is {}; cells of up to {} are read. Use {}?q=SELECT substr(…) for a part of it.",
                crate::page::target(&database.path, cell.table),
                printed(cell.name.as_bytes()),
                size(bytes),
                size(max),
                database.path
            ),
        ));
    }
    if kind == "null" {
        let mut answer = Answer::text("NULL");
        answer.details.media_type = Some(MEDIA_TYPE.into());
        answer.notices.push(Notice::new(Rank::Odd, "The cell is NULL: it holds no value"));
        return Ok(answer.into());
    }
    let slice = content(database, cell, &kind, cx)?;
    let member = format!("{}:{}", cell.table.object.name, cell.name);
    let mut inner = source.member(member.as_bytes(), Noun::Cell, Body::Slice(slice));
    if database.has_log() {
        // The file's identity does not change when the log does: nothing may be kept under it.
        inner = inner.with_identity(None);
    }
    Ok(Outcome::descend(inner, cell.rest))
}

fn content(
    database: &Database,
    cell: &Cell<'_>,
    kind: &str,
    cx: &ReadContext<'_>,
) -> Result<Slice, ReadError> {
    let encoding = if kind == "text" { database.encoding } else { Encoding::Utf8 };
    let whole = |error: io::Error| {
        database.watch.check().err().unwrap_or_else(|| ReadError::io(&database.path, error))
    };
    // UTF-16 may take half as much again in UTF-8.
    let cap = u64::from(database.options.max_cell).saturating_mul(2);
    let too_large = || {
        ReadError::new(
            ErrorCode::TooLarge,
            format!(
                "'{}': there is no room to hold the cell '{}' just now. Try again later.",
                database.path,
                printed(cell.name.as_bytes())
            ),
        )
    };
    let name = (cell.table.object.name.as_str(), cell.column.name.as_str());
    if let (Some(rowid), "text" | "blob", false) = (cell.row.rowid, kind, cell.column.computed)
        && let Ok(blob) = database.connection().blob_open(MAIN_DB, name.0, name.1, rowid, true)
    {
        let mut pieces = ToUtf8::new(Watched { inner: blob, watch: &database.watch }, encoding);
        return cx.spool().hold(&mut pieces, cap).map_err(whole)?.ok_or_else(too_large);
    }
    // What does not lie in a row of its own (a table without row numbers, a view, a computed column) comes in one piece.
    let sql = format!(
        "SELECT {} FROM {} WHERE {} LIMIT 1",
        quoted(name.1),
        cell.table.quoted(),
        cell.row.condition
    );
    let mut statement = database.prepare(&sql)?;
    database.limit_values(database.options.max_cell)?;
    let mut rows = statement.query([&cell.row.key]).map_err(|error| database.fault(&error))?;
    let value = match rows.next().map_err(|error| database.fault(&error))? {
        Some(row) => row.get_ref(0).map_err(|error| database.fault(&error))?,
        None => ValueRef::Null,
    };
    let printed;
    let mut bytes: &[u8] = match value {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => bytes,
        number => {
            printed = crate::value::Value::of(number, 0).shown().text;
            printed.as_bytes()
        }
    };
    cx.spool().hold(&mut bytes, cap).map_err(whole)?.ok_or_else(too_large)
}

/// A reader that stops when it is time to.
struct Watched<'a, R> {
    inner: R,
    watch: &'a Watch,
}

impl<R: Read> Read for Watched<'_, R> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.watch.must_stop() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.inner.read(buf)
    }
}
