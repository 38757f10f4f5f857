//! Pages of a table: the rows that are asked for, how many follow, and the call that shows them.

use std::fmt::Write;

use read_core::{
    Answer, Block, Details, ErrorCode, Notice, Rank, ReadContext, ReadError, Source, Text, Truncated,
    TruncatedBy, printed,
};
use rusqlite::MAIN_DB;
use rusqlite::types::ValueRef;

use crate::database::Database;
use crate::expression;
use crate::grid::{Grid, Room, Written};
use crate::query_string::{encoded, pairs};
use crate::reader::MEDIA_TYPE;
use crate::schema::{Key, Table, quoted};
use crate::value::{Value, measured};
use crate::words::{count, near, some};

/// Bytes of a text that a page reads in any case.
const SHORT: u64 = 1024;
/// A longer text of a table without row numbers is not read for its first characters.
const READABLE: u64 = 1 << 20;
/// The keys of a query string.
const KEYS: [&str; 4] = ["limit", "offset", "order", "where"];

/// Which rows are asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Page {
    /// How many rows; `None`: as many as a page has.
    pub(crate) limit: Option<u64>,
    /// How many rows to pass over.
    pub(crate) offset: u64,
    order: Option<Order>,
    filter: Option<String>,
    /// Whether the limit is the reader's, not the caller's.
    capped: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Order {
    column: String,
    descending: bool,
}

/// How many rows follow a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum More {
    None,
    Exactly(u64),
    AtLeast(u64),
}

impl Page {
    /// A page of `limit` rows from the `offset`-th on, counted from 0.
    pub(crate) fn window(offset: u64, limit: Option<u64>) -> Self {
        Self { limit, offset, ..Self::default() }
    }

    /// The first `limit` rows, as many as the reader chose to show.
    pub(crate) fn sample(limit: u64) -> Self {
        Self { limit: Some(limit), capped: true, ..Self::default() }
    }

    /// Reads a query string, without its `?`.
    pub(crate) fn parse(text: &str, table: &Table, database: &Database) -> Result<Self, ReadError> {
        let mut page = Self::default();
        let mut seen: Vec<String> = Vec::new();
        for pair in pairs(text) {
            let key = pair.key.to_ascii_lowercase();
            if key == "q" {
                return Err(database.invalid_query("q= is of the database, not of a table."));
            }
            if !KEYS.contains(&key.as_str()) {
                return Err(unknown_key(database, pair.key));
            }
            if seen.contains(&key) {
                return Err(database.invalid_query(&format!("{key} is given twice.")));
            }
            match key.as_str() {
                "limit" => match number(database, "limit", &pair.value, database.options.max_page_rows)? {
                    0 => return Err(database.invalid_query("limit=0 shows nothing: limit is 1 to 500.")),
                    limit => page.limit = Some(limit),
                },
                "offset" => page.offset = number(database, "offset", &pair.value, u64::MAX)?,
                "order" => page.order = Some(order(&pair.value, table, database)?),
                _ => {
                    if let Some(refusal) = expression::refusal(&pair.value) {
                        return Err(database.invalid_query(&refusal));
                    }
                    page.filter = Some(pair.value.trim().to_owned());
                }
            }
            seen.push(key);
        }
        Ok(page)
    }

    /// The rows' order in SQL; empty where there is none. Whatever is asked for, the key comes last, so that pages have
    /// neither gaps nor overlaps.
    fn order_by(&self, table: &Table) -> String {
        let mut terms = Vec::new();
        let direction = if self.order.as_ref().is_some_and(|order| order.descending) { " DESC" } else { "" };
        let natural = table.natural_order();
        if let Some(order) = &self.order {
            let column = table
                .column(&order.column)
                .map_or_else(|| order.column.clone(), |column| quoted(&column.name));
            terms.push(format!("{column}{direction}"));
        }
        terms.extend(natural.iter().map(|term| format!("{term}{direction}")));
        if terms.is_empty() { String::new() } else { format!(" ORDER BY {}", terms.join(", ")) }
    }

    fn filtered(&self) -> String {
        self.filter.as_ref().map_or_else(String::new, |filter| format!(" WHERE ({filter})"))
    }
}

fn unknown_key(database: &Database, key: &str) -> ReadError {
    let near = near(key, KEYS.into_iter());
    let meant = near.first().map_or_else(String::new, |near| format!(" Did you mean {near}?"));
    database.invalid_query(&format!(
        "'{}' is no key of a page; the keys are limit, offset, order and where.{meant}",
        printed(key.as_bytes())
    ))
}

/// A number of a query string. One with too many digits is more than there can be of anything.
fn number(database: &Database, key: &str, value: &str, most: u64) -> Result<u64, ReadError> {
    let value = value.trim();
    if value.is_empty() || !value.bytes().all(|byte| byte.is_ascii_digit()) {
        let range = if most == u64::MAX {
            "a number from 0".to_owned()
        } else {
            format!("a number from 1 to {most}")
        };
        return Err(database
            .invalid_query(&format!("{key}={} is no number: {key} is {range}.", printed(value.as_bytes()))));
    }
    Ok(value.parse().unwrap_or(u64::MAX))
}

fn order(value: &str, table: &Table, database: &Database) -> Result<Order, ReadError> {
    let value = value.trim();
    let named = |name: &str| {
        let column = table.column(name).map(|column| column.name.clone());
        column.or_else(|| table.rowid.clone().filter(|rowid| rowid.eq_ignore_ascii_case(name)))
    };
    if let Some(column) = named(value) {
        return Ok(Order { column, descending: false });
    }
    let (name, direction) = value.rsplit_once(':').unwrap_or((value, ""));
    let descending = direction.eq_ignore_ascii_case("desc");
    match named(name) {
        Some(column) if descending || direction.eq_ignore_ascii_case("asc") => {
            Ok(Order { column, descending })
        }
        Some(_) => Err(database.invalid_query(&format!(
            "order={}: behind the column stands asc or desc.",
            printed(value.as_bytes())
        ))),
        None => {
            let names = || table.shown().map(|column| column.name.as_str());
            let meant = near(name, names())
                .first()
                .map_or_else(String::new, |near| format!(" Did you mean {}?", printed(near.as_bytes())));
            Err(database.invalid_query(&format!(
                "order is a column, or column:desc, and '{}' is no column of '{}' (it has {}).{meant}",
                printed(name.as_bytes()),
                printed(table.object.name.as_bytes()),
                some(names())
            )))
        }
    }
}

/// The rows of a page, as they were read.
struct Fetched {
    names: Vec<String>,
    rows: Vec<Vec<Value>>,
    /// The key of each row, as SQL writes it, where one column is the order of the page.
    keys: Vec<Option<String>>,
    /// Whether there is at least one more.
    more: bool,
    /// Damage that ended the rows.
    damage: Option<ReadError>,
}

/// The column by which pages go on without passing over rows: its name in a `where`, and its name in SQL.
fn paging_key(page: &Page, table: &Table, database: &Database) -> Option<(String, String)> {
    let (shown, sql) = match (&table.key, &table.rowid) {
        (Key::Rowid(name), Some(rowid)) => (name.clone(), table.rowid_in_sql(rowid)),
        (_, Some(rowid)) => (rowid.clone(), table.rowid_in_sql(rowid)),
        (Key::Column(name), None) => (name.clone(), quoted(name)),
        _ => return None,
    };
    if page.order.as_ref().is_some_and(|order| order.column != shown) {
        return None;
    }
    // The name unquoted, where SQL reads that as the column.
    let plain = shown.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !["null", "true", "false", "current_date", "current_time", "current_timestamp"]
            .contains(&shown.to_ascii_lowercase().as_str())
        && database
            .connection()
            .prepare(&format!("SELECT 1 FROM {} WHERE ({shown}>0)", table.quoted()))
            .is_ok();
    Some((if plain { shown } else { quoted(&shown) }, sql))
}

/// Reads the rows of `page`, and whether one more follows.
fn fetch(
    database: &Database,
    table: &Table,
    page: &Page,
    limit: u64,
    key: Option<&str>,
) -> Result<Fetched, ReadError> {
    let names: Vec<String> =
        table.shown().map(|column| printed(column.name.as_bytes()).into_owned()).collect();
    let readable = if table.rowid.is_some() { SHORT * 64 } else { READABLE };
    let mut sql = format!(
        "SELECT {}, {}",
        table.rowid.as_ref().map_or_else(|| "NULL".into(), |rowid| table.rowid_in_sql(rowid)),
        key.map_or_else(
            || "NULL".into(),
            |key| format!(
                "CASE WHEN typeof({key}) = 'integer' OR (typeof({key}) = 'text' AND octet_length({key}) <= 200) \
                 THEN quote({key}) END"
            )
        )
    );
    for column in table.shown() {
        // Writing to a string does not fail.
        let _ = write!(sql, ", {}", measured(&quoted(&column.name), SHORT, readable));
    }
    let _ = write!(
        sql,
        " FROM {}{}{} LIMIT {} OFFSET {}",
        table.quoted(),
        page.filtered(),
        page.order_by(table),
        limit.saturating_add(1),
        i64::try_from(page.offset).unwrap_or(i64::MAX)
    );
    let mut statement =
        if page.filter.is_some() { database.prepare_asked(&sql)? } else { database.prepare(&sql)? };
    if statement.parameter_count() > 0 {
        return Err(database.invalid_query("where has parameters; write the values into it."));
    }
    let mut result = statement.raw_query();
    let mut rows = Fetched { names, rows: Vec::new(), keys: Vec::new(), more: false, damage: None };
    loop {
        let row = match result.next() {
            Ok(Some(row)) => row,
            Ok(None) => return Ok(rows),
            Err(error) => {
                let error = database.fault(&error);
                if error.code() != ErrorCode::Corrupt || rows.rows.is_empty() {
                    return Err(error);
                }
                rows.damage = Some(error);
                return Ok(rows);
            }
        };
        if rows.rows.len() as u64 >= limit {
            rows.more = true;
            return Ok(rows);
        }
        let rowid = match row.get_ref(0) {
            Ok(ValueRef::Integer(rowid)) => Some(rowid),
            _ => None,
        };
        rows.keys.push(match row.get_ref(1) {
            Ok(ValueRef::Text(key)) => String::from_utf8(key.to_vec()).ok(),
            _ => None,
        });
        let mut values = Vec::with_capacity(rows.names.len());
        for (index, column) in table.shown().enumerate() {
            let value = row.get_ref(index + 2).map_err(|error| database.fault(&error))?;
            values.push(match (Value::of_measured(value, database.encoding), rowid) {
                (Value::Text { head, total }, Some(rowid)) if head.is_empty() && total > 0 => {
                    let head = head_of_cell(database, table, &column.name, rowid, SHORT);
                    Value::Text { head: head.unwrap_or_default(), total }
                }
                (value, _) => value,
            });
        }
        rows.rows.push(values);
    }
}

/// The first bytes of a long text, read from where they lie; `None` for what does not lie anywhere.
pub(crate) fn head_of_cell(
    database: &Database,
    table: &Table,
    column: &str,
    rowid: i64,
    keep: u64,
) -> Option<Vec<u8>> {
    let blob =
        database.connection().blob_open(MAIN_DB, table.object.name.as_str(), column, rowid, true).ok()?;
    let mut head = vec![0; usize::try_from(keep).ok()?.min(blob.len())];
    blob.read_at_exact(&mut head, 0).ok()?;
    let head = database.encoding.to_utf8(head);
    let cut = match std::str::from_utf8(&head) {
        Err(error) if error.error_len().is_none() => error.valid_up_to(),
        _ => head.len(),
    };
    Some(head.get(..cut).unwrap_or_default().to_vec())
}

/// What is written of a page.
pub(crate) struct Shown {
    pub(crate) written: Written,
    pub(crate) details: Details,
    pub(crate) notices: Vec<Notice>,
}

/// Shows the rows of `page`. `further` is how many rows the call to continue asks for.
pub(crate) fn show(
    database: &Database,
    source: &Source,
    table: &Table,
    page: &Page,
    further: Option<u64>,
    room: Room,
) -> Result<Shown, ReadError> {
    let mut notices = Vec::new();
    let most = database.options.max_page_rows;
    let limit = page.limit.unwrap_or(database.options.page_rows);
    let over = limit > most;
    if over {
        notices.push(Notice::new(
            Rank::LeftOut,
            format!("limit={limit} is over what a page shows; showing {most} rows at most"),
        ));
    }
    let limit = limit.min(most);
    let key = paging_key(page, table, database);
    let rows = fetch(database, table, page, limit, key.as_ref().map(|(_, sql)| sql.as_str()))?;
    let first = page.offset.saturating_add(1);
    let grid = Grid { columns: &rows.names, rows: &rows.rows, first };
    let mut written = grid.write(room);
    let shown = written.rows as u64;
    if shown == 0 {
        written.text.push_str(if page.offset > 0 { "(no rows from there on)\n" } else { "(no rows)\n" });
    }
    let more = if rows.more || written.rows < rows.rows.len() {
        let last = written.rows.checked_sub(1).and_then(|last| rows.keys.get(last)?.as_deref());
        follow(
            database,
            table,
            page,
            shown,
            key.as_ref().zip(last).map(|((_, sql), last)| (sql.as_str(), last)),
        )
    } else {
        More::None
    };
    if let Some(damage) = &rows.damage {
        notices.push(Notice::new(
            Rank::LeftOut,
            format!("{} The rows before the damage are shown", damage.message()),
        ));
    }
    notices.extend(said_of_values(database, table, &written, &rows));
    let mut details = Details::default();
    details.media_type = Some(MEDIA_TYPE.into());
    details.lossy = written.lossy > 0;
    details.shown =
        Some(if shown > 0 { vec![[first, page.offset.saturating_add(shown)]] } else { Vec::new() });
    details.total_lines = match more {
        More::None => Some(page.offset.saturating_add(shown)).filter(|_| shown > 0 || page.offset == 0),
        More::Exactly(n) => Some(page.offset.saturating_add(shown).saturating_add(n)),
        More::AtLeast(_) => None,
    };
    if more != More::None {
        let last = written.rows.checked_sub(1).and_then(|last| rows.keys.get(last)?.as_deref());
        let next =
            next(source, table, page, shown, further, key.as_ref().map(|(name, _)| name.as_str()).zip(last));
        let rest = match more {
            More::Exactly(n) => count(n, "more row", "more rows"),
            More::AtLeast(n) if n > 1 => format!("{n}+ more rows"),
            _ => "More rows follow".into(),
        };
        notices.push(Notice::new(Rank::Continue, format!("{rest}. Use {next} to continue.")));
        let by_bytes = written.rows < rows.rows.len();
        if page.limit.is_none() || page.capped || over || by_bytes {
            let by = if by_bytes { TruncatedBy::Bytes } else { TruncatedBy::Rows };
            let next_row = page.offset.saturating_add(shown).saturating_add(1);
            details.truncated = Some(Truncated { by, next: next_row, next_target: Some(next) });
        }
    }
    Ok(Shown { written, details, notices })
}

/// What is to be said of values that are not shown as they are.
fn said_of_values(database: &Database, table: &Table, written: &Written, rows: &Fetched) -> Vec<Notice> {
    let mut notices = Vec::new();
    if written.lossy > 0 {
        let values = count(written.lossy, "value is", "values are");
        notices.push(Notice::new(Rank::Decoded, format!("{values} not UTF-8; shown with U+FFFD")));
    }
    if let Some((row, column)) = written.cut {
        let column = rows.names.get(column).map_or("COLUMN", String::as_str);
        let key = rows.keys.get(row).and_then(|key| key.as_deref()).map(|key| key.trim_matches('\''));
        let whole = match (&table.key, key) {
            (Key::Rowid(_) | Key::Column(_), key) => {
                let key = key
                    .filter(|_| matches!(table.key, Key::Rowid(_)) || table.rowid.is_none())
                    .unwrap_or("KEY");
                format!("; {}:{key}:{column} reads one whole", target(&database.path, table))
            }
            _ => String::new(),
        };
        notices.push(Notice::new(Rank::LeftOut, format!("Values that end in … are cut{whole}")));
    }
    notices
}

/// The target of a table.
pub(crate) fn target(path: &str, table: &Table) -> String {
    format!("{path}:{}", printed(table.object.name.as_bytes()))
}

/// How many rows follow the `shown` rows of a page, of which `last` is the last one's key.
fn follow(database: &Database, table: &Table, page: &Page, shown: u64, last: Option<(&str, &str)>) -> More {
    let cap = database.options.count_ahead;
    let (from, passed) = if let Some((key, last)) = last {
        let filter = page.filter.as_ref().map_or_else(String::new, |filter| format!("({filter}) AND "));
        (format!("{} WHERE {filter}{key} {} {last}", table.quoted(), beyond(page)), 0)
    } else {
        (format!("{}{}", table.quoted(), page.filtered()), page.offset.saturating_add(shown))
    };
    let number = |sql: &str| {
        let counted = database.connection().query_row(sql, [], |row| row.get::<_, i64>(0));
        counted.ok().and_then(|n| u64::try_from(n).ok())
    };
    database.watch.begin_part(database.options.count_time);
    // To see that there are many takes half the steps of counting them, and most often there are.
    let many = number(&format!(
        "SELECT count(*) FROM (SELECT 1 FROM {from} LIMIT 1 OFFSET {})",
        passed.saturating_add(cap)
    ));
    let more = match many {
        Some(0) => {
            number(&format!("SELECT count(*) FROM (SELECT 1 FROM {from} LIMIT {cap} OFFSET {passed})"))
                .filter(|n| *n > 0)
                .map_or(More::AtLeast(1), More::Exactly)
        }
        Some(_) => More::AtLeast(cap),
        None => More::AtLeast(1),
    };
    database.watch.end_part();
    more
}

fn beyond(page: &Page) -> char {
    if page.order.as_ref().is_some_and(|order| order.descending) { '<' } else { '>' }
}

/// The target of the rows that follow: by key where there is one, so that it takes as long as the first page did.
fn next(
    source: &Source,
    table: &Table,
    page: &Page,
    shown: u64,
    limit: Option<u64>,
    key: Option<(&str, &str)>,
) -> String {
    let mut parameters = Vec::new();
    let order = page.order.as_ref().map(|order| {
        let direction = if order.descending { ":desc" } else { "" };
        format!("order={}{direction}", encoded(&order.column))
    });
    if let Some((name, last)) = key {
        let condition = format!("{name}{}{last}", beyond(page));
        let filter = match page.filter.as_deref() {
            None => condition,
            Some(filter) => match before_paging(filter, name, beyond(page)) {
                "" => condition,
                asked if asked != filter => format!("{asked} AND {condition}"),
                asked => format!("({asked}) AND {condition}"),
            },
        };
        parameters.push(format!("where={}", encoded(&filter)));
        parameters.extend(order);
    } else {
        parameters.extend(page.filter.as_ref().map(|filter| format!("where={}", encoded(filter))));
        parameters.extend(order);
        parameters.push(format!("offset={}", page.offset.saturating_add(shown)));
    }
    parameters.extend(limit.map(|limit| format!("limit={limit}")));
    format!("{}?{}", target(source.path(), table), parameters.join("&"))
}

/// A filter without the condition that an earlier page added at its end: `(asked)`, or nothing.
fn before_paging<'a>(filter: &'a str, name: &str, beyond: char) -> &'a str {
    let Some((before, last)) = filter.rsplit_once(&format!("{name}{beyond}")) else { return filter };
    let number = last.strip_prefix('-').unwrap_or(last);
    let is_literal = (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
        || last
            .strip_prefix('\'')
            .and_then(|last| last.strip_suffix('\''))
            .is_some_and(|text| !text.replace("''", "").contains('\''));
    match before.strip_suffix(" AND ") {
        _ if !is_literal => filter,
        Some(asked)
            if asked.starts_with('(')
                && asked.ends_with(')')
                && expression::refusal(inner(asked)).is_none() =>
        {
            asked
        }
        None if before.is_empty() => "",
        _ => filter,
    }
}

fn inner(parenthesised: &str) -> &str {
    parenthesised.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or_default()
}

/// A page as an answer.
pub(crate) fn answer(
    database: &Database,
    source: &Source,
    table: &Table,
    page: &Page,
    cx: &ReadContext<'_>,
) -> Result<Answer, ReadError> {
    let further = page.limit.unwrap_or(database.options.page_rows).min(database.options.max_page_rows);
    let Shown { written, details, notices } = show(database, source, table, page, Some(further), room(cx))?;
    Ok(Answer { blocks: vec![Block::Text(Text::Shown(written.text))], details, notices })
}

/// The room that the output caps leave.
pub(crate) fn room(cx: &ReadContext<'_>) -> Room {
    Room {
        bytes: cx.limits().max_bytes.unwrap_or(u64::MAX),
        lines: cx.limits().max_lines.unwrap_or(u64::MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_of_an_earlier_page_is_replaced() {
        for (filter, want) in [
            ("id>20", ""),
            ("id>-20", ""),
            ("(age > 5) AND id>20", "(age > 5)"),
            ("(a) OR (b) AND id>20", "(a) OR (b) AND id>20"),
            ("id>20 OR 1", "id>20 OR 1"),
            ("age > 5", "age > 5"),
            ("id>'a''b'", ""),
            ("id>'a' OR 'b'", "id>'a' OR 'b'"),
            ("x AND id>5", "x AND id>5"),
        ] {
            assert_eq!(before_paging(filter, "id", '>'), want, "{filter}");
        }
    }
}
