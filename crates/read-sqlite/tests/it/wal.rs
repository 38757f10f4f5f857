//! Databases in write-ahead mode.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::bench::{Bench, rows};
use read_core::{ErrorCode, Request};

/// The `sqlite3` program, kept running.
pub(crate) struct Session {
    program: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Session {
    pub(crate) fn open(bench: &Bench, database: &str) -> Self {
        let mut program = Command::new("sqlite3")
            .arg("-batch")
            .arg(bench.path(database))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (program.stdin.take().unwrap(), BufReader::new(program.stdout.take().unwrap()));
        Self { program, input, output }
    }

    /// Runs `sql`, and waits until it is done.
    pub(crate) fn run(&mut self, sql: &str) {
        writeln!(self.input, "{sql}\n.print done").unwrap();
        let mut line = String::new();
        while line != "done\n" {
            line.clear();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "{sql}");
        }
    }

    /// Ends it as a crash would.
    pub(crate) fn kill(mut self) {
        self.program.kill().unwrap();
        self.program.wait().unwrap();
    }
}

/// A database with rows 1 and 2 in the file, 3 and 4 in the log, and a log's tail that was never committed.
pub(crate) fn with_log() -> Option<Bench> {
    let bench = Bench::with("PRAGMA journal_mode = WAL; CREATE TABLE t(x); INSERT INTO t VALUES (1), (2);")?;
    let mut session = Session::open(&bench, "d.db");
    session.run("PRAGMA wal_autocheckpoint = 0; INSERT INTO t VALUES (3); INSERT INTO t VALUES (4);");
    session.run("PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN; WITH RECURSIVE c(x) AS (SELECT 5 UNION ALL SELECT x + 1 FROM c LIMIT 20000) INSERT INTO t SELECT x FROM c;");
    session.kill();
    Some(bench)
}

#[test]
fn without_side_files_none_is_made() {
    let Some(bench) = Bench::with("PRAGMA journal_mode = WAL; CREATE TABLE t(x); INSERT INTO t VALUES (7);")
    else {
        return;
    };
    assert!(!bench.path("d.db-wal").exists());
    assert_eq!(rows(&bench.read("d.db:t")), ["| 7 |"]);
    assert!(!bench.path("d.db-wal").exists() && !bench.path("d.db-shm").exists());
}

#[test]
fn an_unapplied_log_is_applied_up_to_its_last_commit() {
    let Some(bench) = with_log() else { return };
    assert!(fs::metadata(bench.path("d.db-wal")).unwrap().len() > 100_000);
    assert_eq!(rows(&bench.read("d.db:t")), ["| 1 |", "| 2 |", "| 3 |", "| 4 |"]);
    assert_eq!(bench.read("d.db"), "t (4 rows)\n");
    fs::remove_file(bench.path("d.db-shm")).unwrap();
    assert_eq!(rows(&bench.read("d.db:t")), ["| 1 |", "| 2 |", "| 3 |", "| 4 |"]);
    fs::remove_file(bench.path("d.db-wal")).unwrap();
    assert_eq!(rows(&bench.read("d.db:t")), ["| 1 |", "| 2 |"]);
}

#[cfg(unix)]
#[test]
fn a_read_only_folder_is_no_obstacle() {
    use std::os::unix::fs::PermissionsExt;
    let Some(bench) = with_log() else { return };
    fs::remove_file(bench.path("d.db-shm")).unwrap();
    let folder = bench.path("");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o555)).unwrap();
    let read = bench.read("d.db:t");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(rows(&read).len(), 4);
}

#[test]
fn a_log_that_is_none_is_passed_over() {
    let Some(bench) = Bench::with("PRAGMA journal_mode = WAL; CREATE TABLE t(x); INSERT INTO t VALUES (7);")
    else {
        return;
    };
    for log in
        [Vec::new(), vec![0; 4096], b"something else entirely, and long enough to be a header".to_vec()]
    {
        fs::write(bench.path("d.db-wal"), log).unwrap();
        assert_eq!(rows(&bench.read("d.db:t")), ["| 7 |"]);
    }
}

#[test]
fn a_log_of_an_unknown_kind_is_said_to_be_missing() {
    let Some(bench) = with_log() else { return };
    let mut log = fs::read(bench.path("d.db-wal")).unwrap();
    log[7] ^= 1;
    // The header's checksum, over words in this byte order, is made to fit.
    let little = u32::from_be_bytes(log[..4].try_into().unwrap()) & 1 == 0;
    let word = |bytes: &[u8]| {
        let bytes = bytes.try_into().unwrap();
        if little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) }
    };
    let (mut a, mut b) = (0_u32, 0_u32);
    for pair in log[..24].chunks(8) {
        a = a.wrapping_add(word(&pair[..4])).wrapping_add(b);
        b = b.wrapping_add(word(&pair[4..])).wrapping_add(a);
    }
    log[24..28].copy_from_slice(&a.to_be_bytes());
    log[28..32].copy_from_slice(&b.to_be_bytes());
    fs::write(bench.path("d.db-wal"), &log).unwrap();
    let text = bench.read("d.db:t?limit=10");
    assert!(text.contains("of write-ahead log not applied; recent changes may be missing]"), "{text}");
    assert_eq!(rows(&text), ["| 1 |", "| 2 |"]);
}

#[test]
fn every_byte_of_a_log_may_be_wrong() {
    let Some(bench) = Bench::with(
        "PRAGMA page_size = 512; PRAGMA journal_mode = WAL; CREATE TABLE t(x); INSERT INTO t VALUES (1);",
    ) else {
        return;
    };
    let mut session = Session::open(&bench, "d.db");
    session.run("PRAGMA wal_autocheckpoint = 0; INSERT INTO t VALUES (2); INSERT INTO t VALUES (3);");
    session.kill();
    let log = fs::read(bench.path("d.db-wal")).unwrap();
    for at in (0..log.len()).step_by(3) {
        let mut wrong = log.clone();
        wrong[at] ^= 0x55;
        fs::write(bench.path("d.db-wal"), &wrong).unwrap();
        let text = bench.read("d.db:t?limit=9");
        assert!((1..=3).contains(&rows(&text).len()), "byte {at}: {text}");
    }
    for len in (0..log.len()).step_by(7) {
        fs::write(bench.path("d.db-wal"), &log[..len]).unwrap();
        assert!(bench.read("d.db:t?limit=9").starts_with("| x |\n|---|\n| 1 |\n"));
    }
}

/// A writer moves amounts between two tables all the time, with checkpoints: every answer is one committed state.
#[test]
fn no_mixture_of_two_states_while_a_writer_is_at_work() {
    for mode in ["WAL", "DELETE", "TRUNCATE"] {
        let Some(bench) = Bench::with(&format!(
            "PRAGMA journal_mode = {mode}; PRAGMA page_size = 512;
             CREATE TABLE a(id INTEGER PRIMARY KEY, n INT, pad); CREATE TABLE b(id INTEGER PRIMARY KEY, n INT, pad);
             WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 200) INSERT INTO a SELECT x, 100, zeroblob(100) FROM c;
             INSERT INTO b SELECT id, 100, zeroblob(100) FROM a;"
        )) else {
            return;
        };
        let mut session = Session::open(&bench, "d.db");
        let step = "BEGIN IMMEDIATE; UPDATE a SET n = n - 1 WHERE id % 7 = abs(random() % 7); UPDATE b SET n = 40000 - (SELECT sum(n) FROM a) - (SELECT sum(n) FROM b WHERE id > 1) WHERE id = 1; COMMIT;\n";
        session.run("PRAGMA wal_autocheckpoint = 20; PRAGMA synchronous = OFF; PRAGMA busy_timeout = 10000;");
        write!(session.input, "{}", step.repeat(1_500)).unwrap();
        let mut answered = 0;
        while session.program.try_wait().unwrap().is_none() && answered < 150 {
            let sums = "d.db?q=SELECT (SELECT sum(n) FROM a) + (SELECT sum(n) FROM b) AS whole";
            match bench.read_unchecked(sums, &Request::default()) {
                Ok(output) => {
                    assert_eq!(rows(&output.to_text()), ["| 40000 |"], "{mode}");
                    answered += 1;
                }
                Err(error) => assert_eq!(error.code(), ErrorCode::Busy, "{mode}: {error}"),
            }
        }
        session.kill();
        assert!(answered > 0, "{mode}");
    }
}

/// Every row is changed at once, by a writer whose cache is so small that unfinished transactions stand in the log, and that
/// copies the log into the file all the time: an answer in which not all rows are alike would be of two states.
#[test]
fn a_change_of_every_row_is_seen_whole_or_not_at_all() {
    let mut answered = 0;
    // Each round begins with no log, and with the first commits.
    for _ in 0..6 {
        let Some(bench) = Bench::with(
            "PRAGMA journal_mode = WAL; CREATE TABLE a(id INTEGER PRIMARY KEY, v INT, pad);
             WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 300) INSERT INTO a SELECT x, 0, zeroblob(500) FROM c;",
        ) else {
            return;
        };
        let mut session = Session::open(&bench, "d.db");
        session.run(
            "PRAGMA wal_autocheckpoint = 20; PRAGMA synchronous = OFF; PRAGMA busy_timeout = 10000;
             PRAGMA cache_size = 5; PRAGMA cache_spill = 5;",
        );
        // Less than a pipe holds, so that nothing waits for the last of it.
        let steps = "UPDATE a SET v = v + 1;\n".repeat(100) + "PRAGMA wal_checkpoint(TRUNCATE);\n";
        write!(session.input, "{}", steps.repeat(10)).unwrap();
        for _ in 0..40 {
            if session.program.try_wait().unwrap().is_some() {
                break;
            }
            match bench.read_unchecked("d.db?q=SELECT min(v) = max(v), count(*) FROM a", &Request::default())
            {
                Ok(output) => {
                    assert_eq!(rows(&output.to_text()), ["| 1               | 300      |"]);
                    answered += 1;
                }
                Err(error) => assert_eq!(error.code(), ErrorCode::Busy, "{error}"),
            }
        }
        session.kill();
    }
    assert!(answered > 0);
}
