//! An open database, read-only in depth, and what its errors mean.

use read_core::{ErrorCode, ReadError, Source, printed};
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Statement, ffi};

use crate::authorizer::Authorizer;
use crate::options::Options;
use crate::pages::Pages;
use crate::text::Encoding;
use crate::vfs::Hosted;
use crate::watch::Watch;

/// Steps of a statement between two looks at the watch. Straight runs of slow functions are not interrupted, so that it is
/// few.
const STEPS: i32 = 200;

/// The longest SQL text. A caller's is no longer than a target; the page of a table of two thousand columns is.
const SQL_LENGTH: i32 = 4 << 20;

/// With what a statement begins that reads.
const READING: [&str; 5] = ["EXPLAIN", "PRAGMA", "SELECT", "VALUES", "WITH"];

/// Settings of the connection itself; the last one lets a sort go to a temporary file, which lies in memory.
const SETTINGS: &str =
    "PRAGMA query_only = 1; PRAGMA mmap_size = 0; PRAGMA cache_size = -2000; PRAGMA temp_store = 1";

/// An open database in one committed state.
pub(crate) struct Database {
    hosted: Hosted,
    has_log: bool,
    authorizer: Authorizer,
    pub(crate) watch: Watch,
    pub(crate) options: Options,
    /// How text lies in it.
    pub(crate) encoding: Encoding,
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
        let failed = |error| fault(&error, &path, watch, None, false);
        let hosted = Hosted::connect(pages, watch.clone(), options.temporary).map_err(failed)?;
        let mut this = Self {
            hosted,
            has_log,
            authorizer: Authorizer::default(),
            watch: watch.clone(),
            options: *options,
            encoding: Encoding::Utf8,
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

    fn harden(&mut self) -> rusqlite::Result<()> {
        let watch = self.watch.clone();
        self.hosted.set_progress(STEPS, move || watch.must_stop())?;
        for (limit, value) in [
            (Limit::SQLITE_LIMIT_LENGTH, i32::try_from(self.options.max_value).unwrap_or(i32::MAX)),
            (Limit::SQLITE_LIMIT_SQL_LENGTH, SQL_LENGTH),
            (Limit::SQLITE_LIMIT_COLUMN, 2_000),
            (Limit::SQLITE_LIMIT_EXPR_DEPTH, 200),
            (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 100),
            (Limit::SQLITE_LIMIT_VDBE_OP, 250_000),
            (Limit::SQLITE_LIMIT_FUNCTION_ARG, 100),
            (Limit::SQLITE_LIMIT_ATTACHED, 0),
            (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1_000),
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
        self.hosted.execute_batch(SETTINGS)?;
        let authorizer = self.authorizer.clone();
        self.hosted
            .set_authorizer(Box::new(move |code, first, second| authorizer.permits(code, first, second)));
        Ok(())
    }

    /// Prepares a statement of this crate's own.
    pub(crate) fn prepare(&self, sql: &str) -> Result<Statement<'_>, ReadError> {
        self.authorizer.take_refused();
        self.hosted.prepare(sql).map_err(|error| self.fault(&error))
    }

    /// Prepares a statement that a caller wrote.
    pub(crate) fn prepare_asked(&self, sql: &str) -> Result<Statement<'_>, ReadError> {
        self.authorizer.take_refused();
        self.hosted.prepare(sql).map_err(|error| {
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
        })
    }

    /// The names of a statement's columns, printable.
    pub(crate) fn column_names(&self, sql: &str, statement: &Statement<'_>) -> Vec<String> {
        let names = self.hosted.column_names(sql, statement);
        names.iter().map(|name| printed(name).into_owned()).collect()
    }

    /// The connection, for what is not a statement.
    pub(crate) fn connection(&self) -> &rusqlite::Connection {
        &self.hosted
    }

    /// Bounds the bytes of one value from here on.
    pub(crate) fn limit_values(&self, bytes: u32) -> Result<(), ReadError> {
        let bytes = i32::try_from(bytes).unwrap_or(i32::MAX);
        self.hosted.set_limit(Limit::SQLITE_LIMIT_LENGTH, bytes).map_err(|error| self.fault(&error))?;
        Ok(())
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
        fault(error, &self.path, &self.watch, self.authorizer.take_refused(), self.hosted.is_over_temporary())
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
            error => self.fault(error),
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
    refused: Option<String>,
    full: bool,
) -> ReadError {
    if let Err(stopped) = watch.check() {
        return stopped;
    }
    let said = said(error);
    let code = match error {
        rusqlite::Error::SqliteFailure(failure, _) => failure.extended_code & 0xff,
        rusqlite::Error::SqlInputError { error, .. } => error.extended_code & 0xff,
        _ => ffi::SQLITE_ERROR,
    };
    let refused = refused
        .or_else(|| matches!(code, ffi::SQLITE_AUTH | ffi::SQLITE_READONLY).then(|| "This statement".into()));
    if let Some(refused) = refused {
        let message = format!(
            "{refused} is refused: databases are only read. Use {path}?q=SELECT … for a query that reads."
        );
        return ReadError::new(ErrorCode::InvalidQuery, message).with_cause(error.to_string());
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
                 {path}:TABLE:KEY:COLUMN reads a large cell."
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
        _ if said.contains("malformed database schema") => {
            (ErrorCode::Corrupt, format!("'{path}' is damaged: {said}. :hex shows its bytes."))
        }
        _ => (
            ErrorCode::QueryFailed,
            format!("'{path}': {said}. Use {path} for its tables, {path}:TABLE for the columns of one."),
        ),
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
