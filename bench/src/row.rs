//! One line of the results.

use std::time::Duration;

/// What was measured of one contender.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Measured {
    pub(crate) time: Duration,
    /// Peak resident memory of the process, in bytes; `None` where there is no process of its own.
    pub(crate) memory: Option<u64>,
}

/// A task, what it is compared with, and what came out.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    pub(crate) task: String,
    pub(crate) ours: Measured,
    pub(crate) beside: String,
    pub(crate) theirs: Measured,
    /// What our time over theirs may be at most.
    pub(crate) bar: Option<f64>,
    /// What our peak memory may be at most, in bytes.
    pub(crate) memory_bar: Option<u64>,
}

impl Row {
    /// Our time over theirs: under one we are faster.
    pub(crate) fn ratio(&self) -> f64 {
        self.ours.time.as_secs_f64() / self.theirs.time.as_secs_f64().max(1e-9)
    }

    /// What names the row among all.
    pub(crate) fn name(&self) -> String {
        format!("{} | {}", self.task, self.beside)
    }
}

#[cfg(test)]
pub(crate) fn sample(task: &str, ours: u64, theirs: u64, bar: Option<f64>) -> Row {
    let measured =
        |millis| Measured { time: Duration::from_millis(millis), memory: Some(millis * 1024 * 1024) };
    Row {
        task: task.to_owned(),
        ours: measured(ours),
        beside: "other".to_owned(),
        theirs: measured(theirs),
        bar,
        memory_bar: Some(24 * 1024 * 1024),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_is_ours_over_theirs() {
        assert!((sample("a", 10, 20, None).ratio() - 0.5).abs() < 1e-9);
        assert_eq!(sample("a", 10, 20, None).name(), "a | other");
        assert!(sample("a", 10, 0, None).ratio().is_finite());
    }
}
