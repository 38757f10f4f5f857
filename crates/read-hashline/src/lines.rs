//! Sets of line numbers, as ranges.

use std::fmt;

/// Lines `first` to `last`, both included, counted from 1. Never empty.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineRange {
    first: u64,
    last: u64,
}

impl LineRange {
    /// The lines from `first` to `last`; `None` where that is no line: `first` is 0 or behind `last`.
    #[must_use]
    pub const fn new(first: u64, last: u64) -> Option<Self> {
        if first == 0 || first > last { None } else { Some(Self { first, last }) }
    }

    /// One line, counted from 1; `None` for 0.
    #[must_use]
    pub const fn line(number: u64) -> Option<Self> {
        Self::new(number, number)
    }

    /// The first line.
    #[must_use]
    pub const fn first(&self) -> u64 {
        self.first
    }

    /// The last line.
    #[must_use]
    pub const fn last(&self) -> u64 {
        self.last
    }

    /// How many lines there are, at least 1.
    #[must_use]
    pub const fn count(&self) -> u64 {
        // At most u64::MAX: the first line is 1 or more.
        self.last - self.first + 1
    }

    /// Whether the line is one of them.
    #[must_use]
    pub const fn contains(&self, line: u64) -> bool {
        self.first <= line && line <= self.last
    }

    /// Whether they overlap or one begins right behind the other.
    const fn touches(&self, other: &Self) -> bool {
        self.first <= other.last.saturating_add(1) && other.first <= self.last.saturating_add(1)
    }
}

/// Prints as `7` or `3-9`.
impl fmt::Display for LineRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.first == self.last {
            write!(f, "{}", self.first)
        } else {
            write!(f, "{}-{}", self.first, self.last)
        }
    }
}

impl fmt::Debug for LineRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A set of lines, kept as the fewest ranges in order: they neither overlap nor touch. Its size follows the number
/// of ranges, not of lines.
///
/// ```
/// # use read_hashline::{LineRange, LineSet};
/// let mut shown: LineSet = [LineRange::new(1, 3), LineRange::new(7, 9)].into_iter().flatten().collect();
/// shown.extend(LineRange::new(4, 5));
/// assert_eq!(shown.to_string(), "1-5, 7-9");
/// assert!(shown.contains(5) && !shown.contains(6));
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct LineSet {
    ranges: Vec<LineRange>,
}

impl LineSet {
    /// No line.
    #[must_use]
    pub const fn new() -> Self {
        Self { ranges: Vec::new() }
    }

    /// The ranges, in order, with at least one line between them.
    #[must_use]
    pub fn ranges(&self) -> &[LineRange] {
        &self.ranges
    }

    /// Whether there is no line in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// How many lines there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.ranges.iter().fold(0, |sum, range| sum.saturating_add(range.count()))
    }

    /// Whether the line is in it.
    #[must_use]
    pub fn contains(&self, line: u64) -> bool {
        let behind = self.ranges.partition_point(|range| range.last < line);
        self.ranges.get(behind).is_some_and(|range| range.contains(line))
    }

    /// The lines that are in both.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let mut ranges = Vec::new();
        let (mut ours, mut theirs) = (self.ranges.iter().peekable(), other.ranges.iter().peekable());
        while let (Some(a), Some(b)) = (ours.peek(), theirs.peek()) {
            ranges.extend(LineRange::new(a.first.max(b.first), a.last.min(b.last)));
            if a.last < b.last {
                ours.next();
            } else {
                theirs.next();
            }
        }
        // Parts of ranges that do not touch do not touch either.
        Self { ranges }
    }

    /// The lines that are in this set and not in `other`.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        let mut ranges = Vec::new();
        let mut theirs = other.ranges.iter().peekable();
        for range in &self.ranges {
            let mut first = range.first;
            while theirs.next_if(|hole| hole.last < first).is_some() {}
            // A hole that reaches beyond this range may reach into the next one.
            while let Some(hole) = theirs.next_if(|hole| hole.last < range.last) {
                ranges.extend(LineRange::new(first, hole.first.saturating_sub(1)));
                first = hole.last + 1;
            }
            let last = match theirs.peek() {
                Some(hole) if hole.first <= range.last => hole.first - 1,
                _ => range.last,
            };
            ranges.extend(LineRange::new(first, last));
        }
        Self { ranges }
    }

    /// The lines that are in either.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let mut union = self.clone();
        union.extend(other.ranges.iter().copied());
        union
    }

    /// The first `most` ranges.
    pub(crate) fn truncated(mut self, most: usize) -> Self {
        self.ranges.truncate(most);
        self.ranges.shrink_to_fit();
        self
    }
}

impl Extend<LineRange> for LineSet {
    fn extend<I: IntoIterator<Item = LineRange>>(&mut self, ranges: I) {
        self.ranges.extend(ranges);
        self.ranges.sort_unstable();
        self.ranges.dedup_by(|next, kept| {
            let touches = kept.touches(next);
            if touches {
                kept.last = kept.last.max(next.last);
            }
            touches
        });
    }
}

impl FromIterator<LineRange> for LineSet {
    fn from_iter<I: IntoIterator<Item = LineRange>>(ranges: I) -> Self {
        let mut set = Self::new();
        set.extend(ranges);
        set
    }
}

impl From<LineRange> for LineSet {
    fn from(range: LineRange) -> Self {
        Self { ranges: vec![range] }
    }
}

/// Prints as `1-3, 7`; nothing for the empty set.
impl fmt::Display for LineSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, range) in self.ranges.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}{range}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for LineSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{self}}}")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn set(ranges: &[(u64, u64)]) -> LineSet {
        ranges.iter().filter_map(|(first, last)| LineRange::new(*first, *last)).collect()
    }

    fn plain(ranges: &[(u64, u64)]) -> BTreeSet<u64> {
        ranges.iter().flat_map(|(first, last)| *first.max(&1)..=*last).collect()
    }

    #[test]
    fn a_range_is_never_empty() {
        assert_eq!(LineRange::new(0, 3), None);
        assert_eq!(LineRange::new(4, 3), None);
        assert_eq!(LineRange::new(2, 2).unwrap().to_string(), "2");
        assert_eq!(LineRange::new(1, u64::MAX).unwrap().count(), u64::MAX);
    }

    #[test]
    fn the_ends_of_the_numbers_do_not_overflow() {
        let all = set(&[(1, u64::MAX)]);
        assert_eq!(all.union(&set(&[(u64::MAX, u64::MAX)])), all);
        assert_eq!(all.difference(&set(&[(u64::MAX, u64::MAX)])), set(&[(1, u64::MAX - 1)]));
        assert_eq!(all.difference(&all), LineSet::new());
        assert_eq!(all.intersection(&set(&[(5, 6)])), set(&[(5, 6)]));
    }

    #[test]
    fn sets_print_as_ranges() {
        assert_eq!(set(&[(7, 7), (1, 2), (3, 3)]).to_string(), "1-3, 7");
        assert_eq!(LineSet::new().to_string(), "");
    }

    proptest! {
        #[test]
        fn a_set_of_ranges_is_a_set_of_lines(
            a in prop::collection::vec((1_u64..40, 1_u64..40), 0..12),
            b in prop::collection::vec((1_u64..40, 1_u64..40), 0..12),
        ) {
            let (sets, plains) = ([set(&a), set(&b)], [plain(&a), plain(&b)]);
            let same = |ours: LineSet, theirs: BTreeSet<u64>| {
                prop_assert_eq!((1..45).filter(|line| ours.contains(*line)).collect::<BTreeSet<_>>(), theirs.clone());
                prop_assert_eq!(ours.count(), theirs.len() as u64);
                prop_assert_eq!(ours.is_empty(), theirs.is_empty());
                for pair in ours.ranges().windows(2) {
                    prop_assert!(pair[0].last() + 1 < pair[1].first());
                }
                Ok(())
            };
            same(sets[0].clone(), plains[0].clone())?;
            same(sets[0].union(&sets[1]), plains[0].union(&plains[1]).copied().collect())?;
            same(sets[0].intersection(&sets[1]), plains[0].intersection(&plains[1]).copied().collect())?;
            same(sets[0].difference(&sets[1]), plains[0].difference(&plains[1]).copied().collect())?;
        }
    }
}
