//! A set of line ranges is exactly the union of the ranges it was made of.

use proptest::collection::vec;
use proptest::prelude::*;
use read_selector::{LineRange, LineRanges};

/// Lines are looked at up to this one; ranges start and end below it.
const UNIVERSE: u64 = 40;

fn range() -> impl Strategy<Value = LineRange> {
    (1..UNIVERSE, proptest::option::weighted(0.8, 0..10u64))
        .prop_filter_map("no range", |(start, more)| LineRange::new(start, more.map(|more| start + more)))
}

fn lines(ranges: &[LineRange]) -> Vec<u64> {
    (1..=UNIVERSE + 10).filter(|&line| ranges.iter().any(|range| range.contains(line))).collect()
}

proptest! {
    #[test]
    fn a_set_is_the_union_of_its_ranges(ranges in vec(range(), 1..8)) {
        let set = LineRanges::new(ranges.iter().copied()).unwrap();
        let listed: Vec<_> = set.iter().collect();
        prop_assert_eq!(lines(&listed), lines(&ranges));
        let contained: Vec<u64> = (1..=UNIVERSE + 10).filter(|&line| set.contains(line)).collect();
        prop_assert_eq!(contained, lines(&ranges));
        prop_assert_eq!(listed.last().unwrap().end().is_none(), ranges.iter().any(|range| range.end().is_none()));
    }

    #[test]
    fn a_set_is_sorted_and_merged(ranges in vec(range(), 1..8)) {
        let set = LineRanges::new(ranges).unwrap();
        let listed: Vec<_> = set.iter().collect();
        prop_assert_eq!(listed.len(), set.len());
        for pair in listed.windows(2) {
            prop_assert!(pair[0].end().is_some_and(|end| end + 1 < pair[1].start()), "{:?}", pair);
        }
        // Making it again changes nothing.
        prop_assert_eq!(LineRanges::new(set.iter()), Some(set.clone()));
    }

    #[test]
    fn counts_agree_with_counting(ranges in vec(range(), 1..8), total in 0..=UNIVERSE + 10) {
        let set = LineRanges::new(ranges).unwrap();
        let counted = (1..=total).filter(|&line| set.contains(line)).count() as u64;
        prop_assert_eq!(set.line_count_within(total), counted);
        let whole = (1..=UNIVERSE + 10).filter(|&line| set.contains(line)).count() as u64;
        prop_assert_eq!(set.line_count(), set.last().end().map_or(u64::MAX, |_| whole));
    }

    #[test]
    fn what_is_left_from_a_line_is_the_lines_from_there(ranges in vec(range(), 1..8), from in 0..=UNIVERSE + 10) {
        let set = LineRanges::new(ranges).unwrap();
        let left: Vec<u64> = (from.max(1)..=UNIVERSE + 10).filter(|&line| set.contains(line)).collect();
        let rest = set.from_line(from);
        let listed: Vec<_> = rest.iter().flat_map(LineRanges::iter).collect();
        prop_assert_eq!(lines(&listed), left);
        prop_assert!(rest.is_none_or(|rest| rest.first().start() >= from));
    }
}
