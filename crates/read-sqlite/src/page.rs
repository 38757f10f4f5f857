//! Pages of a table: the rows that are asked for, how many follow, and the call that shows them.

mod cursor;
mod fetch;
mod past;

use read_core::{
    Answer, Details, ErrorCode, Notice, Rank, ReadContext, ReadError, Source, Truncated, TruncatedBy, count,
    printed,
};

use crate::answer::{details, not_utf8};
use crate::columns;
use crate::database::Database;
use crate::expression;
use crate::grid::{Grid, Room, Written};
use crate::query_string::{encoded, pairs};
use crate::row::{self, Asked};
use crate::schema::{Key, Table};
use crate::sql::quoted;
use crate::value::Value;
use crate::words::{near, some};
use cursor::Cursor;
pub(crate) use fetch::head_of_cell;
use fetch::{Fetched, fetch};

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
                "limit" => match number(database, "limit", &pair.value, database.limits.max_page_rows)? {
                    0 => {
                        let most = database.limits.max_page_rows;
                        return Err(
                            database.invalid_query(&format!("limit=0 shows nothing: limit is 1 to {most}."))
                        );
                    }
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
    let near = near(key, KEYS.into_iter(), database);
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
            let meant = near(name, names(), database)
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
    let most = database.limits.max_page_rows;
    let limit = page.limit.unwrap_or(database.limits.page_rows);
    let over = limit > most;
    if over {
        notices.push(Notice::new(
            Rank::LeftOut,
            format!("limit={limit} is over what a page shows; showing {most} rows at most"),
        ));
    }
    let limit = limit.min(most);
    let rows = fetch(database, table, page, limit)
        .map_err(|error| past::with_way_past(error, database, source, table, page, further))?;
    let first = page.offset.saturating_add(1);
    let grid = Grid { columns: &rows.names, rows: &rows.rows, first };
    let mut written = grid.write(room);
    let shown = written.rows as u64;
    if shown == 0 {
        written.text.push_str(if page.offset > 0 { "(no rows from there on)\n" } else { "(no rows)\n" });
    }
    let cursor = Cursor::of(page, table);
    let behind = || {
        let last = written.rows.checked_sub(1)?;
        let number = rows.numbers.get(last).copied().flatten();
        cursor.as_ref()?.behind(rows.rows.get(last)?, number, database)
    };
    let by_room = written.rows < rows.rows.len();
    let (more, behind) = if rows.more || by_room {
        // In a damaged table the last row may not be behind the one that this page began behind: no key leads on then.
        let behind = behind().filter(|condition| {
            let leads_on =
                |cursor: &Cursor| Some(cursor.filtered(page.filter.as_deref(), condition)) != page.filter;
            cursor.as_ref().is_none_or(leads_on)
        });
        (follow(database, table, page, shown, behind.as_deref()), behind)
    } else {
        (More::None, None)
    };
    notices.extend(columns::said(&rows.unreadable).map(|text| Notice::new(Rank::Odd, text)));
    notices.extend(said_of_values(database, table, &written, &rows));
    let mut details = details();
    details.lossy = written.lossy > 0;
    details.shown =
        Some(if shown > 0 { vec![[first, page.offset.saturating_add(shown)]] } else { Vec::new() });
    details.total_lines = match more {
        More::None if rows.ended.is_some() => None,
        More::None => Some(page.offset.saturating_add(shown)).filter(|_| shown > 0 || page.offset == 0),
        More::Exactly(n) => Some(page.offset.saturating_add(shown).saturating_add(n)),
        More::AtLeast(_) => None,
    };
    if more != More::None {
        let condition = cursor.as_ref().zip(behind.as_deref());
        let next = next(source, table, page, shown, further, condition);
        let rest = match more {
            More::Exactly(n) => count(n, "more row"),
            More::AtLeast(n) if n > 1 => format!("{n}+ more rows"),
            _ => "More rows follow".into(),
        };
        notices.push(Notice::new(Rank::Continue, format!("{rest}. Use {next} to continue.")));
        if page.limit.is_none() || page.capped || over || by_room {
            let by = if by_room { TruncatedBy::Bytes } else { TruncatedBy::Rows };
            let next_row = page.offset.saturating_add(shown).saturating_add(1);
            details.truncated = Some(Truncated { by, next: next_row, next_target: Some(next) });
        }
    } else if let Some(ended) = &rows.ended {
        let last = rows.numbers.last().copied().flatten();
        let way = cursor
            .zip(last)
            .and_then(|(cursor, last)| past::way_past(database, source, table, page, &cursor, last, further));
        let (what, rank) = match &way {
            Some(call) => (format!(" Use {call} for rows behind that."), Rank::Continue),
            None => (String::new(), Rank::LeftOut),
        };
        let kind = if ended.code() == ErrorCode::Corrupt { "damaged" } else { "not readable" };
        notices
            .push(Notice::new(rank, format!("The rows that follow are {kind}: {}{what}", ended.message())));
    }
    Ok(Shown { written, details, notices })
}

/// What is to be said of values that are not shown as they are.
fn said_of_values(database: &Database, table: &Table, written: &Written, rows: &Fetched) -> Vec<Notice> {
    let mut notices = Vec::new();
    if written.lossy > 0 {
        notices.push(not_utf8(written.lossy));
    }
    if let Some((row, column)) = written.cut {
        let whole = whole_value(database, table, rows, row, column)
            .map_or_else(String::new, |target| format!("; {target} reads one whole"));
        notices.push(Notice::new(Rank::LeftOut, format!("Values that end in … are cut{whole}")));
    }
    notices
}

/// The target of a value, where there is one that works.
fn whole_value(
    database: &Database,
    table: &Table,
    rows: &Fetched,
    row: usize,
    column: usize,
) -> Option<String> {
    let name = rows.names.get(column)?;
    let key = match &table.key {
        Key::Rowid(_) => rows.numbers.get(row).copied().flatten()?.to_string(),
        Key::Column(key) => {
            let at = table.shown().position(|column| column.name == *key)?;
            match rows.rows.get(row)?.get(at)? {
                Value::Integer(n) => n.to_string(),
                Value::Text { head, total } if head.len() as u64 == *total => printed(head).into_owned(),
                _ => return None,
            }
        }
        Key::Composite(_) | Key::None => return None,
    };
    // It is asked as the caller would ask it.
    match row::find(database, table, &format!("{key}:{name}")) {
        Ok(Asked::Cell { column: found, rest: "", .. }) if printed(found.name.as_bytes()) == *name => {
            Some(format!("{}:{key}:{name}", target(&database.path, table)))
        }
        _ => None,
    }
}

/// The target of a table, as the caller spells it.
pub(crate) fn target(path: &str, table: &Table) -> String {
    format!("{path}:{}", printed(table.spelling.as_bytes()))
}

/// How many rows follow the `shown` rows of a page: those that meet `behind`, where that is known.
fn follow(database: &Database, table: &Table, page: &Page, shown: u64, behind: Option<&str>) -> More {
    let cap = database.limits.count_ahead;
    let (from, passed) = if let Some(behind) = behind {
        let filter = page.filter.as_ref().map_or_else(String::new, |filter| format!("({filter}) AND "));
        (format!("{} WHERE {filter}{behind}", table.quoted()), 0)
    } else {
        (format!("{}{}", table.quoted(), page.filtered()), page.offset.saturating_add(shown))
    };
    let number = |sql: &str| {
        let mut statement = database.prepare_asked(sql).ok()?;
        let counted = statement.rows([]).ok()?.next().ok()??.integer(0);
        counted.and_then(|n| u64::try_from(n).ok())
    };
    database.watch.begin_part(database.limits.count_time);
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

/// The target of the rows that follow: by key where there is one, so that it takes as long as the first page did.
fn next(
    source: &Source,
    table: &Table,
    page: &Page,
    shown: u64,
    limit: Option<u64>,
    behind: Option<(&Cursor, &str)>,
) -> String {
    let filter = match behind {
        Some((cursor, condition)) => Some(cursor.filtered(page.filter.as_deref(), condition)),
        None => page.filter.clone(),
    };
    let mut parameters: Vec<String> =
        filter.iter().map(|filter| format!("where={}", encoded(filter))).collect();
    parameters.extend(page.order.as_ref().map(|order| {
        let direction = if order.descending { ":desc" } else { "" };
        format!("order={}{direction}", encoded(&order.column))
    }));
    if behind.is_none() {
        parameters.push(format!("offset={}", page.offset.saturating_add(shown)));
    }
    parameters.extend(limit.map(|limit| format!("limit={limit}")));
    format!("{}?{}", target(source.path(), table), parameters.join("&"))
}

/// A page as an answer.
pub(crate) fn answer(
    database: &Database,
    source: &Source,
    table: &Table,
    page: &Page,
    cx: &ReadContext<'_>,
) -> Result<Answer, ReadError> {
    let further = page.limit.unwrap_or(database.limits.page_rows).min(database.limits.max_page_rows);
    let Shown { written, details, notices } = show(database, source, table, page, Some(further), room(cx))?;
    Ok(Answer::shown(written.text, details, notices))
}

/// The room that the output caps leave.
pub(crate) fn room(cx: &ReadContext<'_>) -> Room {
    Room {
        bytes: cx.limits().max_bytes.unwrap_or(u64::MAX),
        lines: cx.limits().max_lines.unwrap_or(u64::MAX),
    }
}
