//! Ranges of lines: one, and a set of them.

use alloc::vec::Vec;
use core::iter::FusedIterator;
use core::{fmt, slice};

/// Lines from a first to a last one, both included, or to the end of the text. Lines are counted from 1.
///
/// `Display` prints `A-B` (one line as `A-A`), or `A-` for a range to the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LineRange {
    /// At least 1.
    start: u64,
    /// At least `start`.
    end: Option<u64>,
}

impl LineRange {
    /// Lines `start` to `end`, both included; `None` for `end` means to the end of the text.
    ///
    /// Gives `None` when `start` is 0 or `end` is before it.
    pub fn new(start: u64, end: Option<u64>) -> Option<Self> {
        (start >= 1 && end.is_none_or(|end| end >= start)).then_some(Self { start, end })
    }

    /// Lines `start` to `end`, both included; `None` when `start` is 0 or `end` is before it.
    pub fn closed(start: u64, end: u64) -> Option<Self> {
        Self::new(start, Some(end))
    }

    /// From line `start` to the end of the text; `None` when `start` is 0.
    pub fn open(start: u64) -> Option<Self> {
        Self::new(start, None)
    }

    /// `count` lines from `start`, the last of them at most `u64::MAX`; `None` when either is 0.
    pub fn counted(start: u64, count: u64) -> Option<Self> {
        Self::closed(start, start.saturating_add(count.checked_sub(1)?))
    }

    /// The first line, at least 1.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// The last line, at least [`start`](Self::start); `None` for the end of the text.
    pub fn end(&self) -> Option<u64> {
        self.end
    }

    /// Whether line `line` is in this range.
    pub fn contains(&self, line: u64) -> bool {
        line >= self.start && self.end.is_none_or(|end| line <= end)
    }

    /// The number of lines; `u64::MAX` for a range to the end.
    pub fn line_count(&self) -> u64 {
        // The end is not before the start, and the start is not 0, so neither step can overflow.
        self.end.map_or(u64::MAX, |end| end.saturating_sub(self.start).saturating_add(1))
    }

    /// The number of these lines that a text of `total` lines has.
    pub fn line_count_within(&self, total: u64) -> u64 {
        let end = self.end.map_or(total, |end| end.min(total));
        end.checked_sub(self.start).map_or(0, |more| more.saturating_add(1))
    }

    /// The part at or after line `line`; `None` when nothing is left.
    pub fn from_line(&self, line: u64) -> Option<Self> {
        Self::new(self.start.max(line), self.end)
    }

    /// Both in one, when `next`, which must not start before `self`, overlaps or touches it.
    fn joined(self, next: Self) -> Option<Self> {
        let Some(end) = self.end else { return Some(self) };
        (next.start <= end.saturating_add(1))
            .then(|| Self { start: self.start, end: next.end.map(|next_end| next_end.max(end)) })
    }
}

impl fmt::Display for LineRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-", self.start)?;
        self.end.map_or(Ok(()), |end| write!(f, "{end}"))
    }
}

/// At least one range of lines; sorted, and merged where they overlap or touch.
///
/// `Display` prints the ranges with commas between them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LineRanges {
    first: LineRange,
    more: Vec<LineRange>,
}

impl LineRanges {
    /// Line 1 to the end.
    pub const fn all() -> Self {
        Self { first: LineRange { start: 1, end: None }, more: Vec::new() }
    }

    /// The union of `ranges`, in any order; `None` when there are none.
    pub fn new(ranges: impl IntoIterator<Item = LineRange>) -> Option<Self> {
        let mut sorted: Vec<LineRange> = ranges.into_iter().collect();
        sorted.sort_unstable_by_key(|range| range.start);
        let mut sorted = sorted.into_iter();
        let mut last = sorted.next()?;
        let mut merged = Vec::new();
        for range in sorted {
            if let Some(joined) = last.joined(range) {
                last = joined;
            } else {
                merged.push(last);
                last = range;
            }
        }
        merged.push(last);
        Self::from_merged(merged)
    }

    /// From ranges that are sorted and merged already.
    fn from_merged(ranges: impl IntoIterator<Item = LineRange>) -> Option<Self> {
        let mut ranges = ranges.into_iter();
        Some(Self { first: ranges.next()?, more: ranges.collect() })
    }

    /// The first range.
    pub fn first(&self) -> LineRange {
        self.first
    }

    /// The last range: the only one that can be open.
    pub fn last(&self) -> LineRange {
        self.more.last().copied().unwrap_or(self.first)
    }

    /// The number of ranges, at least 1.
    #[allow(clippy::len_without_is_empty, reason = "a set of ranges is never empty")]
    pub fn len(&self) -> usize {
        self.more.len().saturating_add(1)
    }

    /// The range, when there is only one.
    pub fn is_single(&self) -> Option<LineRange> {
        self.more.is_empty().then_some(self.first)
    }

    /// The ranges, in order of lines.
    pub fn iter(&self) -> LineRangesIter<'_> {
        LineRangesIter { first: Some(self.first), more: self.more.iter() }
    }

    /// Whether line `line` is in one of the ranges.
    pub fn contains(&self, line: u64) -> bool {
        let before = self.more.partition_point(|range| range.start <= line);
        let candidate = before.checked_sub(1).and_then(|at| self.more.get(at)).unwrap_or(&self.first);
        candidate.contains(line)
    }

    /// The number of selected lines, at most `u64::MAX`, which it also is when the last range is open.
    pub fn line_count(&self) -> u64 {
        self.iter().fold(0, |sum, range| sum.saturating_add(range.line_count()))
    }

    /// The number of selected lines that a text of `total` lines has.
    pub fn line_count_within(&self, total: u64) -> u64 {
        self.iter().fold(0, |sum, range| sum.saturating_add(range.line_count_within(total)))
    }

    /// The part at or after line `line`; `None` when nothing is left.
    ///
    /// ```
    /// use read_selector::{LineRange, LineRanges};
    ///
    /// # fn run() -> Option<()> {
    /// let ranges = LineRanges::new([LineRange::closed(1, 5)?, LineRange::closed(10, 20)?])?;
    /// assert_eq!(ranges.from_line(15)?.to_string(), "15-20");
    /// assert_eq!(ranges.from_line(21), None);
    /// # Some(())
    /// # }
    /// # fn main() { assert!(run().is_some()) }
    /// ```
    pub fn from_line(&self, line: u64) -> Option<Self> {
        Self::from_merged(self.iter().filter_map(|range| range.from_line(line)))
    }
}

/// The ranges of a [`LineRanges`], in order of lines.
#[derive(Debug, Clone)]
pub struct LineRangesIter<'a> {
    first: Option<LineRange>,
    more: slice::Iter<'a, LineRange>,
}

impl Iterator for LineRangesIter<'_> {
    type Item = LineRange;

    fn next(&mut self) -> Option<LineRange> {
        self.first.take().or_else(|| self.more.next().copied())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.more.len().saturating_add(usize::from(self.first.is_some()));
        (len, Some(len))
    }
}

impl ExactSizeIterator for LineRangesIter<'_> {}
impl FusedIterator for LineRangesIter<'_> {}

impl From<LineRange> for LineRanges {
    fn from(range: LineRange) -> Self {
        Self { first: range, more: Vec::new() }
    }
}

impl<'a> IntoIterator for &'a LineRanges {
    type Item = LineRange;
    type IntoIter = LineRangesIter<'a>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for LineRanges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.first.fmt(f)?;
        self.more.iter().try_for_each(|range| write!(f, ",{range}"))
    }
}

#[cfg(test)]
mod tests {
    use super::{LineRange, LineRanges};
    use alloc::string::ToString;
    use alloc::vec::Vec;

    fn closed(start: u64, end: u64) -> LineRange {
        LineRange::closed(start, end).unwrap()
    }

    fn open(start: u64) -> LineRange {
        LineRange::open(start).unwrap()
    }

    fn set<const N: usize>(ranges: [LineRange; N]) -> LineRanges {
        LineRanges::new(ranges).unwrap()
    }

    #[test]
    fn a_range_holds_at_least_a_line_from_1() {
        assert_eq!(LineRange::closed(0, 5), None);
        assert_eq!(LineRange::open(0), None);
        assert_eq!(LineRange::closed(5, 4), None);
        assert_eq!(LineRange::counted(5, 0), None);
        assert_eq!(LineRange::counted(0, 5), None);
        assert_eq!(LineRange::counted(5, 1), LineRange::closed(5, 5));
        assert_eq!(LineRange::counted(5, u64::MAX), LineRange::closed(5, u64::MAX));
    }

    #[test]
    fn a_range_counts_its_lines() {
        assert_eq!(closed(5, 9).line_count(), 5);
        assert_eq!(closed(1, u64::MAX).line_count(), u64::MAX);
        assert_eq!(open(5).line_count(), u64::MAX);
        assert_eq!(closed(5, 9).line_count_within(7), 3);
        assert_eq!(closed(5, 9).line_count_within(100), 5);
        assert_eq!(closed(5, 9).line_count_within(4), 0);
        assert_eq!(open(5).line_count_within(5), 1);
        assert_eq!(open(1).line_count_within(0), 0);
        assert_eq!(open(1).line_count_within(u64::MAX), u64::MAX);
    }

    #[test]
    fn there_is_no_empty_set() {
        assert_eq!(LineRanges::new([]), None);
    }

    #[test]
    fn overlapping_and_touching_ranges_merge() {
        let merged = set([closed(20, 30), closed(1, 5), closed(4, 9), closed(10, 12)]);
        assert_eq!(merged.iter().collect::<Vec<_>>(), [closed(1, 12), closed(20, 30)]);
        assert_eq!((merged.len(), merged.first(), merged.last()), (2, closed(1, 12), closed(20, 30)));
        assert_eq!(merged.is_single(), None);
        // One that lies inside another does not shorten it.
        assert_eq!(set([closed(1, 9), closed(2, 3)]).is_single(), Some(closed(1, 9)));
    }

    #[test]
    fn an_open_range_swallows_what_follows() {
        assert_eq!(set([open(5), closed(7, 9), closed(1, 2)]).to_string(), "1-2,5-");
        assert_eq!(set([closed(1, 9), open(10)]).is_single(), Some(open(1)));
        assert_eq!(set([closed(3, u64::MAX), open(u64::MAX)]).is_single(), Some(open(3)));
    }

    #[test]
    fn a_set_knows_its_lines() {
        let ranges = set([closed(2, 3), closed(7, 8), open(20)]);
        let inside: Vec<u64> = (0..23).filter(|&line| ranges.contains(line)).collect();
        assert_eq!(inside, [2, 3, 7, 8, 20, 21, 22]);
        assert_eq!(ranges.line_count(), u64::MAX);
        assert_eq!(ranges.line_count_within(21), 6);
        assert_eq!(set([closed(2, 3), closed(7, 8)]).line_count(), 4);
    }

    #[test]
    fn what_is_left_from_a_line() {
        let ranges = set([closed(2, 5), closed(10, 12)]);
        assert_eq!(ranges.from_line(0), Some(ranges.clone()));
        assert_eq!(ranges.from_line(2), Some(ranges.clone()));
        assert_eq!(ranges.from_line(4).unwrap().to_string(), "4-5,10-12");
        assert_eq!(ranges.from_line(6).unwrap().to_string(), "10-12");
        assert_eq!(ranges.from_line(12).unwrap().to_string(), "12-12");
        assert_eq!(ranges.from_line(13), None);
        assert_eq!(LineRanges::from(open(3)).from_line(9), Some(open(9).into()));
    }

    #[test]
    fn the_iterator_knows_its_length() {
        let ranges = set([closed(1, 1), closed(3, 3), closed(5, 5)]);
        let mut iter = ranges.iter();
        assert_eq!(iter.len(), 3);
        iter.next();
        assert_eq!(iter.len(), 2);
        assert_eq!(iter.by_ref().count(), 2);
        assert_eq!((iter.len(), iter.next()), (0, None));
    }
}
