//! Locks that other processes hold.

use crate::bench::{Bench, rows};
use crate::wal::Session;
use read_core::{ErrorCode, Request};

const TABLE: &str = "CREATE TABLE t(x); INSERT INTO t VALUES (1);";

#[test]
#[cfg(target_os = "linux")]
fn an_exclusive_lock_is_waited_for_and_then_busy() {
    let Some(bench) = Bench::with(TABLE) else { return };
    let mut session = Session::open(&bench, "d.db");
    session.run("BEGIN EXCLUSIVE;");
    let message = bench.read_unchecked("d.db:t", &Request::default()).unwrap_err();
    assert_eq!(message.code(), ErrorCode::Busy, "{message}");
    assert!(message.to_string().contains("waited 3 s"), "{message}");
    session.run("COMMIT;");
    assert_eq!(rows(&bench.read("d.db:t")), ["| 1 |"]);
    session.kill();
}

#[test]
fn a_writer_that_has_not_committed_is_not_seen() {
    let Some(bench) = Bench::with(TABLE) else { return };
    let mut session = Session::open(&bench, "d.db");
    session.run("BEGIN IMMEDIATE; INSERT INTO t VALUES (2);");
    assert_eq!(rows(&bench.read("d.db:t")), ["| 1 |"]);
    session.run("COMMIT;");
    assert_eq!(rows(&bench.read("d.db:t")), ["| 1 |", "| 2 |"]);
    session.kill();
}

#[test]
fn a_reader_elsewhere_is_no_obstacle_and_locks_are_let_go() {
    let Some(bench) = Bench::with(TABLE) else { return };
    let mut session = Session::open(&bench, "d.db");
    session.run("BEGIN; SELECT * FROM t;");
    assert_eq!(rows(&bench.read("d.db:t")), ["| 1 |"]);
    session.run("COMMIT; PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE; INSERT INTO t VALUES (2); COMMIT;");
    assert_eq!(rows(&bench.read("d.db:t")), ["| 1 |", "| 2 |"]);
    session.kill();
}
