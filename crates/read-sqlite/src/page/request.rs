//! What a caller asks of a page: its query string, or a window.

use read_core::{ReadError, printed};

use crate::database::Database;
use crate::expression;
use crate::query_string::pairs;
use crate::schema::Table;
use crate::sql::quoted;
use crate::words::{near, some};

/// The keys of a query string.
const KEYS: [&str; 4] = ["limit", "offset", "order", "where"];

/// Which rows are asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Page {
    /// How many rows; `None`: as many as a page has.
    pub(crate) limit: Option<u64>,
    /// How many rows to pass over.
    pub(crate) offset: u64,
    pub(super) order: Option<Order>,
    pub(super) filter: Option<String>,
    /// Whether the limit is the reader's, not the caller's.
    pub(super) capped: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Order {
    pub(super) column: String,
    pub(super) descending: bool,
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
            page.set(&key, &pair.value, table, database)?;
            seen.push(key);
        }
        Ok(page)
    }

    /// Takes the value of one key.
    fn set(&mut self, key: &str, value: &str, table: &Table, database: &Database) -> Result<(), ReadError> {
        match key {
            "limit" => {
                let most = database.limits.max_page_rows;
                match number(database, "limit", value, most)? {
                    0 => {
                        let what = format!("limit=0 shows nothing: limit is 1 to {most}.");
                        return Err(database.invalid_query(&what));
                    }
                    limit => self.limit = Some(limit),
                }
            }
            "offset" => self.offset = number(database, "offset", value, u64::MAX)?,
            "order" => self.order = Some(order(value, table, database)?),
            _ => {
                if let Some(refusal) = expression::refusal(value) {
                    return Err(database.invalid_query(&refusal));
                }
                self.filter = Some(value.trim().to_owned());
            }
        }
        Ok(())
    }

    /// The rows' order in SQL; empty where there is none. Whatever is asked for, the key comes last, so that pages have
    /// neither gaps nor overlaps.
    pub(super) fn order_by(&self, table: &Table) -> String {
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

    pub(super) fn filtered(&self) -> String {
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
