//! `:stat`: facts without content.

use read_core::{MemoryFileSystem, Pipeline};

use super::{file, limited, numbers, read, text};

#[test]
fn facts_of_a_text() {
    assert_eq!(
        text(&file(numbers(3_000)), "f.txt:stat"),
        "path: f.txt\nsize: 13.6KB (13893 bytes)\nmedia type: text/plain\nencoding: UTF-8\nline ends: lf\nlines: 3000\n\
         longest line: 4 bytes (line 1000)\nestimated tokens: 3474\nreader: text\n"
    );
    assert_eq!(read(&file("a\nb"), "f.txt:STAT").unwrap().details.total_lines, Some(2));
}

#[test]
fn facts_of_a_binary_and_of_a_directory() {
    let binary = text(&file(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0".repeat(9)), "f.txt:stat");
    assert!(binary.contains("size: 144B (144 bytes)") && !binary.contains("lines:"), "{binary}");
    assert!(binary.ends_with("media type: application/x-executable\nreader: none\n"), "{binary}");
    assert!(text(&file("\u{feff}"), "f.txt:stat").contains("lines: 0\n"));
    let directory = Pipeline::new(MemoryFileSystem::new().with("d/a", "").with("d/b", ""));
    assert!(text(&directory, "d:stat").contains("entries: 2\nreader: directory\n"));
}

#[test]
fn counting_has_its_limit() {
    let pipeline = limited(numbers(300_000), |limits| limits.count_limit = 100_000);
    assert!(text(&pipeline, "f.txt:stat").contains("lines: at least "));
}
