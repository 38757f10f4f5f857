//! Unfinished transactions.

use std::fs;

use crate::bench::{Bench, rows};
use crate::wal::Session;
use read_core::ErrorCode;

/// A database of 500 rows of `old`, whose update to `new` crashed after much of it was in the file.
pub(crate) fn crashed(mode: &str) -> Option<Bench> {
    let bench = Bench::with(
        "PRAGMA page_size = 512; CREATE TABLE t(id INTEGER PRIMARY KEY, v);
         WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 500) INSERT INTO t SELECT x, 'old ' || printf('%.*c', 100, '.') FROM c;",
    )?;
    let mut session = Session::open(&bench, "d.db");
    session.run(&format!(
        "PRAGMA journal_mode = {mode}; PRAGMA cache_size = 2; PRAGMA cache_spill = 2; BEGIN IMMEDIATE;
         UPDATE t SET v = 'new ' || printf('%.*c', 100, '!'); INSERT INTO t(v) SELECT v FROM t;"
    ));
    session.kill();
    let file = fs::read(bench.path("d.db")).unwrap();
    assert!(file.windows(4).any(|bytes| bytes == b"new "), "the update never reached the file");
    Some(bench)
}

#[test]
fn a_hot_journal_is_taken_back_in_the_reading() {
    for mode in ["DELETE", "PERSIST", "TRUNCATE"] {
        let Some(bench) = crashed(mode) else { return };
        let text =
            bench.read("d.db?q=SELECT count(*) AS n, sum(v LIKE 'old %') AS old, max(id) AS last FROM t");
        assert_eq!(rows(&text), ["| 500 | 500 | 500  |"], "{mode}");
        assert_eq!(bench.read("d.db"), "t (500 rows)\n");
        // The program rolls back to the same state, and then no journal is left to see.
        let whole = bench.read("d.db:t?limit=500");
        bench.sqlite3("d.db", "SELECT 1 FROM t LIMIT 1");
        assert_eq!(bench.read("d.db:t?limit=500"), whole, "{mode}");
        assert_eq!(bench.sqlite3("d.db", "PRAGMA integrity_check"), "ok\n");
    }
}

#[test]
fn a_journal_of_several_files_is_busy() {
    let Some(bench) = crashed("DELETE") else { return };
    let path = bench.path("d.db-journal");
    let mut journal = fs::read(&path).unwrap();
    let name = b"/somewhere/other.db-mj1234";
    journal.extend([0; 4]);
    journal.extend(name);
    journal.extend(u32::try_from(name.len()).unwrap().to_be_bytes());
    journal.extend([0; 4]);
    journal.extend([0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]);
    fs::write(path, journal).unwrap();
    assert!(bench.fails("d.db:t", ErrorCode::Busy).contains("unfinished transaction"));
}

#[test]
fn every_byte_of_a_journal_may_be_wrong() {
    let Some(bench) = crashed("DELETE") else { return };
    let journal = fs::read(bench.path("d.db-journal")).unwrap();
    for at in (0..600).chain((600..journal.len()).step_by(997)) {
        let mut wrong = journal.clone();
        wrong[at] ^= 0x55;
        fs::write(bench.path("d.db-journal"), &wrong).unwrap();
        match bench.try_read("d.db:t?limit=1") {
            Ok(_) => {}
            Err(error) => assert!(
                matches!(error.code(), ErrorCode::Corrupt | ErrorCode::QueryFailed | ErrorCode::NotFound),
                "byte {at}: {error}"
            ),
        }
    }
}

#[test]
fn a_finished_journal_says_nothing() {
    let Some(bench) = Bench::with(
        "PRAGMA journal_mode = PERSIST; CREATE TABLE t(x); INSERT INTO t VALUES (1); INSERT INTO t VALUES (2);",
    ) else {
        return;
    };
    assert!(fs::metadata(bench.path("d.db-journal")).unwrap().len() > 0);
    assert_eq!(rows(&bench.read("d.db:t")), ["| 1 |", "| 2 |"]);
}
