//! The list of tables.

use crate::bench::Bench;
use read_core::{ErrorCode, Request};

#[test]
fn kinds_are_told_apart_and_broken_ones_say_why() {
    let Some(bench) = Bench::with(
        "CREATE TABLE users(id INTEGER PRIMARY KEY, name); INSERT INTO users VALUES (1, 'a'), (2, 'b'), (3, 'c');
         CREATE TABLE one(x); INSERT INTO one VALUES (1);
         CREATE TABLE n10(x); CREATE TABLE n2(x);
         CREATE VIEW adults AS SELECT * FROM users;
         CREATE VIEW gone AS SELECT * FROM no_such_table;
         CREATE VIRTUAL TABLE ft USING fts5(body);
         PRAGMA writable_schema = 1;
         INSERT INTO sqlite_schema VALUES ('table', 'alien', 'alien', 0, 'CREATE VIRTUAL TABLE alien USING no_such_module(a)');",
    ) else {
        return;
    };
    assert_eq!(
        bench.read("d.db"),
        "\
n2 (0 rows)
n10 (0 rows)
one (1 row)
users (3 rows)
adults (view)
gone (view, broken: no such table: main.no_such_table)
alien (virtual, broken: no such module: no_such_module)
ft (virtual)
ft_config (shadow)
ft_content (shadow)
ft_data (shadow)
ft_docsize (shadow)
ft_idx (shadow)
"
    );
    assert_eq!(bench.details("d.db").total_lines, Some(13));
}

#[test]
fn counting_stops_at_fifty_thousand() {
    let Some(bench) = Bench::with(
        "CREATE TABLE a(x); WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 50000) INSERT INTO a SELECT x FROM c;
         CREATE TABLE b(x); INSERT INTO b SELECT x FROM a UNION ALL SELECT 1;",
    ) else {
        return;
    };
    assert_eq!(bench.read("d.db"), "a (50000 rows)\nb (50000+ rows)\n");
}

#[test]
fn selectors_and_arguments_pick_entries() {
    let Some(bench) =
        Bench::with("CREATE TABLE a(x); CREATE TABLE b(x); CREATE TABLE c(x); CREATE TABLE d(x);")
    else {
        return;
    };
    assert_eq!(
        bench.read("d.db:2-3"),
        "b (0 rows)\nc (0 rows)\n\n[1 more entry in listing. Use :4- to continue.]"
    );
    assert_eq!(bench.read("d.db:-1"), "d (0 rows)\n");
    assert_eq!(bench.read("d.db:1-1,4-4"), "a (0 rows)\n\n…\n\nd (0 rows)\n");
    let request = |offset, limit| {
        let mut request = Request::default();
        (request.offset, request.limit) = (offset, limit);
        request
    };
    let read = |target, offset, limit| bench.try_read_with(target, &request(offset, limit));
    assert_eq!(read("d.db", Some(4), None).unwrap().to_text(), "d (0 rows)\n");
    assert_eq!(
        read("d.db", None, Some(1)).unwrap().to_text(),
        "a (0 rows)\n\n[3 more entries in listing. Use offset=2 to continue.]"
    );
    assert_eq!(
        read("d.db:4", Some(1), None).unwrap().to_text(),
        "d (0 rows)\n\n[offset and limit ignored: the selector :4 sets the window]"
    );
    assert_eq!(read("d.db", Some(9), None).unwrap_err().code(), ErrorCode::InvalidArguments);
    assert_eq!(
        bench.read("d.db:9"),
        "Entry 9 is beyond end of listing (4 entries total). Use :1 to list from the start, or :4 for the last entry."
    );
}

#[test]
fn long_lists_are_cut_and_can_be_followed() {
    let tables: Vec<String> = (0..1_203).map(|n| format!("CREATE TABLE t{n}(x);")).collect();
    let tables = tables.concat();
    let Some(bench) = Bench::with(&format!("BEGIN; {tables} COMMIT;")) else { return };
    let first = bench.output("d.db");
    assert!(first.to_text().ends_with("\n\n[Showing entries 1-500 of 1203. Use offset=501 to continue.]"));
    let mut target = first.details.truncated.unwrap().next_target.unwrap();
    assert_eq!(target, "d.db:501-");
    let mut shown = 500;
    loop {
        let page = bench.output(&target);
        let text = page.to_text();
        assert!(text.starts_with(&format!("t{shown} (0 rows)\n")), "{text}");
        shown += text.lines().filter(|line| line.ends_with(" rows)")).count();
        match page.details.truncated {
            Some(truncated) => target = truncated.next_target.unwrap(),
            None => break,
        }
    }
    assert_eq!(shown, 1_203);
}

#[test]
fn windows_of_a_list_are_those_of_any_listing() {
    let tables: Vec<String> = (1..=900).map(|n| format!("CREATE TABLE t{n}(x);")).collect();
    let Some(bench) = Bench::with(&format!("BEGIN; {} COMMIT;", tables.concat())) else { return };
    // A cap within several windows says what is left of them, and no range over the gap between them.
    let several = bench.output("d.db:1-3,8-900");
    let text = several.to_text();
    assert!(text.starts_with("t1 (0 rows)\nt2 (0 rows)\nt3 (0 rows)\n\n…\n\nt8 (0 rows)\n"), "{text}");
    assert!(
        text.ends_with("[Output truncated: showing 500 of 896 selected entries. Use :505-900 to continue.]"),
        "{text}"
    );
    assert_eq!(several.details.shown, Some(vec![[1, 3], [8, 504]]));
    assert_eq!(several.details.truncated.unwrap().next_target.as_deref(), Some("d.db:505-900"));
    // A range beyond the end is named.
    assert_eq!(
        bench.read("d.db:899-900,960-973"),
        "t899 (0 rows)\nt900 (0 rows)\n[Range 960-973 is beyond end of listing (900 entries total); skipped]\n"
    );
    // A tail over the cap keeps its end.
    let tail = bench.output("d.db:-600").to_text();
    assert!(tail.starts_with("t401 (0 rows)\n"), "{tail}");
    assert!(
        tail.ends_with(
            "t900 (0 rows)\n\n[Showing entries 401-900 of 900. Use :301-400 for the entries before.]"
        ),
        "{tail}"
    );
}

#[test]
fn a_database_without_tables() {
    let Some(bench) = Bench::with("PRAGMA user_version = 1;") else { return };
    assert_eq!(bench.read("d.db"), "(no tables)\n");
    assert!(bench.fails("d.db:users", ErrorCode::NotFound).contains("it has no tables"));
}

#[test]
fn the_files_own_bytes_are_left_to_core() {
    let Some(bench) = Bench::with("CREATE TABLE users(x);") else { return };
    assert!(bench.read("d.db:hex").starts_with("00000000  53 51 4c 69 74 65 20 66"));
    assert!(bench.read("d.db:stat").contains("reader: sqlite"));
    assert!(bench.fails("d.db:raw", ErrorCode::InvalidSelector).contains(":hex"));
    assert_eq!(bench.error("d.db:raw").suggestions(), ["d.db:hex", "d.db"]);
    assert_eq!(bench.error("d.db:1-5:9:9").code(), ErrorCode::InvalidSelector);
    assert_eq!(bench.error("d.db:5-2").code(), ErrorCode::InvalidSelector);
}

#[test]
fn near_names_are_offered() {
    let Some(bench) =
        Bench::with("CREATE TABLE users(id INTEGER PRIMARY KEY, name); INSERT INTO users VALUES (1, 'a');")
    else {
        return;
    };
    let error = bench.error("d.db:user:1");
    assert_eq!((error.code(), error.suggestions()), (ErrorCode::NotFound, &["d.db:users".to_owned()][..]));
    let error = bench.error("d.db:users:1:nam");
    assert_eq!(
        (error.code(), error.suggestions()),
        (ErrorCode::NotFound, &["d.db:users:1:name".to_owned()][..])
    );
}

#[test]
fn counts_are_those_of_sqlite() {
    for (page, vacuum) in [(512, 0), (1024, 1), (4096, 0), (65_536, 2)] {
        let Some(bench) = Bench::with(&format!(
            "PRAGMA page_size = {page}; PRAGMA auto_vacuum = {vacuum};
             CREATE TABLE a(x); WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 50001) INSERT INTO a SELECT x FROM c;
             CREATE TABLE b AS SELECT * FROM a LIMIT 50000; CREATE TABLE e(x); CREATE TABLE one AS SELECT zeroblob(200000) AS x;
             CREATE TABLE w(k PRIMARY KEY, v) WITHOUT ROWID; INSERT INTO w SELECT x, zeroblob(x % 300) FROM a LIMIT 7001;
             CREATE TABLE g AS SELECT x, zeroblob(x % 900) AS y FROM a LIMIT 4001; DELETE FROM g WHERE x % 3 = 1;
             CREATE INDEX gi ON g(y); CREATE TABLE \"order\"(x); INSERT INTO \"order\" SELECT x FROM a LIMIT 12345;"
        )) else {
            return;
        };
        let counts = "a (50000+ rows)\nb (50000 rows)\ne (0 rows)\ng (2667 rows)\none (1 row)\norder (12345 rows)\nw (7001 rows)\n";
        assert_eq!(bench.read("d.db"), counts, "{page}");
        assert_eq!(bench.sqlite3("d.db", "SELECT count(*) FROM g"), "2667\n");
    }
}

#[test]
fn a_line_with_a_column_is_that_line() {
    let Some(bench) = Bench::with("CREATE TABLE a(x); CREATE TABLE b(x)") else { return };
    assert_eq!(bench.read("d.db:2:7"), "b (0 rows)\n\n[Column 7 ignored: reading from entry 2]");
}
