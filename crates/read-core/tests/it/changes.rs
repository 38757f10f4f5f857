//! Files that change between reads.

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use read_core::{LocalFileSystem, Pipeline};

use super::{numbers, read, text};

/// A file that looks settled: changed long ago.
fn write(path: &std::path::Path, content: &str, age: u64) {
    fs::write(path, content).unwrap();
    let then = SystemTime::now() - Duration::from_secs(age);
    File::options().write(true).open(path).unwrap().set_modified(then).unwrap();
}

#[test]
fn a_later_page_of_a_changed_file_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f.txt");
    write(&path, &numbers(100), 100);
    let pipeline = Pipeline::new(LocalFileSystem::builder().root(dir.path()).build().unwrap());
    text(&pipeline, "f.txt:1-10");
    assert!(!text(&pipeline, "f.txt:11-20").contains("changed"));
    write(&path, &numbers(200), 50);
    let output = read(&pipeline, "f.txt:21-30").unwrap();
    assert!(
        output.to_text().contains("[f.txt changed since lines 11-20 were shown]"),
        "{}",
        output.to_text()
    );
    assert_eq!(output.details.total_lines, Some(200));
    assert!(!text(&pipeline, "f.txt:31-40").contains("changed"));
}

#[test]
fn an_index_is_never_used_for_another_content() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f.txt");
    let long: String = (0..400_000).map(|n| format!("{n}\n")).collect();
    let pipeline = Pipeline::new(LocalFileSystem::builder().root(dir.path()).build().unwrap());
    write(&path, &long, 100);
    std::thread::sleep(Duration::from_millis(2_100));
    assert!(text(&pipeline, "f.txt:300001-300001").starts_with("300000\n"));
    assert!(text(&pipeline, "f.txt:300001-300001").starts_with("300000\n"));
    // The same length and the same time of change, but other lines.
    let other = long.replace("1\n", "1x").replace('x', "\n");
    let other = format!("{other}{}", " ".repeat(long.len() - other.len()));
    write(&path, &other, 100);
    let wanted = other.split('\n').nth(300_000).unwrap();
    assert!(text(&pipeline, "f.txt:300001-300001").starts_with(&format!("{wanted}\n")));
}

#[test]
fn a_file_that_shrinks_or_vanishes_is_never_a_crash() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f.txt");
    let pipeline = Pipeline::new(LocalFileSystem::builder().root(dir.path()).build().unwrap());
    let long = numbers(500_000);
    std::thread::scope(|scope| {
        let (path, long) = (&path, &long);
        let writer = scope.spawn(move || {
            for round in 0..60 {
                match round % 3 {
                    0 => fs::write(path, long).unwrap(),
                    1 => File::options().write(true).open(path).unwrap().set_len(1_000).unwrap(),
                    _ => fs::remove_file(path).unwrap(),
                }
            }
        });
        while !writer.is_finished() {
            for target in
                ["f.txt:400000-400010", "f.txt:-5", "f.txt:@900000+100", "f.txt", "f.txt:stat", "f.txt:hex"]
            {
                // An answer or a typed error: what matters is that there is one.
                let _ = read(&pipeline, target);
            }
        }
        writer.join().unwrap();
    });
}
