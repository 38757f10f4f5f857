//! How a connection is made such that it can only read, and only so much.

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;

use crate::fault::{is_malformed_schema, said};
use crate::functions;
use crate::limits::{
    MAX_ARGUMENTS, MAX_COLUMNS, MAX_COMPOUND, MAX_EXPRESSION_DEPTH, MAX_PARAMETERS, MAX_SQL, MAX_STEPS,
    SqliteLimits, WATCHED_STEPS,
};
use crate::vfs::Hosted;

/// Settings of the connection itself; the last one lets a sort go to a temporary file, which lies in memory.
const SETTINGS: &str =
    "PRAGMA query_only = 1; PRAGMA mmap_size = 0; PRAGMA cache_size = -2000; PRAGMA temp_store = 1";

/// Hardens a connection. Gives what of the schema cannot be parsed, in SQLite's words, where it had to be passed over.
pub(crate) fn harden(hosted: &mut Hosted, limits: &SqliteLimits) -> rusqlite::Result<Option<String>> {
    hosted.set_progress(WATCHED_STEPS, limits.memory)?;
    functions::set(hosted)?;
    bound(hosted, limits)?;
    for (setting, on) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, false),
        (DbConfig::SQLITE_DBCONFIG_WRITABLE_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true),
    ] {
        hosted.set_db_config(setting, on)?;
    }
    // The settings are the first that need the schema.
    match hosted.execute_batch(SETTINGS) {
        Ok(()) => Ok(None),
        Err(error) if is_malformed_schema(&error) => {
            pass_over_malformed(hosted)?;
            hosted.execute_batch(SETTINGS)?;
            Ok(Some(said(&error)))
        }
        Err(error) => Err(error),
    }
}

/// SQLite's own limits.
fn bound(hosted: &Hosted, limits: &SqliteLimits) -> rusqlite::Result<()> {
    for (limit, value) in [
        (Limit::SQLITE_LIMIT_LENGTH, i32::try_from(limits.max_value).unwrap_or(i32::MAX)),
        (Limit::SQLITE_LIMIT_SQL_LENGTH, MAX_SQL),
        (Limit::SQLITE_LIMIT_COLUMN, i32::try_from(MAX_COLUMNS).unwrap_or(i32::MAX)),
        (Limit::SQLITE_LIMIT_EXPR_DEPTH, MAX_EXPRESSION_DEPTH),
        (Limit::SQLITE_LIMIT_COMPOUND_SELECT, MAX_COMPOUND),
        (Limit::SQLITE_LIMIT_VDBE_OP, MAX_STEPS),
        (Limit::SQLITE_LIMIT_FUNCTION_ARG, MAX_ARGUMENTS),
        (Limit::SQLITE_LIMIT_ATTACHED, 0),
        (Limit::SQLITE_LIMIT_VARIABLE_NUMBER, MAX_PARAMETERS),
        (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 1),
        (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
    ] {
        hosted.set_limit(limit, value)?;
    }
    Ok(())
}

/// Lets SQLite leave out what it cannot parse of the schema, as it does where a schema may be repaired. (Nothing becomes
/// writable by that: the connection is read-only, and so is what lies under it.)
fn pass_over_malformed(hosted: &Hosted) -> rusqlite::Result<()> {
    hosted.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, false)?;
    hosted.set_db_config(DbConfig::SQLITE_DBCONFIG_WRITABLE_SCHEMA, true)?;
    Ok(())
}
