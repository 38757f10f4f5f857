//! Where lines of an older text are in a newer one.
//!
//! A range is found in two ways. Where its lines, as a block, stand exactly once in either text, that place is the
//! answer, whatever else moved. Otherwise several places have the same lines, and a line diff tells which of them is
//! meant.
//!
//! The time grows with the number of lines, whatever stands in them. That of plain line diffs does not: where few
//! different lines stand in no order it grows with the square (the one used here, at its quickest setting, measured:
//! 0.2 s for two texts of 20,000 lines, 15 s for 200,000). So the diff is a frame of the lines that are unique in both
//! texts (as many as keep their order), and only short stretches between them are given to the general algorithm.
//!
//! A diff picks one of many: of three braces of which one went, it says which. Nobody knows, so what it says of a line is
//! an answer only where the lines it kept could not have been others.

use std::cell::OnceCell;
use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput, Token};

use crate::check::Moved;
use crate::lines::LineRange;

/// A stretch between two unique lines is diffed where its old lines times its new lines are at most this many.
/// Beyond, only what its ends have in common is matched.
const STRETCH: usize = 1 << 20;

/// How many lines are looked at, over all ranges, to find blocks that no line of theirs pins down.
const SEARCH: usize = 1 << 26;

/// Finds each of the ranges of lines of `old` in `new`. Lines are equal when their texts are; a line feed at the end
/// of the text makes no difference, but blanks at line ends do: [normalise](crate::normalize) both texts first.
///
/// ```
/// # use read_hashline::{LineRange, locate};
/// let block = LineRange::new(2, 3).unwrap();
/// let moved = locate("a\nb\nc\n", "new\na\nb\nc\n", &[block]);
/// assert_eq!(moved[0].to, LineRange::new(3, 4));
/// let broken = locate("a\nb\nc\n", "a\nb\nnew\nc\n", &[block]);
/// assert_eq!(broken[0].to, None);
/// ```
#[must_use]
pub fn locate(old: &str, new: &str, ranges: &[LineRange]) -> Vec<Moved> {
    let nowhere = || ranges.iter().map(|from| Moved { from: *from, to: None }).collect();
    if ranges.is_empty() || u32::try_from(old.len().saturating_add(new.len())).is_err() {
        // Lines are counted in 32 bits below. Texts of gigabytes have no snapshot.
        return nowhere();
    }
    let mut input = InternedInput::default();
    input.update_before(old.split_terminator('\n'));
    input.update_after(new.split_terminator('\n'));
    let finder = Finder::new(&input.before, &input.after, input.interner.num_tokens());
    let mut budget = SEARCH;
    ranges.iter().map(|from| Moved { from: *from, to: finder.find(*from, &mut budget) }).collect()
}

struct Finder<'a> {
    old: &'a [Token],
    new: &'a [Token],
    places: Places,
    /// For each old line the new one, where there is one; made when first needed.
    matched: OnceCell<Vec<Option<u32>>>,
}

impl<'a> Finder<'a> {
    fn new(old: &'a [Token], new: &'a [Token], tokens: u32) -> Self {
        Self { old, new, places: Places::new(old, new, tokens), matched: OnceCell::new() }
    }

    fn find(&self, range: LineRange, budget: &mut usize) -> Option<LineRange> {
        let start = usize::try_from(range.first().checked_sub(1)?).ok()?;
        let end = usize::try_from(range.last()).ok()?;
        let block = self.old.get(start..end)?;
        let mut pin = None;
        for (offset, token) in block.iter().enumerate() {
            match self.places.of(*token) {
                Place::Gone => return None,
                Place::Unique { new } => pin = pin.or(Some((offset, new))),
                Place::Many => {}
            }
        }
        let first = if let Some((offset, line)) = pin {
            // The block can only be where this line is.
            let first = usize::try_from(line).ok()?.checked_sub(offset)?;
            (self.new.get(first..)?.get(..block.len())? == block).then_some(first)?
        } else {
            self.diffed(start..end).or_else(|| self.searched(block, budget))?
        };
        let first = u64::try_from(first).ok()?.checked_add(1)?;
        LineRange::new(first, first.checked_add(range.count())?.checked_sub(1)?)
    }

    /// Where the diff has the lines, if it keeps them together.
    fn diffed(&self, lines: Range<usize>) -> Option<usize> {
        let matched = self.matched.get_or_init(|| matched(self.old, self.new, &self.places));
        let block = matched.get(lines)?;
        let first = (*block.first()?)?;
        let together = block.iter().zip(first..).all(|(to, line)| *to == Some(line));
        together.then(|| usize::try_from(first).ok()).flatten()
    }

    /// Where the block is, if it stands exactly once in either text.
    fn searched(&self, block: &[Token], budget: &mut usize) -> Option<usize> {
        *budget = budget.checked_sub(self.old.len() + self.new.len())?;
        let search = Search::new(block);
        let (_, None) = search.first_two(self.old) else { return None };
        match search.first_two(self.new) {
            (Some(first), None) => Some(first),
            _ => None,
        }
    }
}

/// Where a line of the old text may be in the new one.
#[derive(Clone, Copy)]
enum Place {
    /// Nowhere.
    Gone,
    /// It stands once in both texts, at this index in the new one.
    Unique { new: u32 },
    /// It stands several times in one of them.
    Many,
}

/// How often each line stands in the texts, and where last.
struct Places(Vec<Count>);

#[derive(Clone, Copy, Default)]
struct Count {
    old: u32,
    new: u32,
    last_new: u32,
}

impl Places {
    fn new(old: &[Token], new: &[Token], tokens: u32) -> Self {
        let mut counts = vec![Count::default(); usize::try_from(tokens).unwrap_or(0)];
        for token in old {
            if let Some(count) = counts.get_mut(index(*token)) {
                count.old += 1;
            }
        }
        for (line, token) in (0..).zip(new) {
            if let Some(count) = counts.get_mut(index(*token)) {
                count.new += 1;
                count.last_new = line;
            }
        }
        Self(counts)
    }

    fn of(&self, token: Token) -> Place {
        match self.0.get(index(token)) {
            None | Some(Count { new: 0, .. }) => Place::Gone,
            Some(Count { old: 1, new: 1, last_new }) => Place::Unique { new: *last_new },
            Some(_) => Place::Many,
        }
    }
}

fn index(token: Token) -> usize {
    usize::try_from(token.0).unwrap_or(usize::MAX)
}

/// A line diff: for each old line the new line that it is, in rising order.
fn matched(old: &[Token], new: &[Token], places: &Places) -> Vec<Option<u32>> {
    let mut matched = vec![None; old.len()];
    let unique = old.iter().enumerate().filter_map(|(line, token)| match places.of(*token) {
        Place::Unique { new } => Some((line, new)),
        _ => None,
    });
    let frame = longest_rising(unique);
    let (mut old_start, mut new_start) = (0, 0);
    let end = (old.len(), new.len());
    for (line, place) in frame.iter().map(|(old, new)| (*old, new.to_owned() as usize)).chain([end]) {
        let stretch = (old.get(old_start..line), new.get(new_start..place), matched.get_mut(old_start..line));
        if let (Some(old), Some(new), Some(matched)) = stretch {
            match_stretch(old, new, new_start, matched);
            drop_guesses(old, new, new_start, matched);
        }
        if let Some(matched) = matched.get_mut(line) {
            *matched = u32::try_from(place).ok();
        }
        (old_start, new_start) = (line + 1, place + 1);
    }
    matched
}

/// The most pairs whose second parts rise, of pairs whose first parts do.
fn longest_rising(pairs: impl Iterator<Item = (usize, u32)>) -> Vec<(usize, u32)> {
    let pairs: Vec<(usize, u32)> = pairs.collect();
    // For each length, the pair with the lowest second part that ends a rising row so long; and for each pair the
    // one before it in its row.
    let mut ends: Vec<(u32, usize)> = Vec::new();
    let mut before = vec![None; pairs.len()];
    for (index, ((_, value), before)) in pairs.iter().zip(&mut before).enumerate() {
        let length = ends.partition_point(|(end, _)| end < value);
        *before = length.checked_sub(1).and_then(|shorter| ends.get(shorter)).map(|(_, index)| *index);
        match ends.get_mut(length) {
            Some(end) => *end = (*value, index),
            None => ends.push((*value, index)),
        }
    }
    let last = ends.last().map(|(_, index)| *index);
    let row = std::iter::successors(last, |index| before.get(*index).copied().flatten());
    let mut row: Vec<(usize, u32)> = row.filter_map(|index| pairs.get(index).copied()).collect();
    row.reverse();
    row
}

/// Matches the lines between two lines of the frame. `new` begins at line `offset`.
fn match_stretch(old: &[Token], new: &[Token], offset: usize, matched: &mut [Option<u32>]) {
    let head = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let rest = (old.get(head..).unwrap_or_default(), new.get(head..).unwrap_or_default());
    let tail = rest.0.iter().rev().zip(rest.1.iter().rev()).take_while(|(old, new)| old == new).count();
    let mut set = |from: usize, to: usize, count: usize| {
        let to = u32::try_from(offset + to).ok();
        let lines = matched.iter_mut().skip(from).take(count);
        for (matched, to) in lines.zip(to.into_iter().flat_map(|to| to..)) {
            *matched = Some(to);
        }
    };
    set(0, 0, head);
    set(old.len() - tail, new.len() - tail, tail);
    let old = rest.0.get(..rest.0.len() - tail).unwrap_or_default();
    let new = rest.1.get(..rest.1.len() - tail).unwrap_or_default();
    if old.is_empty() || new.is_empty() || old.len().saturating_mul(new.len()) > STRETCH {
        return;
    }
    // The algorithm makes a table of all tokens: numbered anew, they are only those of this stretch.
    let mut input = InternedInput::default();
    input.update_before(old.iter().map(|token| token.0));
    input.update_after(new.iter().map(|token| token.0));
    let diff = Diff::compute(Algorithm::Histogram, &input);
    let (mut from, mut to) = (0, 0);
    let end = (old.len(), new.len());
    let hunks = diff.hunks().map(|hunk| (hunk.before, hunk.after));
    for (before, after) in hunks.map(|(before, after)| (as_lines(before), as_lines(after))) {
        set(head + from, head + to, before.start.saturating_sub(from));
        (from, to) = (before.end, after.end);
    }
    set(head + from, head + to, end.0.saturating_sub(from));
}

/// Takes back the matches of a stretch that could as well be others: the lines that were matched, in their order, stand in
/// the old or in the new lines in some other way too.
fn drop_guesses(old: &[Token], new: &[Token], offset: usize, matched: &mut [Option<u32>]) {
    let kept: Vec<Token> =
        old.iter().zip(&*matched).filter(|(_, to)| to.is_some()).map(|(line, _)| *line).collect();
    let (old_first, new_first) = (first_places(&kept, old), first_places(&kept, new));
    let (old_last, new_last) = (last_places(&kept, old), last_places(&kept, new));
    let mut places = old_first.into_iter().zip(old_last).zip(new_first.into_iter().zip(new_last));
    for to in matched.iter_mut().filter(|to| to.is_some()) {
        let certain = places.next().and_then(|((old_first, old_last), (new_first, new_last))| {
            (old_first == old_last && new_first == new_last).then_some(new_first)
        });
        *to = certain.and_then(|line| u32::try_from(offset.checked_add(line)?).ok());
    }
}

/// Where each of `kept` stands in `lines` at the earliest, one behind the other.
fn first_places(kept: &[Token], lines: &[Token]) -> Vec<usize> {
    let mut at = 0..lines.len();
    kept.iter().filter_map(|line| at.find(|place| lines.get(*place) == Some(line))).collect()
}

/// The same at the latest.
fn last_places(kept: &[Token], lines: &[Token]) -> Vec<usize> {
    let mut at = (0..lines.len()).rev();
    let mut places: Vec<usize> =
        kept.iter().rev().filter_map(|line| at.find(|place| lines.get(*place) == Some(line))).collect();
    places.reverse();
    places
}

fn as_lines(range: Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

/// Looks for a block in one pass, however much the block repeats itself (Knuth, Morris and Pratt).
struct Search<'a> {
    block: &'a [Token],
    /// For each line of the block, how many lines up to it are also the block's first ones, short of all.
    borders: Vec<usize>,
}

impl<'a> Search<'a> {
    fn new(block: &'a [Token]) -> Self {
        let mut search = Self { block, borders: Vec::with_capacity(block.len()) };
        let mut border = 0;
        for (index, token) in block.iter().enumerate() {
            if index > 0 {
                border = search.step(border, *token);
            }
            search.borders.push(border);
        }
        search
    }

    /// How many of the block's first lines are read once `token` follows `read` of them.
    fn step(&self, mut read: usize, token: Token) -> usize {
        loop {
            if self.block.get(read) == Some(&token) {
                return read + 1;
            }
            let Some(shorter) = read.checked_sub(1).and_then(|last| self.borders.get(last)) else { return 0 };
            read = *shorter;
        }
    }

    /// The first two places of the block; they may overlap.
    fn first_two(&self, lines: &[Token]) -> (Option<usize>, Option<usize>) {
        let mut read = 0;
        let mut found = lines.iter().enumerate().filter_map(|(line, token)| {
            read = self.step(read, *token);
            (read == self.block.len()).then(|| line + 1 - self.block.len())
        });
        (found.next(), found.next())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_stretch_too_long_to_be_diffed_is_matched_at_its_ends() {
        let noise = |first: &str, second: &str| [first, second, second].join("\n") + "\n";
        let middle = noise("a", "b").repeat(2000);
        let old = format!("c\nc\n{middle}d\nd\n");
        let new = format!("c\nc\n{}d\nd\n", noise("b", "a").repeat(2500));
        let ranges = [1, 2, 6003, 6004].map(|line| LineRange::line(line).unwrap());
        let to: Vec<u64> =
            locate(&old, &new, &ranges).iter().map(|moved| moved.to.unwrap().first()).collect();
        assert_eq!(to, [1, 2, 7503, 7504]);
    }

    #[test]
    fn the_same_lines_elsewhere_are_not_taken_for_lines_that_went() {
        // The first block went with its neighbour, the second stayed with its own.
        let moved = locate(
            "one\na\nb\ntwo\na\nb\n",
            "two\na\nb\n",
            &[LineRange::new(2, 3).unwrap(), LineRange::new(5, 6).unwrap()],
        );
        assert_eq!(moved[0].to, None);
        assert_eq!(moved[1].to, LineRange::new(2, 3));
    }

    fn lines_of(old: &str, new: &str) -> Vec<Option<u64>> {
        let text = |lines: &str| lines.replace(' ', "\n") + "\n";
        let asked: Vec<LineRange> =
            (1..).zip(old.split(' ')).map(|(line, _)| LineRange::line(line).unwrap()).collect();
        locate(&text(old), &text(new), &asked).iter().map(|moved| moved.to.map(|to| to.first())).collect()
    }

    #[test]
    fn of_several_places_none_is_picked() {
        assert_eq!(lines_of("A } } } B", "A } } B"), [Some(1), None, None, None, Some(4)]);
        assert_eq!(lines_of("A } } B", "A } } } B"), [Some(1), None, None, Some(5)]);
        assert_eq!(lines_of("A x y B x y C", "A x y C"), [Some(1), None, None, None, None, None, Some(4)]);
        assert_eq!(lines_of("A x y C", "A x y B x y C"), [Some(1), None, None, Some(7)]);
        assert_eq!(lines_of("A x B x C D", "A x D"), [Some(1), None, None, None, None, Some(3)]);
        // Both texts have as many: there is one way only.
        assert_eq!(lines_of("A } } B", "A } q } B"), [Some(1), Some(2), Some(4), Some(5)]);
        assert_eq!(lines_of("A } B } C", "B } C"), [None, None, Some(1), Some(2), Some(3)]);
        // What is added at the end is not anywhere else.
        assert_eq!(lines_of("b a b a b", "b a b a b a"), (1..=5).map(Some).collect::<Vec<_>>());
    }

    #[test]
    fn a_search_sees_blocks_that_overlap() {
        let block = [1, 2, 1, 2, 1].map(Token);
        let lines = [1, 1, 2, 1, 2, 1, 2, 1, 3].map(Token);
        assert_eq!(Search::new(&block).first_two(&lines), (Some(1), Some(3)));
        assert_eq!(Search::new(&block).first_two(&lines[2..]), (Some(1), None));
        assert_eq!(Search::new(&block).first_two(&lines[4..]), (None, None));
    }

    proptest! {
        #[test]
        fn the_longest_rising_row_is_one(values in Just((0_u32..9).collect::<Vec<u32>>()).prop_shuffle()) {
            let row = longest_rising(values.iter().copied().enumerate());
            prop_assert!(row.windows(2).all(|pair| pair[0] < pair[1] && pair[0].1 < pair[1].1));
            prop_assert!(row.iter().all(|(index, value)| values[*index] == *value));
            let rises = |picked: u32| {
                let picked: Vec<u32> = (0..9).filter(|at| picked >> at & 1 == 1).map(|at| values[at]).collect();
                picked.is_sorted().then_some(picked.len())
            };
            prop_assert_eq!(Some(row.len()), (0..1 << 9).filter_map(rises).max());
        }
    }
}
