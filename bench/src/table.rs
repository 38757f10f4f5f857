//! The results as people and programs read them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::growth::Growth;
use crate::row::{Measured, Row};

/// All that a run found.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) machine: String,
    pub(crate) rows: Vec<Row>,
    pub(crate) growth: Vec<Growth>,
    pub(crate) skipped: Vec<String>,
}

const HEADS: [&str; 8] = ["task", "time", "memory", "beside", "its time", "its memory", "ratio", "bar"];

impl Report {
    /// For a terminal.
    pub(crate) fn plain(&self) -> String {
        let mut text = format!("{}\n\n", self.machine);
        text.push_str(&aligned(&HEADS.map(str::to_owned), &self.cells()));
        if let Some((heads, rows)) = self.growth_cells() {
            text.push('\n');
            text.push_str(&aligned(&heads, &rows));
        }
        self.skips(&mut text, "skipped: ");
        text
    }

    /// For the docs.
    pub(crate) fn markdown(&self) -> String {
        let mut text = format!("{}\n\n", self.machine);
        text.push_str(&piped(&HEADS.map(str::to_owned), &self.cells()));
        if let Some((heads, rows)) = self.growth_cells() {
            text.push('\n');
            text.push_str(&piped(&heads, &rows));
        }
        self.skips(&mut text, "* skipped: ");
        text
    }

    /// For the next run to compare with.
    pub(crate) fn json(&self) -> String {
        let measured = |one: &Measured| json!({ "seconds": one.time.as_secs_f64(), "memory": one.memory });
        let rows: Vec<Value> = self
            .rows
            .iter()
            .map(|row| {
                json!({
                    "name": row.name(), "ours": measured(&row.ours), "theirs": measured(&row.theirs),
                    "ratio": row.ratio(), "bar": row.bar, "memory_bar": row.memory_bar,
                })
            })
            .collect();
        let growth: Vec<Value> = self
            .growth
            .iter()
            .map(|one| {
                let times: BTreeMap<_, _> =
                    one.times.iter().map(|(scale, time)| (scale.as_str(), time.as_secs_f64())).collect();
                json!({ "task": one.task, "seconds": times })
            })
            .collect();
        let all = json!({ "machine": self.machine, "rows": rows, "growth": growth, "skipped": self.skipped });
        format!("{all:#}\n")
    }

    fn cells(&self) -> Vec<Vec<String>> {
        let cells = |row: &Row| {
            vec![
                row.task.clone(),
                shown(row.ours.time),
                memory(&row.ours),
                row.beside.clone(),
                shown(row.theirs.time),
                memory(&row.theirs),
                number(row.ratio()),
                row.bar.map_or_else(String::new, |bar| format!("{}{}", number(bar), verdict(row, bar))),
            ]
        };
        self.rows.iter().map(cells).collect()
    }

    fn growth_cells(&self) -> Option<(Vec<String>, Vec<Vec<String>>)> {
        let first = self.growth.first()?;
        let mut heads = vec!["growth of".to_owned()];
        heads.extend(first.times.iter().map(|(scale, _)| scale.clone()));
        let rows = self.growth.iter().map(|growth| {
            let mut cells = vec![growth.task.clone()];
            cells.extend(growth.times.iter().map(|(_, time)| shown(*time)));
            cells
        });
        Some((heads, rows.collect()))
    }

    fn skips(&self, text: &mut String, mark: &str) {
        if !self.skipped.is_empty() {
            text.push('\n');
        }
        for reason in &self.skipped {
            let _ = writeln!(text, "{mark}{reason}");
        }
    }
}

/// The ratios that a run wrote, by the name of their row.
pub(crate) fn ratios(written: &str) -> Result<BTreeMap<String, f64>> {
    let value: Value = serde_json::from_str(written).context("the earlier results are no JSON")?;
    let rows = value.get("rows").and_then(Value::as_array).context("the earlier results have no rows")?;
    let ratio = |row: &Value| Some((row.get("name")?.as_str()?.to_owned(), row.get("ratio")?.as_f64()?));
    rows.iter().map(|row| ratio(row).context("an earlier row has no ratio")).collect()
}

fn verdict(row: &Row, bar: f64) -> &'static str {
    if row.ratio() <= bar { "" } else { " (over)" }
}

/// Three figures that matter.
fn number(value: f64) -> String {
    if value < 0.095 { format!("{value:.4}") } else { format!("{value:.2}") }
}

fn memory(measured: &Measured) -> String {
    measured.memory.map_or_else(String::new, |bytes| format!("{} MiB", bytes.div_ceil(1024 * 1024)))
}

fn shown(time: Duration) -> String {
    let micros = time.as_secs_f64() * 1e6;
    match micros {
        _ if micros < 1_000.0 => format!("{micros:.1} µs"),
        _ if micros < 1_000_000.0 => format!("{:.1} ms", micros / 1e3),
        _ => format!("{:.2} s", micros / 1e6),
    }
}

fn piped(heads: &[String], rows: &[Vec<String>]) -> String {
    let mut text = format!("| {} |\n|{}\n", heads.join(" | "), " --- |".repeat(heads.len()));
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
        let _ = writeln!(text, "| {} |", cells.join(" | "));
    }
    text
}

fn aligned(heads: &[String], rows: &[Vec<String>]) -> String {
    let widths: Vec<usize> = heads
        .iter()
        .enumerate()
        .map(|(column, head)| {
            let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
            cells.chain([head.chars().count()]).max().unwrap_or(0)
        })
        .collect();
    let mut text = String::new();
    for row in std::iter::once(heads).chain(rows.iter().map(Vec::as_slice)) {
        let line: String = row.iter().zip(&widths).fold(String::new(), |mut line, (cell, width)| {
            let _ = write!(line, "{cell:<width$}  ");
            line
        });
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::sample;

    fn report() -> Report {
        Report {
            machine: "2 × x".to_owned(),
            rows: vec![sample("a", 10, 20, Some(0.4)), sample("b", 1, 20, Some(1.0))],
            growth: vec![Growth {
                task: "a".to_owned(),
                times: vec![
                    ("1×".to_owned(), Duration::from_micros(90)),
                    ("10×".to_owned(), Duration::from_secs(2)),
                ],
            }],
            skipped: vec!["unzip is not installed".to_owned()],
        }
    }

    #[test]
    fn a_row_over_its_bar_says_so() {
        let text = report().markdown();
        assert!(
            text.contains("| a | 10.0 ms | 10 MiB | other | 20.0 ms | 20 MiB | 0.50 | 0.40 (over) |"),
            "{text}"
        );
        assert!(text.contains("| 0.0500 | 1.00 |"), "{text}");
        assert!(text.contains("| a | 90.0 µs | 2.00 s |"), "{text}");
        assert!(text.contains("skipped: unzip"), "{text}");
    }

    #[test]
    fn columns_line_up() {
        let text = report().plain();
        let column = |line: &str| line.find("other").or_else(|| line.find("beside"));
        let columns: Vec<_> = text.lines().filter_map(column).collect();
        assert_eq!(columns, [columns[0]; 3], "{text}");
    }

    #[test]
    fn what_was_written_is_read_again() {
        let ratios = ratios(&report().json()).unwrap();
        assert_eq!(ratios.keys().collect::<Vec<_>>(), ["a | other", "b | other"]);
        assert!((ratios["a | other"] - 0.5).abs() < 1e-9);
        assert!(super::ratios("{}").is_err());
    }
}
