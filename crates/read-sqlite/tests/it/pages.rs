//! Pages of rows.

use crate::bench::{Bench, next, rows};
use proptest::prelude::*;
use read_core::{ErrorCode, Request, TruncatedBy};

fn numbers(n: u32) -> String {
    format!(
        "CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, n INT);
         WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT {n}) INSERT INTO t SELECT x, 'name ' || x, x % 7 FROM c;"
    )
}

/// Follows the notices from `target` on, and gives every row.
fn followed(bench: &Bench, target: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut target = target.to_owned();
    for _ in 0..100 {
        let text = bench.read(&target);
        all.extend(rows(&text));
        match next(&text) {
            Some(further) => target = further,
            None => return all,
        }
    }
    panic!("no end: {target}");
}

#[test]
fn notices_lead_to_the_end_without_gap_or_overlap() {
    let Some(bench) = Bench::with(&format!(
        "{} CREATE VIEW v AS SELECT * FROM t;
         CREATE TABLE w(k TEXT PRIMARY KEY, v) WITHOUT ROWID; INSERT INTO w SELECT 'it''s ' || id, n FROM t;
         CREATE TABLE p(a, b, PRIMARY KEY(a, b)) WITHOUT ROWID; INSERT INTO p SELECT n, id FROM t;
         CREATE TABLE \"o d:d?\"(\"order\" INTEGER PRIMARY KEY, x); INSERT INTO \"o d:d?\" SELECT id, n FROM t;",
        numbers(95)
    )) else {
        return;
    };
    for (target, count) in [
        ("d.db:t", 95),
        ("d.db:t?limit=7", 95),
        ("d.db:t?limit=10&offset=50", 45),
        ("d.db:t?order=n:desc&limit=9", 95),
        ("d.db:t?order=id:desc", 95),
        ("d.db:t?where=n = 3 OR n = 4&limit=5", 28),
        ("d.db:t?where=n = 3 OR n = 4&limit=5&order=id:desc", 28),
        ("d.db:t?where=n%3D3&limit=5", 14),
        ("d.db:v?limit=30", 95),
        ("d.db:w?limit=11", 95),
        ("d.db:p?limit=11", 95),
        ("d.db:o d:d??limit=11", 95),
        ("d.db:o d:d?", 95),
    ] {
        let rows = followed(&bench, target);
        let mut distinct =
            rows.iter().map(|row| row.split_whitespace().collect::<String>()).collect::<Vec<_>>();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), rows.len(), "{target}: an overlap");
        assert_eq!(rows.len(), count, "{target}");
    }
}

#[test]
fn pages_go_on_by_key_where_they_can() {
    let Some(bench) = Bench::with(&numbers(95)) else { return };
    let next = |target| next(&bench.read(target)).unwrap();
    assert_eq!(next("d.db:t?limit=20"), "d.db:t?where=id>20&limit=20");
    assert_eq!(next("d.db:t?where=id>20&limit=20"), "d.db:t?where=id>40&limit=20");
    assert_eq!(next("d.db:t?order=id:desc&limit=5"), "d.db:t?where=id<91&order=id:desc&limit=5");
    assert_eq!(next("d.db:t?where=n > 2&limit=5"), "d.db:t?where=(n > 2) AND id>10&limit=5");
    assert_eq!(next("d.db:t?where=(n > 2) AND id>10&limit=5"), "d.db:t?where=(n > 2) AND id>18&limit=5");
    assert_eq!(next("d.db:t?order=name&limit=5"), "d.db:t?where=(name,id)>('name 13',13)&order=name&limit=5");
}

#[test]
fn pages_in_the_order_of_any_column_have_every_row_once() {
    let Some(bench) = Bench::with(
        "CREATE TABLE t(id INTEGER PRIMARY KEY, x, y TEXT COLLATE NOCASE);
         WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 60)
         INSERT INTO t SELECT n, CASE n % 6 WHEN 0 THEN NULL WHEN 1 THEN n % 9 WHEN 2 THEN n / 7.0 WHEN 3 THEN 'it''s ' || n % 5
         WHEN 4 THEN 'a' || char(0) || n ELSE x'00ff' END, CASE WHEN n % 2 THEN 'Same' ELSE 'sAME' END FROM c;
         CREATE TABLE w(k TEXT PRIMARY KEY, v) WITHOUT ROWID; INSERT INTO w SELECT 'a' || char(0) || id || char(0), id FROM t;
         CREATE TABLE p(a, b, v, PRIMARY KEY(a, b)) WITHOUT ROWID; INSERT INTO p SELECT id % 4, id, x FROM t;
         CREATE TABLE n(v); INSERT INTO n SELECT x FROM t;",
    ) else {
        return;
    };
    for target in [
        "d.db:t?order=x&limit=7",
        "d.db:t?order=x:desc&limit=7",
        "d.db:t?order=y&limit=7",
        "d.db:t?order=y:desc&limit=7",
        "d.db:w?limit=7",
        "d.db:w?order=k:desc&limit=7",
        "d.db:w?order=v&limit=7",
        "d.db:p?limit=7",
        "d.db:p?order=v&limit=7",
        "d.db:p?order=b:desc&limit=7",
        "d.db:n?order=v&limit=7",
        "d.db:n?limit=7",
    ] {
        assert_eq!(followed(&bench, target).len(), 60, "{target}");
    }
    let all = followed(&bench, "d.db:t?order=x&limit=7");
    let mut ids: Vec<&str> = all.iter().map(|row| row.split('|').nth(1).unwrap().trim()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 60);
    assert!(next(&bench.read("d.db:w?limit=7")).unwrap().contains("||char(0)||"));
}

#[test]
fn a_value_that_is_cut_is_read_whole_by_the_call_that_is_offered() {
    let long = "printf('%.*c', 9000, 'x')";
    let Some(bench) = Bench::with(&format!(
        "CREATE TABLE t(k TEXT PRIMARY KEY, v); CREATE TABLE w(k TEXT PRIMARY KEY, v) WITHOUT ROWID; CREATE TABLE r(id INTEGER PRIMARY KEY, v);
         INSERT INTO t VALUES ('it''s ' || char(10) || '[all]' || char(8238), {long}); INSERT INTO w SELECT * FROM t; INSERT INTO r VALUES (-7, {long});
         CREATE TABLE b(k PRIMARY KEY, v); INSERT INTO b VALUES (x'00', {long});"
    )) else {
        return;
    };
    for table in ["t", "w", "r"] {
        for target in [format!("d.db:{table}?limit=1"), format!("d.db:{table}")] {
            let text = bench.read(&target);
            let notice =
                text.lines().find(|line| line.starts_with("[Values that end in … are cut; ")).unwrap();
            let call = notice.strip_prefix("[Values that end in … are cut; ").unwrap();
            let call = call.strip_suffix(" reads one whole]").unwrap();
            assert_eq!(bench.read(call).len(), 9000, "{call}");
            let row = call.strip_suffix(":v").unwrap();
            let notice = bench.read(row);
            let cell = notice.rsplit_once("cut. ").unwrap().1.strip_suffix(" reads one whole]");
            assert_eq!(cell, Some(call));
        }
    }
    // There is no call where the key cannot be written.
    assert!(bench.read("d.db:b?limit=1").contains("[Values that end in … are cut]"));
}

#[test]
fn what_misleads_the_eye_is_escaped() {
    let Some(bench) = Bench::with(
        "CREATE TABLE t(x); INSERT INTO t VALUES ('a' || char(8238, 8294, 917505, 8203) || 'b');",
    ) else {
        return;
    };
    let shown = "a\\u{202e}\\u{2066}\\u{e0001}\\u{200b}b";
    assert!(bench.read("d.db:t?limit=1").contains(shown));
    assert!(bench.read("d.db?q=SELECT x FROM t").contains(shown));
    assert!(bench.read("d.db:t:1").contains(shown));
}

#[test]
fn tables_of_as_many_columns_as_there_can_be() {
    for count in [1_998, 1_999, 2_000] {
        let columns: Vec<String> = (0..count).map(|n| format!("c{n}")).collect();
        let Some(bench) = Bench::with(&format!(
            "CREATE TABLE t({0}); INSERT INTO t(c0, c{1}) VALUES (1, 'LAST'); INSERT INTO t(c0) VALUES (2);",
            columns.join(", "),
            count - 1
        )) else {
            return;
        };
        assert!(bench.read("d.db:t?limit=1").contains("c0: 1\n"), "{count}");
        assert!(bench.read("d.db:t:1").contains(&format!("c{}: LAST\n", count - 1)), "{count}");
        let next = next(&bench.read("d.db:t?limit=1")).unwrap();
        assert!(bench.read(&next).contains("c0: 2\n"), "{count}: {next}");
    }
}

#[test]
fn columns_that_cannot_be_read_do_not_hide_the_others() {
    let Some(bench) = Bench::with(
        "CREATE TABLE g(id INTEGER PRIMARY KEY, v); INSERT INTO g(id, v) VALUES (1, 'no json'), (2, '[]'); ALTER TABLE g ADD COLUMN bad AS (json(v));
         CREATE TABLE d(id INTEGER PRIMARY KEY, v); INSERT INTO d VALUES (1, 'HERE');
         PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = 'CREATE TABLE d(id INTEGER PRIMARY KEY, v, bad AS (nosuch(v)), ext DEFAULT (load_extension(''x'')))' WHERE name = 'd';",
    ) else {
        return;
    };
    let text = bench.read("d.db:g");
    assert!(
        text.contains("| 1  | no json | <unreadable> |") && text.contains("Column 'bad' cannot be read: "),
        "{text}"
    );
    for target in ["d.db:d", "d.db:d?limit=1", "d.db:d:1"] {
        let text = bench.read(target);
        assert!(text.contains("HERE") && text.contains("2 columns cannot be read"), "{target}: {text}");
    }
    assert!(bench.read("d.db:g:1").contains("v: no json\nbad: <unreadable>\n"));
    assert!(bench.read("d.db").contains("d (1 row)\n"));
    assert_eq!(bench.read("d.db:d:1:v"), "HERE");
    let message = bench.fails("d.db:d?where=nosuch(1)", ErrorCode::QueryFailed);
    assert!(message.contains("no such function: nosuch"), "{message}");
}

#[test]
fn what_follows_is_counted_within_bounds() {
    let Some(bench) = Bench::with(&numbers(600)) else { return };
    assert!(
        bench
            .read("d.db:t?limit=1&offset=598")
            .ends_with("[1 more row. Use d.db:t?where=id>599&limit=1 to continue.]")
    );
    let output = bench.output("d.db:t?limit=100");
    assert!(output.to_text().contains("[500 more rows. "));
    assert_eq!((output.details.total_lines, output.details.truncated), (Some(600), None));
    let output = bench.output("d.db:t");
    assert_eq!(output.details.shown, Some(vec![[1, 5]]));
    let output = bench.output("d.db:t?offset=0");
    assert!(output.to_text().contains("[500+ more rows. "));
    assert_eq!(output.details.total_lines, None);
    let truncated = output.details.truncated.unwrap();
    assert_eq!((truncated.by, truncated.next), (TruncatedBy::Rows, 21));
}

#[test]
fn limits_and_their_mistakes() {
    let Some(bench) = Bench::with(&numbers(600)) else { return };
    let text = bench.read("d.db:t?limit=501");
    assert_eq!(rows(&text).len(), 500);
    assert!(text.contains("[limit=501 is over what a page shows; showing 500 rows at most]"));
    assert_eq!(rows(&bench.read("d.db:t?limit=99999999999999999999")).len(), 500);
    assert!(bench.read("d.db:t?offset=99999999999999999999").contains("(no rows from there on)"));
    for (query, says) in [
        ("limit=x", "limit=x is no number"),
        ("limit=-1", "limit=-1 is no number"),
        ("limit=1.5", "limit=1.5 is no number"),
        ("limit=", "limit= is no number"),
        ("limit=0", "limit=0 shows nothing"),
        ("offset=x", "offset=x is no number"),
        ("lmit=1", "Did you mean limit?"),
        ("limit=1&limit=2", "limit is given twice"),
        ("order=nme", "Did you mean name?"),
        ("order=name:down", "asc or desc"),
        ("order=name; DROP TABLE t", "is no column"),
        ("order=1", "is no column"),
        ("order=name,id", "is no column"),
        ("where=1=1; DROP TABLE t", "?q=SELECT"),
        ("where=1=1 LIMIT 1000000 --", "LIMIT begins another clause"),
        ("where=0 UNION ALL SELECT 1,2,3", "UNION begins another clause"),
        ("where=id = ?1", "has parameters"),
        ("where=", "where is empty"),
        ("q=SELECT 1", "q= is of the database"),
    ] {
        let message = bench.fails(&format!("d.db:t?{query}"), ErrorCode::InvalidQuery);
        assert!(message.contains(says), "{query}: {message}");
        assert!(message.contains("d.db?q=SELECT"), "{query}: {message}");
    }
    assert!(bench.fails("d.db:t?where=nme = 1", ErrorCode::QueryFailed).contains("no such column: nme"));
    assert!(bench.fails("d.db:t?where=id = (", ErrorCode::InvalidQuery).contains("parenthesis"));
}

#[test]
fn arguments_page_a_table() {
    let Some(bench) = Bench::with(&numbers(30)) else { return };
    let mut request = Request::default();
    (request.offset, request.limit) = (Some(11), Some(2));
    let text = bench.try_read_with("d.db:t", &request).unwrap().to_text();
    assert_eq!(rows(&text), ["| 11 | name 11 | 4 |", "| 12 | name 12 | 5 |"]);
    assert!(text.ends_with("[18 more rows. Use d.db:t?where=id>12&limit=2 to continue.]"));
    let text = bench.try_read_with("d.db:t?limit=1", &request).unwrap().to_text();
    assert!(text.contains("[offset and limit ignored: the query string sets the window]"));
    let text = bench.try_read_with("d.db?q=SELECT id FROM t", &request).unwrap().to_text();
    assert_eq!(rows(&text), ["| 11 |", "| 12 |"]);
}

#[test]
fn values_of_every_kind() {
    let Some(bench) = Bench::with(
        "CREATE TABLE t(a, b); INSERT INTO t VALUES (NULL, x'00ff10'), (1, 1.0), ('007', '7'), (9223372036854775807, -9223372036854775808),
         (1e300, 9e999), ('two' || char(10) || 'lines' || char(9) || '.', ''), (CAST(x'66ff' AS TEXT), zeroblob(12600));",
    ) else {
        return;
    };
    let output = bench.output("d.db:t?limit=10");
    assert_eq!(
        output.to_text(),
        "\
| a                   | b                    |
|---------------------|----------------------|
| NULL                | <BLOB 3B>            |
| 1                   | 1.0                  |
| 007                 | 7                    |
| 9223372036854775807 | -9223372036854775808 |
| 1.0e+300            | Inf                  |
| two\\nlines\\t.       |                      |
| f\u{fffd}                  | <BLOB 12.3KB>        |

[1 value is not UTF-8; shown with U+FFFD]"
    );
    assert!(output.details.lossy);
}

#[test]
fn the_caps_of_the_output_end_a_page_between_rows() {
    let Some(bench) = Bench::with(
        "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b, c, d, e, f, g, h);
         WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 400)
         INSERT INTO t SELECT x, printf('%.*c', 99, 'a'), printf('%.*c', 99, 'b'), printf('%.*c', 99, 'c'), printf('%.*c', 99, 'd'),
         printf('%.*c', 99, 'e'), printf('%.*c', 99, 'f'), printf('%.*c', 99, 'g'), printf('%.*c', 99, 'h') FROM c;",
    ) else {
        return;
    };
    let mut target = "d.db:t?limit=400".to_owned();
    let mut blocks = 0;
    loop {
        let output = bench.output(&target);
        let text = output.to_text();
        assert!(text.len() < 51 << 10);
        blocks += text.lines().filter(|line| line.starts_with("── Row ")).count();
        let Some(truncated) = output.details.truncated else { break };
        assert_eq!(truncated.by, TruncatedBy::Bytes);
        assert_eq!(next(&text), truncated.next_target);
        target = truncated.next_target.unwrap();
    }
    assert_eq!(blocks, 400);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn no_rest_of_a_target_panics(rest in "[ -~:?=&%'\"é\n]{0,30}", known in 0..5_usize) {
        let start = ["", ":t", ":t:1", ":t?where=", "?q="][known];
        let pipeline = crate::bench::memory([("d.db", include_bytes!("../data/users.db").to_vec())]);
        let target = format!("d.db{}{rest}", start.replace(":t", ":users"));
        match pipeline.read(&target, &Request::default(), read_core::Cancel::new()) {
            Ok(_) => {}
            Err(error) => prop_assert!(!matches!(error.code(), ErrorCode::ReaderFailed), "{target}: {error}"),
        }
    }
}

#[test]
fn long_texts_of_many_columns_and_rows_show_how_they_begin() {
    let text = |n: u32| format!("'{n}:' || replace(hex(zeroblob({})), '0', 'x')", 25_000);
    let columns: Vec<String> = (0..100).map(|n| format!("c{n} TEXT")).collect();
    let values: Vec<String> = (0..100).map(text).collect();
    let computed: Vec<String> =
        (0..70).map(|n| format!("v{n} TEXT AS (CAST({n} AS TEXT) || ':' || x)")).collect();
    let sql = format!(
        "CREATE TABLE wide(id INTEGER PRIMARY KEY, {}); INSERT INTO wide VALUES (1, {values}), (2, {values});
         CREATE TABLE computed(id INTEGER PRIMARY KEY, x TEXT, {}); INSERT INTO computed VALUES (1, {});
         CREATE TABLE long(id INTEGER PRIMARY KEY, n INTEGER, x TEXT);
         WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 1400)
         INSERT INTO long SELECT i, -i, i || {} FROM c;",
        columns.join(", "),
        computed.join(", "),
        text(0),
        text(1),
        values = values.join(", "),
    );
    let Some(bench) = Bench::with(&sql) else { return };
    for (target, shown) in [
        ("d.db:wide", "c99: 99:xxx"),
        ("d.db:wide?order=c1&limit=1", "c99: 99:xxx"),
        ("d.db:wide:2", "c99: 99:xxx"),
        ("d.db:computed", "v69: 69:0:xxx"),
        ("d.db:computed:1", "v69: 69:0:xxx"),
        // What is sorted is not held whole.
        ("d.db:long?order=n&offset=1395&limit=2", "51:xxx"),
        ("d.db:long?limit=3&offset=1000", "10011:xxx"),
        ("d.db:long?where=id>7&limit=3", "81:xxx"),
    ] {
        let read = bench.read(target);
        assert!(
            read.contains(shown) && !read.contains("<TEXT"),
            "{target}: {}",
            &read[read.len().saturating_sub(300)..]
        );
    }
}
