//! Nothing is written, nothing else is opened, whatever a query or a schema says.

use crate::bench::Bench;
use read_core::ErrorCode;

#[test]
fn everything_but_reading_is_refused_by_name() {
    let Some(bench) = Bench::with(
        "CREATE TABLE t(x); INSERT INTO t VALUES (1); CREATE VIRTUAL TABLE ft USING fts5(body); CREATE INDEX ti ON t(x);",
    ) else {
        return;
    };
    let x = bench.path("x.db");
    let x = x.display();
    for (sql, name) in [
        ("DELETE FROM t".to_owned(), "DELETE"),
        ("INSERT INTO t VALUES (2)".into(), "INSERT"),
        ("UPDATE t SET x = 2".into(), "UPDATE"),
        ("REPLACE INTO t VALUES (2)".into(), "INSERT"),
        ("WITH a AS (SELECT 1) DELETE FROM t".into(), "DELETE"),
        ("INSERT INTO t VALUES (2) RETURNING x".into(), "INSERT"),
        ("EXPLAIN DELETE FROM t".into(), "DELETE"),
        ("DROP TABLE t".into(), "DROP TABLE"),
        ("CREATE TABLE u(x)".into(), "CREATE TABLE"),
        ("CREATE TEMP TABLE u(x)".into(), "CREATE TEMP TABLE"),
        ("CREATE TEMP VIEW u AS SELECT 1".into(), "CREATE TEMP VIEW"),
        ("CREATE INDEX u ON t(x)".into(), "CREATE INDEX"),
        ("ALTER TABLE t RENAME TO u".into(), "ALTER TABLE"),
        ("REINDEX".into(), "REINDEX"),
        ("ANALYZE".into(), "ANALYZE"),
        ("VACUUM".into(), "VACUUM"),
        (format!("VACUUM INTO '{x}'"), "VACUUM INTO"),
        (format!("ATTACH '{x}' AS a"), "ATTACH"),
        (format!("ATTACH 'file:{x}?mode=rwc' AS a"), "ATTACH"),
        ("DETACH main".into(), "DETACH"),
        ("BEGIN IMMEDIATE".into(), "BEGIN"),
        ("COMMIT".into(), "COMMIT"),
        ("SAVEPOINT s".into(), "SAVEPOINT"),
        ("PRAGMA journal_mode = WAL".into(), "PRAGMA journal_mode"),
        ("PRAGMA user_version = 5".into(), "PRAGMA user_version"),
        ("PRAGMA query_only = 0".into(), "PRAGMA query_only"),
        ("PRAGMA writable_schema = 1".into(), "PRAGMA writable_schema"),
        ("PRAGMA temp_store_directory = '/tmp'".into(), "PRAGMA temp_store_directory"),
        ("PRAGMA wal_checkpoint".into(), "PRAGMA wal_checkpoint"),
        ("PRAGMA database_list".into(), "PRAGMA database_list"),
        ("PRAGMA data_version".into(), "PRAGMA data_version"),
        ("SELECT * FROM pragma_database_list".into(), "PRAGMA database_list"),
        ("/**/PRAGMA data_version".into(), "PRAGMA data_version"),
        ("SELECT count(*) FROM pragma_data_version".into(), "PRAGMA data_version"),
        ("SELECT load_extension('x')".into(), "load_extension"),
        ("SELECT fts3_tokenizer('simple')".into(), "fts3_tokenizer"),
        ("INSERT INTO ft(ft) VALUES ('optimize')".into(), "INSERT"),
        ("SELECT 1; DROP TABLE t".into(), "change of the schema"),
    ] {
        let message = bench.fails(&format!("d.db?q={sql}"), ErrorCode::InvalidQuery);
        assert!(
            message.contains(name) && message.contains("refused") && message.contains("?q=SELECT"),
            "{sql}: {message}"
        );
    }
    for sql in [
        "SELECT writefile('x', 'y')",
        "SELECT readfile('/etc/passwd')",
        "SELECT edit('x')",
        "SELECT * FROM fsdir('/')",
    ] {
        assert!(bench.fails(&format!("d.db?q={sql}"), ErrorCode::QueryFailed).contains("no such"), "{sql}");
    }
    assert_eq!(bench.read("d.db?q=SELECT count(*) AS n FROM t"), "| n |\n|---|\n| 1 |\n");
}

#[test]
fn a_hostile_schema_does_nothing() {
    let Some(bench) = Bench::with(
        "CREATE TABLE t(id INTEGER PRIMARY KEY, y CHECK (load_extension('b')));
         CREATE TABLE d(id INTEGER PRIMARY KEY, x DEFAULT (load_extension('a')));
         CREATE TRIGGER tr AFTER INSERT ON t BEGIN SELECT load_extension('c'); END;
         CREATE VIEW ext AS SELECT load_extension('d');
         CREATE VIEW deep AS SELECT fts3_tokenizer('simple');
         CREATE TABLE g(a, b AS (abs(a)));
         INSERT INTO g(a) VALUES (-1);",
    ) else {
        return;
    };
    let list = bench.read("d.db");
    assert!(list.contains("ext (view, broken: "), "{list}");
    assert!(list.contains("t (0 rows)"));
    assert!(bench.read("d.db:t").contains("(no rows)"));
    let text = bench.read("d.db:d");
    assert!(text.contains("[Column 'x' cannot be read: The function load_extension() is refused]"), "{text}");
    assert!(bench.read("d.db?q=SELECT id FROM d").contains("(no rows)"));
    assert!(bench.error("d.db:ext").to_string().contains("unsafe use of load_extension()"));
    assert!(bench.error("d.db:ext?limit=1").to_string().contains("load_extension"));
    assert!(bench.read("d.db:g").contains("| -1 | 1 |"));
}

#[test]
fn views_that_multiply_end() {
    let mut sql =
        "CREATE TABLE t(x); INSERT INTO t VALUES (1), (2); CREATE VIEW v0 AS SELECT * FROM t;".to_owned();
    for n in 1..16 {
        let before = n - 1;
        sql.push_str(
            &[
                "CREATE VIEW v",
                &n.to_string(),
                " AS SELECT a.x FROM v",
                &before.to_string(),
                " a, v",
                &before.to_string(),
                " b;",
            ]
            .concat(),
        );
    }
    let Some(bench) = Bench::with(&sql) else { return };
    let mut limits = read_core::Limits::default();
    limits.timeout = Some(std::time::Duration::from_secs(2));
    let bench = bench.with_pipeline(|pipeline| pipeline.with_limits(limits));
    assert!(bench.try_read("d.db:v15?limit=1").is_err());
    let text = bench.error("d.db:v15").to_string();
    assert!(text.contains("It is: CREATE VIEW v15 ") && text.contains("SELECTs"), "{text}");
    // Pragmas put views in each other too, and their names need not stand in the query.
    for sql in [
        "PRAGMA table_list",
        "SELECT * FROM pragma_table_list",
        "SELECT * FROM pragma_table_list('t')",
        "PRAGMA table_info(v15)",
        "SELECT * FROM pragma_table_info('v' || '15')",
    ] {
        let message = bench.fails(&format!("d.db?q={sql}"), ErrorCode::TooLarge);
        assert!(message.contains("SELECTs"), "{message}");
    }
    assert_eq!(
        bench.read("d.db?q=SELECT name FROM pragma_table_info('v' || '3')"),
        "| name |\n|------|\n| x    |\n"
    );
}
