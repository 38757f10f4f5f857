//! A table: how it was created, its indexes and foreign keys, some rows, and how to page on.

use std::fmt::Write;

use read_core::{Answer, Notice, Rank, ReadContext, ReadError, Source, printed, shortened, size};

use crate::answer::details;
use crate::database::Database;
use crate::grid::Room;
use crate::limits::{SAMPLE_ROWS, SHOWN_INDEXES, SHOWN_STATEMENT};
use crate::page::{Page, Paging, ShownPage};
use crate::schema::{Object, ObjectKind, Table};
use crate::sql::quoted;

/// Describes `table`.
pub(crate) fn answer(
    database: &Database,
    source: &Source,
    table: &Table,
    cx: &ReadContext<'_>,
) -> Result<Answer, ReadError> {
    let mut notices = Vec::new();
    let mut out = created(database, &table.object, &mut notices)?;
    for (title, lines) in
        [("Indexes:", indexes(database, table)), ("Foreign keys:", foreign_keys(database, table))]
    {
        match lines {
            Ok(lines) if lines.is_empty() => {}
            Ok(lines) => section(&mut out, title, &lines),
            Err(error) => {
                cx.meter().check()?;
                let what = title.trim_end_matches(':');
                notices.push(Notice::new(Rank::LeftOut, format!("{what} left out: {}", error.message())));
            }
        }
    }
    out.push_str("\nSample rows:\n");
    let room = Room::of(cx);
    let room = Room {
        bytes: room.bytes.saturating_sub(out.len() as u64),
        lines: room.lines.saturating_sub(out.lines().count() as u64),
    };
    let page = Page::sample(SAMPLE_ROWS);
    let shown = Paging::new(database, source, table, &page, database.limits.page_rows).show(room);
    let ShownPage { written, details, notices: more } = match shown {
        Ok(shown) => shown,
        Err(error) => return without_rows(out, notices, &error, cx),
    };
    out.push_str(&written.text);
    notices.extend(more);
    Ok(Answer::shown(out, details, notices))
}

/// The error about an object of which nothing can be read, with how it was created: there its fault stands.
pub(crate) fn broken(database: &Database, object: &Object, error: ReadError) -> ReadError {
    let Ok(created) = created(database, object, &mut Vec::new()) else { return error };
    let message = format!("{} It is: {}", error.message(), shortened(created.trim_end().as_bytes()));
    ReadError::new(error.code(), message).with_suggestions(error.suggestions().to_vec()).with_cause(error)
}

fn without_rows(
    mut out: String,
    mut notices: Vec<Notice>,
    error: &ReadError,
    cx: &ReadContext<'_>,
) -> Result<Answer, ReadError> {
    cx.meter().check()?;
    if !out.ends_with("Sample rows:\n") {
        out.push('\n');
    }
    out.push_str("(no rows can be shown)\n");
    notices.push(Notice::new(Rank::LeftOut, error.message()));
    let mut details = details();
    details.shown = Some(Vec::new());
    Ok(Answer::shown(out, details, notices))
}

fn section(out: &mut String, title: &str, lines: &[String]) {
    // Writing to a string does not fail.
    let _ = writeln!(out, "\n{title}");
    for line in lines.iter().take(SHOWN_INDEXES) {
        out.push_str(line);
        out.push('\n');
    }
    if lines.len() > SHOWN_INDEXES {
        let _ = writeln!(out, "… and {} more", lines.len() - SHOWN_INDEXES);
    }
}

/// The CREATE statement as it is stored; what SQLite makes itself has none.
fn created(database: &Database, object: &Object, notices: &mut Vec<Notice>) -> Result<String, ReadError> {
    let kind = if object.kind == ObjectKind::View { "view" } else { "table" };
    let mut statement = database
        .prepare("SELECT sql, rowid FROM sqlite_schema WHERE type = ?1 AND name = ?2 COLLATE NOCASE")?;
    let mut rows = statement.rows([kind, object.name.as_str()])?;
    let Some(row) = rows.next()? else {
        return Ok(format!("-- {} is made by SQLite itself\n", printed(object.name.as_bytes())));
    };
    let mut sql = row.text(0);
    if sql.len() > SHOWN_STATEMENT {
        let rowid = row.integer(1).unwrap_or_default();
        notices.push(Notice::new(
            Rank::LeftOut,
            format!(
                "The CREATE statement is {}; showing its first {}. {}:sqlite_schema:{rowid}:sql reads it whole",
                size(sql.len() as u64),
                size(SHOWN_STATEMENT as u64),
                database.path
            ),
        ));
        let end = (0..=SHOWN_STATEMENT).rev().find(|end| sql.is_char_boundary(*end)).unwrap_or(0);
        sql.truncate(end);
    }
    Ok(format!("{sql}{}\n", if sql.ends_with(';') { "" } else { ";" }))
}

/// The table's indexes: as they were created, or what they are made of.
fn indexes(database: &Database, table: &Table) -> Result<Vec<String>, ReadError> {
    let mut statement = database.prepare(
        "SELECT list.name, list.\"unique\", list.origin, schema.sql, \
         (SELECT group_concat(coalesce(info.name, 'expression'), ', ') FROM pragma_index_info(list.name) AS info) \
         FROM pragma_index_list(?1) AS list LEFT JOIN sqlite_schema AS schema ON schema.name = list.name AND schema.type = 'index' \
         ORDER BY list.seq DESC",
    )?;
    let mut rows = statement.rows([table.object.name.as_str()])?;
    let mut indexes = Vec::new();
    while let Some(row) = rows.next()? {
        let sql = row.text(3);
        indexes.push(if sql.is_empty() {
            let kind = if row.text(2) == "pk" { "PRIMARY KEY" } else { "UNIQUE" };
            format!("{} {kind} ({})", printed(row.text(0).as_bytes()), printed(row.text(4).as_bytes()))
        } else {
            format!("{};", sql.trim_end_matches(';'))
        });
    }
    Ok(indexes)
}

/// The table's foreign keys, one a line: `FOREIGN KEY (a) REFERENCES t(b)`.
fn foreign_keys(database: &Database, table: &Table) -> Result<Vec<String>, ReadError> {
    struct ForeignKey {
        id: i64,
        table: String,
        from: Vec<String>,
        to: Vec<String>,
        actions: String,
    }
    let mut statement =
        database.prepare(&format!("PRAGMA foreign_key_list({})", quoted(&table.object.name)))?;
    let mut rows = statement.rows([])?;
    let mut keys: Vec<ForeignKey> = Vec::new();
    while let Some(row) = rows.next()? {
        let id = row.integer(0).unwrap_or_default();
        let name = |index| printed(row.text(index).as_bytes()).into_owned();
        if keys.last().is_none_or(|key| key.id != id) {
            let action = |on: &str, action: String| match action.as_str() {
                "" | "NO ACTION" => String::new(),
                action => format!(" ON {on} {action}"),
            };
            let actions = action("UPDATE", name(5)) + &action("DELETE", name(6));
            keys.push(ForeignKey { id, table: name(2), from: Vec::new(), to: Vec::new(), actions });
        }
        if let Some(key) = keys.last_mut() {
            key.from.push(name(3));
            key.to.extend(Some(name(4)).filter(|to| !to.is_empty()));
        }
    }
    // SQLite gives the last one first.
    let line = |key: &ForeignKey| {
        let to = if key.to.is_empty() { String::new() } else { format!("({})", key.to.join(", ")) };
        format!("FOREIGN KEY ({}) REFERENCES {}{to}{}", key.from.join(", "), key.table, key.actions)
    };
    Ok(keys.iter().rev().map(line).collect())
}
