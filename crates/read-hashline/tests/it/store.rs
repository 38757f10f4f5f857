//! The store against a plain model, under random use.

use proptest::prelude::*;
use read_hashline::{Check, Limits, LineRange, LineSet, NormalText, SnapshotStore, Tag};

const LIMITS: Limits = {
    let mut limits = Limits::DEFAULT;
    (limits.paths, limits.versions, limits.total_bytes) = (3, 2, 40);
    (limits.text_bytes, limits.ranges, limits.tags) = (14, 3, 9);
    limits
};
const PATHS: [&str; 5] = ["a", "b", "c", "d", "e"];
const TEXTS: [&str; 8] = [
    "",
    "a\n",
    "a\nb\n",
    "a\nb\nc\nd\ne\nf\ng\n",
    "1\n2\n3\n4\n5\n6\n7",
    "\u{FEFF}a \r\nb",
    "x\ny \nz\n",
    "more than fourteen",
];

#[derive(Debug, Clone)]
enum Step {
    Record(usize, usize, Vec<(u64, u64)>),
    Latest(usize),
    ByTag(usize, usize),
    ByText(usize, usize),
    Check(usize, usize, Vec<(u64, u64)>, usize),
    Rename(usize, usize),
    Forget(usize),
    PathsWithTag(usize),
    Clear,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let (path, text) = (0..PATHS.len(), 0..TEXTS.len());
    let lines = || prop::collection::vec((1_u64..10, 1_u64..10), 0..4);
    let step = prop_oneof![
        12 => (path.clone(), text.clone(), lines()).prop_map(|(path, text, lines)| Step::Record(path, text, lines)),
        2 => path.clone().prop_map(Step::Latest),
        2 => (path.clone(), text.clone()).prop_map(|(path, text)| Step::ByTag(path, text)),
        2 => (path.clone(), text.clone()).prop_map(|(path, text)| Step::ByText(path, text)),
        6 => (path.clone(), text.clone(), lines(), text.clone())
            .prop_map(|(path, text, lines, live)| Step::Check(path, text, lines, live)),
        1 => (path.clone(), path.clone()).prop_map(|(from, to)| Step::Rename(from, to)),
        1 => path.prop_map(Step::Forget),
        1 => text.prop_map(Step::PathsWithTag),
    ];
    let step = prop_oneof![60 => step, 1 => Just(Step::Clear)];
    prop::collection::vec(step, 0..80)
}

/// One text of one path, as plainly as it can be kept: lines as a list of numbers.
#[derive(Debug, Clone, PartialEq)]
struct Kept {
    path: &'static str,
    text: String,
    shown: Vec<u64>,
    recorded: usize,
    used: usize,
}

/// All that was recorded and not let go, and the number of the step.
#[derive(Debug, Default)]
struct Model {
    kept: Vec<Kept>,
    now: usize,
}

fn normal(text: &str) -> String {
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    text.split('\n').map(str::trim_end).collect::<Vec<_>>().join("\n")
}

fn ranges_in(lines: &[u64]) -> usize {
    lines.iter().filter(|line| !lines.contains(&(*line - 1))).count()
}

fn numbers(lines: &[(u64, u64)]) -> Vec<u64> {
    (1..20).filter(|line| lines.iter().any(|(first, last)| (first..=last).contains(&line))).collect()
}

fn set(lines: &[(u64, u64)]) -> LineSet {
    lines.iter().filter_map(|(first, last)| LineRange::new(*first, *last)).collect()
}

impl Model {
    fn record(&mut self, path: &'static str, text: &str, lines: &[(u64, u64)]) -> bool {
        if text.len() > LIMITS.text_bytes {
            return false;
        }
        let count = text.split_terminator('\n').count() as u64;
        let latest: Vec<u64> = numbers(lines).into_iter().filter(|line| *line <= count).collect();
        let cut = |lines: Vec<u64>| {
            let starts: Vec<u64> =
                lines.iter().copied().filter(|line| !lines.contains(&(line - 1))).collect();
            let end = starts.get(LIMITS.ranges).copied().unwrap_or(u64::MAX);
            lines.into_iter().filter(|line| *line < end).collect::<Vec<u64>>()
        };
        let text = normal(text);
        let now = self.now;
        if let Some(kept) = self.kept.iter_mut().find(|kept| kept.path == path && kept.text == text) {
            let mut all: Vec<u64> = kept.shown.iter().chain(&latest).copied().collect();
            all.sort_unstable();
            all.dedup();
            kept.shown = if ranges_in(&all) > LIMITS.ranges { cut(latest) } else { all };
            (kept.recorded, kept.used) = (now, now);
            return true;
        }
        self.kept.push(Kept { path, text, shown: cut(latest), recorded: now, used: now });
        self.kept.sort_by_key(|kept| kept.used);
        if self.kept.iter().filter(|kept| kept.path == path).count() > LIMITS.versions {
            let oldest = self.kept.iter().position(|kept| kept.path == path).unwrap();
            self.kept.remove(oldest);
        }
        // From the one used last on, each path once: the last of these goes.
        let mut paths: Vec<&str> = Vec::new();
        for kept in self.kept.iter().rev() {
            if !paths.contains(&kept.path) {
                paths.push(kept.path);
            }
        }
        if let Some(oldest) = paths.get(LIMITS.paths).copied() {
            self.kept.retain(|kept| kept.path != oldest);
        }
        while self.kept.iter().map(|kept| kept.text.len()).sum::<usize>() > LIMITS.total_bytes {
            self.kept.remove(0);
        }
        true
    }

    fn find(&mut self, path: &str, is: impl Fn(&Kept) -> bool) -> Option<Kept> {
        let now = self.now;
        let found = self
            .kept
            .iter_mut()
            .filter(|kept| kept.path == path && is(kept))
            .max_by_key(|kept| kept.recorded);
        found.map(|kept| {
            kept.used = now;
            kept.clone()
        })
    }
}

fn same(snapshot: Option<&read_hashline::Snapshot>, kept: Option<&Kept>) -> Result<(), TestCaseError> {
    prop_assert_eq!(snapshot.is_some(), kept.is_some());
    if let (Some(snapshot), Some(kept)) = (snapshot, kept) {
        prop_assert_eq!(snapshot.path(), kept.path);
        prop_assert_eq!(snapshot.text().as_str(), &kept.text);
        prop_assert_eq!(snapshot.tag(), Tag::of(&kept.text));
        let shown: Vec<u64> = (1..20).filter(|line| snapshot.shown().contains(*line)).collect();
        prop_assert_eq!(&shown, &kept.shown);
    }
    Ok(())
}

proptest! {
    #[test]
    fn the_store_does_what_the_model_does(steps in steps()) {
        let (store, mut model) = (SnapshotStore::new(LIMITS), Model::default());
        for step in steps {
            model.now += 1;
            match step {
                Step::Record(path, text, lines) => {
                    let recorded = store.record(PATHS[path], &NormalText::new(TEXTS[text]), &set(&lines));
                    prop_assert_eq!(recorded.is_ok(), model.record(PATHS[path], TEXTS[text], &lines));
                    prop_assert!(recorded.is_err() || recorded == Ok(Tag::of(TEXTS[text])));
                }
                Step::Latest(path) => {
                    same(store.latest(PATHS[path]).as_ref(), model.find(PATHS[path], |_| true).as_ref())?;
                }
                Step::ByTag(path, text) => {
                    let found = store.by_tag(PATHS[path], Tag::of(TEXTS[text]));
                    let text = normal(TEXTS[text]);
                    same(found.as_ref(), model.find(PATHS[path], |kept| kept.text == text).as_ref())?;
                }
                Step::ByText(path, text) => {
                    let found = store.by_text(PATHS[path], TEXTS[text]);
                    let text = normal(TEXTS[text]);
                    same(found.as_ref(), model.find(PATHS[path], |kept| kept.text == text).as_ref())?;
                }
                Step::Check(path, text, lines, live) => {
                    let ranges: Vec<LineRange> =
                        lines.iter().filter_map(|(first, last)| LineRange::new(*first, *last)).collect();
                    let check = store.check(PATHS[path], Tag::of(TEXTS[text]), &ranges, TEXTS[live]);
                    let text = normal(TEXTS[text]);
                    let Some(kept) = model.find(PATHS[path], |kept| kept.text == text) else {
                        prop_assert_eq!(check, Check::UnknownTag);
                        continue;
                    };
                    let unseen: Vec<u64> =
                        numbers(&lines).into_iter().filter(|line| !kept.shown.contains(line)).collect();
                    match check {
                        Check::Unseen(lines) => {
                            let lines: Vec<u64> = (1..20).filter(|line| lines.contains(*line)).collect();
                            prop_assert!(!lines.is_empty());
                            prop_assert_eq!(lines, unseen);
                        }
                        Check::Fresh => prop_assert!(unseen.is_empty() && kept.text == normal(TEXTS[live])),
                        Check::Drifted { moved } => {
                            prop_assert!(unseen.is_empty() && kept.text != normal(TEXTS[live]));
                            prop_assert_eq!(moved.iter().map(|moved| moved.from).collect::<Vec<_>>(), ranges);
                        }
                        other => prop_assert!(false, "{} is known: {other:?}", PATHS[path]),
                    }
                }
                Step::Rename(from, to) => {
                    let known = model.kept.iter().any(|kept| kept.path == PATHS[from]);
                    prop_assert_eq!(store.rename(PATHS[from], PATHS[to]), known);
                    if known && from != to {
                        model.kept.retain(|kept| kept.path != PATHS[to]);
                        model.kept.iter_mut().filter(|kept| kept.path == PATHS[from]).for_each(|kept| kept.path = PATHS[to]);
                    }
                }
                Step::Forget(path) => {
                    let before = model.kept.len();
                    model.kept.retain(|kept| kept.path != PATHS[path]);
                    prop_assert_eq!(store.forget(PATHS[path]), model.kept.len() < before);
                }
                Step::PathsWithTag(text) => {
                    let mut kept: Vec<&Kept> =
                        model.kept.iter().filter(|kept| kept.text == normal(TEXTS[text])).collect();
                    kept.sort_by_key(|kept| std::cmp::Reverse(kept.used));
                    let paths: Vec<String> =
                        store.paths_with_tag(Tag::of(TEXTS[text])).iter().map(ToString::to_string).collect();
                    prop_assert_eq!(paths, kept.iter().map(|kept| kept.path).collect::<Vec<_>>());
                }
                Step::Clear => {
                    store.clear();
                    model.kept.clear();
                }
            }
            prop_assert_eq!(store.len(), model.kept.len());
            prop_assert_eq!(store.bytes(), model.kept.iter().map(|kept| kept.text.len()).sum::<usize>());
            prop_assert!(store.bytes() <= LIMITS.total_bytes && store.paths().len() <= LIMITS.paths);
        }
    }
}

#[test]
fn the_defaults_are_thirty_paths_and_four_versions() {
    let store = SnapshotStore::default();
    for path in 0..40 {
        for version in 0..6 {
            let text = NormalText::new(&format!("{path} {version}\n"));
            store.record(&path.to_string(), &text, &text.all_lines()).unwrap();
        }
    }
    assert_eq!((store.paths().len(), store.len()), (30, 120));
    assert!(store.latest("9").is_none() && store.latest("10").is_some());
    assert!(store.by_text("39", "39 1\n").is_none() && store.by_text("39", "39 2\n").is_some());
}

#[test]
fn what_is_used_stays() {
    let mut limits = Limits::DEFAULT;
    limits.paths = 2;
    let store = SnapshotStore::new(limits);
    let text = NormalText::new("a\n");
    let tag = store.record("kept", &text, &text.all_lines()).unwrap();
    for path in 0..5 {
        assert_eq!(store.check("kept", tag, &[], "a"), Check::Drifted { moved: vec![] });
        store.record(&path.to_string(), &text, &text.all_lines()).unwrap();
    }
    let paths: Vec<String> = store.paths().iter().map(ToString::to_string).collect();
    assert_eq!(paths, ["4", "kept"]);
}

#[test]
fn big_texts_go_when_all_together_are_too_big() {
    let store = SnapshotStore::default();
    for path in 0..20 {
        let text = NormalText::new(&format!("{path:03}\n").repeat(1 << 20));
        store.record(&path.to_string(), &text, &text.all_lines()).unwrap();
    }
    assert_eq!(store.bytes(), Limits::DEFAULT.total_bytes);
    assert_eq!(store.paths().len(), 16);
    assert!(store.latest("3").is_none() && store.latest("4").is_some());
}

#[test]
fn too_many_ranges_leave_those_of_the_latest_read() {
    let store = SnapshotStore::new(LIMITS);
    let text = NormalText::new("\n\n\n\n\n\n\n\n\n\n\n\n\n\n");
    let shown = |lines: &[u64]| {
        let lines: Vec<(u64, u64)> = lines.iter().map(|line| (*line, *line)).collect();
        store.record("f", &text, &set(&lines)).unwrap();
        store.latest("f").unwrap().shown().to_string()
    };
    assert_eq!(shown(&[1, 3]), "1, 3");
    assert_eq!(shown(&[4, 7]), "1, 3-4, 7");
    assert_eq!(shown(&[9, 11]), "9, 11");
    assert_eq!(shown(&[2, 4, 6, 8]), "2, 4, 6");
    assert_eq!(shown(&[3, 5]), "2-6");
}

#[test]
fn a_renamed_path_takes_the_place_of_the_other() {
    let store = SnapshotStore::default();
    let [one, other] = ["one\n", "other\n"].map(NormalText::new);
    let tag = store.record("a", &one, &one.all_lines()).unwrap();
    store.record("b", &other, &other.all_lines()).unwrap();
    assert!(store.rename("a", "b") && !store.rename("a", "c"));
    assert_eq!(store.check("b", tag, &[], "one\n"), Check::Fresh);
    assert_eq!(store.check("a", tag, &[], "one\n"), Check::UnknownTag);
    assert!(store.by_text("b", "other\n").is_none());
}

#[test]
fn threads_share_a_store() {
    let store = SnapshotStore::default();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let store = &store;
            scope.spawn(move || {
                for round in 0..200 {
                    let text = NormalText::new(&format!("{thread} {round}\n"));
                    let shared = store.record("f", &text, &text.all_lines()).unwrap();
                    let path = thread.to_string();
                    let tag = store.record(&path, &text, &text.all_lines()).unwrap();
                    let lines = text.all_lines();
                    assert_eq!(store.check(&path, tag, lines.ranges(), text.as_str()), Check::Fresh);
                    assert!(shared.begins(&text.digest()) && tag.begins(&text.digest()));
                }
            });
        }
    });
    assert_eq!(store.paths().len(), 5);
    assert_eq!(store.len(), 5 * Limits::DEFAULT.versions);
}

#[test]
fn a_tag_of_a_text_that_went_is_unknown_and_never_another_texts() {
    let mut limits = Limits::DEFAULT;
    limits.versions = 2;
    let store = SnapshotStore::new(limits);
    let mut shown = std::collections::HashMap::new();
    // Among so many texts some have tags alike.
    for number in 0..3_000 {
        let text = NormalText::new(&format!("{number}\n"));
        let tag = store.record("f", &text, &text.all_lines()).unwrap();
        assert_eq!(shown.insert(tag, number), None);
    }
    assert!(shown.keys().any(|tag| tag.digits() > 4));
    let known = shown.keys().filter(|tag| store.check("f", **tag, &[], "2999\n") != Check::UnknownTag);
    assert_eq!(known.count(), 2);
}
