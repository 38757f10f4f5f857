//! Cells as sources: windows of text, BLOBs that other readers know, databases in databases.

use crate::bench::{Bench, memory};
use read_core::{Cancel, ErrorCode, Registry, Request};
use read_sqlite::{SqliteLimits, SqliteReader};

#[test]
fn text_goes_through_the_text_pipeline() {
    let Some(bench) = Bench::with(
        "CREATE TABLE t(id INTEGER PRIMARY KEY, body TEXT, n, r, z, e);
         INSERT INTO t VALUES (1, 'one' || char(10) || 'two' || char(10) || 'three' || char(10), 42, 1.5, NULL, '');",
    ) else {
        return;
    };
    assert_eq!(bench.read("d.db:t:1:body"), "one\ntwo\nthree\n");
    assert_eq!(bench.read("d.db:t:1:body:2-2"), "two\n\n[1 more line in cell. Use :3- to continue.]");
    assert_eq!(bench.read("d.db:t:1:body:-1"), "three\n");
    assert_eq!(bench.read("d.db:t:1:body:@4+3"), "two\n\n[7 more bytes in cell. Use :@7+3 to continue.]");
    assert!(bench.read("d.db:t:1:body:hex").starts_with("00000000  6f 6e 65 0a"));
    assert_eq!(bench.read("d.db:t:1:body:raw"), "one\ntwo\nthree\n");
    assert_eq!((bench.read("d.db:t:1:n"), bench.read("d.db:t:1:r")), ("42".into(), "1.5".into()));
    assert_eq!(bench.read("d.db:t:1:z"), "NULL\n\n[The cell is NULL: it holds no value]");
    assert_eq!(bench.read("d.db:t:1:e"), "[Cell is empty]");
    assert_eq!(bench.details("d.db:t:1:body").path, "d.db:t:1:body");
    assert!(bench.fails("d.db:t:1:bdy", ErrorCode::NotFound).contains("it has id, body, n"));
}

#[test]
fn a_blob_is_read_by_whoever_knows_it() {
    let Some(bench) = Bench::with(
        "CREATE TABLE inner(id INTEGER PRIMARY KEY, name); INSERT INTO inner VALUES (5, 'deep');",
    ) else {
        return;
    };
    bench.sqlite3(
        "outer.db",
        &format!(
            "CREATE TABLE files(name TEXT PRIMARY KEY, data BLOB) WITHOUT ROWID;
             CREATE TABLE numbered(id INTEGER PRIMARY KEY, data BLOB, copy AS (data));
             INSERT INTO files VALUES ('d.db', readfile('{0}')), ('note.txt', CAST('plain' AS BLOB)), ('junk', x'00010203fffe');
             INSERT INTO numbered(data) SELECT data FROM files;",
            bench.path("d.db").display()
        ),
    );
    assert_eq!(bench.read("outer.db:files:d.db:data"), "inner (1 row)\n");
    assert_eq!(bench.read("outer.db:files:d.db:data:inner:5:name"), "deep");
    assert_eq!(bench.read("outer.db:numbered:1:data:inner:5"), "id: 5\nname: deep\n");
    assert_eq!(bench.read("outer.db:numbered:1:copy:inner:5:name"), "deep");
    assert!(bench.read("outer.db:numbered:1:data?q=SELECT name FROM inner").contains("deep"));
    assert_eq!(bench.read("outer.db:files:note.txt:data"), "plain");
    assert_eq!(bench.error("outer.db:files:junk:data").code(), ErrorCode::UnsupportedContent);
}

/// The reader with a lower cap on cells.
static SMALL_CELLS: SqliteReader = {
    let mut limits = SqliteLimits::DEFAULT;
    limits.max_cell = 4 << 20;
    SqliteReader::with_limits(limits)
};

#[test]
fn long_cells_are_windowed_and_too_long_ones_refused() {
    let Some(bench) = Bench::with(
        "CREATE TABLE t(id INTEGER PRIMARY KEY, body);
         WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 200000) INSERT INTO t SELECT 1, group_concat('line ' || x, char(10)) FROM c;
         INSERT INTO t VALUES (2, zeroblob(4194304)), (3, zeroblob(4194305));
         CREATE TABLE w(k PRIMARY KEY, body) WITHOUT ROWID; INSERT INTO w SELECT * FROM t WHERE id <> 2;",
    ) else {
        return;
    };
    let bench = bench.with_pipeline(|pipeline| pipeline.with_registry(Registry::core().with(&SMALL_CELLS)));
    for table in ["t", "w"] {
        assert!(
            bench.read(&format!("d.db:{table}:1:body:150000+2")).starts_with("line 150000\nline 150001\n")
        );
        let message = bench.fails(&format!("d.db:{table}:3:body"), ErrorCode::TooLarge);
        assert!(message.contains("cells of up to 4.0MB are read"), "{message}");
        // The page reads sizes and heads, whatever lies in it.
        let page = bench.read(&format!("d.db:{table}"));
        assert!(page.contains("<BLOB 4.0MB>"), "{page}");
    }
    assert!(bench.read("d.db:t?limit=1").contains("| 1  | line 1\\nline 2\\n"));
    assert!(bench.read("d.db:t:2:body:hex:@4194300").contains("003ffffc  00 00 00 00"));
}

#[test]
fn a_cell_over_the_cap_is_read_in_parts() {
    let Some(bench) = Bench::with(
        "CREATE TABLE t(id INTEGER PRIMARY KEY, body);
         WITH RECURSIVE c(x) AS (SELECT 100000 UNION ALL SELECT x + 1 FROM c LIMIT 700000)
         INSERT INTO t SELECT 1, group_concat('line ' || x, char(10)) FROM c;
         INSERT INTO t SELECT 2, CAST(body AS BLOB) || x'ff00' FROM t;
         CREATE VIEW v AS SELECT body FROM t;",
    ) else {
        return;
    };
    let bench = bench.with_pipeline(|pipeline| pipeline.with_registry(Registry::core().with(&SMALL_CELLS)));
    let total = 700_000 * 12 - 1;
    let message = bench.fails("d.db:t:1:body", ErrorCode::TooLarge);
    assert!(message.contains("Use d.db:t:1:body:@0+65536 for a part of it"), "{message}");
    assert!(bench.read("d.db:t:1:body:@0+65536").starts_with("line 100000\nline 100001\n"));
    // Wherever it begins, what is shown is what is there, and the call leads on.
    for line in [0, 1, 9_999, 350_000, 699_990] {
        let text = bench.read(&format!("d.db:t:1:body:@{}+24", line * 12));
        assert!(text.starts_with(&format!("line {}\nline {}\n", 100_000 + line, 100_001 + line)), "{text}");
        assert!(text.contains(&format!("Use :@{}+24 to continue.]", line * 12 + 24)), "{text}");
    }
    let end = bench.read(&format!("d.db:t:1:body:@{}", total - 11));
    assert!(end.starts_with("line 799999"), "{end}");
    assert!(bench.read("d.db:t:2:body:hex").starts_with("00000000  6c 69 6e 65"));
    assert!(bench.read(&format!("d.db:t:2:body:hex:@{total}+2")).contains("  ff 00  "));
    assert!(bench.read(&format!("d.db:t:1:body:@{}+5", total + 100)).contains("beyond end"));
    for target in ["d.db:t:1:body:1-5", "d.db:t:1:body:-5", "d.db:t:1:body:stat", "d.db:t:1:body:raw"] {
        bench.fails(target, ErrorCode::TooLarge);
    }
}

#[test]
fn utf16_databases_read_as_any_other() {
    let Some(bench) = Bench::new() else { return };
    for (name, encoding) in [("le.db", "UTF-16le"), ("be.db", "UTF-16be")] {
        bench.sqlite3(
            name,
            &format!(
                "PRAGMA encoding = '{encoding}'; CREATE TABLE \"täb\"(id INTEGER PRIMARY KEY, s TEXT);
                 INSERT INTO \"täb\" VALUES (1, 'zoë 日本'), (2, replace(printf('%.*c', 100000, 'x'), 'x', 'é')), (3, 'a' || char(128512));"
            ),
        );
        assert_eq!(bench.read(&format!("{name}:täb:1:s")), "zoë 日本");
        assert_eq!(bench.read(&format!("{name}:täb:3:s")), "a\u{1f600}");
        assert!(bench.read(&format!("{name}:täb?limit=2")).contains("| 2  | ééé"));
        assert!(bench.read(&format!("{name}:täb:2")).contains("éé… ("));
        let cell = bench.output(&format!("{name}:täb:2:s"));
        assert_eq!(cell.details.size_bytes, Some(200_000));
        assert!(
            bench.read(&format!("{name}?q=SELECT s FROM \"täb\" WHERE s LIKE 'zo%'")).contains("zoë 日本")
        );
    }
}

#[test]
fn a_database_that_is_no_file_of_its_own() {
    let bytes = include_bytes!("../data/users.db").to_vec();
    let pipeline = memory([("d.db", bytes)]);
    let read = |target| pipeline.read(target, &Request::default(), Cancel::new()).unwrap().to_text();
    assert_eq!(read("d.db"), "users (2 rows)\n");
    assert_eq!(read("d.db:users:1:name"), "ann");
}
