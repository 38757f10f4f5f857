//! The suite as a test holds it.

use std::sync::Arc;
use std::time::Duration;

use super::bench::{Sample, Subject};
use super::checks;
use super::report::{Report, Rule};
use super::watch::watch;
use crate::registry::Reader;

/// Steps of one kind that are tried at most (every byte of a sample that is no longer, every n-th of a longer one).
const STEPS: u64 = 512;

/// How long one case may take before the reader is said to hang. It is no measure of speed: only a hang is meant.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs a reader through what every reader must do. Name files that it reads with [`sample`](Self::sample), and targets in
/// them with [`target`](Self::target): at least one of each kind that it answers. Small samples are tried more densely.
#[must_use = "a suite does nothing until it is run"]
#[derive(Clone)]
pub struct Suite {
    subject: Subject,
    exempt: Vec<(Rule, String)>,
}

impl std::fmt::Debug for Suite {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Suite")
            .field("reader", &self.subject.reader.name())
            .field("targets", &self.subject.targets)
            .finish_non_exhaustive()
    }
}

impl Suite {
    /// A suite for `reader`, without samples.
    pub fn new(reader: Reader) -> Self {
        let subject = Subject {
            reader,
            samples: Vec::new(),
            targets: Vec::new(),
            helpers: Vec::new(),
            steps: STEPS,
            patience: PATIENCE,
        };
        Self { subject, exempt: Vec::new() }
    }

    /// The same with a file at `path`.
    pub fn sample(mut self, path: impl Into<String>, bytes: impl AsRef<[u8]>) -> Self {
        self.subject.samples.push(Sample { path: path.into(), bytes: bytes.as_ref().into() });
        self
    }

    /// The same with a target that can be read. Without any, the samples are the targets.
    pub fn target(mut self, target: impl Into<String>) -> Self {
        self.subject.targets.push(target.into());
        self
    }

    /// The same with another reader that the targets lead through. Core's own are always there.
    pub fn with_reader(mut self, reader: Reader) -> Self {
        self.subject.helpers.push(reader);
        self
    }

    /// The same with another bound on how many steps of one kind are tried. Default 512.
    pub fn steps(mut self, steps: u64) -> Self {
        self.subject.steps = steps.max(2);
        self
    }

    /// The same with another time after which a case counts as hanging. Default 60 s.
    pub fn patience(mut self, patience: Duration) -> Self {
        self.subject.patience = patience;
        self
    }

    /// The same without one rule, and why. The report says so.
    pub fn except(mut self, rule: Rule, reason: impl Into<String>) -> Self {
        self.exempt.push((rule, reason.into()));
        self
    }

    /// Tries everything; gives what was found.
    pub fn report(mut self) -> Report {
        if self.subject.targets.is_empty() {
            self.subject.targets = self.subject.samples.iter().map(|sample| sample.path.clone()).collect();
        }
        let mut report = Report {
            reader: self.subject.reader.name().to_owned(),
            exempt: self.exempt,
            ..Report::default()
        };
        let subject = Arc::new(self.subject);
        for check in checks::ALL {
            watch(&subject, *check, &mut report);
        }
        report
    }

    /// Tries everything; gives the report, in which nothing is found.
    ///
    /// # Panics
    ///
    /// With the list of what does not hold, if anything does not: it is meant to be called in a test.
    #[track_caller]
    pub fn run(self) -> Report {
        let report = self.report();
        assert!(report.is_clean(), "{report}");
        report
    }
}
