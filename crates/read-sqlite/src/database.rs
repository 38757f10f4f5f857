//! An open database, and the only ways into it: statements, whose values are bounded and whose errors are put in words, and
//! cells by pieces.

use std::sync::Arc;

use read_core::{Notice, Rank, ReadError, Source, printed};
use rusqlite::blob::Blob;
use rusqlite::types::ValueRef;
use rusqlite::{MAIN_DB, Params, Statement};

use crate::authorizer::{Authorizer, Refused};
use crate::budget::ValueBudget;
use crate::fault::{Author, Fault, said};
use crate::harden::harden;
use crate::limits::SqliteLimits;
use crate::pages::Pages;
use crate::sql::leading_words;
use crate::text::Encoding;
use crate::tree;
use crate::vfs::Hosted;
use crate::watch::Watch;
use crate::weight::Definitions;

/// With what a statement begins that reads.
const READING: [&str; 5] = ["EXPLAIN", "PRAGMA", "SELECT", "VALUES", "WITH"];

/// An open database in one committed state.
pub(crate) struct Database {
    hosted: Hosted,
    has_log: bool,
    budget: ValueBudget,
    authorizer: Authorizer,
    pub(crate) watch: Watch,
    pub(crate) limits: SqliteLimits,
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
        limits: &SqliteLimits,
    ) -> Result<Self, ReadError> {
        let path = source.path().to_owned();
        let encoding = Encoding::of(&pages);
        let hosted = Hosted::connect(pages, watch.clone(), limits.temporary).map_err(|error| {
            let fault = Fault { path: &path, author: Author::Own, refused: None, wanted_more_memory: false };
            watch.check().err().unwrap_or_else(|| fault.meaning(&error))
        })?;
        let mut this = Self {
            hosted,
            has_log,
            budget: ValueBudget::new(limits.max_value),
            authorizer: Authorizer::default(),
            watch: watch.clone(),
            limits: *limits,
            encoding,
            notices: Vec::new(),
            path,
        };
        if let Some(reason) = harden(&mut this.hosted, limits).map_err(|error| this.fault(&error))? {
            let text = format!("The schema is damaged ({reason}); what else is in it can be read");
            this.notices.push(Notice::new(Rank::Odd, text));
        }
        let authorizer = this.authorizer.clone();
        this.hosted
            .set_authorizer(Box::new(move |code, first, second| authorizer.permits(code, first, second)));
        Ok(this)
    }

    /// Prepares a statement of this crate's own.
    pub(crate) fn prepare(&self, sql: &str) -> Result<Prepared<'_>, ReadError> {
        self.prepared(sql, Author::Own).map_err(|error| self.fault(&error))
    }

    /// Prepares a statement that a caller wrote, or a part of which is a caller's.
    pub(crate) fn prepare_asked(&self, sql: &str) -> Result<Prepared<'_>, ReadError> {
        self.prepared(sql, Author::Caller).map_err(|error| {
            if !self.authorizer.refused_schema_change() {
                return self.fault_of(&error, Author::Caller);
            }
            let words = leading_words(sql);
            // Of several statements it is not the first that was refused.
            let is_reading = READING.iter().any(|word| words.starts_with(word));
            let what = if is_reading { "A change of the schema" } else { &words };
            self.invalid_query(&format!("{what} is refused: databases are only read."))
        })
    }

    fn prepared(&self, sql: &str, author: Author) -> rusqlite::Result<Prepared<'_>> {
        self.authorizer.take_refused();
        let mut statement = self.hosted.prepare(sql)?;
        let is_quadratic = self.authorizer.has_quadratic();
        self.budget.bound(&self.hosted, (sql, &mut statement), author, is_quadratic)?;
        Ok(Prepared { database: self, statement, sql: sql.to_owned(), author })
    }

    /// What `read` makes of the first row of a statement of this crate's own; `None` where there is no row.
    pub(crate) fn one<T>(
        &self,
        sql: &str,
        parameters: impl Params,
        read: impl FnOnce(&Row<'_>) -> T,
    ) -> Result<Option<T>, ReadError> {
        let mut statement = self.prepare(sql)?;
        let mut rows = statement.rows(parameters)?;
        Ok(rows.next()?.map(|row| read(&row)))
    }

    /// The number that is the only value of the only row of a statement of this crate's own; the error is what SQLite says,
    /// in its own words.
    pub(crate) fn number_or_why(&self, sql: &str) -> Result<u64, String> {
        let number = || {
            let mut statement = self.prepared(sql, Author::Own)?.statement;
            statement.query_row([], |row| row.get::<_, i64>(0))
        };
        number().map(|n| u64::try_from(n).unwrap_or(0)).map_err(|error| said(&error))
    }

    /// A cell that lies in a row of its own, to be read by pieces; `None` where it does not.
    pub(crate) fn blob(&self, table: &str, column: &str, rowid: i64) -> Option<Blob<'_>> {
        self.hosted.blob_open(MAIN_DB, table, column, rowid, true).ok()
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

    /// The rows of a table by its tree, counted a little over `enough` at most; `None` where that cannot be said.
    pub(crate) fn rows_in_tree(&self, root: u32, enough: u64) -> Option<u64> {
        let pages = self.hosted.pages();
        tree::rows(pages, pages.page_size()?, root, enough, &self.watch)
    }

    /// Bounds the bytes of one value from here on, also for what was prepared already.
    pub(crate) fn limit_values(&self, bytes: u32) -> Result<(), ReadError> {
        let is_quadratic = self.authorizer.has_quadratic();
        self.budget.change(&self.hosted, bytes, is_quadratic).map_err(|error| self.fault(&error))
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

    /// What an error means that something of this crate's own met.
    pub(crate) fn fault(&self, error: &rusqlite::Error) -> ReadError {
        self.fault_of(error, Author::Own)
    }

    fn fault_of(&self, error: &rusqlite::Error, author: Author) -> ReadError {
        let fault = Fault {
            path: &self.path,
            author,
            refused: self.authorizer.take_refused(),
            wanted_more_memory: self.hosted.wanted_more_memory(),
        };
        self.watch.check().err().unwrap_or_else(|| fault.meaning(error))
    }

    /// The error for a query that is not understood or not allowed, with the way to ask.
    pub(crate) fn invalid_query(&self, what: &str) -> ReadError {
        Fault::invalid_query(&self.path, what)
    }
}

/// A statement that was prepared, its values bounded.
pub(crate) struct Prepared<'d> {
    database: &'d Database,
    statement: Statement<'d>,
    sql: String,
    author: Author,
}

impl Prepared<'_> {
    /// Runs the statement.
    pub(crate) fn rows(&mut self, parameters: impl Params) -> Result<Rows<'_>, ReadError> {
        let Self { database, statement, author, .. } = self;
        let (database, author) = (*database, *author);
        let inner = statement.query(parameters).map_err(|error| database.fault_of(&error, author))?;
        Ok(Rows { database, inner, author })
    }

    /// The names of the columns, printable.
    pub(crate) fn columns(&self) -> Vec<String> {
        let names = self.database.hosted.column_names(&self.sql, &self.statement);
        names.iter().map(|name| printed(name).into_owned()).collect()
    }

    /// Whether it changes nothing.
    pub(crate) fn is_readonly(&self) -> bool {
        self.statement.readonly()
    }

    /// Whether values are left open in it.
    pub(crate) fn has_parameters(&self) -> bool {
        self.statement.parameter_count() > 0
    }

    /// Bounds the bytes of one value from here on, as far as what this statement is like allows them.
    pub(crate) fn limit_values(&mut self, bytes: u32) -> Result<(), ReadError> {
        let database = self.database;
        database.limit_values(bytes)?;
        let is_quadratic = database.authorizer.has_quadratic();
        database
            .budget
            .bound(&database.hosted, (&self.sql, &mut self.statement), self.author, is_quadratic)
            .map_err(|error| database.fault(&error))
    }
}

/// The rows of a statement that runs.
pub(crate) struct Rows<'s> {
    database: &'s Database,
    inner: rusqlite::Rows<'s>,
    author: Author,
}

impl Rows<'_> {
    /// The next row; `None` behind the last.
    pub(crate) fn next(&mut self) -> Result<Option<Row<'_>>, ReadError> {
        let Self { database, inner, author } = self;
        let (database, author) = (*database, *author);
        match inner.next() {
            Ok(row) => Ok(row.map(|row| Row { database, inner: row, author })),
            Err(error) => Err(database.fault_of(&error, author)),
        }
    }
}

/// A row of a statement.
pub(crate) struct Row<'r> {
    database: &'r Database,
    inner: &'r rusqlite::Row<'r>,
    author: Author,
}

impl Row<'_> {
    /// A value.
    pub(crate) fn value(&self, column: usize) -> Result<ValueRef<'_>, ReadError> {
        self.inner.get_ref(column).map_err(|error| self.database.fault_of(&error, self.author))
    }

    /// A text; empty where the value is none.
    pub(crate) fn text(&self, column: usize) -> String {
        match self.inner.get_ref(column) {
            Ok(ValueRef::Text(bytes)) => String::from_utf8_lossy(bytes).into_owned(),
            _ => String::new(),
        }
    }

    /// An integer; `None` where the value is none.
    pub(crate) fn integer(&self, column: usize) -> Option<i64> {
        match self.inner.get_ref(column) {
            Ok(ValueRef::Integer(n)) => Some(n),
            _ => None,
        }
    }
}
