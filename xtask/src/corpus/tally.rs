//! What came of the comparison.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// How one file, or one member of an archive, came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Outcome {
    /// Both gave the same.
    Agree,
    /// Both refused it.
    BothRefuse,
    /// We showed it; the other program refused it.
    OnlyWeShow,
    /// The other program showed it; we refused it, by name.
    OnlyTheyShow,
    /// Both showed it, and not the same.
    Differ,
}

const ORDER: [(Outcome, &str); 5] = [
    (Outcome::Agree, "agree"),
    (Outcome::BothRefuse, "both refuse"),
    (Outcome::OnlyWeShow, "only we show"),
    (Outcome::OnlyTheyShow, "only they show"),
    (Outcome::Differ, "differ"),
];

/// One corpus, kind by kind.
#[derive(Debug)]
pub(super) struct Tally {
    name: String,
    counts: BTreeMap<(&'static str, Outcome), u64>,
    remarks: Vec<String>,
}

impl Tally {
    pub(super) fn new(name: String) -> Self {
        Self { name, counts: BTreeMap::new(), remarks: Vec::new() }
    }

    /// Counts an outcome; what is no agreement is told apart as well.
    pub(super) fn add(&mut self, kind: &'static str, outcome: Outcome, what: &str, why: &str) {
        *self.counts.entry((kind, outcome)).or_default() += 1;
        if !matches!(outcome, Outcome::Agree | Outcome::BothRefuse) {
            let outcome = ORDER.iter().find(|(known, _)| *known == outcome).map_or("", |(_, name)| name);
            let why: String = why.lines().next().unwrap_or_default().chars().take(160).collect();
            self.remarks.push(format!(
                "{}: {what}: {outcome}{}{why}",
                self.name,
                if why.is_empty() { "" } else { ": " }
            ));
        }
    }
}

/// The table, and each disagreement below it.
pub(super) fn table(tallies: &[Tally]) -> String {
    let names: Vec<_> = ORDER.iter().map(|(_, name)| *name).collect();
    let mut text =
        format!("| corpus | what | {} |\n|{}\n", names.join(" | "), " --- |".repeat(ORDER.len() + 2));
    for tally in tallies {
        let kinds: std::collections::BTreeSet<_> = tally.counts.keys().map(|(kind, _)| *kind).collect();
        for kind in kinds {
            let cells = ORDER
                .map(|(outcome, _)| tally.counts.get(&(kind, outcome)).copied().unwrap_or(0).to_string());
            let _ = writeln!(text, "| {} | {kind} | {} |", tally.name, cells.join(" | "));
        }
    }
    text.push('\n');
    for remark in tallies.iter().flat_map(|tally| &tally.remarks) {
        let _ = writeln!(text, "* {remark}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disagreements_are_counted_and_told() {
        let mut tally = Tally::new("c".to_owned());
        tally.add("images", Outcome::Agree, "a.png", "");
        tally.add("images", Outcome::Differ, "b.png", "2x2, not 3x3\nmore");
        let text = table(&[tally]);
        assert!(text.contains("| c | images | 1 | 0 | 0 | 0 | 1 |"), "{text}");
        assert!(text.ends_with("\n* c: b.png: differ: 2x2, not 3x3\n"), "{text}");
    }
}
