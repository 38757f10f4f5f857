//! Queries that a caller writes.

use crate::bench::{Bench, rows};
use read_core::{Cancel, ErrorCode, Request, TruncatedBy};
use std::time::Duration;

const TABLE: &str =
    "CREATE TABLE t(id INTEGER PRIMARY KEY, name); INSERT INTO t VALUES (1, 'ann'), (2, 'bob');";

#[test]
fn selects_of_every_form() {
    let Some(bench) = Bench::with(TABLE) else { return };
    for (sql, row) in [
        ("SELECT count(*) AS n FROM t", "| 2 |"),
        ("select name from t where name like '%n%'", "| ann  |"),
        ("WITH x AS (SELECT 7 AS y) SELECT y FROM x", "| 7 |"),
        ("VALUES (1), (2)", "| 1       |"),
        ("SELECT name FROM t;  -- the end", "| ann  |"),
        ("PRAGMA user_version", "| 0            |"),
        ("SELECT name FROM pragma_table_info('t')", "| id   |"),
        ("SELECT json_extract('{\"a\":[1,2]}', '$.a[1]') AS j", "| 2 |"),
        ("EXPLAIN QUERY PLAN SELECT * FROM t", "SCAN t"),
        ("SELECT%20name%20FROM%20t", "| ann  |"),
        ("SELECT+name+FROM+t", "| ann  |"),
        ("SELECT '%41' AS a, 1 & 3 AS b", "| %41 | 1 |"),
    ] {
        let text = bench.read(&format!("d.db?q={sql}"));
        assert!(text.contains(row), "{sql}: {text}");
    }
    assert!(bench.read("d.db?q=SELECT * FROM t WHERE 0").ends_with("(no rows)\n"));
}

#[test]
fn mistakes_are_sqlites_own_words() {
    let Some(bench) = Bench::with(TABLE) else { return };
    for (sql, says) in [
        ("SELEC 1", "near \"SELEC\": syntax error"),
        ("SELECT * FROM nope", "no such table: nope"),
        ("SELECT nope FROM t", "no such column: nope"),
        ("SELECT abs(-9223372036854775808)", "integer overflow"),
    ] {
        assert!(bench.fails(&format!("d.db?q={sql}"), ErrorCode::QueryFailed).contains(says), "{sql}");
    }
    for (query, says) in [
        ("?q=", "The query is empty"),
        ("?q=-- nothing", "The query is empty"),
        ("?q=SELECT 1; SELECT 2", "Only one statement"),
        ("?q=SELECT ?1", "has parameters"),
        ("?limit=5", "'limit' is no key of a database"),
    ] {
        assert!(bench.fails(&format!("d.db{query}"), ErrorCode::InvalidQuery).contains(says), "{query}");
    }
}

#[test]
fn a_thousand_rows_at_most_and_the_rest_can_be_had() {
    let Some(bench) = Bench::with(TABLE) else { return };
    let numbers =
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 1500) SELECT x FROM c";
    let output = bench.output(&format!("d.db?q={numbers}"));
    let text = output.to_text();
    assert_eq!(rows(&text).len(), 1_000);
    assert!(text.ends_with("\n\n[Output capped at 1000 rows; add LIMIT and OFFSET to the query to page on]"));
    let truncated = output.details.truncated.unwrap();
    assert_eq!((truncated.by, truncated.next), (TruncatedBy::Rows, 1_001));
    let rest = bench.output(&truncated.next_target.unwrap());
    assert!(rows(&rest.to_text())[0].contains("1001"));
    assert_eq!((rest.details.truncated, rest.details.total_lines), (None, Some(500)));
    assert_eq!(bench.details(&format!("d.db?q={numbers} LIMIT 1000")).truncated, None);
}

/// Follows `next_target`, and gives every row.
fn followed(bench: &Bench, target: &str) -> Vec<String> {
    let mut target = target.to_owned();
    let mut all = Vec::new();
    for _ in 0..100 {
        let output = bench.output(&target);
        all.extend(rows(&output.to_text()));
        match output.details.truncated {
            Some(truncated) => {
                assert_eq!(output.details.total_lines, None, "{target}");
                target = truncated.next_target.unwrap();
            }
            None => return all,
        }
    }
    panic!("no end: {target}");
}

#[test]
fn the_calls_that_are_offered_lead_to_the_last_row() {
    let Some(bench) = Bench::with(TABLE) else { return };
    for (columns, count) in [
        ("x", 3_500),
        ("x", 3_000),
        ("x, printf('%.*c', 35, 'y') AS y, 'a' AS \"b) LIMIT -1 OFFSET 5\"", 3_500),
    ] {
        let numbers = format!(
            "d.db?q=WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT {count}) SELECT {columns} FROM c -- all;"
        );
        let all = followed(&bench, &numbers);
        assert_eq!(all.len(), count);
        for (n, row) in (1..).zip(&all) {
            assert!(row.starts_with(&format!("| {n} ")), "{n}: {row}");
        }
    }
}

#[test]
fn a_window_of_the_callers_own_is_no_cap() {
    let Some(bench) = Bench::with(TABLE) else { return };
    let query =
        "d.db?q=WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 12) SELECT x FROM c";
    let read = |offset, limit| {
        let mut request = Request::default();
        (request.offset, request.limit) = (Some(offset), Some(limit));
        bench.try_read_with(query, &request).unwrap()
    };
    let output = read(1, 5);
    assert!(
        output.to_text().ends_with("\n[More rows follow. Use offset=6, limit=5 to continue.]"),
        "{}",
        output.to_text()
    );
    assert_eq!((output.details.truncated, output.details.total_lines), (None, None));
    let last = read(11, 5);
    assert!(last.to_text().ends_with("| 12 |\n"), "{}", last.to_text());
    assert_eq!((last.details.truncated, last.details.total_lines), (None, Some(12)));
    assert!(read(8, 5).to_text().ends_with("| 12 |\n"));
}

#[test]
fn endless_work_ends_in_time() {
    let Some(bench) = Bench::with(
        "CREATE TABLE t(x); CREATE VIEW forever AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) AS n FROM c;",
    ) else {
        return;
    };
    let mut limits = read_core::Limits::default();
    limits.timeout = Some(Duration::from_millis(300));
    let bench = bench.with_pipeline(|pipeline| pipeline.with_limits(limits));
    let endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)";
    for target in [
        format!("d.db?q={endless} SELECT count(*) FROM c"),
        format!("d.db?q={endless} SELECT x FROM c ORDER BY x DESC"),
        format!("d.db?q={endless} SELECT 1 WHERE (SELECT max(x) FROM c) = 0"),
        "d.db:forever".into(),
        "d.db:forever?limit=1".into(),
    ] {
        assert_eq!(bench.error(&target).code(), ErrorCode::TimedOut, "{target}");
    }
}

#[test]
fn a_query_is_cancelled_from_outside() {
    let Some(bench) = Bench::with(TABLE) else { return };
    let cancel = Cancel::new();
    let switch = cancel.clone();
    let pipeline = crate::bench::pipeline(bench.path("").as_path());
    let target =
        "d.db?q=WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c";
    let read =
        std::thread::spawn(move || pipeline.read(target, &Request::default(), cancel).unwrap_err().code());
    std::thread::sleep(Duration::from_millis(50));
    switch.cancel();
    assert_eq!(read.join().unwrap(), ErrorCode::Cancelled);
}

#[test]
fn large_values_are_refused_before_they_are_made() {
    let Some(bench) =
        Bench::with("CREATE TABLE t(x); CREATE VIEW big AS SELECT randomblob(1000000000) AS b;")
    else {
        return;
    };
    for target in [
        "d.db?q=SELECT randomblob(1e9)",
        "d.db?q=SELECT replace(hex(zeroblob(100000000)), '0', 'ab')",
        "d.db?q=SELECT printf('%.*c', 1000000000, 'x')",
        "d.db:big?limit=1",
    ] {
        assert_eq!(bench.error(target).code(), ErrorCode::TooLarge, "{target}");
    }
    let many: Vec<String> = (0..1_000).map(|_| "randomblob(1000000)".to_owned()).collect();
    assert_eq!(bench.error(&format!("d.db?q=SELECT {}", many.join(","))).code(), ErrorCode::TooLarge);
}

#[test]
fn sorting_takes_no_more_memory_than_it_may() {
    let Some(bench) = Bench::with(TABLE) else { return };
    let sql = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 1000000) SELECT max(n) FROM (SELECT row_number() OVER (ORDER BY hex(randomblob(100))) AS n FROM c)";
    let error = bench.error(&format!("d.db?q={sql}"));
    assert!(matches!(error.code(), ErrorCode::TooLarge | ErrorCode::TimedOut), "{error}");
}

#[test]
fn one_call_of_a_function_ends_in_time() {
    // Each of these took from seconds to hours: as a query, in a view, in a column that is computed.
    let calls = [
        "instr(hex(zeroblob(2000000)), hex(zeroblob(1000000)) || '1')",
        "replace(hex(zeroblob(2000000)), hex(zeroblob(1000000)) || '1', 'x')",
        "trim(hex(zeroblob(1000000)), replace(hex(zeroblob(500000)), '0', 'x') || '0')",
        "hex(zeroblob(4000000)) LIKE '%' || replace(hex(zeroblob(10000)), '0', 'O') || '_'",
        "hex(zeroblob(4000000)) GLOB '*' || hex(zeroblob(15000)) || '1*'",
        "unhex(replace(hex(zeroblob(2000000)), '0', '-'), replace(hex(zeroblob(2000000)), '0', '+') || '-')",
    ];
    let sql: Vec<String> = calls
        .iter()
        .enumerate()
        .map(|(n, call)| {
            format!("CREATE VIEW v{n} AS SELECT {call} AS x; CREATE TABLE t{n}(id INTEGER PRIMARY KEY); INSERT INTO t{n} VALUES (1); ALTER TABLE t{n} ADD COLUMN x AS ({call});")
        })
        .collect();
    let Some(bench) = Bench::with(&sql.concat()) else { return };
    let mut limits = read_core::Limits::default();
    limits.timeout = Some(Duration::from_secs(2));
    let bench = bench.with_pipeline(|pipeline| pipeline.with_limits(limits));
    for (n, call) in calls.iter().enumerate() {
        for target in [format!("d.db?q=SELECT length({call})"), format!("d.db:v{n}"), format!("d.db:t{n}:1")]
        {
            // Whether it is done or stopped depends on the machine, and on the memory that reads beside it take; that it
            // ends does not.
            if let Err(error) = bench.try_read(&target) {
                let is_bound = matches!(error.code(), ErrorCode::TimedOut | ErrorCode::TooLarge);
                assert!(is_bound, "{target}: {error}");
            }
        }
    }
}

#[test]
fn what_is_collected_takes_no_more_memory_than_it_may() {
    let Some(bench) = Bench::with("CREATE TABLE t(x);") else { return };
    let rows = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 10000)";
    let message = bench.fails(
        &format!("d.db?q={rows} SELECT length(json_group_array(hex(zeroblob(1000000)))) FROM c"),
        ErrorCode::TooLarge,
    );
    assert!(message.contains("memory"), "{message}");
    // Steps that are not interrupted have short values where there are many.
    let calls: Vec<String> = (0..90).map(|n| format!("length(hex(zeroblob({})))", 8_000_000 + n)).collect();
    bench.fails(&format!("d.db?q=SELECT max({})", calls.join(", ")), ErrorCode::TooLarge);
    assert!(bench.read("d.db?q=SELECT length(hex(zeroblob(8000000)))").contains("| 16000000 "));
    let patch = format!("d.db?q={rows} SELECT length(json_patch(json_group_object(x, 1), '{{}}')) FROM c");
    bench.fails(&patch, ErrorCode::TooLarge);
    assert!(
        bench.read("d.db?q=SELECT json_patch('{\"a\":1}', '{\"b\":2}') AS p").contains("{\"a\":1,\"b\":2}")
    );
}
