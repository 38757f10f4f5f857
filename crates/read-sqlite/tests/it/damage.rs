//! Damaged databases: SQLite's own reason, or what is readable; never a panic.

use std::fs;

use crate::bench::{Bench, memory, rows};
use read_core::{Cancel, ErrorCode, Request};

const SMALL: &[u8] = include_bytes!("../data/users.db");

fn check(bytes: Vec<u8>, what: &str) {
    let pipeline = memory([("d.db", bytes)]);
    for target in [
        "d.db",
        "d.db:users",
        "d.db:users:2:name",
        "d.db:users?order=name",
        "d.db?q=SELECT * FROM users, sqlite_schema",
    ] {
        if let Err(error) = pipeline.read(target, &Request::default(), Cancel::new()) {
            assert!(
                matches!(
                    error.code(),
                    ErrorCode::Corrupt
                        | ErrorCode::NotFound
                        | ErrorCode::QueryFailed
                        | ErrorCode::UnsupportedContent
                        | ErrorCode::InvalidSelector
                        | ErrorCode::InvalidQuery
                        | ErrorCode::TooLarge
                ),
                "{what}: {target}: {error}"
            );
        }
    }
}

#[test]
fn every_byte_flipped() {
    for at in 0..SMALL.len() {
        for mask in [0x01, 0xff] {
            let mut bytes = SMALL.to_vec();
            bytes[at] ^= mask;
            check(bytes, &format!("byte {at} ^ {mask:#x}"));
        }
    }
}

#[test]
fn every_length() {
    for len in 0..SMALL.len() {
        check(SMALL[..len].to_vec(), &format!("length {len}"));
    }
}

#[test]
fn a_newer_format_is_named() {
    let mut bytes = SMALL.to_vec();
    bytes[47] = 5;
    let error = memory([("d.db", bytes)]).read("d.db:users", &Request::default(), Cancel::new()).unwrap_err();
    assert_eq!(error.code(), ErrorCode::UnsupportedContent);
    assert!(error.to_string().contains("unsupported file format"), "{error}");
}

#[test]
fn intact_tables_stay_readable_and_rows_before_the_damage_are_shown() {
    let Some(bench) = Bench::with(
        "PRAGMA page_size = 512; CREATE TABLE big(a); CREATE TABLE ok(a); INSERT INTO ok VALUES ('STILL HERE');
         WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 400) INSERT INTO big SELECT 'row ' || x || printf('%.*c', 60, '.') FROM c;",
    ) else {
        return;
    };
    let mut bytes = fs::read(bench.path("d.db")).unwrap();
    let at = bytes.windows(8).position(|bytes| bytes == b"row 200.").unwrap() / 512 * 512;
    bytes[at..at + 512].fill(0xaa);
    fs::write(bench.path("d.db"), bytes).unwrap();
    assert!(bench.read("d.db:ok").contains("STILL HERE"));
    let list = bench.read("d.db");
    assert!(
        list.contains("ok (1 row)") && list.contains("big (not counted: database disk image is malformed)"),
        "{list}"
    );
    let page = bench.read("d.db:big?limit=500");
    assert!(
        page.contains("row 19")
            && page.contains("is damaged: database disk image is malformed")
            && page.contains("[The rows that follow are damaged: "),
        "{page}"
    );
    assert_eq!(bench.details("d.db:big?limit=500").total_lines, None);
    // Past the damage all can be read that is there.
    let past = |text: &str| {
        let (_, call) = text.rsplit_once("Use ").unwrap();
        call.split_once(" for rows behind").unwrap().0.to_owned()
    };
    let call = past(&page);
    let behind = bench.read(&call);
    assert!(rows(&behind).last().unwrap().contains("row 400"), "{call}: {behind}");
    let lost = 400 - rows(&page).len() - rows(&behind).len();
    assert!((1..10).contains(&lost), "{call}: {lost} rows");
    // The same from the other end, and from within.
    let page = bench.read("d.db:big?limit=500&order=rowid:desc");
    assert_eq!(rows(&bench.read(&past(&page))).len() + rows(&page).len() + lost, 400);
    let inside = bench.fails("d.db:big?where=rowid>200&limit=500", ErrorCode::Corrupt);
    assert!(rows(&bench.read(&past(&inside))).last().unwrap().contains("row 400"), "{inside}");
    let query = bench.read("d.db?q=SELECT * FROM big");
    assert!(rows(&query).len() > 150 && query.contains("[The rows that follow are damaged: "), "{query}");
    assert_eq!(bench.details("d.db?q=SELECT * FROM big").total_lines, None);
    assert_eq!(bench.error("d.db?q=SELECT count(a) FROM big").code(), ErrorCode::Corrupt);
    assert!(bench.read("d.db:hex:@0+16").contains("53 51 4c 69"));
}

#[test]
fn what_is_no_database_is_left_to_others() {
    let pipeline = memory([
        ("empty.db", Vec::new()),
        ("text.db", b"hello\n".to_vec()),
        ("almost.db", b"SQLite format 3\nplain\n".to_vec()),
    ]);
    let read = |target| pipeline.read(target, &Request::default(), Cancel::new()).unwrap().to_text();
    assert_eq!(read("empty.db"), "[File is empty]");
    assert_eq!(read("text.db"), "hello\n");
    assert!(read("almost.db").starts_with("SQLite format 3\nplain"));
}

#[test]
fn a_header_and_nothing_behind_it_can_be_dumped() {
    let pipeline = memory([("d.db", b"SQLite format 3\0".to_vec())]);
    assert_eq!(
        pipeline.read("d.db", &Request::default(), Cancel::new()).unwrap_err().code(),
        ErrorCode::Corrupt
    );
    assert!(
        pipeline
            .read("d.db:hex", &Request::default(), Cancel::new())
            .unwrap()
            .to_text()
            .starts_with("00000000  53 51")
    );
}

#[test]
fn one_object_that_cannot_be_parsed_does_not_hide_the_others() {
    let Some(bench) = Bench::with(
        "CREATE TABLE a(x); INSERT INTO a VALUES ('HERE'); CREATE TABLE b(y); CREATE INDEX bi ON b(y); CREATE TABLE c(z); CREATE VIEW v AS SELECT x FROM a;
         PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = 'CREATE INDEX bi ON b(nosuch' WHERE name = 'bi';
         UPDATE sqlite_schema SET sql = 'CREATE TABLE c(z' WHERE name = 'c';",
    ) else {
        return;
    };
    let list = bench.read("d.db");
    assert!(list.contains("a (1 row)\nb (0 rows)\nc (not counted: ") && list.contains("v (view)"), "{list}");
    assert!(list.contains("[The schema is damaged (malformed database schema ("), "{list}");
    assert_eq!(rows(&bench.read("d.db:v")), ["| HERE |"]);
    assert!(bench.read("d.db:c").starts_with("CREATE TABLE c(z;\n"));
    for sql in ["UPDATE sqlite_schema SET sql = ''", "PRAGMA writable_schema = 1", "INSERT INTO a VALUES (1)"]
    {
        bench.fails(&format!("d.db?q={sql}"), ErrorCode::InvalidQuery);
    }
}
