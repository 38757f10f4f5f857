//! Rows by their key.

use crate::bench::Bench;
use read_core::ErrorCode;

#[test]
fn keys_of_every_kind() {
    let Some(bench) = Bench::with(
        "CREATE TABLE wr(k TEXT PRIMARY KEY, v) WITHOUT ROWID; INSERT INTO wr VALUES ('007', 'BOND'), ('7', 'SEVEN'), ('x:1', 'COLON'), ('x', 'X');
         CREATE TABLE nopk(v); INSERT INTO nopk VALUES ('BY ROWID');
         CREATE TABLE rid(rowid TEXT, v); INSERT INTO rid VALUES ('shadow', 'SHADOWED');
         CREATE TABLE hidden(rowid, _rowid_, oid); INSERT INTO hidden VALUES (1, 2, 3);
         CREATE TABLE b(k BLOB PRIMARY KEY, v); INSERT INTO b VALUES (x'00ff', 'BYTES'), (5, 'NUMBER'), (1.5, 'REAL');
         CREATE TABLE d(k INTEGER PRIMARY KEY DESC, v); INSERT INTO d VALUES (40, 'NOT THE ROWID');
         CREATE TABLE num(id INTEGER PRIMARY KEY, v); INSERT INTO num VALUES (-9223372036854775808, 'LEAST');",
    ) else {
        return;
    };
    for (target, row) in [
        ("d.db:wr:007", "k: 007\nv: BOND\n"),
        ("d.db:wr:7", "k: 7\nv: SEVEN\n"),
        ("d.db:wr:x:1", "k: x:1\nv: COLON\n"),
        ("d.db:wr:x", "k: x\nv: X\n"),
        ("d.db:nopk:1", "v: BY ROWID\n"),
        ("d.db:rid:1", "rowid: shadow\nv: SHADOWED\n"),
        ("d.db:b:x'00ff'", "k: <BLOB 2B>\nv: BYTES\n"),
        ("d.db:b:5", "k: 5\nv: NUMBER\n"),
        ("d.db:b:1.5", "k: 1.5\nv: REAL\n"),
        ("d.db:d:40", "k: 40\nv: NOT THE ROWID\n"),
        ("d.db:num:-9223372036854775808", "id: -9223372036854775808\nv: LEAST\n"),
        ("d.db:wr:0", "No row found in table 'wr' for key '0'."),
        ("d.db:num:9223372036854775808", "No row found in table 'num' for key '9223372036854775808'."),
        ("d.db:num:abc", "No row found in table 'num' for key 'abc'."),
        ("d.db:num:7:v", "No row found in table 'num' for key '7'."),
    ] {
        assert_eq!(bench.read(target), row, "{target}");
    }
    assert_eq!(bench.read("d.db:wr:x:1:v"), "COLON");
    assert_eq!(bench.read("d.db:wr:x:v"), "X");
    assert!(bench.fails("d.db:hidden:1", ErrorCode::InvalidQuery).contains("?where=\"rowid\"=…"));
}

#[test]
fn composite_keys_say_which_where_to_use() {
    let Some(bench) = Bench::with(
        "CREATE TABLE c(a INT, \"b c\" INT, v, PRIMARY KEY(a, \"b c\")); INSERT INTO c VALUES (1, 2, 'IT');
         CREATE TABLE w(a, b, v, PRIMARY KEY(b, a)) WITHOUT ROWID;",
    ) else {
        return;
    };
    assert_eq!(
        bench.fails("d.db:c:1", ErrorCode::InvalidQuery),
        "'c' has a composite primary key (a, \"b c\"). Use d.db:c?where=a=… AND \"b c\"=… with its values."
    );
    assert!(bench.read("d.db:c?where=a=1 AND \"b c\"=2").contains("IT"));
    assert!(bench.fails("d.db:w:1", ErrorCode::InvalidQuery).contains("(b, a)"));
}

#[test]
fn a_range_behind_a_table_is_a_key_and_says_so() {
    let Some(bench) = Bench::with("CREATE TABLE t(x); INSERT INTO t VALUES (1), (2), (3);") else { return };
    let text = bench.read("d.db:t:2-3");
    assert!(text.starts_with("No row found in table 't' for key '2-3'."));
    assert!(text.contains("Use d.db:t?offset=1&limit=2 for those rows."));
}

#[test]
fn long_values_are_cut_and_the_cell_is_named() {
    let Some(bench) = Bench::with(
        "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b); INSERT INTO t VALUES (1, printf('%.*c', 300000, 'x'), 'line' || char(10) || 'two');",
    ) else {
        return;
    };
    let text = bench.read("d.db:t:1");
    assert!(text.contains("xxx… (293.0KB)\nb: line\\ntwo\n"), "{}", &text[text.len() - 200..]);
    assert!(text.ends_with("[1 long value is cut. d.db:t:1:a reads one whole]"));
    assert!(text.len() < 6_000);
}
