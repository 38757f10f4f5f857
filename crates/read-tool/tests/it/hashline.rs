//! Anchored reads: a tag that an edit tool can trust.

use read_hashline::{Check, LineRange, Printed};
use read_tool::{Arguments, Cancel, Limits, MemoryFileSystem, ReadOutput, ReadTool};

use super::tool;

fn anchored(tool: &ReadTool, target: &str) -> ReadOutput {
    let arguments = Arguments { hashline: Some(true), ..Arguments::new(target) };
    tool.run(tool.prepare(&arguments).unwrap(), &Cancel::new()).unwrap()
}

#[test]
fn a_header_and_numbered_lines() {
    let tool = tool(MemoryFileSystem::new().with("d/f.txt", "a\nb\nc\nd\ne\n"));
    let output = anchored(&tool, "./d/f.txt:3-4");
    assert_eq!(output.to_text(), "[d/f.txt#86DC]\n3:c\n4:d\n\n[1 more line in file. Use :5- to continue.]");
    assert_eq!(output.details.tag.as_deref(), Some("86DC"));
}

#[test]
fn what_is_printed_reads_back_and_checks() {
    let tool = tool(MemoryFileSystem::new().with("f.txt", "a\nb\nc\nd\ne\n"));
    let text = anchored(&tool, "f.txt:1-2,4-4").to_text();
    let printed = Printed::parse(&text).unwrap();
    let header = printed.header().unwrap();
    assert_eq!(header.path(), "f.txt");
    let check = |first, last, live: &str| {
        tool.snapshots().check(header.path(), header.tag(), &[LineRange::new(first, last).unwrap()], live)
    };
    assert_eq!(check(1, 2, "a\nb\nc\nd\ne\n"), Check::Fresh);
    assert!(matches!(check(3, 3, "a\nb\nc\nd\ne\n"), Check::Unseen(_)));
    assert!(matches!(check(4, 4, "new\na\nb\nc\nd\n"), Check::Drifted { .. }));
    anchored(&tool, "f.txt:3-3");
    assert_eq!(check(1, 4, "a\nb\nc\nd\ne\n"), Check::Fresh, "a later read of the same text adds its lines");
}

#[test]
fn every_encoding_gives_the_tag_of_its_text() {
    let wide: Vec<u8> = "\u{feff}a \t\r\nb\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let tool = tool(MemoryFileSystem::new().with("wide", wide).with("mark", "\u{feff}a\nb\n"));
    for target in ["wide", "mark"] {
        assert_eq!(anchored(&tool, target).details.tag.as_deref(), Some("9111"), "{target}");
    }
}

#[test]
fn raw_wins_and_an_empty_file_has_a_header() {
    let tool = tool(MemoryFileSystem::new().with("f.txt", "a\n").with("none", ""));
    assert_eq!(anchored(&tool, "f.txt:raw").to_text(), "a\n");
    assert_eq!(anchored(&tool, "none").to_text(), "[none#E3B0]\n\n[File is empty]");
}

#[test]
fn a_text_that_gets_no_tag_is_numbered_all_the_same() {
    let tag = |content: &[u8], change: fn(&mut Limits)| {
        let mut limits = Limits::default();
        change(&mut limits);
        let files = MemoryFileSystem::new().with("f.txt", content);
        let tool = ReadTool::builder().workspace(files).limits(limits).build().unwrap();
        let output = anchored(&tool, "f.txt:1-1");
        assert_eq!(output.details.tag, None);
        assert!(tool.snapshots().is_empty());
        output.to_text()
    };
    let nothing = |_: &mut Limits| {};
    let long = "line\n".repeat(1_000_000);
    assert!(tag(long.as_bytes(), nothing).starts_with("1:line\n\n[No tag: the text is over 4.0MB]"));
    let lossy = tag(b"ok\nb\xff\n", nothing);
    assert!(lossy.starts_with("1:ok\n\n[No tag: the text was decoded with loss]"), "{lossy}");
    let nul = [b"ok\n".repeat(200), b"b\0\n".to_vec()].concat();
    assert!(tag(&nul, nothing).contains("[No tag: the text was decoded with loss]"));
    assert!(
        tag(b"ok\nok\n", |limits| limits.max_read_bytes = Some(4))
            .contains("[No tag: the file was cut at the read limit]")
    );
}

#[test]
fn a_line_shown_in_part_vouches_for_nothing() {
    let long = "x".repeat(60_000);
    let tool = tool(MemoryFileSystem::new().with("f.txt", format!("{long}\n")));
    let output = anchored(&tool, "f.txt");
    let tag = output.details.tag.unwrap();
    let check =
        tool.snapshots().check("f.txt", tag.parse().unwrap(), &[LineRange::new(1, 1).unwrap()], &long);
    assert!(matches!(check, Check::Unseen(_)), "{check:?}");
}
