//! What a statement may do: read, and compute. Everything else is refused by name while the statement is prepared.

use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use read_core::printed;
use rusqlite::ffi;

use crate::weight::Definitions;

/// Pragmas that take the name of a table or an index.
const OF_A_TABLE: [&str; 6] =
    ["foreign_key_list", "index_info", "index_list", "table_info", "table_list", "table_xinfo"];

/// Pragmas that are read without a value.
const OF_THE_DATABASE: [&str; 3] = ["encoding", "schema_version", "user_version"];

/// Functions that only compute. Sorted.
pub(crate) const FUNCTIONS: &[&str] = &[
    "->",
    "->>",
    "abs",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "avg",
    "bm25",
    "ceil",
    "ceiling",
    "changes",
    "char",
    "coalesce",
    "concat",
    "concat_ws",
    "cos",
    "cosh",
    "count",
    "cume_dist",
    "current_date",
    "current_time",
    "current_timestamp",
    "date",
    "datetime",
    "degrees",
    "dense_rank",
    "exp",
    "first_value",
    "floor",
    "format",
    "fts5",
    "fts5_get_locale",
    "fts5_insttoken",
    "fts5_locale",
    "fts5_source_id",
    "glob",
    "group_concat",
    "hex",
    "highlight",
    "if",
    "ifnull",
    "iif",
    "instr",
    "json",
    "json_array",
    "json_array_insert",
    "json_array_length",
    "json_error_position",
    "json_extract",
    "json_group_array",
    "json_group_object",
    "json_insert",
    "json_object",
    "json_patch",
    "json_pretty",
    "json_quote",
    "json_remove",
    "json_replace",
    "json_set",
    "json_type",
    "json_valid",
    "jsonb",
    "jsonb_array",
    "jsonb_array_insert",
    "jsonb_extract",
    "jsonb_group_array",
    "jsonb_group_object",
    "jsonb_insert",
    "jsonb_object",
    "jsonb_patch",
    "jsonb_remove",
    "jsonb_replace",
    "jsonb_set",
    "julianday",
    "lag",
    "last_insert_rowid",
    "last_value",
    "lead",
    "length",
    "like",
    "likelihood",
    "likely",
    "ln",
    "log",
    "log10",
    "log2",
    "lower",
    "ltrim",
    "match",
    "matchinfo",
    "max",
    "median",
    "min",
    "mod",
    "nth_value",
    "ntile",
    "nullif",
    "octet_length",
    "offsets",
    "percent_rank",
    "percentile",
    "percentile_cont",
    "percentile_disc",
    "pi",
    "pow",
    "power",
    "printf",
    "quote",
    "radians",
    "random",
    "randomblob",
    "rank",
    "regexp",
    "replace",
    "round",
    "row_number",
    "rtreecheck",
    "rtreedepth",
    "rtreenode",
    "rtrim",
    "sign",
    "sin",
    "sinh",
    "snippet",
    "soundex",
    "sqlite_compileoption_get",
    "sqlite_compileoption_used",
    "sqlite_source_id",
    "sqlite_version",
    "sqrt",
    "strftime",
    "string_agg",
    "substr",
    "substring",
    "subtype",
    "sum",
    "tan",
    "tanh",
    "time",
    "timediff",
    "total",
    "total_changes",
    "trim",
    "trunc",
    "typeof",
    "unhex",
    "unicode",
    "unistr",
    "unistr_quote",
    "unixepoch",
    "unlikely",
    "upper",
    "zeroblob",
];

/// Functions whose time or memory grows with the square of their arguments' length.
const QUADRATIC: [&str; 3] = ["json_patch", "json_pretty", "jsonb_patch"];

/// How a refused write to one of SQLite's own tables begins.
const SCHEMA_WRITE: &str = "A write to 'sqlite_";

/// What was refused last, for the message; and whether SQLite's own modules are being connected.
#[derive(Clone, Debug, Default)]
pub(crate) struct Authorizer(Arc<Shared>);

/// What was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// An action, by its name: only reading is allowed.
    Action(String),
    /// A pragma that would take too long.
    Heavy(String),
}

#[derive(Debug, Default)]
struct Shared {
    refused: Mutex<Option<Refused>>,
    connecting: AtomicBool,
    quadratic: AtomicBool,
    definitions: OnceLock<Arc<Definitions>>,
}

impl Authorizer {
    /// Whether an action is allowed: its code and its arguments, as SQLite names it. What is refused is remembered.
    pub(crate) fn permits(&self, code: c_int, first: Option<&str>, second: Option<&str>) -> bool {
        let refused = refusal(code, first, second).map(Refused::Action);
        let Some(refused) = refused.or_else(|| self.heavy_pragma(code, first, second).map(Refused::Heavy))
        else {
            if code == ffi::SQLITE_FUNCTION
                && second.is_some_and(|name| QUADRATIC.iter().any(|one| name.eq_ignore_ascii_case(one)))
            {
                self.0.quadratic.store(true, Relaxed);
            }
            return true;
        };
        // R-trees prepare the statements by which they would change when they are first looked at. Nothing ever runs
        // them: the database is read-only three times over.
        let is_change = matches!(code, ffi::SQLITE_INSERT | ffi::SQLITE_UPDATE | ffi::SQLITE_DELETE);
        if is_change && self.0.connecting.load(Relaxed) {
            return true;
        }
        *self.0.refused.lock().unwrap_or_else(PoisonError::into_inner) = Some(refused);
        false
    }

    /// A pragma that has SQLite expand views which come to more than it can prepare in good time. Their names need not stand
    /// in a statement: a table-valued pragma takes them from anywhere.
    fn heavy_pragma(&self, code: c_int, first: Option<&str>, second: Option<&str>) -> Option<String> {
        let pragma = first.filter(|_| code == ffi::SQLITE_PRAGMA)?;
        let definitions = self.0.definitions.get()?;
        let is_heavy = if pragma.eq_ignore_ascii_case("table_list") {
            // It looks at every view, whichever is asked about.
            definitions.are_too_heavy_together()
        } else {
            second.is_some_and(|name| definitions.is_too_heavy(name))
        };
        is_heavy.then(|| format!("PRAGMA {}", printed(pragma.as_bytes())))
    }

    /// Tells what views are made of, and whether the schema names functions of [`QUADRATIC`].
    pub(crate) fn know(&self, definitions: Arc<Definitions>, names_quadratic: bool) {
        let _ = self.0.definitions.set(definitions);
        self.0.quadratic.fetch_or(names_quadratic, Relaxed);
    }

    /// Whether a function of [`QUADRATIC`] was named.
    pub(crate) fn has_quadratic(&self) -> bool {
        self.0.quadratic.load(Relaxed)
    }

    /// Takes what was refused last.
    pub(crate) fn take_refused(&self) -> Option<Refused> {
        self.0.refused.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Whether a change of the schema was refused last. Its name is that of the statement; the table written to says less.
    pub(crate) fn refused_schema_change(&self) -> bool {
        let refused = self.0.refused.lock().unwrap_or_else(PoisonError::into_inner);
        matches!(&*refused, Some(Refused::Action(name)) if name.starts_with(SCHEMA_WRITE))
    }

    /// Lets virtual tables be connected while `work` runs, which must prepare no SQL of a caller.
    pub(crate) fn connecting<T>(&self, work: impl FnOnce() -> T) -> T {
        self.0.connecting.store(true, Relaxed);
        let result = work();
        self.0.connecting.store(false, Relaxed);
        result
    }
}

/// What an action is called in a refusal; `None` when it is allowed.
/// <https://www.sqlite.org/c3ref/c_alter_table.html>
fn refusal(code: c_int, first: Option<&str>, second: Option<&str>) -> Option<String> {
    let write = |how: &str| format!("A write to '{}' ({how})", printed(first.unwrap_or_default().as_bytes()));
    Some(match code {
        // What full-text tables ask for themselves is not for callers.
        ffi::SQLITE_READ if first.is_some_and(|table| table.eq_ignore_ascii_case("pragma_data_version")) => {
            "PRAGMA data_version".to_owned()
        }
        ffi::SQLITE_SELECT | ffi::SQLITE_READ | ffi::SQLITE_RECURSIVE => return None,
        ffi::SQLITE_FUNCTION => {
            let name = second.unwrap_or_default().to_ascii_lowercase();
            if FUNCTIONS.binary_search(&name.as_str()).is_ok() {
                return None;
            }
            format!("The function {}()", printed(name.as_bytes()))
        }
        ffi::SQLITE_PRAGMA => {
            let name = first.unwrap_or_default().to_ascii_lowercase();
            let allowed = OF_A_TABLE.contains(&name.as_str())
                || (second.is_none() && OF_THE_DATABASE.contains(&name.as_str()))
                // Full-text tables ask whether they have changed.
                || (second.is_none() && name == "data_version");
            if allowed {
                return None;
            }
            format!("PRAGMA {name}")
        }
        ffi::SQLITE_INSERT => write("INSERT"),
        ffi::SQLITE_UPDATE => write("UPDATE"),
        ffi::SQLITE_DELETE => write("DELETE"),
        ffi::SQLITE_TRANSACTION => first.unwrap_or("BEGIN").to_owned(),
        code => match code {
            ffi::SQLITE_ATTACH => "ATTACH",
            ffi::SQLITE_DETACH => "DETACH",
            ffi::SQLITE_SAVEPOINT => "SAVEPOINT",
            ffi::SQLITE_ANALYZE => "ANALYZE",
            ffi::SQLITE_REINDEX => "REINDEX",
            ffi::SQLITE_ALTER_TABLE => "ALTER TABLE",
            ffi::SQLITE_CREATE_INDEX | ffi::SQLITE_CREATE_TEMP_INDEX => "CREATE INDEX",
            ffi::SQLITE_CREATE_TABLE => "CREATE TABLE",
            ffi::SQLITE_CREATE_TEMP_TABLE => "CREATE TEMP TABLE",
            ffi::SQLITE_CREATE_TRIGGER | ffi::SQLITE_CREATE_TEMP_TRIGGER => "CREATE TRIGGER",
            ffi::SQLITE_CREATE_VIEW | ffi::SQLITE_CREATE_TEMP_VIEW => "CREATE VIEW",
            ffi::SQLITE_CREATE_VTABLE => "CREATE VIRTUAL TABLE",
            ffi::SQLITE_DROP_INDEX | ffi::SQLITE_DROP_TEMP_INDEX => "DROP INDEX",
            ffi::SQLITE_DROP_TABLE | ffi::SQLITE_DROP_TEMP_TABLE | ffi::SQLITE_DROP_VTABLE => "DROP TABLE",
            ffi::SQLITE_DROP_TRIGGER | ffi::SQLITE_DROP_TEMP_TRIGGER => "DROP TRIGGER",
            ffi::SQLITE_DROP_VIEW | ffi::SQLITE_DROP_TEMP_VIEW => "DROP VIEW",
            _ => "This kind of statement",
        }
        .to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_functions_is_sorted() {
        assert!(FUNCTIONS.is_sorted());
    }

    /// A new SQLite may bring functions: each is to be looked at and put on one side or the other.
    #[cfg(feature = "bundled")]
    #[test]
    fn every_function_of_this_sqlite_was_judged() {
        const NEVER: [&str; 7] = [
            "fts3_tokenizer",
            "load_extension",
            "optimize",
            "sqlite_log",
            "sqlite_rename_column",
            "unlock_notify",
            "xyz",
        ];
        let database = rusqlite::Connection::open_in_memory().unwrap();
        let mut statement =
            database.prepare("SELECT DISTINCT name FROM pragma_function_list ORDER BY 1").unwrap();
        let names: Vec<String> =
            statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
        let unjudged: Vec<_> = names
            .iter()
            .filter(|name| {
                FUNCTIONS.binary_search(&name.as_str()).is_err() && !NEVER.contains(&name.as_str())
            })
            .collect();
        assert!(unjudged.is_empty(), "{unjudged:?}");
        assert!(NEVER.iter().all(|name| FUNCTIONS.binary_search(name).is_err()));
    }

    #[test]
    fn refusals_are_named_and_kept_once() {
        let authorizer = Authorizer::default();
        assert!(!authorizer.permits(ffi::SQLITE_ATTACH, Some("x"), None));
        assert_eq!(authorizer.take_refused(), Some(Refused::Action("ATTACH".into())));
        assert_eq!(authorizer.take_refused(), None);
        assert!(authorizer.permits(ffi::SQLITE_PRAGMA, Some("table_info"), Some("t")));
        assert!(authorizer.permits(ffi::SQLITE_PRAGMA, Some("User_Version"), None));
        for (name, value) in
            [("user_version", Some("5")), ("journal_mode", None), ("writable_schema", Some("1"))]
        {
            assert!(!authorizer.permits(ffi::SQLITE_PRAGMA, Some(name), value), "{name}");
        }
        assert!(!authorizer.permits(12_345, None, None), "what is unknown is refused");
    }

    #[test]
    fn writes_are_allowed_only_while_modules_connect() {
        let authorizer = Authorizer::default();
        let insert = || authorizer.permits(ffi::SQLITE_INSERT, Some("t_node"), None);
        let attach = || authorizer.permits(ffi::SQLITE_ATTACH, Some("x"), None);
        assert_eq!(authorizer.connecting(|| (insert(), attach())), (true, false));
        assert!(!insert());
    }
}
