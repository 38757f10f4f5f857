//! Databases of SQLite, with what may lie beside them.

use anyhow::{Context, Result};
use rusqlite::Connection;

use super::Seed;
use crate::make::{gzipped, wal};

const TABLES: &str = "
    CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT NOT NULL, note, score REAL DEFAULT 1.5);
    CREATE TABLE parts(a TEXT, b INTEGER, c BLOB, PRIMARY KEY (a, b)) WITHOUT ROWID;
    CREATE TABLE \"odd:name?\"(\"a b\" TEXT, \"ключ\" TEXT REFERENCES users(id), g AS (\"a b\" || 'x'));
    CREATE TABLE kinds(x);
    CREATE INDEX by_name ON users(name) WHERE id > 3;
    CREATE VIEW seen AS SELECT name, count(*) AS n FROM users GROUP BY name;
    CREATE VIEW broken AS SELECT * FROM nowhere;
    CREATE TRIGGER after_user AFTER INSERT ON users BEGIN DELETE FROM parts; END;
    INSERT INTO kinds VALUES (NULL), (1), (-9223372036854775808), (1e308), ('text'), (x'00ff10'), (CAST(x'ff41' AS TEXT));
    INSERT INTO \"odd:name?\"(\"a b\") VALUES ('v');
";

fn fill(database: &Connection) -> Result<()> {
    database.execute_batch(TABLES)?;
    for id in 1..=60 {
        // Some rows take pages of their own.
        let note = if id % 20 == 0 { "long ".repeat(600) } else { format!("note {id}") };
        database.execute(
            "INSERT INTO users(name, note, score) VALUES (?1, ?2, ?3)",
            (format!("name-{}", id % 7), note, f64::from(id) / 3.0),
        )?;
    }
    let blob = gzipped(b"a text in a cell\nof two lines\n")?;
    database.execute("INSERT INTO parts VALUES ('k', 1, ?1), ('k', 2, x'89504E47')", [blob])?;
    Ok(())
}

/// One with most kinds of object in it.
pub(super) fn plain() -> Result<Vec<u8>> {
    Ok(made(&[], false)?.bytes)
}

/// Makes one under these settings; in write-ahead mode with its log not applied.
fn made(settings: &[&str], logged: bool) -> Result<Seed> {
    let folder = tempfile::tempdir().context("no folder for a database")?;
    let path = folder.path().join("made.db");
    let database = Connection::open(&path)?;
    for setting in settings {
        database.execute_batch(setting)?;
    }
    fill(&database)?;
    let mut seed = Seed::default();
    if logged {
        database.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
        database.query_row("PRAGMA wal_autocheckpoint = 0", [], |_| Ok(()))?;
        database
            .execute_batch("UPDATE users SET note = 'from the log' WHERE id < 9; CREATE TABLE late(x);")?;
        let mut log = std::fs::read(folder.path().join("made.db-wal")).context("there is no log")?;
        wal::seal(&mut log);
        seed.sides.push(("-wal", log));
    }
    seed.bytes = std::fs::read(&path)?;
    drop(database);
    Ok(seed)
}

/// One whose last transaction was cut off in the middle, as the journal beside it tells.
fn interrupted() -> Result<Seed> {
    let folder = tempfile::tempdir().context("no folder for a database")?;
    let path = folder.path().join("made.db");
    let database = Connection::open(&path)?;
    fill(&database)?;
    database.execute_batch(
        "PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN; UPDATE users SET note = 'half' || note;",
    )?;
    let bytes = std::fs::read(&path)?;
    let mut journal = std::fs::read(folder.path().join("made.db-journal")).unwrap_or_default();
    // The nonce of the checksums is random: the same journal each time has them all put right for ours.
    reseal_journal(&mut journal);
    Ok(Seed { bytes, sides: vec![("-journal", journal)] })
}

/// Gives a journal a nonce of our own: <https://sqlite.org/fileformat2.html>, section 3.
fn reseal_journal(journal: &mut [u8]) {
    const NONCE: u32 = 0x5EED;
    let number = |bytes: &[u8], at: usize| {
        bytes.iter().skip(at).take(4).fold(0_usize, |value, byte| (value << 8) | usize::from(*byte))
    };
    let (page, sector) = (number(journal, 24), number(journal, 20));
    if page < 512 || sector < 28 {
        return;
    }
    // A header that is not yet written out says that there is nothing; this one counts what is there.
    let records = journal.len().saturating_sub(sector) / (page + 8);
    for (at, value) in [(8, u32::try_from(records).unwrap_or(0)), (12, NONCE)] {
        for (byte, new) in journal.iter_mut().skip(at).zip(value.to_be_bytes()) {
            *byte = new;
        }
    }
    let Some(body) = journal.get_mut(sector..) else { return };
    for record in body.chunks_exact_mut(page + 8) {
        let content = record.get(4..4 + page).unwrap_or_default();
        let sampled = content.iter().rev().skip(199).step_by(200);
        let sum = sampled.fold(NONCE, |sum, byte| sum.wrapping_add(u32::from(*byte)));
        for (byte, new) in record.iter_mut().skip(4 + page).zip(sum.to_be_bytes()) {
            *byte = new;
        }
    }
}

pub(super) fn seeds() -> Result<Vec<Seed>> {
    let empty = {
        let folder = tempfile::tempdir().context("no folder for a database")?;
        let path = folder.path().join("made.db");
        Connection::open(&path)?.execute_batch("PRAGMA user_version = 7")?;
        Seed::new(std::fs::read(&path)?)
    };
    Ok(vec![
        made(&[], false)?,
        made(&["PRAGMA page_size = 512"], false)?,
        made(&["PRAGMA page_size = 65536"], false)?,
        made(&["PRAGMA encoding = 'UTF-16le'"], false)?,
        made(&["PRAGMA encoding = 'UTF-16be'", "PRAGMA auto_vacuum = FULL"], false)?,
        made(&["PRAGMA page_size = 1024"], true)?,
        interrupted()?,
        empty,
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuzz::files::tool;
    use crate::fuzz::input::{Input, Profile};
    use crate::fuzz::target::Target;

    fn shown(seed: Seed, rest: &str) -> String {
        let input = Input { bytes: seed.bytes, sides: seed.sides, random: 0, profile: Profile::Usual };
        tool(Target::Sqlite, &input).unwrap().read(&format!("f.db:{rest}")).unwrap().to_text()
    }

    #[test]
    fn the_log_is_applied() {
        let seed = made(&[], true).unwrap();
        assert!(shown(seed.clone(), "users:3:note").contains("from the log"));
        assert!(shown(Seed { sides: Vec::new(), ..seed }, "users:3:note").contains("note 3"));
    }

    #[test]
    fn the_journal_is_hot() {
        let seed = interrupted().unwrap();
        assert!(seed.sides[0].1.len() > 1_000);
        assert!(shown(seed, "users:3:note").starts_with("note 3"));
    }
}
