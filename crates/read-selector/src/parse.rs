//! From the text of a selector to its value.

use crate::bytes::ByteSpan;
use crate::error::{Fault, SelectorError};
use crate::range::{LineRange, LineRanges};
use crate::selector::{Lines, Selector};
use crate::span::{Extent, Number, Span};
use alloc::vec::Vec;
use core::num::NonZeroU64;

/// The words that are selectors, or start one; compared without case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Word {
    Raw,
    Hex,
    Stat,
}

impl Word {
    pub(crate) fn of(segment: &str) -> Option<Self> {
        [("raw", Self::Raw), ("hex", Self::Hex), ("stat", Self::Stat)]
            .into_iter()
            .find_map(|(name, word)| segment.eq_ignore_ascii_case(name).then_some(word))
    }
}

/// Parses `text`, a selector without its leading colon.
pub(crate) fn parse(text: &str) -> Result<Selector, SelectorError> {
    selector(text).map_err(|fault| fault.into_error(text))
}

fn selector(text: &str) -> Result<Selector, Fault<'_>> {
    // A fourth part is whatever follows three: no form has so many.
    let mut parts = text.splitn(4, ':');
    let first = parts.next().unwrap_or_default();
    match (parts.next(), parts.next(), parts.next()) {
        (None, ..) => one_part(first),
        (Some(second), None, _) => two_parts(first, second),
        // `file:4:2:` is what compilers print before their message.
        (Some(second), Some(""), None) => position(first, second),
        _ => Err(Fault::Malformed),
    }
}

fn one_part(part: &str) -> Result<Selector, Fault<'_>> {
    match Word::of(part) {
        Some(Word::Raw) => Ok(Selector::Lines { lines: Lines::All, raw: true }),
        Some(Word::Hex) => Ok(Selector::Hex(None)),
        Some(Word::Stat) => Ok(Selector::Stat),
        None if part.is_empty() => Ok(Selector::Lines { lines: Lines::All, raw: false }),
        None if part.starts_with('@') => byte_span(part).map(Selector::Bytes),
        None => lines(part).map(|lines| Selector::Lines { lines, raw: false }),
    }
}

fn two_parts<'a>(first: &'a str, second: &'a str) -> Result<Selector, Fault<'a>> {
    match (Word::of(first), Word::of(second)) {
        (Some(Word::Raw), None) => lines(second).map(|lines| Selector::Lines { lines, raw: true }),
        (None, Some(Word::Raw)) => lines(first).map(|lines| Selector::Lines { lines, raw: true }),
        (Some(Word::Hex), None) => byte_span(second).map(|span| Selector::Hex(Some(span))),
        // `file:12:` is what grep prints before the line.
        (None, None) if second.is_empty() => {
            line_number(first).and_then(open_range).map(|lines| Selector::Lines { lines, raw: false })
        }
        (None, None) => position(first, second),
        _ => Err(Fault::Malformed),
    }
}

fn position<'a>(line: &'a str, column: &'a str) -> Result<Selector, Fault<'a>> {
    let (line, column) = (line_number(line)?, Number::whole(column).ok_or(Fault::Malformed)?);
    match line.value()? {
        0 => Err(Fault::ZeroLine),
        line => Ok(Selector::Position { line, column: column.value()? }),
    }
}

/// A tail, or a list of ranges.
fn lines(text: &str) -> Result<Lines, Fault<'_>> {
    if let Some(count) = text.strip_prefix('-') {
        let count = line_number(count)?.value()?;
        return NonZeroU64::new(count).map(Lines::Tail).ok_or(Fault::ZeroCount(text));
    }
    let ranges = text.split(',').map(line_range).collect::<Result<Vec<_>, _>>()?;
    LineRanges::new(ranges).map(Lines::Ranges).ok_or(Fault::Malformed)
}

fn line_range(text: &str) -> Result<LineRange, Fault<'_>> {
    let span = Span::of(text, Number::line_prefix).ok_or(Fault::Malformed)?;
    let start = match span.start.value()? {
        0 => return Err(Fault::ZeroLine),
        start => start,
    };
    match span.extent {
        Extent::Open => LineRange::open(start).ok_or(Fault::ZeroLine),
        Extent::To(end) => LineRange::closed(start, end.value()?).ok_or(Fault::Reversed(text)),
        Extent::Count(count) => LineRange::counted(start, count.value()?).ok_or(Fault::ZeroCount(text)),
    }
}

fn open_range(start: Number<'_>) -> Result<Lines, Fault<'_>> {
    LineRange::open(start.value()?).map(Lines::from).ok_or(Fault::ZeroLine)
}

fn byte_span(text: &str) -> Result<ByteSpan, Fault<'_>> {
    let span =
        text.strip_prefix('@').and_then(|span| Span::of(span, Number::prefix)).ok_or(Fault::Malformed)?;
    let offset = span.start.value()?;
    match span.extent {
        Extent::Open => Ok(ByteSpan { offset, len: None }),
        Extent::To(last) => ByteSpan::inclusive(offset, last.value()?).ok_or(Fault::Reversed(text)),
        Extent::Count(count) => match NonZeroU64::new(count.value()?) {
            None => Err(Fault::ZeroCount(text)),
            len => Ok(ByteSpan { offset, len }),
        },
    }
}

/// A whole text that is one line number.
fn line_number(text: &str) -> Result<Number<'_>, Fault<'_>> {
    match Number::line_prefix(text) {
        Some((number, "")) => Ok(number),
        _ => Err(Fault::Malformed),
    }
}

#[cfg(test)]
mod tests {
    use super::parse;
    use crate::bytes::ByteSpan;
    use crate::error::{FORMS, SelectorErrorKind};
    use crate::range::{LineRange, LineRanges};
    use crate::selector::{Lines, Selector};
    use alloc::string::{String, ToString};
    use alloc::vec::Vec;
    use core::num::NonZeroU64;

    fn ranges(ranges: &[(u64, Option<u64>)]) -> Lines {
        let ranges = ranges.iter().map(|&(start, end)| LineRange::new(start, end).unwrap());
        Lines::Ranges(LineRanges::new(ranges).unwrap())
    }

    fn plain(lines: Lines) -> Selector {
        Selector::Lines { lines, raw: false }
    }

    fn raw(lines: Lines) -> Selector {
        Selector::Lines { lines, raw: true }
    }

    fn tail(count: u64) -> Lines {
        Lines::Tail(NonZeroU64::new(count).unwrap())
    }

    fn span(offset: u64, len: u64) -> ByteSpan {
        ByteSpan { offset, len: NonZeroU64::new(len) }
    }

    #[track_caller]
    fn assert_all(texts: &[&str], expected: &Selector) {
        for text in texts {
            assert_eq!(parse(text).as_ref(), Ok(expected), "{text}");
        }
    }

    #[track_caller]
    fn assert_fails(text: &str, kind: SelectorErrorKind, message: &str) {
        let error = parse(text).unwrap_err();
        assert_eq!((error.kind(), error.to_string().as_str()), (kind, message), "{text}");
    }

    #[test]
    fn from_a_line_to_the_end() {
        assert_all(
            &["7", "7-", "7..", "L7", "l7", "L7-", "l7..", "007", "7:", "L7:"],
            &plain(ranges(&[(7, None)])),
        );
    }

    #[test]
    fn from_a_line_to_another() {
        assert_all(
            &["10-20", "10..20", "L10-L20", "l10-20", "10-L20", "L10..l20", "10+11", "L10+11", "10+L11"],
            &plain(ranges(&[(10, Some(20))])),
        );
        assert_all(&["4-4", "4+1"], &plain(ranges(&[(4, Some(4))])));
    }

    #[test]
    fn a_count_saturates() {
        let expected = plain(ranges(&[(2, Some(u64::MAX))]));
        assert_all(&["2+18446744073709551615", "2-18446744073709551615"], &expected);
        assert_all(&["18446744073709551615"], &plain(ranges(&[(u64::MAX, None)])));
    }

    #[test]
    fn the_last_lines() {
        assert_all(&["-50", "-L50", "-l050"], &plain(tail(50)));
    }

    #[test]
    fn several_ranges_are_sorted_and_merged() {
        assert_all(
            &["1-5,9-12", "9-12,1-5", "1-3,2-5,9+4", "L9-L12,L1..L5"],
            &plain(ranges(&[(1, Some(5)), (9, Some(12))])),
        );
        assert_all(&["1-3,4-6"], &plain(ranges(&[(1, Some(6))])));
        assert_all(&["1-3,5-6"], &plain(ranges(&[(1, Some(3)), (5, Some(6))])));
        assert_all(&["5,9", "9,5", "5-,7-8"], &plain(ranges(&[(5, None)])));
    }

    #[test]
    fn verbatim() {
        assert_all(&["raw", "RAW", "Raw"], &raw(Lines::All));
        assert_all(&["raw:2-3", "2-3:raw", "RAW:L2..L3", "l2+2:Raw"], &raw(ranges(&[(2, Some(3))])));
        assert_all(&["raw:-5", "-5:raw"], &raw(tail(5)));
        assert_all(&["raw:2", "2:raw"], &raw(ranges(&[(2, None)])));
        assert_all(&["raw:1-2,8-9", "8-9,1-2:raw"], &raw(ranges(&[(1, Some(2)), (8, Some(9))])));
    }

    #[test]
    fn a_position_as_compilers_print_it() {
        assert_all(&["4:2", "4:2:", "L4:2", "04:02"], &Selector::Position { line: 4, column: 2 });
        assert_all(&["4:0"], &Selector::Position { line: 4, column: 0 });
    }

    #[test]
    fn bytes() {
        assert_all(&["@16+8", "@16-23", "@16..23"], &Selector::Bytes(span(16, 8)));
        assert_all(&["@5-5", "@5+1"], &Selector::Bytes(span(5, 1)));
        assert_all(&["@16", "@16-", "@16.."], &Selector::Bytes(ByteSpan { offset: 16, len: None }));
        assert_all(&["@0"], &Selector::Bytes(ByteSpan { offset: 0, len: None }));
        assert_all(&["@0-18446744073709551615"], &Selector::Bytes(span(0, u64::MAX)));
    }

    #[test]
    fn hex_and_stat() {
        assert_all(&["hex", "HEX"], &Selector::Hex(None));
        assert_all(&["hex:@0+256", "Hex:@0-255"], &Selector::Hex(Some(span(0, 256))));
        assert_all(&["hex:@9"], &Selector::Hex(Some(ByteSpan { offset: 9, len: None })));
        assert_all(&["stat", "STAT"], &Selector::Stat);
    }

    #[test]
    fn empty_text_selects_all() {
        assert_all(&[""], &plain(Lines::All));
    }

    #[test]
    fn line_0() {
        for text in
            ["0", "00", "L0", "0-", "0-5", "0..0", "0+3", "0+0", "0:", "0:3", "0:3:", "raw:0", "0:raw", "5,0"]
        {
            assert_fails(
                text,
                SelectorErrorKind::ZeroLine,
                "Line selector 0 is invalid; lines are 1-indexed. Use :1.",
            );
        }
    }

    #[test]
    fn no_lines_or_bytes() {
        for (text, message) in [
            ("3+0", "Invalid range 3+0: count must be >= 1."),
            ("L3+00", "Invalid range L3+00: count must be >= 1."),
            ("1-2,3+0,9", "Invalid range 3+0: count must be >= 1."),
            ("-0", "Invalid range -0: count must be >= 1."),
            ("raw:-0", "Invalid range -0: count must be >= 1."),
            ("@3+0", "Invalid range @3+0: count must be >= 1."),
            ("hex:@0+0", "Invalid range @0+0: count must be >= 1."),
        ] {
            assert_fails(text, SelectorErrorKind::ZeroCount, message);
        }
    }

    #[test]
    fn end_before_start() {
        for (text, message) in [
            ("5-2", "Invalid range 5-2: end must be >= start."),
            ("5-0", "Invalid range 5-0: end must be >= start."),
            ("L5..l2", "Invalid range L5..l2: end must be >= start."),
            ("1-3,5-2", "Invalid range 5-2: end must be >= start."),
            ("5-2:raw", "Invalid range 5-2: end must be >= start."),
            ("@9-3", "Invalid range @9-3: end must be >= start."),
            ("hex:@9-3", "Invalid range @9-3: end must be >= start."),
        ] {
            assert_fails(text, SelectorErrorKind::Reversed, message);
        }
    }

    #[test]
    fn numbers_beyond_u64() {
        let message = "Invalid selector: the number 18446744073709551616 is too large; \
                       the largest is 18446744073709551615.";
        for text in [
            "18446744073709551616",
            "0018446744073709551616",
            "1-18446744073709551616",
            "1+18446744073709551616",
            "-18446744073709551616",
            "1:18446744073709551616",
            "18446744073709551616:1",
            "18446744073709551616:",
            "@18446744073709551616",
            "@0+18446744073709551616",
            "hex:@0-18446744073709551616",
            "raw:18446744073709551616",
        ] {
            assert_fails(text, SelectorErrorKind::TooLarge, message);
        }
        let long = String::from("1") + &"0".repeat(30);
        assert_fails(
            &long,
            SelectorErrorKind::TooLarge,
            "Invalid selector: the number 100000000000… (31 digits) is too large; \
             the largest is 18446744073709551615.",
        );
    }

    #[test]
    fn malformed_lists_the_forms() {
        let error = parse("raw:raw").unwrap_err();
        assert_eq!(error.kind(), SelectorErrorKind::Malformed);
        assert_eq!(
            error.to_string(),
            "Invalid selector ':raw:raw'. Use one of: :10 or :10- (line 10 to the end), :10-20, \
             :10+5 (5 lines), :-50 (the last 50), :1-5,9-12, :raw, :raw:10-20 (verbatim), :@0+4096 (bytes), \
             :hex, :hex:@0+256, :stat, :10:5 (line:column)."
        );
    }

    #[test]
    fn a_message_is_one_bounded_line() {
        let hostile = String::from("1\n[End]\u{202e}\u{1b}[2J:") + &"9:".repeat(1 << 15);
        let message = parse(&hostile).unwrap_err().to_string();
        assert!(message.starts_with(r"Invalid selector ':1\n[End]\u{202e}\x1b[2J:9:9"), "{message}");
        assert!(message.chars().count() < 120 + FORMS.len(), "{message}");
        assert!(!message.contains(char::is_control), "{message}");
    }

    #[test]
    fn every_form_in_the_list_of_forms_is_one() {
        let examples: Vec<&str> = FORMS
            .split([' ', '('])
            .filter_map(|word| word.strip_prefix(':'))
            .map(|word| word.trim_end_matches(','))
            .collect();
        assert_eq!(examples.len(), 13, "{examples:?}");
        for example in examples {
            assert!(parse(example).is_ok(), "{example}");
        }
        assert!(!FORMS.contains('\n') && !FORMS.ends_with('.'));
    }
}
