//! Texts that are empty, huge, repetitive, or odd at their ends.

use read_hashline::{
    Capture, Check, Digest, Limits, LineRange, LineSet, NoTag, NormalText, SnapshotStore, Tagger, locate,
};

fn range(first: u64, last: u64) -> LineRange {
    LineRange::new(first, last).unwrap()
}

const TEXT_LIMIT: usize = Limits::DEFAULT.text_bytes;

fn recorded(text: &str) -> (SnapshotStore, read_hashline::Tag) {
    let store = SnapshotStore::default();
    let text = NormalText::new(text);
    let tag = store.record("f", &text, &text.all_lines()).unwrap();
    (store, tag)
}

#[test]
fn an_empty_file_has_a_tag_and_no_line() {
    let (store, tag) = recorded("");
    assert_eq!(store.check("f", tag, &[], ""), Check::Fresh);
    assert!(store.check("f", tag, &[], "\u{FEFF}").is_fresh());
    assert_eq!(store.check("f", tag, &[range(1, 1)], ""), Check::Unseen(range(1, 1).into()));
    assert_eq!(store.check("f", tag, &[], "a"), Check::Drifted { moved: vec![] });
    assert!(!store.check("f", tag, &[], "a").is_fresh());
}

#[test]
fn texts_that_differ_only_in_blanks_are_one() {
    let (store, tag) = recorded("a\nb\rc\n");
    for text in ["a \nb\rc\t\r\n", "\u{FEFF}a\r\nb\rc\n", "a\nb\rc \n"] {
        assert_eq!(store.check("f", tag, &[range(1, 2)], text), Check::Fresh, "{text:?}");
        let text = NormalText::new(text);
        assert_eq!(store.record("f", &text, &text.all_lines()), Ok(tag));
    }
    assert_eq!(store.len(), 1);
    for text in ["a\nb\rc", "a\nbc\n", "a\nb\r\nc\n", "a\n b\rc\n"] {
        assert!(matches!(store.check("f", tag, &[], text), Check::Drifted { .. }), "{text:?}");
    }
}

#[test]
fn a_last_line_of_blanks_is_a_line_that_was_shown() {
    let store = SnapshotStore::default();
    let (with, without) = (NormalText::new("a\n \t"), NormalText::new("a\n"));
    let tag = store.record("f", &without, &without.all_lines()).unwrap();
    assert_eq!(store.check("f", tag, &[range(2, 2)], "a\n"), Check::Unseen(range(2, 2).into()));
    assert_eq!(store.record("f", &with, &with.all_lines()), Ok(tag));
    assert_eq!(store.check("f", tag, &[range(2, 2)], "a\n \t"), Check::Fresh);
    let Check::Drifted { moved } = store.check("f", tag, &[range(1, 1), range(2, 2)], "b\na\n") else {
        panic!()
    };
    assert_eq!(moved.iter().map(|moved| moved.to).collect::<Vec<_>>(), [Some(range(2, 2)), None]);
}

#[test]
fn a_final_line_feed_moves_no_line() {
    let (store, tag) = recorded("a\nb");
    let Check::Drifted { moved } = store.check("f", tag, &[range(2, 2)], "a\nb\n") else { panic!() };
    assert_eq!(moved[0].to, Some(range(2, 2)));
}

#[test]
fn blanks_without_end_take_no_memory_and_no_time() {
    let (blanks, mut tagger) = (" \t\r ".repeat(1 << 14), Tagger::new());
    tagger.update("a");
    for _ in 0..1 << 10 {
        tagger.update(&blanks);
    }
    let mut interior = tagger.clone();
    interior.update("b");
    tagger.update("\n");
    assert_eq!(tagger.finish(), Digest::of("a\n"));
    assert_ne!(interior.finish(), Digest::of("ab"));
}

#[test]
fn a_text_over_the_limit_has_no_tag_and_one_of_that_size_has() {
    let mut capture = Capture::new();
    let line = "x".repeat(1023) + "\n";
    for _ in 0..TEXT_LIMIT / line.len() {
        capture.update(&line);
    }
    assert_eq!(capture.clone().finish().unwrap().decoded_bytes(), TEXT_LIMIT);
    capture.update(" ");
    assert_eq!(capture.finish(), Err(NoTag::TooLarge { limit: TEXT_LIMIT }));

    let store = SnapshotStore::default();
    let text = NormalText::new(&" ".repeat(TEXT_LIMIT + 1));
    let refused = store.record("f", &text, &text.all_lines());
    assert_eq!(refused, Err(NoTag::TooLarge { limit: TEXT_LIMIT }));
    let mut limits = Limits::DEFAULT;
    limits.total_bytes = 3;
    let small = SnapshotStore::new(limits);
    assert_eq!(
        small.record("f", &NormalText::new("abcd"), &LineSet::new()),
        Err(NoTag::TooLarge { limit: 3 })
    );
    assert!(store.is_empty() && small.is_empty());
}

#[test]
fn a_capture_that_was_given_up_says_the_first_reason() {
    let mut capture = Capture::new();
    capture.update("a");
    capture.refuse(NoTag::Lossy);
    capture.refuse(NoTag::ReadLimit);
    capture.update("b");
    assert_eq!(capture.finish(), Err(NoTag::Lossy));
    let mut broken = Capture::new();
    broken.update_bytes(b"a\xFFb");
    assert_eq!(broken.finish(), Err(NoTag::Lossy));
}

#[test]
fn lines_of_a_million_line_file_are_found() {
    let lines: Vec<String> =
        (0..500_000).map(|line| if line % 3 == 0 { "}".into() } else { format!("{line:x}") }).collect();
    let old = lines.join("\n") + "\n";
    assert!(old.len() < TEXT_LIMIT);
    let mut changed = lines;
    changed.insert(10, "new".into());
    changed.remove(400_000);
    let live = changed.join("\r\n") + "\r\nmore\r\n".repeat(500_000).as_str();
    let (store, tag) = recorded(&old);
    let asked = [range(5, 8), range(300_000, 300_100), range(399_990, 400_010), range(500_000, 500_000)];
    let Check::Drifted { moved } = store.check("f", tag, &asked, &live) else { panic!() };
    let to: Vec<Option<LineRange>> = moved.iter().map(|moved| moved.to).collect();
    assert_eq!(to, [Some(range(5, 8)), Some(range(300_001, 300_101)), None, Some(range(500_000, 500_000))]);
}

/// Texts of few different lines in no order keep general diffs busy for minutes. Whatever is found has the lines.
#[test]
fn texts_made_to_be_hard_are_answered() {
    let mut seed = 1_u64;
    let mut noise = |lines: usize, kinds: u64| -> String {
        let lines = (0..lines).map(|_| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            char::from(b'a' + u8::try_from((seed >> 33) % kinds).unwrap())
        });
        lines.flat_map(|line| [line, '\n']).collect()
    };
    let same = "a\n".repeat(100_000);
    let asked: Vec<LineRange> = (0..1000).map(|line| range(line * 100 + 1, line * 100 + 80)).collect();
    for (old, new) in [
        (noise(100_000, 2), noise(100_000, 2)),
        (noise(100_000, 26), noise(100_000, 26)),
        (same.clone(), "a\n".repeat(99_999)),
        (same.clone(), format!("{same}b\n{same}")),
        (format!("{same}b\n{same}"), format!("b\n{same}")),
    ] {
        let (olds, news): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
        for moved in locate(&old, &new, &asked) {
            let Some(to) = moved.to else { continue };
            let lines = |lines: &[&str], range: LineRange| {
                let [first, last] = [range.first(), range.last()].map(|line| usize::try_from(line).unwrap());
                lines[first - 1..last].concat()
            };
            assert_eq!(lines(&olds, moved.from), lines(&news, to));
        }
    }
}
