//! The example that the guide points to does what the guide asks for.

#[path = "../../examples/own_reader.rs"]
#[allow(dead_code, reason = "its main is not called")]
mod example;

use read_core::{ErrorCode, MemoryFileSystem, Pipeline, Registry};

use super::{read, request, text};
use example::IniReader;

const INI: &str =
    "[network]\nhost = example.org\nport = 80\n[log] ; of all\nlevel = info\n[network]\ntimeout = 3\n";

fn ini(content: impl Into<Vec<u8>>) -> Pipeline {
    Pipeline::new(MemoryFileSystem::new().with("a.ini", content))
        .with_registry(Registry::core().with(&IniReader))
}

#[test]
fn the_first_section_counts_and_one_that_stands_twice_is_shown_whole() {
    let pipeline = ini(INI);
    assert_eq!(text(&pipeline, "a.ini"), "network\nlog\nnetwork\n");
    assert_eq!(text(&pipeline, "a.ini:network"), "host = example.org\nport = 80\ntimeout = 3\n");
    assert_eq!(text(&pipeline, "a.ini:log:stat").lines().next(), Some("path: a.ini:log"));
    assert_eq!(
        text(&pipeline, "a.ini:network:1-1"),
        "host = example.org\n\n[2 more lines in cell. Use :2- to continue.]"
    );
    assert_eq!(text(&pipeline, "a.ini:raw:1-1"), "[network]\n");
    assert_eq!(read(&pipeline, "a.ini:net").unwrap_err().code(), ErrorCode::InvalidSelector);
}

#[test]
fn windows_are_of_the_sections() {
    let pipeline = ini(INI);
    let window = request(|request| (request.offset, request.limit) = (Some(2), Some(1)));
    let output = pipeline.read("a.ini", &window, read_core::Cancel::new()).unwrap();
    assert_eq!(output.to_text(), "log\n\n[1 more line in listing. Use offset=3 to continue.]");
    assert_eq!(text(&pipeline, "a.ini:3"), "network\n");
    let many: String = (1..=3_000).map(|n| format!("[s{n}]\n")).collect();
    let shown = text(&ini(many), "a.ini");
    assert!(shown.ends_with("\ns2000\n\n[Showing lines 1-2000 of 3000. Use offset=2001 to continue.]"));
}

#[test]
fn what_no_section_holds_is_said_or_shown() {
    let shown = text(&ini("\u{feff}key = 1\n[a]\n"), "a.ini");
    assert_eq!(
        shown,
        "a\n\n[What precedes the first section is not listed. Use :raw to see the file as it lies]"
    );
    assert_eq!(text(&ini("key = 1\n"), "a.ini"), "key = 1\n");
    let wide: Vec<u8> = "\u{feff}[ä]\nb = 1\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(text(&ini(wide), "a.ini"), "[ä]\nb = 1\n\n[Decoded from UTF-16LE]");
}

#[cfg(feature = "conformance")]
#[test]
fn it_conforms() {
    read_core::conformance::Suite::new(&IniReader)
        .sample("a.ini", INI)
        .target("a.ini")
        .target("a.ini:2-3")
        .target("a.ini:network")
        .target("a.ini:network:2-")
        .steps(64)
        .run();
}
