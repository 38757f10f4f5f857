//! An open database, read-only in depth, and what its errors mean.

use std::cell::Cell;
use std::sync::Arc;

use read_core::{ErrorCode, Notice, Rank, ReadError, Source, printed};
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Statement, StatementStatus, ffi};

use crate::authorizer::{Authorizer, Refused};
use crate::functions;
use crate::options::Options;
use crate::pages::Pages;
use crate::text::Encoding;
use crate::tree;
use crate::vfs::Hosted;
use crate::watch::Watch;
use crate::weight::{Definitions, MOST};

/// Steps of a statement between two looks at the watch. Straight runs of slow functions are not interrupted, so that it is
/// few.
const STEPS: i32 = 200;

/// What the steps of a statement that compute, each over the longest value that there may be, may come to in bytes (2 GiB):
/// some seconds. Steps that follow each other without a jump are not interrupted, however long their values are, so that
/// the more there are, the shorter values must be.
const WORK: u64 = 1 << 31;

/// Bytes of memory up to which a statement has so few steps that they are not counted.
const SHORT: i32 = 8 << 10;

/// Steps whose time grows with the length of a value, as `EXPLAIN` calls them.
const COMPUTING: [&str; 17] = [
    "Add",
    "BitAnd",
    "BitOr",
    "Cast",
    "Concat",
    "Divide",
    "Eq",
    "Function",
    "Ge",
    "Gt",
    "Le",
    "Lt",
    "Multiply",
    "Ne",
    "PureFunc",
    "Remainder",
    "Subtract",
];

/// How long a value may be in any case, in a statement of this crate's own (2 MiB): what it reads itself is shorter.
const OWN_VALUE: u32 = 2 << 20;

/// How long a value may be in any case, in a statement that a caller wrote (64 KiB).
const ASKED_VALUE: u32 = 64 << 10;

/// How long a value may be where functions are named whose time or memory grows with the square of it (32 KiB):
/// `json_patch`, `jsonb_patch`, `json_pretty`.
const QUADRATIC_VALUE: u32 = 32 << 10;

/// The longest SQL text. A caller's is no longer than a target; the page of a table of two thousand columns is.
const SQL_LENGTH: i32 = 4 << 20;

/// How SQLite's message about a schema begins that it cannot parse.
const MALFORMED: &str = "malformed database schema";

/// With what a statement begins that reads.
const READING: [&str; 5] = ["EXPLAIN", "PRAGMA", "SELECT", "VALUES", "WITH"];

/// Settings of the connection itself; the last one lets a sort go to a temporary file, which lies in memory.
const SETTINGS: &str =
    "PRAGMA query_only = 1; PRAGMA mmap_size = 0; PRAGMA cache_size = -2000; PRAGMA temp_store = 1";

/// An open database in one committed state.
pub(crate) struct Database {
    hosted: Hosted,
    has_log: bool,
    /// How long a value may be, apart from what a statement is like.
    longest: Cell<u32>,
    authorizer: Authorizer,
    pub(crate) watch: Watch,
    pub(crate) options: Options,
    /// How text lies in it.
    pub(crate) encoding: Encoding,
    /// What to say about how it was opened.
    pub(crate) notices: Vec<Notice>,
    /// The target that addresses it, printable.
    pub(crate) path: String,
}

impl Database {
    /// Opens `pages`, which are those of `source`. Nothing in them is executed; the schema is parsed.
    pub(crate) fn open(
        source: &Source,
        pages: Pages,
        has_log: bool,
        watch: &Watch,
        options: &Options,
    ) -> Result<Self, ReadError> {
        let path = source.path().to_owned();
        let failed = |error| fault(&error, &path, watch, None, false, false);
        let hosted = Hosted::connect(pages, watch.clone(), options.temporary).map_err(failed)?;
        let mut this = Self {
            hosted,
            has_log,
            longest: Cell::new(options.max_value),
            authorizer: Authorizer::default(),
            watch: watch.clone(),
            options: *options,
            encoding: Encoding::Utf8,
            notices: Vec::new(),
            path,
        };
        this.harden().map_err(|error| this.fault(&error))?;
        let encoding: String = this
            .hosted
            .query_row("PRAGMA encoding", [], |row| row.get(0))
            .map_err(|error| this.fault(&error))?;
        this.encoding = Encoding::named(&encoding);
        Ok(this)
    }

    /// Lets SQLite leave out what it cannot parse of the schema, as it does where a schema may be repaired. (Nothing becomes
    /// writable by that: the connection is read-only, and so is what lies under it.)
    fn pass_over_malformed(&mut self, error: &rusqlite::Error) -> rusqlite::Result<()> {
        for (setting, on) in
            [(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, false), (DbConfig::SQLITE_DBCONFIG_WRITABLE_SCHEMA, true)]
        {
            self.hosted.set_db_config(setting, on)?;
        }
        let reason = said(error);
        let text = format!("The schema is damaged ({reason}); what else is in it can be read");
        self.notices.push(Notice::new(Rank::Odd, text));
        Ok(())
    }

    fn harden(&mut self) -> rusqlite::Result<()> {
        self.hosted.set_progress(STEPS, self.options.memory)?;
        functions::set(&mut self.hosted)?;
        for (limit, value) in [
            (Limit::SQLITE_LIMIT_LENGTH, i32::try_from(self.options.max_value).unwrap_or(i32::MAX)),
            (Limit::SQLITE_LIMIT_SQL_LENGTH, SQL_LENGTH),
            (Limit::SQLITE_LIMIT_COLUMN, 2_000),
            (Limit::SQLITE_LIMIT_EXPR_DEPTH, 200),
            (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 100),
            (Limit::SQLITE_LIMIT_VDBE_OP, 250_000),
            (Limit::SQLITE_LIMIT_FUNCTION_ARG, 100),
            (Limit::SQLITE_LIMIT_ATTACHED, 0),
            (Limit::SQLITE_LIMIT_VARIABLE_NUMBER, 100),
            (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 1),
            (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
        ] {
            self.hosted.set_limit(limit, value)?;
        }
        for (setting, on) in [
            (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
            (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
            (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
            (DbConfig::SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, false),
            (DbConfig::SQLITE_DBCONFIG_WRITABLE_SCHEMA, false),
            (DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true),
        ] {
            self.hosted.set_db_config(setting, on)?;
        }
        // The settings are the first that need the schema.
        if let Err(error) = self.hosted.execute_batch(SETTINGS) {
            if !said(&error).contains(MALFORMED) {
                return Err(error);
            }
            self.pass_over_malformed(&error)?;
            self.hosted.execute_batch(SETTINGS)?;
        }
        let authorizer = self.authorizer.clone();
        self.hosted
            .set_authorizer(Box::new(move |code, first, second| authorizer.permits(code, first, second)));
        Ok(())
    }

    /// Prepares a statement of this crate's own.
    pub(crate) fn prepare(&self, sql: &str) -> Result<Statement<'_>, ReadError> {
        self.authorizer.take_refused();
        let statement = self.hosted.prepare(sql).map_err(|error| self.fault(&error))?;
        self.bound(sql, &statement, OWN_VALUE)?;
        Ok(statement)
    }

    /// Prepares a statement that a caller wrote.
    pub(crate) fn prepare_asked(&self, sql: &str) -> Result<Statement<'_>, ReadError> {
        self.authorizer.take_refused();
        let statement = self.hosted.prepare(sql).map_err(|error| {
            if self.authorizer.refused_schema_change() {
                let words = leading_words(sql);
                // Of several statements it is not the first that was refused.
                let what = if READING.iter().any(|word| words.starts_with(word)) {
                    "A change of the schema"
                } else {
                    &words
                };
                return self.invalid_query(&format!("{what} is refused: databases are only read."));
            }
            self.fault_asked(&error)
        })?;
        self.bound(sql, &statement, ASKED_VALUE)?;
        Ok(statement)
    }

    /// Bounds the values of a statement by how many steps it has; see [`WORK`].
    fn bound(&self, sql: &str, statement: &Statement<'_>, least: u32) -> Result<(), ReadError> {
        let mut value = self.longest.get();
        if statement.get_status(StatementStatus::MemUsed) > SHORT {
            let each = WORK / self.computing_steps(sql).max(1);
            value = u32::try_from(each).unwrap_or(u32::MAX).max(least).min(value);
        }
        if self.authorizer.has_quadratic() {
            value = value.min(QUADRATIC_VALUE);
        }
        self.set_longest(value)
    }

    /// How many steps of a statement compute.
    fn computing_steps(&self, sql: &str) -> u64 {
        let count = || {
            let mut explained = self.hosted.prepare(&format!("EXPLAIN {sql}"))?;
            let mut rows = explained.raw_query();
            let mut count = 0;
            while let Some(row) = rows.next()? {
                if let Ok(ValueRef::Text(step)) = row.get_ref(1)
                    && COMPUTING.iter().any(|computing| computing.as_bytes() == step)
                {
                    count += 1;
                }
            }
            Ok::<u64, rusqlite::Error>(count)
        };
        // What cannot be explained is an explanation itself, and computes nothing.
        count().unwrap_or(0)
    }

    fn set_longest(&self, bytes: u32) -> Result<(), ReadError> {
        let bytes = i32::try_from(bytes).unwrap_or(i32::MAX);
        self.hosted.set_limit(Limit::SQLITE_LIMIT_LENGTH, bytes).map_err(|error| self.fault(&error))?;
        Ok(())
    }

    /// Why a statement of this crate's own cannot be prepared; `None` when it can.
    pub(crate) fn why_not(&self, sql: &str) -> Option<String> {
        self.authorizer.take_refused();
        let error = self.hosted.prepare(sql).err()?;
        Some(match self.authorizer.take_refused() {
            Some(Refused::Action(action)) => format!("{action} is refused"),
            Some(Refused::Heavy(pragma)) => format!("{pragma} would take too long"),
            None => said(&error),
        })
    }

    /// The names of a statement's columns, printable.
    pub(crate) fn column_names(&self, sql: &str, statement: &Statement<'_>) -> Vec<String> {
        let names = self.hosted.column_names(sql, statement);
        names.iter().map(|name| printed(name).into_owned()).collect()
    }

    /// The rows of a table by its tree, counted a little over `enough` at most; `None` where that cannot be said.
    pub(crate) fn rows_in_tree(&self, root: u32, enough: u64) -> Option<u64> {
        let pages = self.hosted.pages();
        tree::rows(pages, pages.page_size()?, root, enough, &self.watch)
    }

    /// The connection, for what is not a statement.
    pub(crate) fn connection(&self) -> &rusqlite::Connection {
        &self.hosted
    }

    /// Bounds the bytes of one value from here on, also for what was prepared already.
    pub(crate) fn limit_values(&self, bytes: u32) -> Result<(), ReadError> {
        self.longest.set(bytes);
        self.set_longest(if self.authorizer.has_quadratic() { bytes.min(QUADRATIC_VALUE) } else { bytes })
    }

    /// Bounds the bytes of one value in statements from here on, and in `statement`.
    pub(crate) fn limit_values_of(
        &self,
        sql: &str,
        statement: &Statement<'_>,
        bytes: u32,
    ) -> Result<(), ReadError> {
        self.longest.set(bytes);
        self.bound(sql, statement, ASKED_VALUE)
    }

    /// What views are made of, now that it is known: pragmas ask about none that is too heavy.
    pub(crate) fn know(&self, definitions: &Arc<Definitions>, names_quadratic: bool) {
        self.authorizer.know(Arc::clone(definitions), names_quadratic);
    }

    /// Looks at virtual tables while `work` runs, so that statements may name them; see [`Authorizer::connecting`].
    pub(crate) fn connecting<T>(&self, work: impl FnOnce() -> T) -> T {
        self.authorizer.connecting(work)
    }

    /// Whether a log is part of the state, so that the file's identity says nothing about it.
    pub(crate) fn has_log(&self) -> bool {
        self.has_log
    }

    /// What an error means.
    pub(crate) fn fault(&self, error: &rusqlite::Error) -> ReadError {
        self.fault_of(error, false)
    }

    fn fault_of(&self, error: &rusqlite::Error, is_asked: bool) -> ReadError {
        let refused = self.authorizer.take_refused();
        fault(error, &self.path, &self.watch, refused, self.hosted.wanted_more_memory(), is_asked)
    }

    /// What an error means that SQL of a caller met.
    pub(crate) fn fault_asked(&self, error: &rusqlite::Error) -> ReadError {
        match error {
            rusqlite::Error::MultipleStatement => self.invalid_query(
                "Only one statement is read at a time. Send the others in calls of their own.",
            ),
            rusqlite::Error::Empty => self.invalid_query("The query is empty."),
            rusqlite::Error::InvalidParameterCount(..) => {
                self.invalid_query("The query has parameters. Write the values into it.")
            }
            rusqlite::Error::NulError(_) => self.invalid_query("The query holds a NUL character."),
            error => self.fault_of(error, true),
        }
    }

    /// The error for a query that is not understood or not allowed, with the way to ask.
    pub(crate) fn invalid_query(&self, what: &str) -> ReadError {
        ReadError::new(
            ErrorCode::InvalidQuery,
            format!("{what} Use {}?q=SELECT … for a query that reads.", self.path),
        )
    }
}

fn fault(
    error: &rusqlite::Error,
    path: &str,
    watch: &Watch,
    refused: Option<Refused>,
    full: bool,
    is_asked: bool,
) -> ReadError {
    let hint = if is_asked {
        format!("Use {path} for its tables, {path}:TABLE for the columns of one.")
    } else {
        format!("Use {path} for its tables, {path}?q=SELECT … for what of them can be read.")
    };
    if let Err(stopped) = watch.check() {
        return stopped;
    }
    let said = said(error);
    let code = match error {
        rusqlite::Error::SqliteFailure(failure, _) => failure.extended_code & 0xff,
        rusqlite::Error::SqlInputError { error, .. } => error.extended_code & 0xff,
        _ => ffi::SQLITE_ERROR,
    };
    let refused = refused.or_else(|| {
        let is_refusal = matches!(code, ffi::SQLITE_AUTH | ffi::SQLITE_READONLY);
        is_refusal.then(|| Refused::Action("This statement".into()))
    });
    match refused {
        Some(Refused::Action(refused)) => {
            let message = format!(
                "{refused} is refused: databases are only read. Use {path}?q=SELECT … for a query that reads."
            );
            return ReadError::new(ErrorCode::InvalidQuery, message).with_cause(error.to_string());
        }
        Some(Refused::Heavy(pragma)) => {
            let message = format!(
                "'{path}': {pragma} would put views in each other that come to more than {MOST} SELECTs. Use {path} for the \
                 list of tables, or ask the tables below the views."
            );
            return ReadError::new(ErrorCode::TooLarge, message).with_cause(error.to_string());
        }
        None => {}
    }
    let (code, message) = match code {
        _ if full => (
            ErrorCode::TooLarge,
            format!(
                "'{path}': sorting or grouping needs more memory than a read may take. Narrow the query with WHERE, or LIMIT."
            ),
        ),
        ffi::SQLITE_TOOBIG | ffi::SQLITE_NOMEM => (
            ErrorCode::TooLarge,
            format!(
                "'{path}': a value is too large for a query ({said}). Leave its column out, or ask for its octet_length(); \
                 {path}:TABLE:KEY:COLUMN:@0+65536 reads a part of a large cell."
            ),
        ),
        ffi::SQLITE_CORRUPT | ffi::SQLITE_NOTADB | ffi::SQLITE_FORMAT => {
            (ErrorCode::Corrupt, format!("'{path}' is damaged: {said}. :hex shows its bytes."))
        }
        ffi::SQLITE_IOERR | ffi::SQLITE_CANTOPEN => {
            (ErrorCode::Corrupt, format!("'{path}' cannot be read to its end: {said}. :hex shows its bytes."))
        }
        _ if said.contains("unsupported file format") => (
            ErrorCode::UnsupportedContent,
            format!("'{path}' is of a newer format than this SQLite reads: {said}."),
        ),
        _ if said.contains(MALFORMED) => {
            (ErrorCode::Corrupt, format!("'{path}' is damaged: {said}. :hex shows its bytes."))
        }
        _ => (ErrorCode::QueryFailed, format!("'{path}': {said}. {hint}")),
    };
    ReadError::new(code, message).with_cause(error.to_string())
}

/// The words that a statement begins with, as far as they say what it does: `CREATE TEMP TABLE`.
pub(crate) fn leading_words(sql: &str) -> String {
    const KINDS: [&str; 9] =
        ["INDEX", "TABLE", "TEMP", "TEMPORARY", "TRIGGER", "UNIQUE", "VIEW", "VIRTUAL", "INTO"];
    let mut words = sql
        .split(|c: char| !c.is_ascii_alphabetic())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_uppercase);
    let first = words.next().unwrap_or_default();
    let kinds = words.take_while(|word| KINDS.contains(&word.as_str()));
    std::iter::once(first).chain(kinds).collect::<Vec<_>>().join(" ")
}

/// What SQLite said, on one line.
pub(crate) fn said(error: &rusqlite::Error) -> String {
    let text = match error {
        rusqlite::Error::SqliteFailure(_, Some(message)) => message.clone(),
        rusqlite::Error::SqliteFailure(failure, None) => failure.to_string(),
        rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
        error => error.to_string(),
    };
    printed(text.as_bytes()).into_owned()
}
