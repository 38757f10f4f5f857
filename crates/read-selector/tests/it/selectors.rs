//! Printing a selector and parsing it gives the same selector.

use proptest::collection::vec;
use proptest::prelude::*;
use read_selector::{ByteSpan, Classified, LineRange, LineRanges, Lines, Selector, SelectorError, classify};
use std::num::NonZeroU64;

/// Small numbers, any number, and the ends of what a number can be.
fn number() -> impl Strategy<Value = u64> {
    prop_oneof![0..100u64, any::<u64>(), Just(u64::MAX), Just(u64::MAX - 1)]
}

fn positive() -> impl Strategy<Value = NonZeroU64> {
    number().prop_map(|n| NonZeroU64::new(n).unwrap_or(NonZeroU64::MIN))
}

fn range() -> impl Strategy<Value = LineRange> {
    (positive(), proptest::option::of(positive())).prop_filter_map("no range", |(a, b)| match b {
        Some(b) => LineRange::closed(a.min(b).get(), a.max(b).get()),
        None => LineRange::open(a.get()),
    })
}

fn lines() -> impl Strategy<Value = Lines> {
    prop_oneof![
        Just(Lines::All),
        vec(range(), 1..6).prop_filter_map("no ranges", |ranges| LineRanges::new(ranges).map(Lines::Ranges)),
        positive().prop_map(Lines::Tail),
    ]
}

fn span() -> impl Strategy<Value = ByteSpan> {
    (number(), proptest::option::of(positive())).prop_map(|(offset, len)| ByteSpan { offset, len })
}

fn selector() -> impl Strategy<Value = Selector> {
    prop_oneof![
        (lines(), any::<bool>()).prop_map(|(lines, raw)| Selector::Lines { lines, raw }),
        (positive(), number()).prop_map(|(line, column)| Selector::Position { line: line.get(), column }),
        span().prop_map(Selector::Bytes),
        proptest::option::of(span()).prop_map(Selector::Hex),
        Just(Selector::Stat),
    ]
}

proptest! {
    #[test]
    fn parsing_undoes_printing(selector in selector()) {
        let text = selector.to_string();
        prop_assert_eq!(text.parse(), Ok(selector.clone()));
        prop_assert_eq!(text.to_uppercase().parse(), Ok(selector.clone()));
        let expected = if text.is_empty() { Classified::Empty } else { Classified::Selector(selector) };
        prop_assert_eq!(classify(&text), expected);
    }

    #[test]
    fn what_parses_is_classified_as_a_selector(text in "[0-9lL@+.,:-]{0,8}|(raw|hex|stat|[0-9-]{1,4})(:[0-9@+-]{0,5})?") {
        let parsed: Result<Selector, SelectorError> = text.parse();
        match classify(&text) {
            Classified::Empty => prop_assert_eq!(text, ""),
            Classified::Selector(selector) => {
                prop_assert_eq!(selector.to_string().parse(), Ok(selector.clone()));
                prop_assert_eq!(parsed, Ok(selector));
            }
            Classified::Malformed(error) => prop_assert_eq!(parsed, Err(error)),
            Classified::NotSelector => prop_assert!(parsed.is_err()),
        }
    }
}
