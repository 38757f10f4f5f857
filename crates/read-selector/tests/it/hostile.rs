//! No text makes the crate panic, and none makes a message long or many-lined.

use proptest::prelude::*;
use read_selector::{Classified, FORMS, classify, cuts, head};

/// The length of the longest target that a read takes.
const LONGEST: usize = 64 * 1024;

/// Texts near the grammar, and anything else.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        r"[0-9lL@+.,:?-]{0,40}",
        r"(raw|HEX|stat|@?[0-9]{1,30}|-[0-9]{1,3})[:,+.-]{0,3}\PC{0,8}",
    ]
}

/// The message, when `text` is malformed.
fn run(text: &str) -> Option<String> {
    let _ = head(text).len();
    let _ = cuts(text).count();
    match classify(text) {
        Classified::Malformed(error) => Some(error.to_string()),
        _ => None,
    }
}

proptest! {
    #[test]
    fn nothing_panics_and_messages_are_one_bounded_line(text in text()) {
        if let Some(message) = run(&text) {
            prop_assert!(message.chars().count() <= 150 + FORMS.len(), "{}", message);
            prop_assert!(!message.contains(char::is_control), "{}", message);
        }
    }
}

#[test]
fn long_repetitive_targets_are_read_to_their_end() {
    for unit in
        [":", "?", "1,", "1:", "-", "9", "0", "1-1,3-3,", "raw:", "@", "@1,", "L", "a:1", "a?b:", "..", "é:"]
    {
        let text = unit.repeat(LONGEST / unit.len());
        let separators = text.bytes().skip(1).filter(|b| matches!(b, b':' | b'?')).count();
        assert_eq!(cuts(&text).count(), separators + 1, "{unit:?}");
        assert!(!head(&text).is_empty(), "{unit:?}");
        assert!(run(&text).is_none_or(|message| message.chars().count() <= 150 + FORMS.len()), "{unit:?}");
    }
}

#[test]
fn a_list_as_long_as_a_target_is_a_selector() {
    let mut text = String::new();
    let mut ranges = 0;
    for line in (1..).step_by(2) {
        let more = format!("{line}-{line},");
        if text.len() + more.len() > LONGEST {
            break;
        }
        text.insert_str(0, &more);
        ranges += 1;
    }
    let Classified::Selector(read_selector::Selector::Lines {
        lines: read_selector::Lines::Ranges(found),
        ..
    }) = classify(text.trim_end_matches(','))
    else {
        panic!("a list of ranges");
    };
    assert_eq!(found.len(), ranges);
}
