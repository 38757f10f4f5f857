//! What is printed reads back as it was.

use proptest::prelude::*;
use read_hashline::{Header, Line, Printed, Tag, write_line};

const NASTY: [&str; 9] = ["", "…", "[f#9111]", "1:a", "a\r", "\u{2028}", "[No tag: x]", "  ", ":"];

fn line_text() -> impl Strategy<Value = String> {
    prop_oneof![prop::sample::select(NASTY.to_vec()).prop_map(str::to_owned), "[^\n]{0,20}"]
}

fn path() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z/#\\]\\[\\\\ .é]{1,20}", Just("a#ABCD]".to_owned()), Just("\\x1b\\n#0000".to_owned())]
}

fn tag() -> impl Strategy<Value = Tag> {
    "[0-9A-F]{4,64}".prop_map(|tag| tag.parse().unwrap())
}

proptest! {
    #[test]
    fn printing_and_reading_are_inverse(
        header in prop::option::of((path(), tag())),
        lines in prop::collection::vec((1_u64..4, line_text()), 0..12),
        start in prop_oneof![0_u64..20, Just(u64::MAX - 40)],
        notices in prop::collection::vec(prop_oneof!["\\[[a-z 0-9:.]{1,20}\\]", "[^\n]{0,20}"], 0..3),
    ) {
        let mut printed = Printed::new(header.map(|(path, tag)| Header::new(path, tag).unwrap()));
        let mut number = start;
        for (step, text) in &lines {
            number += step;
            printed.push_line(Line::new(number, text).unwrap()).unwrap();
        }
        for notice in &notices {
            let before = printed.notices().len();
            // What would read as something else is refused, and then not there.
            prop_assert_eq!(printed.push_notice(notice).is_ok(), printed.notices().len() > before);
        }
        let text = printed.to_string();
        prop_assert_eq!(Printed::parse(&text), Ok(printed.clone()));
        prop_assert_eq!(Printed::parse(text.strip_suffix('\n').unwrap_or(&text)), Ok(printed.clone()));
        for line in printed.lines() {
            prop_assert_eq!(printed.text_of(line.number()), Some(line.text()));
            prop_assert!(printed.shown().contains(line.number()));
        }
        prop_assert_eq!(printed.shown().count(), printed.lines().len() as u64);
    }

    #[test]
    fn a_file_shown_whole_reads_back_whole(
        path in path(),
        tag in tag(),
        lines in prop::collection::vec(line_text(), 0..20),
    ) {
        let mut output = format!("{}\n", Header::new(path.clone(), tag).unwrap());
        for (number, line) in (1..).zip(&lines) {
            write_line(&mut output, number, line).unwrap();
        }
        let printed = Printed::parse(&output).unwrap();
        prop_assert_eq!(printed.header().unwrap().path(), path);
        prop_assert_eq!(printed.header().unwrap().tag(), tag);
        let read: Vec<&str> = printed.lines().iter().map(Line::text).collect();
        prop_assert_eq!(read, lines);
        prop_assert!(printed.notices().is_empty());
    }

    #[test]
    fn no_text_makes_the_parser_fall(text in "(\\[|\\]|#|[0-9]|:|…|\n|a|[A-F]{4}){0,60}") {
        if let Ok(printed) = Printed::parse(&text) {
            let again = printed.to_string();
            prop_assert_eq!(Printed::parse(&again).map(|again| again.lines().to_vec()), Ok(printed.lines().to_vec()));
        }
    }
}
