//! Queries that a caller writes.

use read_core::{
    Answer, ErrorCode, Notice, Rank, ReadContext, ReadError, Source, Truncated, TruncatedBy, count, printed,
};

use crate::answer::{details, not_utf8};
use crate::database::{Database, Prepared};
use crate::grid::{Grid, Room, Written};
use crate::limits::{ASKED_VALUE, KEPT_OF_RESULT, KEPT_OF_VALUE};
use crate::query_string::{encoded, pairs};
use crate::schema::{ObjectKind, Schema};
use crate::sql::{Token, is_balanced, leading_words, quoted, tokens};
use crate::value::Value;

/// The query of a query string on the database itself, without its `?`.
pub(crate) fn parse(text: &str, database: &Database) -> Result<String, ReadError> {
    let pairs = pairs(text);
    match pairs.iter().find(|pair| !pair.key.eq_ignore_ascii_case("q")) {
        Some(other) => Err(database.invalid_query(&format!(
            "'{}' is no key of a database; limit, offset, order and where follow a table.",
            printed(other.key.as_bytes())
        ))),
        None => match pairs.into_iter().next() {
            Some(query) if !query.value.trim().is_empty() => Ok(query.value.into_owned()),
            _ => Err(database.invalid_query("The query is empty.")),
        },
    }
}

/// Runs `sql` and shows its rows.
pub(crate) fn answer(
    database: &Database,
    source: &Source,
    schema: &Schema,
    sql: &str,
    cx: &ReadContext<'_>,
) -> Result<Answer, ReadError> {
    schema.weigh(sql, database)?;
    connect_modules(database, schema);
    let mut statement = prepared(database, sql)?;
    let columns = statement.columns();
    // A row is bounded, not only a value: a thousand columns of a large value each would be a large row.
    let each =
        database.limits.max_value.saturating_mul(4) / u32::try_from(columns.len().max(1)).unwrap_or(u32::MAX);
    statement.limit_values(each.clamp(ASKED_VALUE, database.limits.max_value))?;
    let skip = cx.request().offset.unwrap_or(1).saturating_sub(1);
    let max = database.limits.max_query_rows;
    let wanted = cx.request().limit.unwrap_or(max).min(max);
    let result = fetched(&mut statement, columns.len(), skip, wanted)?;
    let grid = Grid { columns: &columns, rows: &result.rows, first: skip.saturating_add(1) };
    let mut written = grid.write(Room::of(cx));
    if written.rows == 0 {
        written.text.push_str("(no rows)\n");
    }
    let shown = written.rows as u64;
    let by_room = written.rows < result.rows.len();
    let follow = by_room || result.more;
    let mut details = details();
    details.lossy = written.lossy > 0;
    let is_whole = !follow && result.damage.is_none();
    details.total_lines = is_whole.then(|| skip.saturating_add(shown)).filter(|_| shown > 0 || skip == 0);
    details.shown = Some(if shown > 0 { vec![[skip + 1, skip.saturating_add(shown)]] } else { Vec::new() });
    let mut notices = said_of_values(&written);
    if follow {
        // A window that the caller set is no cap.
        let is_own = |limit: &u64| *limit <= max && !by_room && result.rows.len() as u64 >= *limit;
        if let Some(limit) = cx.request().limit.filter(is_own) {
            let next = skip.saturating_add(shown).saturating_add(1);
            let text = format!("More rows follow. Use offset={next}, limit={limit} to continue.");
            notices.push(Notice::new(Rank::Continue, text));
        } else {
            let by = if by_room { TruncatedBy::Bytes } else { TruncatedBy::Rows };
            let (truncated, said) = capped(source, sql, skip, shown, by);
            details.truncated = Some(truncated);
            notices.extend(said);
        }
    } else if let Some(damage) = &result.damage {
        notices.push(Notice::new(
            Rank::LeftOut,
            format!(
                "The rows that follow are damaged: {} A WHERE or ORDER BY on a key may lead to rows behind that",
                damage.message()
            ),
        ));
    }
    Ok(Answer::shown(written.text, details, notices))
}

/// Prepares a query of a caller, if it only reads.
fn prepared<'d>(database: &'d Database, sql: &str) -> Result<Prepared<'d>, ReadError> {
    if let Some(pragma) = internal_pragma(sql) {
        return Err(database.invalid_query(&format!("PRAGMA {pragma} is refused: databases are only read.")));
    }
    let statement = database.prepare_asked(sql)?;
    if !statement.is_readonly() {
        let what = leading_words(sql);
        return Err(database.invalid_query(&format!("{what} is refused: databases are only read.")));
    }
    if statement.has_parameters() {
        return Err(database.invalid_query("The query has parameters. Write the values into it."));
    }
    Ok(statement)
}

/// What is to be said of values that are not shown as they are.
fn said_of_values(written: &Written) -> Vec<Notice> {
    let mut notices = Vec::new();
    if written.lossy > 0 {
        notices.push(not_utf8(written.lossy));
    }
    if written.cut.is_some() {
        notices.push(Notice::new(
            Rank::LeftOut,
            "Values that end in … are cut; select fewer columns, or parts with substr()",
        ));
    }
    notices
}

/// What is to be said of a result that a cap ended after `shown` rows behind the first `skip`.
fn capped(source: &Source, sql: &str, skip: u64, shown: u64, by: TruncatedBy) -> (Truncated, Vec<Notice>) {
    let rows = count(shown, "row");
    let text = format!("Output capped at {rows}; add LIMIT and OFFSET to the query to page on");
    let mut notices = vec![Notice::new(Rank::Continue, text)];
    let passed = skip.saturating_add(shown);
    let next_target = next_target(source, sql, passed);
    notices.extend(
        next_target.as_ref().map(|next| Notice::detail(Rank::Continue, format!("Use {next} to continue."))),
    );
    (Truncated::new(by, passed.saturating_add(1), next_target), notices)
}

/// The rows of a query, as far as they are kept.
struct ResultRows {
    rows: Vec<Vec<Value>>,
    /// Whether there is at least one more.
    more: bool,
    /// What ended them before their end.
    damage: Option<ReadError>,
}

/// Reads `wanted` rows behind the first `skip`.
fn fetched(
    statement: &mut Prepared<'_>,
    columns: usize,
    skip: u64,
    wanted: u64,
) -> Result<ResultRows, ReadError> {
    let mut fetched = ResultRows { rows: Vec::new(), more: false, damage: None };
    let mut weight = 0;
    let mut passed = 0;
    let mut result = statement.rows([])?;
    loop {
        let row = match result.next() {
            Ok(Some(row)) => row,
            Ok(None) => return Ok(fetched),
            Err(error) => {
                if error.code() != ErrorCode::Corrupt || fetched.rows.is_empty() {
                    return Err(error);
                }
                fetched.damage = Some(error);
                return Ok(fetched);
            }
        };
        if passed < skip {
            passed += 1;
            continue;
        }
        if fetched.rows.len() as u64 >= wanted || weight > KEPT_OF_RESULT {
            fetched.more = true;
            return Ok(fetched);
        }
        let values: Vec<Value> = (0..columns)
            .map(|index| row.value(index).map(|value| Value::of(value, KEPT_OF_VALUE)))
            .collect::<Result<_, _>>()?;
        weight += values.iter().map(Value::weight).sum::<usize>();
        fetched.rows.push(values);
    }
}

/// The query of the rows that follow; `None` where one cannot be put around this one.
fn next_target(source: &Source, sql: &str, passed: u64) -> Option<String> {
    if !["SELECT", "VALUES", "WITH"].contains(&leading_words(sql).as_str()) {
        return None;
    }
    let (inner, before) = unwrapped(sql);
    let inner = inner.trim().trim_end_matches(';');
    // Behind a comment on the last line nothing would be read.
    let end = if inner.lines().next_back().is_some_and(|line| line.contains("--")) { "\n" } else { "" };
    let offset = before.saturating_add(passed);
    let sql = format!("{WRAPPED}{inner}{end}{OFFSET}{offset}");
    Some(format!("{}?q={}", source.path(), encoded(&sql)))
}

/// What stands before and behind a query whose first rows were shown, so that others follow. The rows are capped as those of
/// the query itself are, which is how it is seen that there are still more.
const WRAPPED: &str = "SELECT * FROM (";
const OFFSET: &str = ") LIMIT -1 OFFSET ";

/// The query that an earlier page was put around, and how many rows were passed over.
fn unwrapped(sql: &str) -> (&str, u64) {
    let inside = || {
        let (inner, offset) = sql.strip_prefix(WRAPPED)?.rsplit_once(OFFSET)?;
        // Where it closes what it did not open, the whole is another query.
        is_balanced(inner).then_some((inner, offset.parse().ok()?))
    };
    inside().unwrap_or((sql, 0))
}

/// A pragma that full-text tables use among themselves, and that is not for callers.
fn internal_pragma(sql: &str) -> Option<&'static str> {
    let words = tokens(sql).filter_map(|token| match token {
        Token::Word(word) => Some(word.to_ascii_lowercase()),
        Token::Quoted(quoted) => Some(quoted.text().to_ascii_lowercase()),
        _ => None,
    });
    let mut words = words.skip_while(|word| ["explain", "query", "plan"].contains(&word.as_str()));
    let is_pragma = words.next().is_some_and(|word| word == "pragma");
    (is_pragma && words.any(|word| word == "data_version")).then_some("data_version")
}

/// Connects the virtual tables, which may prepare statements of their own that the query itself may not.
fn connect_modules(database: &Database, schema: &Schema) {
    database.connecting(|| {
        for object in schema
            .objects()
            .iter()
            .filter(|object| object.kind == ObjectKind::Virtual && !schema.is_too_heavy(object))
        {
            if database.watch.must_stop() {
                break;
            }
            // What is wrong with one is said where it is named.
            let _ = database.why_not(&format!("SELECT 1 FROM {} LIMIT 0", quoted(&object.name)));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_that_pragma_is_internal() {
        for sql in [
            " PRAGMA main.Data_Version",
            "/**/PRAGMA data_version",
            "-- x\npragma/* */\"data_version\"",
            "EXPLAIN QUERY PLAN PRAGMA [data_version]",
        ] {
            assert!(internal_pragma(sql).is_some(), "{sql}");
        }
        assert!(internal_pragma("PRAGMA user_version").is_none());
        assert!(internal_pragma("SELECT data_version FROM t").is_none());
    }
}
