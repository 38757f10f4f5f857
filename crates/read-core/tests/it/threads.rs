//! Counting on several threads finds what one thread finds.

use read_core::{Limits, LocalFileSystem, MemoryFileSystem, Pipeline};

use super::read;

/// Some 14 MiB of lines, long and short ones, and a stretch of 3 MiB without a line end.
fn lines(end: &str) -> String {
    let mut text = String::new();
    for n in 0.. {
        match n % 11 {
            0 => {}
            1 => text.push_str(&"y".repeat(n % 3_000)),
            _ => text.push_str(&format!("{n} é")),
        }
        text.push_str(end);
        if n == 30_000 {
            text.push_str(&"z".repeat(3 << 20));
        }
        if text.len() > 14 << 20 {
            return text;
        }
    }
    text
}

/// Reads each target, twice, of a file on the disk and of the same bytes in memory, where one thread counts.
fn same(bytes: &[u8], targets: &[String], change: impl Fn(&mut Limits)) {
    let mut limits = Limits::default();
    limits.count_beyond = 1 << 30;
    change(&mut limits);
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("f.txt"), bytes).unwrap();
    for target in targets {
        let disk = Pipeline::new(LocalFileSystem::builder().root(dir.path()).build().unwrap());
        let memory = Pipeline::new(MemoryFileSystem::new().with("f.txt", bytes));
        let [disk, memory] = [disk, memory].map(|pipeline| pipeline.with_limits(limits.clone()));
        for round in ["first", "second"] {
            let [found, wanted] = [&disk, &memory].map(|pipeline| read(pipeline, target).unwrap());
            assert!(found.to_text() == wanted.to_text(), "{target}, {round} time");
            assert_eq!(found.details.total_lines, wanted.details.total_lines, "{target}, {round} time");
        }
    }
}

fn windows(total: usize) -> Vec<String> {
    let lines = [1, 20_000, 30_001, 30_002, 30_003, total / 2, total - 20, total - 1, total, total + 1];
    let mut targets: Vec<String> = lines.iter().map(|line| format!("f.txt:{line}+20")).collect();
    targets.extend(
        ["f.txt", "f.txt:-5", "f.txt:stat", "f.txt:raw:40000-40010", "f.txt:5-9,45000-45003"]
            .map(String::from),
    );
    targets
}

#[test]
fn windows_and_totals_are_those_of_one_thread() {
    let unix = lines("\n");
    let total = unix.lines().count();
    same(unix.as_bytes(), &windows(total), |_| ());
    // Without a last line end, and with nothing behind the last whole block.
    let open = unix.trim_end();
    same(open.as_bytes(), &windows(total), |_| ());
    let whole: Vec<u8> = unix.bytes().filter(u8::is_ascii).take(13 << 20).collect();
    same(&whole, &windows(line_count(&whole)), |_| ());
    same(lines("\r\n").as_bytes(), &windows(total), |_| ());
}

fn line_count(bytes: &[u8]) -> usize {
    bytes.split(|byte| *byte == b'\n').count()
}

#[test]
fn wide_units_are_not_cut() {
    let text: String = lines("\n").chars().take(8 << 20).collect();
    let total = text.lines().count();
    for big in [false, true] {
        let unit = |unit: u16| if big { unit.to_be_bytes() } else { unit.to_le_bytes() };
        let bytes: Vec<u8> = std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(unit).collect();
        same(&bytes, &windows(total), |_| ());
    }
}

#[test]
fn limits_hold_as_they_do_for_one_thread() {
    let text = lines("\n");
    let targets = windows(text.lines().count());
    same(text.as_bytes(), &targets[..6], |limits| limits.max_read_bytes = Some((13 << 20) + 77));
    same(text.as_bytes(), &targets[..1], |limits| limits.count_limit = 10 << 20);
    same(text.as_bytes(), &targets, |limits| limits.count_threads = 1);
    same(text.as_bytes(), &targets, |limits| limits.count_threads = usize::MAX);
}
