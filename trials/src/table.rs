//! Tables, for people and as Markdown, and the figures in them.

use std::fmt::Write as _;
use std::time::Duration;

/// Rows of cells under headings.
#[derive(Debug)]
pub(crate) struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(headings: &[&str]) -> Self {
        Self { rows: vec![headings.iter().map(|&heading| heading.to_owned()).collect()] }
    }

    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    pub(crate) fn text(&self, markdown: bool) -> String {
        let mut text = String::new();
        let widths: Vec<usize> = (0..self.rows.first().map_or(0, Vec::len))
            .map(|column| {
                let cells = self.rows.iter().filter_map(|row| row.get(column));
                cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
            })
            .collect();
        for (index, row) in self.rows.iter().enumerate() {
            if markdown {
                let cells: Vec<String> = row.iter().map(|cell| cell.replace('|', "\\|")).collect();
                let _ = writeln!(text, "| {} |", cells.join(" | "));
                if index == 0 {
                    let _ = writeln!(text, "|{}", " --- |".repeat(row.len()));
                }
            } else {
                let cells: Vec<String> = row
                    .iter()
                    .zip(&widths)
                    .map(|(cell, width)| {
                        format!("{cell}{}", " ".repeat(width - cell.chars().count().min(*width)))
                    })
                    .collect();
                text.push_str(cells.join("  ").trim_end());
                text.push('\n');
            }
        }
        text
    }
}

/// `12,345`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1.5 ms`.
pub(crate) fn time(time: Duration) -> String {
    if time >= Duration::from_secs(1) {
        format!("{:.2} s", time.as_secs_f64())
    } else if time >= Duration::from_millis(100) {
        format!("{} ms", time.as_millis())
    } else {
        format!("{:.1} ms", time.as_secs_f64() * 1e3)
    }
}

/// `24 MiB`, rounded up.
pub(crate) fn mebibytes(bytes: u64) -> String {
    format!("{} MiB", grouped(bytes.div_ceil(1 << 20)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_stand_in_columns_and_in_bars() {
        let mut table = Table::new(&["a", "long"]);
        table.row(vec!["wide".into(), "x|y".into()]);
        assert_eq!(table.text(false), "a     long\nwide  x|y\n");
        assert_eq!(table.text(true), "| a | long |\n| --- | --- |\n| wide | x\\|y |\n");
    }

    #[test]
    fn figures_are_short() {
        assert_eq!(
            (grouped(999), grouped(1_000), grouped(1_234_567)),
            ("999".into(), "1,000".into(), "1,234,567".into())
        );
        assert_eq!(time(Duration::from_micros(1_500)), "1.5 ms");
        assert_eq!(time(Duration::from_millis(340)), "340 ms");
        assert_eq!(time(Duration::from_millis(2_340)), "2.34 s");
        assert_eq!(mebibytes((3 << 20) + 1), "4 MiB");
    }
}
