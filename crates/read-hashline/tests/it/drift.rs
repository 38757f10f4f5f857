//! Where lines went agrees with looking for them one by one.

use std::collections::HashSet;

use proptest::prelude::*;
use read_hashline::{Check, LineRange, NormalText, SnapshotStore, locate};

/// What an edit script does at one place of a text.
#[derive(Debug, Clone)]
enum Edit {
    Insert(usize, Vec<String>),
    Delete(usize, usize),
    Replace(usize, Vec<String>),
    /// Moves lines elsewhere.
    Carry(usize, usize, usize),
}

/// A line of a text under edit, and which line it was at first.
type Tracked = (String, Option<usize>);

fn apply(lines: &mut Vec<Tracked>, edit: &Edit) {
    let fresh = |texts: &[String]| texts.iter().map(|text| (text.clone(), None)).collect::<Vec<Tracked>>();
    let within = |at: usize, lines: &[Tracked]| at % (lines.len() + 1);
    match edit {
        Edit::Insert(at, texts) => {
            let at = within(*at, lines);
            lines.splice(at..at, fresh(texts));
        }
        Edit::Delete(at, count) => {
            let at = within(*at, lines);
            lines.drain(at..lines.len().min(at + count));
        }
        Edit::Replace(at, texts) => {
            let at = within(*at, lines);
            let end = lines.len().min(at + texts.len());
            lines.splice(at..end, fresh(texts));
        }
        Edit::Carry(at, count, to) => {
            let at = within(*at, lines);
            let block: Vec<Tracked> = lines.drain(at..lines.len().min(at + count)).collect();
            let to = within(*to, lines);
            lines.splice(to..to, block);
        }
    }
}

fn edits(line: &'static str, carrying: bool) -> impl Strategy<Value = Vec<Edit>> {
    let texts = || prop::collection::vec(line, 1..4);
    let edit = prop_oneof![
        (any::<usize>(), texts()).prop_map(|(at, texts)| Edit::Insert(at, texts)),
        (any::<usize>(), 1_usize..4).prop_map(|(at, count)| Edit::Delete(at, count)),
        (any::<usize>(), texts()).prop_map(|(at, texts)| Edit::Replace(at, texts)),
        (any::<usize>(), if carrying { 1_usize..4 } else { 0..1 }, any::<usize>())
            .prop_map(|(at, count, to)| Edit::Carry(at, count, to)),
    ];
    prop::collection::vec(edit, 0..6)
}

fn edited(old: &[String], edits: &[Edit]) -> Vec<Tracked> {
    let mut lines: Vec<Tracked> = old.iter().cloned().zip((0..).map(Some)).collect();
    for edit in edits {
        apply(&mut lines, edit);
    }
    lines
}

fn text<'a>(lines: impl IntoIterator<Item = &'a String>) -> String {
    lines.into_iter().flat_map(|line| [line, "\n"]).collect()
}

fn range(start: usize, end: usize) -> LineRange {
    LineRange::new(start as u64 + 1, end as u64).unwrap()
}

/// All ranges of a few lines.
fn ranges(lines: usize) -> Vec<(usize, usize)> {
    (0..lines).flat_map(|start| (start + 1..=lines.min(start + 6)).map(move |end| (start, end))).collect()
}

/// Every place of the block.
fn places(block: &[String], lines: &[String]) -> Vec<usize> {
    lines.windows(block.len()).enumerate().filter(|(_, window)| *window == block).map(|(at, _)| at).collect()
}

proptest! {
    #[test]
    fn lines_that_stay_together_are_followed(
        count in 0_usize..30,
        edits in edits("new [a-z]{4}", true),
    ) {
        let old: Vec<String> = (0..count).map(|line| format!("line {line}")).collect();
        let new = edited(&old, &edits);
        let asked: Vec<(usize, usize)> = ranges(count);
        let lines: Vec<LineRange> = asked.iter().map(|(start, end)| range(*start, *end)).collect();
        let moved = locate(&text(&old), &text(new.iter().map(|(line, _)| line)), &lines);
        prop_assert_eq!(moved.len(), asked.len());
        for ((start, end), moved) in asked.into_iter().zip(moved) {
            prop_assert_eq!(moved.from, range(start, end));
            let wanted: Vec<Option<usize>> = (start..end).map(Some).collect();
            let origins: Vec<Option<usize>> = new.iter().map(|(_, origin)| *origin).collect();
            let place = origins.windows(end - start).position(|window| window == wanted);
            prop_assert_eq!(moved.to, place.map(|at| range(at, at + end - start)));
        }
    }

    #[test]
    fn a_block_that_stands_once_is_found_and_nothing_else_is_made_up(
        old in prop::collection::vec("[a-e]|\\}|", 0..25),
        edits in edits("[a-e]|\\}|", true),
    ) {
        let new: Vec<String> = edited(&old, &edits).into_iter().map(|(line, _)| line).collect();
        let asked = ranges(old.len());
        let lines: Vec<LineRange> = asked.iter().map(|(start, end)| range(*start, *end)).collect();
        let moved = locate(&text(&old), &text(&new), &lines);
        let taken: Vec<LineRange> = moved.iter().filter_map(|moved| moved.to).collect();
        prop_assert_eq!(taken.iter().collect::<HashSet<_>>().len(), taken.len(), "two ranges went to one place");
        for ((start, end), moved) in asked.into_iter().zip(moved) {
            let block = &old[start..end];
            let (before, after) = (places(block, &old), places(block, &new));
            let to = moved.to.map(|to| usize::try_from(to.first()).unwrap() - 1);
            if let (1, [only]) = (before.len(), after.as_slice()) {
                prop_assert_eq!(to, Some(*only));
            }
            if let Some(to) = to {
                prop_assert!(after.contains(&to));
                prop_assert_eq!(moved.to, Some(range(to, to + end - start)));
            }
        }
    }

    #[test]
    fn what_stands_before_all_edits_stays_where_it_is_or_cannot_be_told(
        head in prop::collection::vec("[a-c]|\\}", 1..12),
        old in prop::collection::vec("[a-e]|\\}", 0..12),
        new in prop::collection::vec("[a-e]|\\}", 0..12),
    ) {
        let asked: Vec<LineRange> = ranges(head.len()).into_iter().map(|(start, end)| range(start, end)).collect();
        let alike = |lines: &[String]| lines.iter().any(|line| head.contains(line));
        let told = !alike(&old) && !alike(&new);
        for moved in locate(&text(head.iter().chain(&old)), &text(head.iter().chain(&new)), &asked) {
            if told {
                prop_assert_eq!(moved.to, Some(moved.from));
            } else if let Some(to) = moved.to {
                // Where other lines are alike, the block may stand once in either text and yet elsewhere; not here.
                prop_assert_eq!(to, moved.from);
            }
        }
    }

    #[test]
    fn one_of_several_equal_lines_that_went_is_not_told_from_the_others(
        before in prop::collection::vec("[a-c]", 0..6),
        run in 2_usize..5,
        after in prop::collection::vec("[a-c]", 0..6),
        added in any::<bool>(),
    ) {
        let with = |run: usize| -> Vec<String> {
            before.iter().cloned().chain(vec!["}".to_owned(); run]).chain(after.iter().cloned()).collect()
        };
        let (old, new) = if added { (with(run - 1), with(run)) } else { (with(run), with(run - 1)) };
        let asked: Vec<LineRange> = (0..old.len()).map(|line| range(line, line + 1)).collect();
        for (moved, line) in locate(&text(&old), &text(&new), &asked).iter().zip(&old) {
            prop_assert_eq!(moved.to.is_none(), line == "}", "{} in {:?} and {:?}", moved.from, &old, &new);
        }
    }

    #[test]
    fn the_store_says_fresh_for_the_same_text_and_drifted_for_any_other(
        old in prop::collection::vec("[a-e]", 0..10),
        edits in edits("[a-e]", true),
        ends in prop::sample::select(vec!["\n", " \n", "\r\n", "\t \r\n"]),
    ) {
        let new: Vec<String> = edited(&old, &edits).into_iter().map(|(line, _)| line).collect();
        let store = SnapshotStore::default();
        let seen = NormalText::new(&text(&old));
        let tag = store.record("f", &seen, &seen.all_lines()).unwrap();
        let all: Vec<LineRange> = seen.all_lines().ranges().to_vec();
        let check = store.check("f", tag, &all, &text(&new).replace('\n', ends));
        if old == new {
            prop_assert_eq!(check, Check::Fresh);
        } else {
            prop_assert_eq!(check, Check::Drifted { moved: locate(&text(&old), &text(&new), &all) });
        }
    }
}
