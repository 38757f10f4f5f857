//! A case: what is read, what it may cost, and whether it did.

use std::time::Duration;

/// What bounds a read: the bars of the project for this kind of file, and a margin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    /// A member of a zip or tar, or their list.
    Archive,
    /// What is decompressed on the way.
    Compressed,
    Database,
    /// A query that has no end but its deadline.
    Endless,
    /// A search through more than can be searched in the time, which is set to 5 s.
    Search,
    Image,
    /// An index of very many members.
    Index,
}

/// Over the bar for memory.
const MARGIN: u64 = 64 << 20;

impl Kind {
    /// The ceiling of resident memory, in bytes.
    pub(crate) fn memory(self) -> u64 {
        let bar: u64 = match self {
            Self::Text | Self::Search => 24,
            Self::Archive => 32,
            Self::Compressed => 48,
            Self::Database | Self::Endless => 64,
            Self::Image => 220,
            Self::Index => 256,
        };
        (bar << 20) + MARGIN
    }

    /// The ceiling of processor time.
    pub(crate) fn cpu(self) -> Duration {
        match self {
            Self::Image => Duration::from_secs(5),
            // A deadline of 5 s, to be kept within a tenth.
            Self::Endless | Self::Search => Duration::from_millis(5_500),
            _ => Duration::from_secs(2),
        }
    }
}

/// Seconds that a search may take.
pub(crate) const SEARCH: &str = "5";

/// One read.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// The file that must be there.
    pub(crate) file: &'static str,
    /// The target: the file, and what follows it.
    pub(crate) target: String,
    pub(crate) kind: Kind,
}

/// What became of a read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Run {
    /// The exit status, or the signal.
    pub(crate) exit: String,
    /// The exit status, where it ended by itself.
    pub(crate) code: Option<i32>,
    /// The error's code, or the first line of the answer.
    pub(crate) said: String,
    pub(crate) cpu: Duration,
    /// Bytes.
    pub(crate) peak: u64,
}

/// Whether a read kept under its ceiling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    Held,
    Broken(Vec<String>),
}

impl Verdict {
    pub(crate) fn of(case: &Case, run: &Run) -> Self {
        let mut reasons = Vec::new();
        if !matches!(run.code, Some(0..=2)) {
            reasons.push(format!("ended with {}", run.exit));
        }
        if run.said.contains("reader_failed") {
            reasons.push("a reader panicked".to_owned());
        }
        if run.said.is_empty() {
            reasons.push("said nothing".to_owned());
        }
        if run.cpu > case.kind.cpu() {
            reasons.push(format!("{:.2} s", run.cpu.as_secs_f64()));
        }
        if run.peak > case.kind.memory() {
            reasons.push(format!("{} MiB", run.peak >> 20));
        }
        if reasons.is_empty() { Self::Held } else { Self::Broken(reasons) }
    }

    pub(crate) fn text(&self) -> String {
        match self {
            Self::Held => "held".to_owned(),
            Self::Broken(reasons) => format!("BROKEN: {}", reasons.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_excess_is_named() {
        let case = Case { name: "a", file: "a", target: "a".into(), kind: Kind::Text };
        let held = Run { exit: "0".into(), code: Some(0), said: "text".into(), ..Run::default() };
        assert_eq!(Verdict::of(&case, &held), Verdict::Held);
        for (run, part) in [
            (Run { code: None, exit: "signal 9".into(), ..held.clone() }, "signal 9"),
            (Run { code: Some(101), exit: "101".into(), ..held.clone() }, "101"),
            (Run { said: "reader_failed: x".into(), ..held.clone() }, "panicked"),
            (Run { said: String::new(), ..held.clone() }, "nothing"),
            (Run { cpu: Duration::from_secs(3), ..held.clone() }, "3.00 s"),
            (Run { peak: 100 << 20, ..held.clone() }, "100 MiB"),
        ] {
            assert!(Verdict::of(&case, &run).text().contains(part), "{part}");
        }
    }
}
