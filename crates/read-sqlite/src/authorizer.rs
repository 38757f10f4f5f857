//! What a statement may do: read, and compute. Everything else is refused by name while the statement is prepared.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::hooks::{AuthAction, AuthContext, Authorization, TransactionOperation};

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

/// How a refused write to one of SQLite's own tables begins.
const SCHEMA_WRITE: &str = "A write to 'sqlite_";

/// What was refused last, for the message; and whether SQLite's own modules are being connected.
#[derive(Clone, Debug, Default)]
pub(crate) struct Authorizer(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    refused: Mutex<Option<String>>,
    connecting: AtomicBool,
}

impl Authorizer {
    /// Decides about one action, and remembers what it refused.
    pub(crate) fn decide(&self, context: &AuthContext<'_>) -> Authorization {
        match refusal(&context.action) {
            None => Authorization::Allow,
            // R-trees prepare the statements by which they would change when they are first looked at. Nothing ever runs
            // them: the database is read-only three times over.
            Some(_) if self.0.connecting.load(Relaxed) && is_change(&context.action) => Authorization::Allow,
            Some(name) => {
                *self.0.refused.lock().unwrap_or_else(PoisonError::into_inner) = Some(name);
                Authorization::Deny
            }
        }
    }

    /// Takes what was refused last.
    pub(crate) fn take_refused(&self) -> Option<String> {
        self.0.refused.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Whether a change of the schema was refused last. Its name is that of the statement; the table written to says less.
    pub(crate) fn refused_schema_change(&self) -> bool {
        let refused = self.0.refused.lock().unwrap_or_else(PoisonError::into_inner);
        refused.as_ref().is_some_and(|refused| refused.starts_with(SCHEMA_WRITE))
    }

    /// Lets virtual tables be connected while `work` runs, which must prepare no SQL of a caller.
    pub(crate) fn connecting<T>(&self, work: impl FnOnce() -> T) -> T {
        self.0.connecting.store(true, Relaxed);
        let result = work();
        self.0.connecting.store(false, Relaxed);
        result
    }
}

fn is_change(action: &AuthAction<'_>) -> bool {
    matches!(action, AuthAction::Insert { .. } | AuthAction::Update { .. } | AuthAction::Delete { .. })
}

/// What an action is called in a refusal; `None` when it is allowed.
fn refusal(action: &AuthAction<'_>) -> Option<String> {
    Some(match action {
        AuthAction::Select | AuthAction::Read { .. } | AuthAction::Recursive => return None,
        AuthAction::Function { function_name } => {
            let name = function_name.to_ascii_lowercase();
            if FUNCTIONS.binary_search(&name.as_str()).is_ok() {
                return None;
            }
            format!("The function {name}()")
        }
        AuthAction::Pragma { pragma_name, pragma_value } => {
            let name = pragma_name.to_ascii_lowercase();
            let allowed = OF_A_TABLE.contains(&name.as_str())
                || (pragma_value.is_none() && OF_THE_DATABASE.contains(&name.as_str()))
                // Full-text tables ask whether they have changed.
                || (pragma_value.is_none() && name == "data_version");
            if allowed {
                return None;
            }
            format!("PRAGMA {name}")
        }
        AuthAction::Attach { .. } => "ATTACH".into(),
        AuthAction::Detach { .. } => "DETACH".into(),
        AuthAction::Insert { table_name } => format!("A write to '{table_name}' (INSERT)"),
        AuthAction::Update { table_name, .. } => format!("A write to '{table_name}' (UPDATE)"),
        AuthAction::Delete { table_name } => format!("A write to '{table_name}' (DELETE)"),
        AuthAction::Transaction { operation } => match operation {
            TransactionOperation::Rollback => "ROLLBACK".into(),
            TransactionOperation::Begin => "BEGIN".into(),
            _ => "COMMIT".into(),
        },
        AuthAction::Savepoint { .. } => "SAVEPOINT".into(),
        AuthAction::Analyze { .. } => "ANALYZE".into(),
        AuthAction::Reindex { .. } => "REINDEX".into(),
        AuthAction::AlterTable { .. } => "ALTER TABLE".into(),
        AuthAction::CreateIndex { .. } | AuthAction::CreateTempIndex { .. } => "CREATE INDEX".into(),
        AuthAction::CreateTable { .. } => "CREATE TABLE".into(),
        AuthAction::CreateTempTable { .. } => "CREATE TEMP TABLE".into(),
        AuthAction::CreateTrigger { .. } | AuthAction::CreateTempTrigger { .. } => "CREATE TRIGGER".into(),
        AuthAction::CreateView { .. } | AuthAction::CreateTempView { .. } => "CREATE VIEW".into(),
        AuthAction::CreateVtable { .. } => "CREATE VIRTUAL TABLE".into(),
        AuthAction::DropIndex { .. } | AuthAction::DropTempIndex { .. } => "DROP INDEX".into(),
        AuthAction::DropTable { .. } | AuthAction::DropTempTable { .. } | AuthAction::DropVtable { .. } => {
            "DROP TABLE".into()
        }
        AuthAction::DropTrigger { .. } | AuthAction::DropTempTrigger { .. } => "DROP TRIGGER".into(),
        AuthAction::DropView { .. } | AuthAction::DropTempView { .. } => "DROP VIEW".into(),
        _ => "This kind of statement".into(),
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
        let attach =
            AuthContext { action: AuthAction::Attach { filename: "x" }, database_name: None, accessor: None };
        assert_eq!(authorizer.decide(&attach), Authorization::Deny);
        assert_eq!(authorizer.take_refused().as_deref(), Some("ATTACH"));
        assert_eq!(authorizer.take_refused(), None);
        let pragma = |name, value| AuthContext {
            action: AuthAction::Pragma { pragma_name: name, pragma_value: value },
            database_name: None,
            accessor: None,
        };
        assert_eq!(authorizer.decide(&pragma("table_info", Some("t"))), Authorization::Allow);
        assert_eq!(authorizer.decide(&pragma("user_version", None)), Authorization::Allow);
        for (name, value) in
            [("user_version", Some("5")), ("journal_mode", None), ("writable_schema", Some("1"))]
        {
            assert_eq!(authorizer.decide(&pragma(name, value)), Authorization::Deny, "{name}");
        }
    }

    #[test]
    fn writes_are_allowed_only_while_modules_connect() {
        let authorizer = Authorizer::default();
        let insert = AuthContext {
            action: AuthAction::Insert { table_name: "t_node" },
            database_name: None,
            accessor: None,
        };
        let attach =
            AuthContext { action: AuthAction::Attach { filename: "x" }, database_name: None, accessor: None };
        let inside = authorizer.connecting(|| (authorizer.decide(&insert), authorizer.decide(&attach)));
        assert_eq!(inside, (Authorization::Allow, Authorization::Deny));
        assert_eq!(authorizer.decide(&insert), Authorization::Deny);
    }
}
