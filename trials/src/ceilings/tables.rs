//! Databases that are never done, or whose parts are too large.

use std::path::Path;

use anyhow::Result;
use rusqlite::Connection;

pub(super) fn endless(path: &Path) -> Result<()> {
    let database = Connection::open(path)?;
    database.execute_batch(
        "CREATE VIEW v AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c;
         CREATE TABLE t(x);
         INSERT INTO t WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 1000) SELECT x FROM c;",
    )?;
    Ok(())
}

pub(super) fn large_cell(path: &Path) -> Result<()> {
    let database = Connection::open(path)?;
    database.execute_batch("CREATE TABLE t(x)")?;
    database.execute("INSERT INTO t VALUES (?1)", ["a line of a cell\n".repeat(60_000_000 / 17)])?;
    Ok(())
}

pub(super) fn many_tables(path: &Path) -> Result<()> {
    let mut database = Connection::open(path)?;
    let transaction = database.transaction()?;
    for index in 0..1_000 {
        transaction
            .execute_batch(&format!("CREATE TABLE t{index}(a, b); INSERT INTO t{index} VALUES (1, 2);"))?;
    }
    Ok(transaction.commit()?)
}
