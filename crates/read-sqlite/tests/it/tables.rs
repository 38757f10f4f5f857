//! A table: its schema and a sample.

use crate::bench::{Bench, next};

#[test]
fn schema_indexes_keys_and_a_sample() {
    let Some(bench) = Bench::with(
        "CREATE TABLE p(a, b, PRIMARY KEY(a, b));
         CREATE TABLE t(id INTEGER PRIMARY KEY, code TEXT UNIQUE, a, b, p REFERENCES p, FOREIGN KEY(a, b) REFERENCES p(a, b) ON DELETE CASCADE);
         CREATE INDEX ta ON t(a DESC) WHERE b > 1;
         WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 7) INSERT INTO t SELECT x, 'c' || x, x, x, x FROM c;",
    ) else {
        return;
    };
    assert_eq!(
        bench.read("d.db:t"),
        "\
CREATE TABLE t(id INTEGER PRIMARY KEY, code TEXT UNIQUE, a, b, p REFERENCES p, FOREIGN KEY(a, b) REFERENCES p(a, b) ON DELETE CASCADE);

Indexes:
sqlite_autoindex_t_1 UNIQUE (code)
CREATE INDEX ta ON t(a DESC) WHERE b > 1;

Foreign keys:
FOREIGN KEY (p) REFERENCES p
FOREIGN KEY (a, b) REFERENCES p(a, b) ON DELETE CASCADE

Sample rows:
| id | code | a | b | p |
|----|------|---|---|---|
| 1  | c1   | 1 | 1 | 1 |
| 2  | c2   | 2 | 2 | 2 |
| 3  | c3   | 3 | 3 | 3 |
| 4  | c4   | 4 | 4 | 4 |
| 5  | c5   | 5 | 5 | 5 |

[2 more rows. Use d.db:t?where=id>5&limit=20 to continue.]"
    );
    let details = bench.details("d.db:t");
    assert_eq!((details.total_lines, details.shown), (Some(7), Some(vec![[1, 5]])));
    let truncated = details.truncated.unwrap();
    assert_eq!(
        (truncated.next, truncated.next_target.as_deref().unwrap()),
        (6, "d.db:t?where=id>5&limit=20")
    );
    assert!(bench.read(&truncated.next_target.unwrap()).contains("| 7  | c7"));
}

#[test]
fn strict_generated_and_hidden_columns() {
    let Some(bench) = Bench::with(
        "CREATE TABLE g(a INT, b INT AS (a * 2) VIRTUAL, c INT AS (a * 3) STORED) STRICT; INSERT INTO g(a) VALUES (7);
         CREATE VIRTUAL TABLE ft USING fts5(body); INSERT INTO ft VALUES ('hello world');
         CREATE VIRTUAL TABLE rt USING rtree(id, a, b); INSERT INTO rt VALUES (1, 1, 2);
         CREATE VIRTUAL TABLE f4 USING fts4(x); INSERT INTO f4 VALUES ('abc');",
    ) else {
        return;
    };
    assert!(bench.read("d.db:g").contains("| 7 | 14 | 21 |"));
    assert_eq!(bench.read("d.db:g:1"), "a: 7\nb: 14\nc: 21\n");
    assert_eq!((bench.read("d.db:g:1:b"), bench.read("d.db:g:1:c")), ("14".into(), "21".into()));
    assert!(bench.read("d.db:ft").contains("| hello world |"));
    assert_eq!(bench.read("d.db:ft:1"), "body: hello world\n");
    assert!(bench.read("d.db:rt").contains("| 1  | 1.0 | 2.0 |"));
    assert!(bench.read("d.db:f4").contains("| abc |"));
}

#[test]
fn views_show_and_page() {
    let Some(bench) = Bench::with(
        "CREATE TABLE t(x); WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 30) INSERT INTO t SELECT x FROM c;
         CREATE VIEW v AS SELECT x, x * 2 AS y FROM t; CREATE VIEW broken AS SELECT * FROM gone;",
    ) else {
        return;
    };
    let text = bench.read("d.db:v");
    assert!(
        text.starts_with("CREATE VIEW v AS SELECT x, x * 2 AS y FROM t;\n\nSample rows:\n| x | y  |"),
        "{text}"
    );
    assert_eq!(next(&text).unwrap(), "d.db:v?offset=5&limit=20");
    let text = bench.error("d.db:broken").to_string();
    assert!(text.contains("no such table: main.gone") && !text.contains("d.db:broken"), "{text}");
    assert!(text.ends_with("It is: CREATE VIEW broken AS SELECT * FROM gone;"), "{text}");
    assert!(bench.error("d.db:broken?limit=5").to_string().contains("no such table: main.gone"));
    assert!(bench.error("d.db:v:1").to_string().contains("is a view"));
}

#[test]
fn long_statements_are_cut_and_said() {
    let columns: Vec<String> = (0..1_900).map(|n| format!("a_rather_long_name_{n}")).collect();
    let Some(bench) = Bench::with(&format!(
        "CREATE TABLE w({}); INSERT INTO w(a_rather_long_name_0) VALUES (1);",
        columns.join(", ")
    )) else {
        return;
    };
    let output = bench.output("d.db:w");
    assert!(
        output.details.notices[0].starts_with("The CREATE statement is "),
        "{:?}",
        output.details.notices
    );
    assert!(bench.read("d.db:sqlite_schema:1:sql").ends_with("a_rather_long_name_1899)"));
    assert!(bench.read("d.db:w:1").contains("a_rather_long_name_1899: NULL\n"));
    assert!(bench.read("d.db:w?limit=1").contains("a_rather_long_name_1899: NULL\n"));
}
