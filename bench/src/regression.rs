//! Checks that can fail: ratios beside their bars, and beside those of an earlier run. Times are never compared.

use std::collections::BTreeMap;

use crate::row::Row;

/// The rows whose ratio or memory is over its bar by more than the slack.
pub(crate) fn over_bar(rows: &[Row], slack: f64) -> Vec<String> {
    let mut faults = Vec::new();
    for row in rows {
        if let Some(bar) = row.bar.filter(|bar| row.ratio() > bar * slack) {
            faults.push(format!("{}: {:.2}, the bar is {bar}", row.name(), row.ratio()));
        }
        // Memory is not noisy: it gets no slack.
        if let (Some(memory), Some(bar)) = (row.ours.memory, row.memory_bar)
            && memory > bar
        {
            faults.push(format!(
                "{}: {} MiB of memory, the bar is {} MiB",
                row.task,
                memory >> 20,
                bar >> 20
            ));
        }
    }
    faults.dedup();
    faults
}

/// The rows whose ratio is worse than before by more than the slack. A row that was not measured before passes, and
/// so does one that was not measured now.
pub(crate) fn worse(before: &BTreeMap<String, f64>, rows: &[Row], slack: f64) -> Vec<String> {
    rows.iter()
        .filter_map(|row| {
            let before = before.get(&row.name())?;
            (row.ratio() > before * slack)
                .then(|| format!("{}: {:.2}, it was {before:.2}", row.name(), row.ratio()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::sample;

    #[test]
    fn a_row_over_its_bar_is_a_fault() {
        let rows = [
            sample("fast", 10, 10, Some(1.0)),
            sample("slow", 13, 10, Some(1.0)),
            sample("free", 20, 10, None),
        ];
        assert_eq!(over_bar(&rows, 1.25), ["slow | other: 1.30, the bar is 1"]);
        assert!(over_bar(&rows, 1.5).is_empty());
    }

    #[test]
    fn memory_over_its_bar_is_a_fault_without_slack() {
        assert_eq!(
            over_bar(&[sample("big", 25, 100, None)], 9.0),
            ["big: 25 MiB of memory, the bar is 24 MiB"]
        );
    }

    #[test]
    fn a_ratio_that_grew_is_a_fault_and_a_slow_machine_is_not() {
        let before = BTreeMap::from([("a | other".to_owned(), 0.5), ("b | other".to_owned(), 0.5)]);
        let rows = [sample("a", 100, 200, None), sample("b", 7, 10, None), sample("new", 9, 1, None)];
        assert_eq!(worse(&before, &rows, 1.25), ["b | other: 0.70, it was 0.50"]);
    }
}
