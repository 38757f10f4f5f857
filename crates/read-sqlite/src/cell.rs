//! One cell as a source: read by pieces, and handed on to whatever reader knows its content.

use std::io::{self, Read};
use std::num::NonZero;
use std::sync::Arc;

use read_core::selector::{Classified, Selector, classify};
use read_core::{
    Answer, Body, ErrorCode, Notice, Noun, Outcome, Rank, ReadAt, ReadContext, ReadError, Slice, Source,
    printed, size,
};
use rusqlite::blob::Blob;
use rusqlite::types::ValueRef;

use crate::answer::details;
use crate::database::Database;
use crate::limits::{CELL_AROUND, CELL_EDGE, CELL_PIECE};
use crate::row::{self, Row};
use crate::schema::{Column, Table};
use crate::sql::quoted;
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
    database.limit_values(database.limits.max_cell)?;
    let measured = database.one(&sql, [&cell.row.key], |row| (row.text(0), row.integer(1)))?;
    let (kind, bytes) = measured.unwrap_or_else(|| ("null".to_owned(), None));
    let bytes = u64::try_from(bytes.unwrap_or(0)).unwrap_or(0);
    let max = u64::from(database.limits.max_cell);
    let part = if bytes > max { Some(part(database, cell, &kind, bytes, max, cx)?) } else { None };
    if kind == "null" {
        let notice = Notice::new(Rank::Odd, "The cell is NULL: it holds no value");
        return Ok(Answer::shown("NULL", details(), vec![notice]).into());
    }
    let slice = match part {
        Some(part) => part,
        None => content(database, cell, &kind, cx)?,
    };
    // Rules know a cell by the names that the database has, however it was asked for.
    let key = row::written(&cell.row.key);
    let member = format!("{}:{key}:{}", cell.table.object.name, cell.column.name);
    let asked = format!("{}:{}", cell.table.target(source.path()), printed(cell.name.as_bytes()));
    let mut inner = source.member(member.as_bytes(), Noun::Cell, Body::Slice(slice)).addressed(&asked);
    if database.has_log() {
        // The file's identity does not change when the log does: nothing may be kept under it.
        inner = inner.with_identity(None);
    }
    Ok(Outcome::descend(inner, cell.rest))
}

/// The part of a cell that a selector of bytes asks for, where the whole is over `max` bytes.
fn part(
    database: &Database,
    cell: &Cell<'_>,
    kind: &str,
    bytes: u64,
    max: u64,
    cx: &ReadContext<'_>,
) -> Result<Slice, ReadError> {
    let target = || {
        let table = cell.table.target(&database.path);
        format!("{table}:{}", printed(cell.name.as_bytes()))
    };
    let span = match classify(cell.rest) {
        Classified::Selector(Selector::Bytes(span)) => Some((span.offset, span.len.map(NonZero::get))),
        Classified::Selector(Selector::Hex(span)) => Some(
            span.map_or((0, Some(cx.limits().hex_bytes)), |span| (span.offset, span.len.map(NonZero::get))),
        ),
        _ => None,
    };
    // What lies in a row of its own is read by pieces, and its bytes are those of the text only in UTF-8.
    let is_reachable = !cell.column.computed && (kind == "blob" || database.encoding == Encoding::Utf8);
    let name = (cell.table.object.name.as_str(), cell.column.name.as_str());
    let blob = cell.row.rowid.filter(|_| is_reachable).and_then(|rowid| database.blob(name.0, name.1, rowid));
    let (Some(blob), Some((offset, len))) = (&blob, span) else {
        let way = match &blob {
            Some(_) => format!("Use {}:@0+65536 for a part of it, or :hex.", target()),
            None => "It lies in no row of its own that parts could be read from.".to_owned(),
        };
        return Err(ReadError::new(
            ErrorCode::TooLarge,
            format!("'{}' is {}; cells of up to {} are read whole. {way}", target(), size(bytes), size(max)),
        ));
    };
    let mut pieces = Vec::new();
    // The start tells how the content is encoded; characters at the ends of a window are seen whole.
    let from = offset.saturating_sub(CELL_AROUND).min(bytes);
    // No more is shown than the output may have.
    let len = len.unwrap_or(u64::MAX).min(cx.limits().max_bytes.unwrap_or(max).min(max));
    let end = offset.saturating_add(len).saturating_add(CELL_AROUND).min(bytes);
    for (start, end) in [(0, CELL_EDGE.min(bytes)), (from, end), (bytes.saturating_sub(CELL_EDGE), bytes)] {
        pieces.push((start, piece(database, blob, start, end)?));
    }
    Ok(Slice::new(Arc::new(Parts(pieces)), bytes))
}

/// The bytes of a long cell from `start` to `end`.
fn piece(database: &Database, blob: &Blob<'_>, start: u64, end: u64) -> Result<Vec<u8>, ReadError> {
    let mut piece = vec![0; usize::try_from(end.saturating_sub(start)).unwrap_or(0)];
    let mut at = usize::try_from(start).unwrap_or(usize::MAX);
    for part in piece.chunks_mut(CELL_PIECE) {
        database.watch.check()?;
        blob.read_at_exact(part, at).map_err(|error| database.fault(&error))?;
        at = at.saturating_add(part.len());
    }
    Ok(piece)
}

/// Parts of something long, by where they begin.
struct Parts(Vec<(u64, Vec<u8>)>);

impl ReadAt for Parts {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let part = self.0.iter().find_map(|(start, bytes)| {
            let from = usize::try_from(offset.checked_sub(*start)?).ok()?;
            bytes.get(from..).filter(|rest| !rest.is_empty())
        });
        let Some(part) = part else {
            return Err(io::Error::other("this part of the cell was not asked for"));
        };
        let n = part.len().min(buf.len());
        if let (Some(to), Some(from)) = (buf.get_mut(..n), part.get(..n)) {
            to.copy_from_slice(from);
        }
        Ok(n)
    }
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
    let cap = u64::from(database.limits.max_cell).saturating_mul(2);
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
        && let Some(blob) = database.blob(name.0, name.1, rowid)
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
    database.limit_values(database.limits.max_cell)?;
    let mut rows = statement.rows([&cell.row.key])?;
    let row = rows.next()?;
    let value = match &row {
        Some(row) => row.value(0)?,
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

/// The first bytes of a long text, read from where they lie; `None` for what does not lie anywhere.
pub(crate) fn head_of_cell(
    database: &Database,
    table: &Table,
    column: &str,
    rowid: i64,
    keep: u64,
) -> Option<Vec<u8>> {
    let blob = database.blob(&table.object.name, column, rowid)?;
    let mut head = vec![0; usize::try_from(keep).ok()?.min(blob.len())];
    blob.read_at_exact(&mut head, 0).ok()?;
    let head = database.encoding.to_utf8(head);
    let cut = match std::str::from_utf8(&head) {
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        _ => head.len(),
    };
    Some(head.get(..cut).unwrap_or_default().to_vec())
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
