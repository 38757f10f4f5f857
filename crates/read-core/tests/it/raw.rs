//! `:raw` is the bytes as they lie.

use read_core::{Block, ErrorCode, Text};

use super::{file, numbers, read};

fn raw(content: &[u8], target: &str) -> (Vec<u8>, Vec<String>) {
    let mut output = read(&file(content), target).unwrap();
    assert_eq!(output.blocks.len(), 1);
    match output.blocks.remove(0) {
        Block::Text(Text::Raw(bytes)) => (bytes, output.details.notices),
        other => panic!("{other:?}"),
    }
}

#[test]
fn terminators_marks_and_faults_stay() {
    let with_a_nul = [b"line\n".repeat(100), b"a\0b\n".to_vec()].concat();
    for content in [&b"\xef\xbb\xbfa\r\nb"[..], b"a\xff\n", &with_a_nul, b"x\n\n\n"] {
        assert_eq!(raw(content, "f.txt:raw"), (content.to_vec(), vec![]));
    }
    assert_eq!(raw(b"a\r\nb\r\nc\r\n", "f.txt:raw:2-2").0, b"b\r\n");
    assert_eq!(raw(b"a\r\nb\r\nc\r\n", "f.txt:1-1,3-3:raw").0, b"a\r\nc\r\n");
    assert_eq!(raw(b"a\r\nb\r\nc", "f.txt:raw:-1").0, b"c");
    assert_eq!(raw(b"", "f.txt:raw").0, b"");
}

#[test]
fn caps_apply_and_are_told_in_the_details() {
    let (bytes, notices) = raw(numbers(3_000).as_bytes(), "f.txt:raw");
    assert_eq!(bytes, numbers(2_000).as_bytes());
    assert_eq!(notices, ["Showing lines 1-2000 of 3000. Use :raw:2001- to continue."]);
    let output = read(&file(numbers(3_000)), "f.txt:raw").unwrap();
    assert_eq!(output.details.truncated.unwrap().next_target.as_deref(), Some("f.txt:raw:2001-"));
}

#[test]
fn wide_text_keeps_its_encoding() {
    let bytes: Vec<u8> = "é\nb\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let content = [vec![0xFF, 0xFE], bytes].concat();
    assert_eq!(raw(&content, "f.txt:raw:2-2").0, b"b\0\n\0");
    let output = read(&file(content), "f.txt:raw:1-1").unwrap();
    assert_eq!(output.to_text(), "\u{feff}é\n", "where only text fits, it is decoded");
    assert!(!output.details.lossy);
}

#[test]
fn what_a_text_would_lose_is_told() {
    assert!(
        read(&file("ok\nb\u{e9}d\n".chars().map(|c| c as u8).collect::<Vec<_>>()), "f.txt:raw")
            .unwrap()
            .details
            .lossy
    );
}

#[test]
fn binary_content_is_refused_with_an_offer() {
    let error = read(&file([0_u8, 1, 2, 3, 4, 5, 6, 7].repeat(100)), "f.txt:raw").unwrap_err();
    assert_eq!(error.code(), ErrorCode::UnsupportedContent);
    assert_eq!(error.suggestions(), ["f.txt:hex"]);
}
