//! One row by its key, and which column of it is asked for.

use std::fmt::Write;

use read_core::{
    Answer, ErrorCode, Notice, Rank, ReadContext, ReadError, decoded, printed, selector::inner_cuts,
    shortened, size,
};
use rusqlite::types::Value as Bound;

use crate::answer::{agreeing, details, not_utf8};
use crate::columns::{self, Reasons, Texts};
use crate::database::Database;
use crate::limits::{ROW_VALUE, ROW_VALUE_LEAST};
use crate::schema::{Column, Key, ObjectKind, ROW_NUMBER, Table};
use crate::sql::{is_plain, quoted};
use crate::value::Value;
use crate::words::{near, some};

/// A row that exists.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// The condition that picks it, with one parameter.
    pub(crate) condition: String,
    pub(crate) key: Bound,
    /// Its number, where it has one.
    pub(crate) rowid: Option<i64>,
}

/// What the text behind a table's colon asks for.
#[derive(Debug)]
pub(crate) enum Asked<'a> {
    /// A whole row.
    Row(Row),
    /// A cell, with what follows it in the target and the name by which the target addresses it.
    Cell { row: Row, column: &'a Column, name: &'a str, rest: &'a str },
    /// No row has this key.
    Nothing(&'a str),
}

/// Finds the row and the column that `text` names: the longest key that exists, followed by a column.
pub(crate) fn find<'a>(database: &Database, table: &'a Table, text: &'a str) -> Result<Asked<'a>, ReadError> {
    if let Some(reason) = without_key(table) {
        return Err(no_key(database, table, reason));
    }
    let mut found = None;
    let mut shortest = text;
    let ends = text.rmatch_indices(':').map(|(at, _)| at);
    for end in std::iter::once(text.len()).chain(ends).filter(|end| *end > 0) {
        database.watch.check()?;
        let (key, rest) = text.split_at_checked(end).unwrap_or((text, ""));
        let rest = rest.strip_prefix(':').unwrap_or(rest);
        let column = column(table, rest);
        if column.is_some() {
            shortest = key;
        }
        let Some(row) = locate(database, table, key)? else { continue };
        match column {
            _ if rest.is_empty() => return Ok(Asked::Row(row)),
            Some((column, after)) => {
                let name = text.get(..text.len() - after.len()).unwrap_or(text);
                let name = name.strip_suffix(':').filter(|_| !after.is_empty()).unwrap_or(name);
                return Ok(Asked::Cell { row, column, name, rest: after });
            }
            None => found = found.or(Some((key, rest))),
        }
    }
    match found {
        Some((key, rest)) => Err(no_column(database, table, key, rest)),
        None => Ok(Asked::Nothing(shortest)),
    }
}

/// The column that `text` begins with, and what follows it.
fn column<'a>(table: &'a Table, text: &'a str) -> Option<(&'a Column, &'a str)> {
    let literal = inner_cuts(text).find_map(|cut| Some((table.column(cut.path)?, cut.rest)));
    literal.or_else(|| {
        inner_cuts(text).filter(|cut| cut.path.contains('\\')).find_map(|cut| {
            let name = String::from_utf8(decoded(cut.path)?).ok()?;
            Some((table.column(&name)?, cut.rest))
        })
    })
}

/// Why no single key picks a row of `table`.
fn without_key(table: &Table) -> Option<&'static str> {
    match (&table.key, table.object.kind) {
        (Key::Rowid(_) | Key::Column(_), _) => None,
        (Key::Composite(_), _) => Some("has a composite primary key"),
        (Key::None, ObjectKind::View) => Some("is a view, whose rows have no key"),
        (Key::None, _) => {
            Some("has columns called rowid, _rowid_ and oid, which hide its row numbers, and no other key")
        }
    }
}

fn no_key(database: &Database, table: &Table, reason: &str) -> ReadError {
    // What is called like the number of a row, and hides it, would be taken for that.
    let hides = |name: &str| ROW_NUMBER.iter().any(|hidden| name.eq_ignore_ascii_case(hidden));
    let example = |name: &str| if is_plain(name) && !hides(name) { name.to_owned() } else { quoted(name) };
    let names: Vec<String> = if let Key::Composite(names) = &table.key {
        names.iter().map(|name| example(name)).collect()
    } else {
        let other = table.shown().find(|column| !hides(&column.name));
        other.or(table.shown().next()).iter().map(|column| example(&column.name)).collect()
    };
    let list = if matches!(table.key, Key::Composite(_)) {
        format!(" ({})", names.join(", "))
    } else {
        String::new()
    };
    let conditions: Vec<String> = names.iter().map(|name| format!("{name}=…")).collect();
    let call = format!("{}?where={}", table.target(&database.path), conditions.join(" AND "));
    ReadError::new(
        ErrorCode::InvalidQuery,
        format!("'{}' {reason}{list}. Use {call} with its values.", printed(table.object.name.as_bytes())),
    )
}

fn no_column(database: &Database, table: &Table, key: &str, rest: &str) -> ReadError {
    let asked = rest.split(':').next().unwrap_or_default();
    let names = || table.columns.iter().map(|column| column.name.as_str());
    let row = format!("{}:{}", table.target(&database.path), printed(key.as_bytes()));
    let suggestions = near(asked, names(), database)
        .into_iter()
        .map(|name| format!("{row}:{}", printed(name.as_bytes())))
        .collect::<Vec<_>>();
    ReadError::new(
        ErrorCode::NotFound,
        format!(
            "'{}' is no column of '{}'; it has {}. Use {row} for the whole row.",
            shortened(asked.as_bytes()),
            printed(table.object.name.as_bytes()),
            some(names())
        ),
    )
    .with_suggestions(suggestions)
}

/// The row whose key is written as `key`.
fn locate(database: &Database, table: &Table, key: &str) -> Result<Option<Row>, ReadError> {
    let (name, candidates) = match &table.key {
        Key::Rowid(_) => match (key.parse::<i64>(), &table.rowid) {
            (Ok(number), Some(rowid)) => (table.rowid_in_sql(rowid), vec![Bound::Integer(number)]),
            _ => return Ok(None),
        },
        Key::Column(name) => (quoted(name), candidates(key)),
        Key::Composite(_) | Key::None => return Ok(None),
    };
    let rowid = table.rowid.as_ref().map_or_else(|| "NULL".to_owned(), |rowid| table.rowid_in_sql(rowid));
    let condition = format!("{name} = ?1");
    let mut statement =
        database.prepare(&format!("SELECT {rowid} FROM {} WHERE {condition} LIMIT 1", table.quoted()))?;
    for candidate in candidates {
        let found = statement.rows([&candidate])?.next()?.map(|row| row.integer(0));
        if let Some(rowid) = found {
            return Ok(Some(Row { condition, key: candidate, rowid }));
        }
    }
    Ok(None)
}

/// The values that `key` may be a writing of: the text itself first, a number only where that is how it is printed.
fn candidates(key: &str) -> Vec<Bound> {
    let key = decoded(key)
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .map_or_else(|| vec![key.to_owned()], |other| vec![key.to_owned(), other]);
    let mut values = Vec::new();
    for key in key {
        if let Some(number) = key.parse::<i64>().ok().filter(|number| number.to_string() == key) {
            values.push(Bound::Integer(number));
        } else if let Some(number) = key.parse::<f64>().ok().filter(|_| key.contains('.')) {
            values.push(Bound::Real(number));
        }
        let digits = key.strip_prefix("x'").and_then(|key| key.strip_suffix('\''));
        values.extend(digits.and_then(blob).map(Bound::Blob));
        values.insert(0, Bound::Text(key));
    }
    values
}

/// The bytes of a BLOB as SQL writes them.
fn blob(digits: &str) -> Option<Vec<u8>> {
    let (pairs, []) = digits.as_bytes().as_chunks::<2>() else { return None };
    let digit = |c: u8| char::from(c).to_digit(16);
    pairs.iter().map(|[high, low]| u8::try_from(digit(*high)? * 16 + digit(*low)?).ok()).collect()
}

/// A key as a target names it.
pub(crate) fn written(key: &Bound) -> String {
    match key {
        Bound::Null => "NULL".to_owned(),
        Bound::Integer(n) => n.to_string(),
        Bound::Real(n) => Value::Real(*n).shown().text,
        Bound::Text(text) => printed(text.as_bytes()).into_owned(),
        Bound::Blob(bytes) => {
            bytes.iter().fold("x'".to_owned(), |text, byte| format!("{text}{byte:02x}")) + "'"
        }
    }
}

/// Says that no row has this key.
pub(crate) fn nothing(table: &Table, key: &str) -> Answer {
    let text = format!(
        "No row found in table '{}' for key '{}'.",
        printed(table.object.name.as_bytes()),
        shortened(key.as_bytes())
    );
    let mut details = details();
    details.shown = Some(Vec::new());
    Answer::shown(text, details, Vec::new())
}

/// Shows a row, a line for each column.
pub(crate) fn answer(
    database: &Database,
    table: &Table,
    row: &Row,
    asked: &str,
    cx: &ReadContext<'_>,
) -> Result<Answer, ReadError> {
    let room = cx.limits().max_bytes.unwrap_or(u64::MAX);
    let each =
        (room / (table.shown().count().max(1) as u64).saturating_mul(2)).clamp(ROW_VALUE_LEAST, ROW_VALUE);
    let read = |reasons: &Reasons| {
        let values = values(database, table, row, reasons, each)?;
        Ok(values.map(|values| (values, columns::named(table, reasons))))
    };
    let Some((values, unreadable)) = columns::readable(database, table, read)? else {
        return Ok(nothing(table, asked));
    };
    let Lines { text, lossy, cut } = Lines::of(table, &values);
    let mut notices = Vec::new();
    if lossy > 0 {
        notices.push(not_utf8(lossy));
    }
    notices.extend(columns::said(&unreadable).map(|text| Notice::new(Rank::Odd, text)));
    if let Some(first) = cut.first() {
        let values = agreeing(cut.len() as u64, "long value is", "long values are");
        let cell = format!("{}:{}:{first}", table.target(&database.path), written(&row.key));
        notices.push(Notice::new(Rank::LeftOut, format!("{values} cut. {cell} reads one whole")));
    }
    let mut details = details();
    details.lossy = lossy > 0;
    details.total_lines = Some(1);
    details.shown = Some(vec![[1, 1]]);
    Ok(Answer::shown(text, details, notices))
}

/// The values of a row, of long texts about `each` bytes; `None` where there is no such row.
fn values(
    database: &Database,
    table: &Table,
    row: &Row,
    reasons: &Reasons,
    each: u64,
) -> Result<Option<Vec<Value>>, ReadError> {
    let texts = if row.rowid.is_some() {
        Texts::of(1, reasons.len(), each, ROW_VALUE * 16)
    } else {
        Texts::Heads { short: each, readable: u64::from(database.limits.max_value) }
    };
    let list = columns::selected(table, reasons, texts).join(", ");
    let sql = format!("SELECT {list} FROM {} WHERE {} LIMIT 1", table.quoted(), row.condition);
    let mut statement = database.prepare(&sql)?;
    let mut rows = statement.rows([&row.key])?;
    let Some(found) = rows.next()? else { return Ok(None) };
    Ok(Some(columns::values(database, table, reasons, &found, (row.rowid, each))?))
}

/// The lines of a row.
#[derive(Default)]
struct Lines {
    text: String,
    /// Values that are no UTF-8.
    lossy: u64,
    /// The columns whose values are shown in part, printable.
    cut: Vec<String>,
}

impl Lines {
    fn of(table: &Table, values: &[Value]) -> Self {
        let mut lines = Self::default();
        for (column, value) in table.shown().zip(values) {
            let shown = value.shown();
            lines.lossy += u64::from(shown.lossy);
            let name = printed(column.name.as_bytes());
            // Writing to a string does not fail.
            let _ = write!(lines.text, "{name}: {}", shown.text);
            if let (true, Value::Text { head, total }) = (shown.cut, value) {
                if !head.is_empty() {
                    let _ = write!(lines.text, "… ({})", size(*total));
                }
                lines.cut.push(name.into_owned());
            }
            lines.text.push('\n');
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_a_text_first_and_a_number_only_as_it_is_printed() {
        assert_eq!(candidates("7"), [Bound::Text("7".into()), Bound::Integer(7)]);
        assert_eq!(candidates("007"), [Bound::Text("007".into())]);
        assert_eq!(candidates("1.5"), [Bound::Text("1.5".into()), Bound::Real(1.5)]);
        assert_eq!(candidates("x'00ff'"), [Bound::Text("x'00ff'".into()), Bound::Blob(vec![0, 255])]);
        assert_eq!(candidates("x'0'"), [Bound::Text("x'0'".into())]);
        assert_eq!(candidates("a\\nb"), [Bound::Text("a\nb".into()), Bound::Text("a\\nb".into())]);
    }
}
