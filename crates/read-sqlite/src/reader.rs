//! The reader: it recognises a database, and answers from one committed state of it.

use std::time::{Duration, Instant};

use read_core::selector::{Classified, Lines, Selector, classify};
use read_core::{
    Answer, ErrorCode, Match, Notice, Outcome, Probe, Rank, ReadContext, ReadError, Reader, ReaderHelp,
    Source, Strength, TargetReader, Window, printed, shortened,
};

use crate::answer::MEDIA_TYPE;
use crate::cell::{self, Cell};
use crate::committed::{Committed, JOURNAL, LOG, State, written_to};
use crate::database::Database;
use crate::limits::{ATTEMPTS, SqliteLimits};
use crate::list;
use crate::page::{self, Page};
use crate::row::{self, Asked};
use crate::schema::{ObjectKind, Schema, Table};
use crate::sql::quoted;
use crate::target::{self, Named, Tail};
use crate::watch::Watch;
use crate::words::{near, some};
use crate::{describe, query};

/// The first bytes of a database. <https://www.sqlite.org/fileformat2.html#magic_header_string>
const MAGIC: &[u8] = b"SQLite format 3\0";

/// How long to wait before another attempt, times how many there were, up to [`PAUSES`]: writers that leave no longer gaps are
/// met in one of these.
const PAUSE: Duration = Duration::from_micros(300);
const PAUSES: u32 = 5;

/// The reader with default limits.
pub static READER: Reader = &SqliteReader::new();

/// Reads SQLite databases.
#[derive(Clone, Copy, Debug, Default)]
pub struct SqliteReader {
    limits: SqliteLimits,
}

impl SqliteReader {
    /// A reader with [`SqliteLimits::DEFAULT`].
    pub const fn new() -> Self {
        Self { limits: SqliteLimits::DEFAULT }
    }

    /// A reader with other limits. A registry takes it by reference, for the life of the program:
    /// `Box::leak(Box::new(SqliteReader::with_limits(limits)))`, or a static of your own.
    pub const fn with_limits(limits: SqliteLimits) -> Self {
        Self { limits }
    }
}

impl TargetReader for SqliteReader {
    fn name(&self) -> &'static str {
        "sqlite"
    }

    fn package(&self) -> &'static str {
        env!("CARGO_PKG_NAME")
    }

    fn help(&self) -> ReaderHelp {
        ReaderHelp::new(
            "SQLite databases, whatever their name",
            "\
data.db                     its tables, with row counts
data.db:users               schema, indexes, foreign keys and 5 rows of a table
data.db:users:42            one row by primary key (or rowid)
data.db:users:42:avatar     one cell, whole: text with selectors (:1-50), images, archives
data.db:users?limit=50&order=name:desc&where=age > 30  a page of rows; also offset=
data.db?q=SELECT …          a read-only query",
        )
    }

    fn side_files(&self) -> &'static [&'static str] {
        &[LOG, JOURNAL]
    }

    fn probe(&self, probe: &Probe<'_>) -> Option<Match> {
        probe.head().starts_with(MAGIC).then_some(Match::new(Strength::Signature, MEDIA_TYPE))
    }

    fn read(&self, source: &Source, rest: &str, cx: &ReadContext<'_>) -> Result<Outcome, ReadError> {
        let start = Instant::now();
        let watch = Watch::start(cx.meter().clone(), self.limits.timeout);
        for attempt in 1_u32.. {
            let found = match Committed::find(source, cx, &self.limits, &watch) {
                // The bytes of what cannot be opened can still be looked at.
                Err(_) if is_of_bytes(rest) => return Ok(Outcome::Decline),
                found => found?,
            };
            match self.attempt(found, source, rest, cx, &watch, attempt > 1)? {
                Attempt::Proved(outcome) => return *outcome,
                Attempt::Changed => {}
            }
            watch.check()?;
            if attempt >= ATTEMPTS && start.elapsed() >= self.limits.lock_wait {
                break;
            }
            std::thread::sleep(PAUSE.saturating_mul(attempt.min(PAUSES)));
        }
        Err(written_to(source))
    }
}

/// What came of reading one state.
enum Attempt {
    /// The answer, or the error: the state held until both were known.
    Proved(Box<Result<Outcome, ReadError>>),
    /// The state did not hold, so that neither counts.
    Changed,
}

impl SqliteReader {
    /// Answers from a state that was found.
    fn attempt(
        &self,
        found: State,
        source: &Source,
        rest: &str,
        cx: &ReadContext<'_>,
        watch: &Watch,
        copy: bool,
    ) -> Result<Attempt, ReadError> {
        let State { mut pages, mut committed, mut notices } = found;
        if copy {
            match committed.copied(pages, cx, watch)? {
                Some(copied) => (committed, pages) = copied,
                None => return Ok(Attempt::Changed),
            }
        }
        let outcome = match Database::open(source, pages, committed.has_log(), watch, &self.limits) {
            Ok(database) => {
                notices.extend_from_slice(&database.notices);
                answer(&database, source, rest, cx)
            }
            Err(_) if is_of_bytes(rest) => Ok(Outcome::Decline),
            Err(error) => Err(error),
        };
        Ok(if committed.held(watch) {
            Attempt::Proved(Box::new(outcome.map(|outcome| with_notices(outcome, notices))))
        } else {
            Attempt::Changed
        })
    }
}

/// Whether a rest is about the file's own bytes, and so not for this reader (unless a table is called that).
fn is_of_bytes(rest: &str) -> bool {
    matches!(classify(rest), Classified::Selector(Selector::Bytes(_) | Selector::Hex(_) | Selector::Stat))
}

fn with_notices(outcome: Outcome, opened: Vec<Notice>) -> Outcome {
    match outcome {
        Outcome::Output(mut answer) => {
            answer.notices.splice(0..0, opened);
            Outcome::Output(answer)
        }
        Outcome::Descend { source, rest, mut notices } => {
            notices.splice(0..0, opened);
            Outcome::Descend { source, rest, notices }
        }
        other => other,
    }
}

fn answer(
    database: &Database,
    source: &Source,
    rest: &str,
    cx: &ReadContext<'_>,
) -> Result<Outcome, ReadError> {
    let schema = match Schema::read(database) {
        Err(_) if is_of_bytes(rest) => return Ok(Outcome::Decline),
        schema => schema?,
    };
    if let Some(Named { object, spelling, tail }) = target::table(rest, &schema)
        // Of an empty name and `?q=` the query is meant.
        && !(object.name.is_empty() && is_query(rest))
    {
        let weighed = match object.kind {
            ObjectKind::Table => Ok(()),
            _ => schema.weigh(&quoted(&object.name), database),
        };
        return match weighed.and_then(|()| Table::read(database, &object, spelling)) {
            Ok(table) => of_table(database, source, &table, tail, cx),
            Err(error) if tail == Tail::Nothing && !has_window(cx) => {
                Err(describe::broken(database, &object, error))
            }
            Err(error) => Err(error),
        };
    }
    match classify(rest) {
        Classified::NotSelector => match rest.strip_prefix('?') {
            Some(text) => {
                let sql = query::parse(text, database)?;
                Ok(query::answer(database, source, &schema, &sql, cx)?.into())
            }
            None => Err(no_table(database, source, &schema, rest)),
        },
        Classified::Selector(Selector::Lines { raw: true, .. }) => Err(raw(source)),
        _ => match Window::of_listing(rest, cx.request()) {
            Some(window) => Ok(list::list(database, &schema, &window, cx)?.into()),
            None => Ok(Outcome::Decline),
        },
    }
}

fn is_query(rest: &str) -> bool {
    rest.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("?q="))
}

fn has_window(cx: &ReadContext<'_>) -> bool {
    cx.request().offset.is_some() || cx.request().limit.is_some()
}

fn ignored(what: &str) -> Notice {
    Notice::new(Rank::Opened, format!("offset and limit ignored: {what} sets the window"))
}

/// The error about verbatim lines: a database has none.
fn raw(source: &Source) -> ReadError {
    let path = source.path();
    ReadError::new(
        ErrorCode::InvalidSelector,
        format!("'{path}' is a database: :raw is not a selector for it. Use :hex for its bytes, {path} for its tables."),
    )
    .with_suggestions([format!("{path}:hex"), path.to_owned()])
}

fn of_table(
    database: &Database,
    source: &Source,
    table: &Table,
    tail: Tail<'_>,
    cx: &ReadContext<'_>,
) -> Result<Outcome, ReadError> {
    match tail {
        Tail::Nothing if has_window(cx) => {
            let offset = cx.request().offset.unwrap_or(1).saturating_sub(1);
            let page = Page::window(offset, cx.request().limit);
            Ok(page::answer(database, source, table, &page, cx)?.into())
        }
        Tail::Nothing => Ok(describe::answer(database, source, table, cx)?.into()),
        Tail::Page(text) => {
            let page = Page::parse(text, table, database)?;
            let mut answer = page::answer(database, source, table, &page, cx)?;
            if has_window(cx) {
                answer.notices.insert(0, ignored("the query string"));
            }
            Ok(answer.into())
        }
        Tail::Key(text) => match row::find(database, table, text)? {
            Asked::Row(found) => {
                let mut answer = row::answer(database, table, &found, text, cx)?;
                if has_window(cx) {
                    answer.notices.insert(0, ignored("the key"));
                }
                Ok(answer.into())
            }
            Asked::Cell { row, column, name, rest } => {
                let cell = Cell { table, row: &row, column, name, rest };
                cell::outcome(database, source, &cell, cx)
            }
            Asked::Nothing(key) => Ok(nothing(database, table, key).into()),
        },
    }
}

/// Says that no row has this key; a key that reads like a range of lines was probably meant as one of rows.
fn nothing(database: &Database, table: &Table, key: &str) -> Answer {
    let mut answer = row::nothing(table, key);
    if let Classified::Selector(Selector::Lines { lines: Lines::Ranges(ranges), raw: false }) = classify(key)
        && let Some(range) = ranges.is_single()
        && (range.end().is_some() || key.ends_with('-'))
    {
        let limit = range.end().map_or_else(String::new, |end| {
            format!("&limit={}", end.saturating_sub(range.start()).saturating_add(1))
        });
        let call = format!("{}?offset={}{limit}", table.target(&database.path), range.start() - 1);
        answer.notices.push(Notice::new(
            Rank::Continue,
            format!("Behind a table stands a key. Use {call} for those rows."),
        ));
    }
    answer
}

fn no_table(database: &Database, source: &Source, schema: &Schema, rest: &str) -> ReadError {
    let asked = target::head(rest);
    let names = || schema.objects().iter().map(|object| object.name.as_str());
    let near: Vec<String> = near(asked, names(), database)
        .into_iter()
        .map(|name| format!("{}:{}", source.path(), printed(name.as_bytes())))
        .collect();
    let list = match schema.objects() {
        [] => "it has no tables".to_owned(),
        _ => format!("it has {}", some(names())),
    };
    ReadError::new(
        ErrorCode::NotFound,
        format!(
            "'{}' is no table of '{}'; {list}. Use {} for the list.",
            shortened(asked.as_bytes()),
            database.path,
            database.path
        ),
    )
    .with_suggestions(near)
}
