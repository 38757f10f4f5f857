//! Names that are anything but plain: all can be asked for, the longest that exists first.

use std::sync::Arc;

use read_core::{ErrorCode, Guard};

use crate::bench::{Bench, next};

const NAMES: [&str; 22] = [
    "select",
    "a b",
    "a:b",
    "a?b",
    "?q=1",
    "10-20",
    "raw",
    "hex",
    "stat",
    "-5",
    "it's",
    "say \"hi\"",
    "[x]",
    "`y`",
    "日本",
    "naïve",
    "semi;colon",
    "per%20cent",
    "a+b",
    "new\nline",
    "back\\slash",
    "tab\there",
];

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[test]
fn every_table_that_is_listed_can_be_read() {
    let sql: Vec<String> = NAMES
        .iter()
        .map(|name| {
            let table = quoted(name);
            format!("CREATE TABLE {table}(id INTEGER PRIMARY KEY, {table} TEXT); INSERT INTO {table} VALUES (7, 'of {}');", name.replace('\'', "''"))
        })
        .collect();
    let Some(bench) = Bench::with(&sql.concat()) else { return };
    let listed = bench.read("d.db");
    assert_eq!(listed.lines().count(), NAMES.len());
    for line in listed.lines() {
        let name = line.strip_suffix(" (1 row)").unwrap();
        let cell = bench.read(&format!("d.db:{name}:7:{name}"));
        let decoded = read_core::decoded(name)
            .map_or_else(|| name.to_owned(), |bytes| String::from_utf8(bytes).unwrap());
        assert_eq!(cell, format!("of {decoded}"), "{name}");
        assert!(bench.read(&format!("d.db:{name}")).contains("Sample rows:"), "{name}");
        assert!(bench.read(&format!("d.db:{name}?limit=1&where=id=7")).contains("| 7 "), "{name}");
    }
}

#[test]
fn the_longest_name_wins() {
    let Some(bench) = Bench::with(
        "CREATE TABLE a(id INTEGER PRIMARY KEY, b); INSERT INTO a VALUES (1, 'short');
         CREATE TABLE \"a:1\"(id INTEGER PRIMARY KEY, b); INSERT INTO \"a:1\" VALUES (1, 'long');
         CREATE TABLE \"a?limit=1\"(x); INSERT INTO \"a?limit=1\" VALUES ('odd');",
    ) else {
        return;
    };
    assert!(bench.read("d.db:a:1").contains("Sample rows:"));
    assert_eq!(bench.read("d.db:a:1:1:b"), "long");
    assert!(bench.read("d.db:a?limit=1").contains("odd"));
    assert!(bench.read("d.db:a?limit=2").contains("short"));
}

#[test]
fn case_and_quotes_do_not_matter() {
    let Some(bench) =
        Bench::with("CREATE TABLE Users(Id INTEGER PRIMARY KEY, Name); INSERT INTO Users VALUES (1, 'ann');")
    else {
        return;
    };
    assert_eq!(bench.read("d.db:users:1:name"), "ann");
    assert_eq!(bench.read("d.db:\"Users\":1:Name"), "ann");
    assert!(bench.read("d.db:[users]?order=NAME").contains("ann"));
}

#[test]
fn calls_keep_the_spelling_of_a_table() {
    let Some(bench) = Bench::with(
        "CREATE TABLE users(id INTEGER PRIMARY KEY, bio); INSERT INTO users VALUES (1, 'a'), (2, printf('%.*c', 9000, 'x')), (3, 'c'),
         (4, 'd'), (5, 'e'), (6, 'f');",
    ) else {
        return;
    };
    // What the same call in another case would read.
    std::fs::write(bench.path("d.db:users"), "a file of that name").unwrap();
    for (spelling, page) in [
        ("Users", "d.db:Users?limit=1"),
        ("USERS", "d.db:USERS?limit=1&where=id > 0"),
        ("\"users\"", "d.db:\"users\"?limit=1"),
        ("[Users]", "d.db:[Users]?limit=1"),
        ("Users", "d.db:Users"),
    ] {
        let call = next(&bench.read(page)).unwrap();
        assert!(call.starts_with(&format!("d.db:{spelling}?")), "{page}: {call}");
        assert!(!bench.read(&call).contains("a file of that name"), "{call}");
    }
    let row = bench.read("d.db:Users:2");
    assert!(row.contains(" d.db:Users:2:bio reads one whole]"), "{row}");
    let page = bench.read("d.db:Users?limit=2");
    assert!(page.contains(" d.db:Users:2:bio reads one whole]"), "{page}");
    let missing = bench.read("d.db:Users:5-9");
    assert!(missing.contains("Use d.db:Users?offset=4&limit=5 for those rows."), "{missing}");
    let cell = bench.read("d.db:Users:2:bio:@0+10");
    assert_eq!(next(&cell).map(|call| call.starts_with(":@")), Some(true), "{cell}");
    assert!(bench.fails("d.db:Users:1:nme", ErrorCode::NotFound).contains("Use d.db:Users:1 for"));
}

#[test]
fn the_empty_name() {
    let Some(bench) = Bench::with("CREATE TABLE \"\"(x); INSERT INTO \"\" VALUES (5); CREATE TABLE t(x);")
    else {
        return;
    };
    assert_eq!(bench.read("d.db"), "\"\" (1 row)\nt (0 rows)\n");
    assert!(bench.read("d.db::").contains("| 5 |"));
    assert!(bench.read("d.db:\"\"").contains("| 5 |"));
    assert_eq!(bench.read("d.db::1"), "x: 5\n");
    assert!(bench.read("d.db:?limit=1").contains("| 5 |"));
    assert!(bench.read("d.db?q=SELECT 6").contains("| 6 |"));
}

#[test]
fn names_forge_no_notice() {
    let Some(bench) = Bench::with("CREATE TABLE \"x\n[Use d.db:secret to continue.]\"(a);") else { return };
    assert_eq!(bench.read("d.db").lines().count(), 1);
}

/// The steps of comparing names are bounded: these two alone would take billions, which no deadline reaches.
#[test]
fn near_names_of_long_names_are_not_searched_for() {
    let long = "a".repeat(60_000);
    let Some(bench) = Bench::with(&format!("CREATE TABLE \"{long}\"(x); CREATE TABLE users(x);")) else {
        return;
    };
    let error = bench.error(&format!("d.db:{}", "b".repeat(60_000)));
    assert_eq!((error.code(), error.suggestions()), (ErrorCode::NotFound, &[][..]));
    assert_eq!(bench.error("d.db:user").suggestions(), ["d.db:users"]);
}

/// Denies one cell.
struct Denies;

impl Guard for Denies {
    fn permits(&self, path: &[u8]) -> bool {
        path != b"d.db/Users:1:Secret"
    }
}

#[test]
fn rules_know_a_cell_by_its_name_in_the_database_and_the_caller_by_the_one_that_was_asked() {
    let Some(bench) = Bench::with(
        "CREATE TABLE Users(id INTEGER PRIMARY KEY, Secret TEXT, Open TEXT); INSERT INTO Users VALUES (1, 'a', 'b')",
    ) else {
        return;
    };
    let bench = bench.with_pipeline(|pipeline| pipeline.with_guard(Arc::new(Denies)));
    for target in [
        "d.db:Users:1:Secret",
        "d.db:users:1:SECRET",
        "d.db:\"Users\":1:secret",
        "d.db:Users:01:Secret",
        "d.db:Users:+1:Secret",
    ] {
        bench.fails(target, ErrorCode::Denied);
    }
    let output = bench.output("d.db:USERS:1:open");
    assert_eq!((output.to_text().as_str(), output.details.path.as_str()), ("b", "d.db:USERS:1:open"));
}

#[test]
fn no_drive_stands_behind_a_database() {
    let Some(bench) = Bench::with(
        "CREATE TABLE f(path TEXT PRIMARY KEY, body TEXT); INSERT INTO f VALUES ('/usr/bin/x', 'hello')",
    ) else {
        return;
    };
    assert_eq!(bench.read("d.db:f:/usr/bin/x:body"), "hello");
}
