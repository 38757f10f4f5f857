//! What a page of a table costs beside the same statement run bare. In memory, so that no disk is measured.
//! `cargo bench -p read-sqlite`; read the ratios, not the times.
#![expect(clippy::unwrap_used, reason = "a bench that cannot set up may fail")]

use std::fmt::Write;
use std::sync::LazyLock;

use divan::Bencher;
use read_core::{Cancel, MemoryFileSystem, Pipeline, Registry, Request};
use rusqlite::{Connection, OpenFlags};

fn main() {
    divan::main();
}

const ROWS: i32 = 100_000;

/// A database of 100,000 rows, on the disk and as bytes.
static DATABASE: LazyLock<(tempfile::TempDir, Vec<u8>)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("rows.db");
    let mut database = Connection::open(&file).unwrap();
    database
        .execute_batch("CREATE TABLE t(id INTEGER PRIMARY KEY, name TEXT, score REAL, note TEXT)")
        .unwrap();
    let transaction = database.transaction().unwrap();
    for id in 1..=ROWS {
        let row = (id, format!("name-{id}"), f64::from(id % 1_000) / 8.0, "twenty-four bytes of note");
        transaction.execute("INSERT INTO t VALUES (?1, ?2, ?3, ?4)", row).unwrap();
    }
    transaction.commit().unwrap();
    let bytes = std::fs::read(&file).unwrap();
    (folder, bytes)
});

fn pipeline() -> Pipeline {
    Pipeline::new(MemoryFileSystem::new().with("rows.db", DATABASE.1.as_slice()))
        .with_registry(Registry::core().with(read_sqlite::READER))
}

fn through_the_reader(bencher: Bencher<'_, '_>, target: &str) {
    let pipeline = pipeline();
    bencher.bench_local(|| pipeline.read(target, &Request::default(), Cancel::new()).unwrap());
}

/// Opens the database, runs the statement and copies out what it gives.
fn bare(bencher: Bencher<'_, '_>, sql: &str) {
    let file = DATABASE.0.path().join("rows.db");
    bencher.bench_local(|| {
        let database = Connection::open_with_flags(&file, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
        let mut statement = database.prepare(sql).unwrap();
        let columns = statement.column_count();
        let mut rows = statement.query([]).unwrap();
        let mut text = String::new();
        while let Some(row) = rows.next().unwrap() {
            for column in 0..columns {
                write!(text, "{:?}", row.get_ref(column).unwrap()).unwrap();
            }
        }
        text
    });
}

#[divan::bench]
fn first_page(bencher: Bencher<'_, '_>) {
    through_the_reader(bencher, "rows.db:t");
}

#[divan::bench]
fn first_page_bare(bencher: Bencher<'_, '_>) {
    bare(bencher, "SELECT * FROM t ORDER BY id LIMIT 20");
}

/// Most of which is writing the table.
#[divan::bench]
fn five_hundred_rows(bencher: Bencher<'_, '_>) {
    through_the_reader(bencher, "rows.db:t?limit=500");
}

#[divan::bench]
fn five_hundred_rows_bare(bencher: Bencher<'_, '_>) {
    bare(bencher, "SELECT * FROM t ORDER BY id LIMIT 500");
}

#[divan::bench]
fn page_after_a_key(bencher: Bencher<'_, '_>) {
    through_the_reader(bencher, "rows.db:t?where=id>50000&limit=20");
}

#[divan::bench]
fn page_after_a_key_bare(bencher: Bencher<'_, '_>) {
    bare(bencher, "SELECT * FROM t WHERE id > 50000 ORDER BY id LIMIT 20");
}
