//! The notices, to the letter.

use read_core::{Cancel, ErrorCode, Large, TruncatedBy};

use super::{file, limited, numbers, read, request, text};

#[test]
fn the_line_cap() {
    let output = read(&file(numbers(3_000)), "f.txt").unwrap();
    assert!(
        output.to_text().ends_with("\n2000\n\n[Showing lines 1-2000 of 3000. Use offset=2001 to continue.]")
    );
    let truncated = output.details.truncated.unwrap();
    assert_eq!(
        (truncated.by, truncated.next, truncated.next_target.as_deref().unwrap()),
        (TruncatedBy::Lines, 2001, "f.txt:2001-")
    );
    assert_eq!(output.details.notices, ["Showing lines 1-2000 of 3000. Use offset=2001 to continue."]);
}

#[test]
fn the_line_cap_keeps_the_callers_end() {
    let file = file(numbers(9_000));
    assert!(
        text(&file, "f.txt:1-5000").ends_with("[Showing lines 1-2000 of 9000. Use :2001-5000 to continue.]")
    );
    let request = request(|request| (request.offset, request.limit) = (Some(1), Some(5_000)));
    let output = file.read("f.txt", &request, Cancel::new()).unwrap();
    assert!(
        output
            .to_text()
            .ends_with("[Showing lines 1-2000 of 9000. Use offset=2001, limit=3000 to continue.]")
    );
}

#[test]
fn the_byte_cap() {
    let line = "x".repeat(100) + "\n";
    let text = text(&file(line.repeat(1_000)), "f.txt");
    assert!(text.ends_with("\n\n[Showing lines 1-506 of 1000 (50.0KB limit). Use offset=507 to continue.]"));
}

#[test]
fn the_callers_own_window() {
    let file = file("a\nb\nc\nd\ne\n");
    assert_eq!(text(&file, "f.txt:2-3"), "b\nc\n\n[2 more lines in file. Use :4- to continue.]");
    assert_eq!(text(&file, "f.txt:2-4"), "b\nc\nd\n\n[1 more line in file. Use :5- to continue.]");
    assert_eq!(text(&file, "f.txt:2-5"), "b\nc\nd\ne\n");
    assert_eq!(text(&file, "f.txt:2-50"), "b\nc\nd\ne\n");
}

#[test]
fn a_line_over_the_cap() {
    let one = "x".repeat(200_000);
    let output = read(&file(one.clone()), "f.txt").unwrap();
    let shown = output.to_text();
    assert!(
        shown.ends_with("\n\n[Line 1 is 195.3KB; showing its first 50.0KB. Use :@51200+51200 to continue.]")
    );
    assert!(shown.starts_with(&one[..51_200]) && !shown.starts_with(&one[..51_201]));
    let truncated = output.details.truncated.unwrap();
    assert_eq!(
        (truncated.by, truncated.next, truncated.next_target.as_deref().unwrap()),
        (TruncatedBy::Line, 51_200, "f.txt:@51200+51200")
    );

    let more = file(format!("a\n{one}\r\nb\n"));
    assert!(text(&more, "f.txt:2").ends_with(
        "[Line 2 is 195.3KB; showing its first 50.0KB. Use :@51202+51200 to continue. Use :3- for the next line.]"
    ));
    assert!(
        text(&more, "f.txt")
            .starts_with("a\n\n[Showing lines 1-1 of 3 (50.0KB limit). Use offset=2 to continue.]")
    );
}

#[test]
fn a_line_that_is_cut_inside_a_character() {
    let pipeline = limited("é".repeat(100), |limits| limits.max_bytes = Some(25));
    let shown = text(&pipeline, "f.txt");
    assert!(
        shown.starts_with(&format!(
            "{}\n\n[Line 1 is 200B; showing its first 25B. Use :@24+25",
            "é".repeat(12)
        )),
        "{shown}"
    );
}

#[test]
fn beyond_the_end() {
    let file = file("a\nb\nc\nd\ne\n");
    assert_eq!(
        text(&file, "f.txt:50"),
        "Line 50 is beyond end of file (5 lines total). Use :1 to read from the start, or :5 to read the last line."
    );
    let request = request(|request| request.offset = Some(50));
    let error = file.read("f.txt", &request, Cancel::new()).unwrap_err();
    assert_eq!(error.code(), ErrorCode::InvalidArguments);
    assert_eq!(error.message(), "Offset 50 is beyond end of file (5 lines total). Use offset=1 to 5.");
}

#[test]
fn an_empty_file_says_so_whatever_is_asked() {
    for content in ["", "\u{feff}"] {
        let file = file(content);
        for target in ["f.txt", "f.txt:5", "f.txt:-3", "f.txt:1-2,7-9"] {
            assert_eq!(text(&file, target), "[File is empty]", "{target}");
        }
        assert_eq!(read(&file, "f.txt").unwrap().details.total_lines, Some(0));
    }
}

#[test]
fn several_ranges() {
    let file = file("a\nb\nc\nd\ne\n");
    assert_eq!(
        text(&file, "f.txt:1-2,4-4,90-99"),
        "a\nb\n\n…\n\nd\n[Range 90-99 is beyond end of file (5 lines total); skipped]\n"
    );
    assert_eq!(text(&file, "f.txt:4-5,1-2,2-3"), "a\nb\nc\nd\ne\n");
    assert_eq!(text(&file, "f.txt:1-1,3-3"), "a\n\n…\n\nc\n");
    assert!(text(&file, "f.txt:70-71,90-99").starts_with("Line 70 is beyond end of file (5 lines total)."));
}

#[test]
fn several_ranges_over_the_caps() {
    let file = file(numbers(9_000));
    let output = read(&file, "f.txt:1-1500,3000-4500,8000-8001").unwrap();
    assert!(output.to_text().ends_with(
        "\n3499\n\n[Output truncated: showing 2000 of 3003 selected lines. Use :3500-4500,8000-8001 to continue.]"
    ));
    assert_eq!(output.details.truncated.unwrap().next_target.as_deref(), Some("f.txt:3500-4500,8000-8001"));
    // The cap falls between two ranges: no separator is left hanging.
    let shown = text(&file, "f.txt:1-2000,3000-3001");
    assert!(shown.ends_with(
        "\n2000\n\n[Output truncated: showing 2000 of 2002 selected lines. Use :3000-3001 to continue.]"
    ));
}

#[test]
fn a_compilers_position() {
    let shown = text(&file("a\nb\nc\nd\ne\n"), "f.txt:4:2");
    assert_eq!(shown, "d\ne\n\n[Column 2 ignored: reading from line 4]");
}

#[test]
fn what_lies_far_beyond_a_window_is_not_counted() {
    let pipeline = limited(numbers(100_000), |limits| limits.count_beyond = 1_000);
    let output = read(&pipeline, "f.txt:1-2").unwrap();
    assert_eq!(output.to_text(), "1\n2\n\n[575.1KB more in file. Use :3- to continue.]");
    assert_eq!(output.details.total_lines, None);
    let whole = limited(numbers(100_000), |limits| limits.count_limit = 1_000);
    let shown = text(&whole, "f.txt");
    assert!(
        shown.ends_with("[Showing lines 1-2000 of a 575.1KB file. Use offset=2001 to continue.]"),
        "{}",
        &shown[shown.len() - 80..]
    );
}

#[test]
fn a_large_file_can_be_described() {
    let describe = |content: String| limited(content, |limits| limits.large = Large::Describe);
    let large = describe(numbers(3_000));
    assert_eq!(
        text(&large, "f.txt"),
        "[f.txt: 3000 lines, 13.6KB. Too large to show without a window. Use :1-200, or offset and limit.]"
    );
    assert!(text(&large, "f.txt:10-12").starts_with("10\n11\n12\n"));
    assert!(text(&describe(numbers(1_000)), "f.txt").starts_with("1\n2\n"));
    assert!(text(&describe("x".repeat(60_000)), "f.txt").contains("1 line, 58.6KB"));
}

#[test]
fn order_is_how_opened_how_decoded_what_is_odd_then_the_call() {
    let mut bytes: Vec<u8> = "é\u{202e}\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    bytes.extend("x\n".repeat(3_000).encode_utf16().flat_map(u16::to_le_bytes));
    bytes.splice(0..0, [0xFF, 0xFE]);
    let request = request(|request| request.offset = Some(9));
    let shown = file(bytes).read("f.txt:1-2", &request, Cancel::new()).unwrap().to_text();
    let notices: Vec<&str> = shown.lines().filter(|line| line.starts_with('[')).collect();
    assert_eq!(
        notices,
        [
            "[offset and limit ignored: the selector :1-2 sets the window]",
            "[Decoded from UTF-16LE]",
            "[Invisible or bidirectional characters on lines 1]",
            "[2999 more lines in file. Use :3- to continue.]",
        ]
    );
}

#[test]
fn bare_carriage_returns_are_one_line() {
    let output = read(&file("a\rb\rc\r"), "f.txt").unwrap();
    assert!(output.to_text().ends_with("[File uses bare CR line ends; it is one line here]"));
    assert_eq!(output.details.line_ending, Some("cr"));
}

#[test]
fn a_line_over_the_cap_in_a_list_goes_on_with_the_list() {
    let content = format!("{}\nbb\ncc\n", "a".repeat(20));
    let pipeline = limited(content, |limits| limits.max_bytes = Some(5));
    assert!(
        text(&pipeline, "f.txt:1-1,3-3").ends_with("Use :@5+5 to continue. Use :3-3 for the next line.]")
    );
    assert!(text(&pipeline, "f.txt:1-2").ends_with("Use :2-2 for the next line.]"));
    assert!(text(&pipeline, "f.txt:1-1").ends_with("Use :2- for the next line.]"));
}

#[test]
fn a_line_of_exactly_the_cap_is_no_long_line() {
    let pipeline = limited("abcde\nfghij\n", |limits| limits.max_bytes = Some(5));
    assert_eq!(
        text(&pipeline, "f.txt"),
        "abcde\n\n[Showing lines 1-1 of 2 (5B limit). Use offset=2 to continue.]"
    );
}

#[test]
fn a_bare_number_in_a_list_says_what_it_means() {
    let shown = text(&file("a\nb\nc\n"), "f.txt:1,3-3");
    assert_eq!(shown, "a\nb\nc\n\n[1 in a list is line 1 to the end; write 1-1 for that line alone]");
}

#[test]
fn a_query_is_not_quoted_with_a_colon() {
    let error = read(&file("a\n"), "f.txt?x=1").unwrap_err();
    assert!(error.message().starts_with("'f.txt' exists, but '?x=1' is not a selector for it."), "{error}");
}

#[test]
fn a_long_first_line_is_no_proof_of_bare_carriage_returns() {
    let content = format!("{}\n{}", "x\r".repeat(40_000), "line\n".repeat(10));
    let output = read(&file(content), "f.txt:2").unwrap();
    assert_eq!(output.details.line_ending, Some("lf"));
    assert!(!output.to_text().contains("bare CR"));
}
