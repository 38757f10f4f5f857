//! What is printed at the end.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};

use super::supervisor::Outcome;
use crate::table::Table;

/// Findings that are told one by one.
const TOLD: usize = 20;

/// The results of a run.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) seed: u64,
    pub(crate) outcomes: Vec<Outcome>,
    pub(crate) kept: BTreeMap<(&'static str, u64), PathBuf>,
}

impl Report {
    pub(crate) fn findings(&self) -> usize {
        self.outcomes.iter().map(|outcome| outcome.findings.len()).sum()
    }

    pub(crate) fn text(&self, markdown: bool) -> String {
        let mut table = Table::new(&[
            "target",
            "inputs",
            "reads",
            "answers",
            "typed errors",
            "findings",
            "worst read",
            "peak memory",
        ]);
        let mut sum = super::record::Figures::default();
        for outcome in &self.outcomes {
            sum.add(&outcome.figures);
            table.row(row(outcome.target.name(), &outcome.figures, outcome.findings.len()));
        }
        table.row(row("all", &sum, self.findings()));
        let mut text = table.text(markdown);
        let findings = self.outcomes.iter().flat_map(|outcome| &outcome.findings);
        for finding in findings.take(TOLD) {
            let name = finding.target.name();
            let _ = write!(
                text,
                "\n{name} {}: {} {}: {}",
                finding.number, finding.kind, finding.form, finding.message
            );
            if let Some(path) = self.kept.get(&(name, finding.number)) {
                let _ = write!(text, "\n    kept as {}", path.display());
            }
        }
        if self.findings() > TOLD {
            let _ = write!(text, "\n… and {} more findings", self.findings() - TOLD);
        }
        text
    }

    pub(crate) fn json(&self) -> String {
        let targets: Vec<Value> = self
            .outcomes
            .iter()
            .map(|outcome| {
                let figures = &outcome.figures;
                let findings: Vec<Value> = outcome
                    .findings
                    .iter()
                    .map(|one| {
                        json!({ "number": one.number, "kind": one.kind, "form": one.form, "message": one.message })
                    })
                    .collect();
                json!({
                    "target": outcome.target.name(), "inputs": figures.inputs, "reads": figures.reads,
                    "answers": figures.answers, "errors": figures.errors, "worst_us": figures.worst,
                    "worst_number": figures.worst_number, "peak_bytes": figures.peak, "findings": findings,
                })
            })
            .collect();
        format!("{:#}\n", json!({ "seed": self.seed, "targets": targets }))
    }
}

fn row(name: &str, figures: &super::record::Figures, findings: usize) -> Vec<String> {
    vec![
        name.to_owned(),
        crate::table::grouped(figures.inputs),
        crate::table::grouped(figures.reads),
        crate::table::grouped(figures.answers),
        crate::table::grouped(figures.errors),
        findings.to_string(),
        crate::table::time(Duration::from_micros(figures.worst)),
        crate::table::mebibytes(figures.peak),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuzz::record::Figures;
    use crate::fuzz::supervisor::Finding;
    use crate::fuzz::target::Target;

    #[test]
    fn figures_and_findings_are_told() {
        let finding = Finding {
            target: Target::Zip,
            number: 17,
            kind: "panic".into(),
            form: "\"f.zip\"".into(),
            message: "overflow".into(),
        };
        let figures = Figures { inputs: 12_345, worst: 1_500, peak: 3 << 20, ..Figures::default() };
        let report = Report {
            seed: 1,
            outcomes: vec![Outcome { target: Target::Zip, figures, findings: vec![finding] }],
            kept: BTreeMap::from([(("zip", 17), PathBuf::from("there/zip-17.bin"))]),
        };
        let text = report.text(true);
        assert!(text.contains("| zip | 12,345 |") && text.contains("| 1 | 1.5 ms | 3 MiB |"), "{text}");
        assert!(text.contains("zip 17: panic") && text.contains("there/zip-17.bin"), "{text}");
        let json: Value = serde_json::from_str(&report.json()).unwrap();
        assert_eq!(json["targets"][0]["findings"][0]["number"], 17);
    }
}
