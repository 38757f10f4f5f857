//! Encodings: by mark, by content, by argument; faults are counted and named.

use read_core::{Cancel, ErrorCode};

use super::{file, read, request, text};

#[test]
fn marks_are_not_shown() {
    assert_eq!(
        text(&file("\u{feff}a\n\u{feff}b\n"), "f.txt:1-1"),
        "a\n\n[1 more line in file. Use :2- to continue.]"
    );
    let utf32: Vec<u8> = "\u{feff}hé\n".chars().flat_map(|c| u32::from(c).to_be_bytes()).collect();
    assert_eq!(text(&file(utf32), "f.txt"), "hé\n\n[Decoded from UTF-32BE]");
}

#[test]
fn faults_are_counted_over_the_lines_shown() {
    let file = file(b"ok\nb\xffd\xff\nok\n");
    assert_eq!(
        text(&file, "f.txt"),
        "ok\nb\u{fffd}d\u{fffd}\nok\n\n[2 invalid UTF-8 sequences shown as U+FFFD]"
    );
    assert_eq!(text(&file, "f.txt:3"), "ok\n");
    assert!(read(&file, "f.txt").unwrap().details.lossy);
    assert!(!read(&file, "f.txt:3").unwrap().details.lossy);
}

#[test]
fn nuls_are_shown_and_nothing_is_cut() {
    let content = format!("{}a\0b\nend\n", "line\n".repeat(100));
    let file = file(content);
    assert_eq!(text(&file, "f.txt:101-"), "a␀b\nend\n\n[1 NUL byte shown as ␀]");
}

#[test]
fn the_argument_beats_the_detector_and_a_mark_beats_the_argument() {
    let gbk = request(|request| request.encoding = Some("gbk".into()));
    let shown = file(b"\xc4\xe3\xba\xc3\n").read("f.txt", &gbk, Cancel::new()).unwrap();
    assert_eq!(shown.to_text(), "你好\n\n[Decoded from GBK]");
    let marked = file("\u{feff}é\n").read("f.txt", &gbk, Cancel::new()).unwrap();
    assert_eq!(marked.to_text(), "é\n");
}

#[test]
fn an_encoding_that_is_unknown_or_does_not_fit_is_an_error() {
    let read = |label: &str, content: &[u8]| {
        let request = request(|request| request.encoding = Some(label.into()));
        file(content).read("f.txt", &request, Cancel::new()).unwrap_err()
    };
    let unknown = read("klingon", b"a");
    assert_eq!(unknown.code(), ErrorCode::InvalidArguments);
    assert!(unknown.message().starts_with("encoding: 'klingon' is not a known encoding."));
    let misfit = read("utf-8", b"ok\nab\xff\n");
    assert_eq!(misfit.code(), ErrorCode::InvalidArguments);
    assert!(misfit.message().contains("not UTF-8 at byte 5"), "{misfit}");
}

#[test]
fn every_window_of_a_file_is_decoded_alike() {
    // Legacy text in the first 64 KiB, plain ASCII behind it.
    let (head, (), ()) = encoding_rs_text();
    let content = [head, b"plain\n".repeat(20_000)].concat();
    let file = file(content);
    for target in ["f.txt:1-1", "f.txt:10000-10000", "f.txt:-1"] {
        assert_eq!(read(&file, target).unwrap().details.encoding, Some("windows-1252"), "{target}");
    }
}

/// German in Windows-1252, by hand: its letters above 0x7F are their code points.
fn encoding_rs_text() -> (Vec<u8>, (), ()) {
    let line = "Größe über Maß, naïve façade\n";
    (line.repeat(100).chars().map(|c| c as u8).collect(), (), ())
}

#[test]
fn line_ends_are_told() {
    for (content, ending) in
        [("a\n", Some("lf")), ("a\r\nb\r\n", Some("crlf")), ("a\r\nb\n", Some("mixed")), ("a", None)]
    {
        assert_eq!(read(&file(content), "f.txt").unwrap().details.line_ending, ending, "{content:?}");
    }
    let wide: Vec<u8> = "\u{feff}a\r\nb\r\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(read(&file(wide), "f.txt").unwrap().details.line_ending, Some("crlf"));
}
