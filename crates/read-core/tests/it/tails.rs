//! The last lines: from the end, numbered right, within the caps.

use proptest::prelude::*;
use read_core::{Cancel, LineStyle, TruncatedBy};

use super::{file, limited, numbers, read, request, text};

#[test]
fn the_last_lines() {
    let file = file("a\nb\nc\nd\ne\n");
    assert_eq!(text(&file, "f.txt:-2"), "d\ne\n");
    assert_eq!(text(&file, "f.txt:-50"), "a\nb\nc\nd\ne\n");
    assert_eq!(read(&file, "f.txt:-2").unwrap().details.shown, Some(vec![[4, 5]]));
}

#[test]
fn a_tail_over_the_caps_keeps_its_end() {
    let output = read(&file(numbers(9_000)), "f.txt:-5000").unwrap();
    let shown = output.to_text();
    assert!(shown.starts_with("7001\n"));
    assert!(
        shown.ends_with("\n9000\n\n[Showing lines 7001-9000 of 9000. Use :4001-7000 for the lines before.]")
    );
    let truncated = output.details.truncated.unwrap();
    assert_eq!(
        (truncated.by, truncated.next_target.as_deref().unwrap()),
        (TruncatedBy::Lines, "f.txt:4001-7000")
    );
    let by_bytes = limited(numbers(9_000), |limits| limits.max_bytes = Some(1_000));
    assert!(
        text(&by_bytes, "f.txt:-5000")
            .ends_with("[Showing lines 8801-9000 of 9000. Use :4001-8800 for the lines before.]")
    );
}

#[test]
fn a_tail_of_a_large_file_is_not_counted_unless_numbers_are_printed() {
    let pipeline = limited(numbers(100_000), |limits| limits.count_beyond = 1_000);
    let output = read(&pipeline, "f.txt:-2").unwrap();
    assert_eq!(output.to_text(), "99999\n100000\n");
    assert_eq!((output.details.shown, output.details.total_lines), (None, None));
    let request = request(|request| request.style = LineStyle::Numbered);
    let output = pipeline.read("f.txt:-2", &request, Cancel::new()).unwrap();
    assert_eq!(output.to_text(), "99999\t99999\n100000\t100000\n");
}

#[test]
fn a_giant_last_line_shows_its_start() {
    let shown = text(&file(format!("a\n{}", "x".repeat(500_000))), "f.txt:-1");
    assert!(
        shown.ends_with("[Line 2 is 488.3KB; showing its first 50.0KB. Use :@51202+51200 to continue.]"),
        "{}",
        &shown[shown.len() - 90..]
    );
}

proptest! {
    #[test]
    fn tails_agree_with_a_naive_reader(
        lines in proptest::collection::vec("[a-zé]{0,30}", 1..60),
        n in 1_usize..70,
        terminated: bool,
        wide: bool,
        cap in prop_oneof![Just(u64::MAX), 1_u64..400],
    ) {
        let mut content = lines.join("\n");
        if terminated || content.is_empty() {
            content.push('\n');
        }
        let total = content.lines().count();
        let kept: Vec<&str> = content.split_inclusive('\n').skip(total.saturating_sub(n)).collect();
        let bytes: Vec<u8> = if wide { content.encode_utf16().flat_map(u16::to_be_bytes).collect() } else { content.clone().into_bytes() };
        let bytes = if wide { [vec![0xFE, 0xFF], bytes].concat() } else { bytes };
        let pipeline = limited(bytes, |limits| limits.max_bytes = Some(cap));
        let output = read(&pipeline, &format!("f.txt:-{n}")).unwrap();
        let shown = output.to_text();
        // As many of them, from the end, as fit.
        let mut room = cap;
        let mut last = true;
        let fitting = kept.iter().rev().take_while(|line| {
            // The line end of the last one takes no room.
            let needed = if std::mem::take(&mut last) { line.trim_end_matches('\n').len() } else { line.len() } as u64;
            let fits = needed <= room;
            room = room.saturating_sub(line.len() as u64);
            fits
        }).count();
        if fitting > 0 {
            let body: String = kept[kept.len() - fitting..].concat();
            prop_assert!(shown.starts_with(&body), "{:?} {:?}", shown, body);
            prop_assert_eq!(output.details.shown, Some(vec![[(total - fitting + 1) as u64, total as u64]]));
        } else {
            prop_assert_eq!(output.details.truncated.map(|truncated| truncated.by), Some(TruncatedBy::Line));
        }
    }
}

#[test]
fn lines_before_a_giant_last_line_are_not_forgotten() {
    let shown = text(&file(format!("{}{}\n", numbers(100), "y".repeat(60_000))), "f.txt:-50");
    assert!(
        shown.contains(
            "\n[Showing lines 101-101 of 101. Use :52-100 for the lines before.]\n[Line 101 is 58.6KB;"
        ),
        "{}",
        &shown[shown.len() - 200..]
    );
}

#[test]
fn a_numbered_tail_that_cannot_be_counted_is_an_error() {
    let mut limits = read_core::Limits::default();
    limits.timeout = Some(std::time::Duration::ZERO);
    let request = request(|request| request.style = LineStyle::Numbered);
    let error = file(numbers(100)).with_limits(limits).read("f.txt:-3", &request, Cancel::new()).unwrap_err();
    assert_eq!(error.code(), read_core::ErrorCode::TimedOut);
}
