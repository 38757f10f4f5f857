//! What the suite found.

use std::fmt;

/// What is asked of a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Rule {
    /// It has a sane name, package, help, priority and side files, and always the same.
    Naming,
    /// It claims sources by what the probe shows: cheaply, without a panic, alike each time, and by signature only what
    /// has one.
    Probing,
    /// It reads the targets that the test names.
    Targets,
    /// A rest that it does not understand is declined or an error, never a wider read.
    Selectors,
    /// The caps on output hold, and nothing is left out in silence.
    Caps,
    /// The calls that notices and details name can be followed to the end: no gap, no overlap, no circle.
    Following,
    /// It stops when it is cancelled or late, and never takes a part for the whole.
    Stopping,
    /// A source without end is answered for all the same.
    Endless,
    /// What its decoder gives beyond what goes in is charged to the budget.
    Budget,
    /// Damaged, cut, changing, lying and failing sources give an honest part or a typed error.
    Hostile,
    /// The same question has the same answer: again, from another thread, over whatever kind of source.
    Stateless,
    /// It reads nothing but what it was given.
    Reach,
    /// Errors are typed and fit one line, and those that a caller can correct name a next step.
    Errors,
    /// An inner source follows from the outer one: its path leads back to it, its stream opens again, its depth counts.
    Descending,
}

impl Rule {
    /// Its name in a report.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Naming => "naming",
            Self::Probing => "probing",
            Self::Targets => "targets",
            Self::Selectors => "selectors",
            Self::Caps => "caps",
            Self::Following => "following",
            Self::Stopping => "stopping",
            Self::Endless => "endless",
            Self::Budget => "budget",
            Self::Hostile => "hostile",
            Self::Stateless => "stateless",
            Self::Reach => "reach",
            Self::Errors => "errors",
            Self::Descending => "descending",
        }
    }
}

/// Something that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub rule: Rule,
    /// The first case in which it does not hold: a target, and what was done to it.
    pub case: String,
    /// What happened.
    pub what: String,
    /// In how many cases.
    pub times: u64,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}] {}: {}", self.rule.as_str(), self.case, self.what)?;
        if self.times > 1 {
            write!(f, " (in {} cases)", self.times)?;
        }
        Ok(())
    }
}

/// What the suite found about one reader. `Display` is a readable list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    pub(super) reader: String,
    pub(super) cases: u64,
    pub(super) findings: Vec<Finding>,
    pub(super) exempt: Vec<(Rule, String)>,
}

impl Report {
    /// What does not hold; like findings are one.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// How many cases were tried.
    pub fn cases(&self) -> u64 {
        self.cases
    }

    /// Whether everything holds that was not exempt.
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty()
    }

    /// Whether `rule` does not hold.
    pub fn breaks(&self, rule: Rule) -> bool {
        self.findings.iter().any(|finding| finding.rule == rule)
    }

    pub(super) fn add(&mut self, finding: Finding) {
        if self.exempt.iter().any(|(rule, _)| *rule == finding.rule) {
            return;
        }
        let same = |known: &&mut Finding| known.rule == finding.rule && known.what == finding.what;
        match self.findings.iter_mut().find(same) {
            Some(known) => known.times = known.times.saturating_add(finding.times),
            None => self.findings.push(finding),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (reader, cases) = (&self.reader, self.cases);
        match self.findings.len() {
            0 => writeln!(f, "The reader '{reader}' conforms: {cases} cases.")?,
            1 => writeln!(f, "The reader '{reader}' does not conform: 1 finding in {cases} cases.")?,
            n => writeln!(f, "The reader '{reader}' does not conform: {n} findings in {cases} cases.")?,
        }
        for finding in &self.findings {
            writeln!(f, "  {finding}")?;
        }
        for (rule, reason) in &self.exempt {
            writeln!(f, "  exempt from [{}]: {reason}", rule.as_str())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(rule: Rule, case: &str) -> Finding {
        Finding { rule, case: case.into(), what: "it widens".into(), times: 1 }
    }

    #[test]
    fn like_findings_are_one_and_exemptions_are_told() {
        let mut report = Report {
            reader: "x".into(),
            cases: 9,
            exempt: vec![(Rule::Caps, "it shows no text".into())],
            ..Report::default()
        };
        report.add(finding(Rule::Selectors, "a:0"));
        report.add(finding(Rule::Selectors, "a:5-2"));
        report.add(finding(Rule::Caps, "a"));
        assert_eq!(
            report.to_string(),
            "The reader 'x' does not conform: 1 finding in 9 cases.\n  [selectors] a:0: it widens (in 2 cases)\n  exempt from [caps]: it shows no text\n"
        );
        assert!(report.breaks(Rule::Selectors) && !report.breaks(Rule::Caps));
    }
}
