//! An aligned table that knows how long it is before it is written.

use std::fmt::Write;

use csv::ByteRecord;
use read_core::printed;
use unicode_width::UnicodeWidthStr;

use crate::columns::MAX_COLUMNS;

/// Columns of a screen that one cell takes at most.
const MAX_WIDTH: usize = 40;

/// Bytes of a cell that are looked at: more than fills it, whatever the script.
const MAX_CELL: usize = 512;

/// The narrowest column, so that its divider is one.
const MIN_WIDTH: usize = 3;

/// What stands between rows that do not follow each other.
const GAP: &str = "\n…\n\n";

/// A header, rows, and how they will be laid out.
pub(crate) struct Table {
    chosen: Option<Vec<usize>>,
    numbered: bool,
    header: Vec<Cell>,
    rows: Vec<Row>,
    widths: Vec<usize>,
    /// Bytes that the cells have beyond their widths.
    extra: usize,
    gaps: usize,
    /// The most columns that any record has.
    columns: usize,
}

struct Row {
    number: u64,
    cells: Vec<Cell>,
    after_gap: bool,
}

struct Cell {
    text: String,
    width: usize,
}

impl Table {
    /// A table without rows.
    pub(crate) fn new(header: &ByteRecord, chosen: Option<Vec<usize>>, numbered: bool) -> Self {
        let mut table = Self {
            chosen,
            numbered,
            header: Vec::new(),
            rows: Vec::new(),
            widths: Vec::new(),
            extra: 0,
            gaps: 0,
            columns: header.len(),
        };
        let mut cells = table.cells(header);
        if numbered {
            cells.insert(0, Cell::of(b"row"));
        }
        table.widths = widened(&[], &cells);
        table.extra = cells.iter().map(Cell::extra).sum();
        table.header = cells;
        table
    }

    fn cells(&self, record: &ByteRecord) -> Vec<Cell> {
        match &self.chosen {
            Some(chosen) => chosen.iter().map(|at| Cell::of(record.get(*at).unwrap_or_default())).collect(),
            None => record.iter().take(MAX_COLUMNS).map(Cell::of).collect(),
        }
    }

    /// Adds a row, unless the table would be over `max_bytes` by it. The first row always fits.
    pub(crate) fn push(&mut self, number: u64, record: &ByteRecord, max_bytes: u64) -> bool {
        let mut cells = self.cells(record);
        if self.numbered {
            cells.insert(0, Cell::of(number.to_string().as_bytes()));
        }
        let widths = widened(&self.widths, &cells);
        let extra = self.extra.saturating_add(cells.iter().map(Cell::extra).sum());
        let after_gap = self.rows.last().is_some_and(|last| last.number.saturating_add(1) != number);
        let gaps = self.gaps.saturating_add(usize::from(after_gap));
        let size = size(&widths, self.rows.len().saturating_add(3), extra, gaps);
        if !self.rows.is_empty() && size as u64 > max_bytes {
            return false;
        }
        (self.widths, self.extra, self.gaps) = (widths, extra, gaps);
        self.columns = self.columns.max(record.len());
        self.rows.push(Row { number, cells, after_gap });
        true
    }

    /// The table without its rows.
    pub(crate) fn clear(&mut self) {
        self.rows.clear();
        self.widths = widened(&[], &self.header);
        self.extra = self.header.iter().map(Cell::extra).sum();
        self.gaps = 0;
    }

    /// How many rows there are.
    pub(crate) fn len(&self) -> u64 {
        self.rows.len() as u64
    }

    /// The rows that are shown, as ranges.
    pub(crate) fn shown(&self) -> Vec<[u64; 2]> {
        let mut shown: Vec<[u64; 2]> = Vec::new();
        for row in &self.rows {
            match shown.last_mut() {
                Some([_, last]) if last.saturating_add(1) == row.number => *last = row.number,
                _ => shown.push([row.number, row.number]),
            }
        }
        shown
    }

    /// Columns that are not shown, because there are too many.
    pub(crate) fn hidden(&self) -> usize {
        if self.chosen.is_some() { 0 } else { self.columns.saturating_sub(MAX_COLUMNS) }
    }

    /// The table as text.
    pub(crate) fn to_text(&self) -> String {
        let mut text = String::new();
        self.line(&mut text, &self.header);
        for width in &self.widths {
            // Writing to a string does not fail.
            let _ = write!(text, "| {:-<width$} ", "");
        }
        text.push_str("|\n");
        for row in &self.rows {
            if row.after_gap {
                text.push_str(GAP);
            }
            self.line(&mut text, &row.cells);
        }
        text
    }

    fn line(&self, text: &mut String, cells: &[Cell]) {
        let mut cells = cells.iter();
        for width in &self.widths {
            let (cell, own) = cells.next().map_or(("", 0), |cell| (cell.text.as_str(), cell.width));
            let padding = width.saturating_sub(own);
            let _ = write!(text, "| {cell}{:padding$} ", "");
        }
        text.push_str("|\n");
    }
}

/// The record with no more of each field than a cell looks at.
pub(crate) fn shortened(record: &ByteRecord) -> ByteRecord {
    record.iter().map(|field| field.get(..=MAX_CELL).unwrap_or(field)).collect()
}

/// The bytes that a record takes at least as a row.
pub(crate) fn least_size(record: &ByteRecord) -> u64 {
    let fields =
        record.iter().take(MAX_COLUMNS).map(|field| field.len().min(MAX_WIDTH / 2).saturating_add(3));
    fields.sum::<usize>() as u64
}

/// The bytes of a table of so many lines.
fn size(widths: &[usize], lines: usize, extra: usize, gaps: usize) -> usize {
    let line = widths.iter().sum::<usize>().saturating_add(widths.len().saturating_mul(3)).saturating_add(2);
    line.saturating_mul(lines).saturating_add(extra).saturating_add(gaps.saturating_mul(GAP.len()))
}

/// The widths that hold `cells` too.
fn widened(widths: &[usize], cells: &[Cell]) -> Vec<usize> {
    let count = widths.len().max(cells.len());
    let width = |at: usize| widths.get(at).copied().unwrap_or(MIN_WIDTH);
    let own = |at: usize| cells.get(at).map_or(0, |cell| cell.width);
    (0..count).map(|at| width(at).max(own(at))).collect()
}

impl Cell {
    /// A field as it is shown: on one line, nothing hidden, cut where it is too wide.
    fn of(field: &[u8]) -> Self {
        let looked_at = field.get(..MAX_CELL).unwrap_or(field);
        // Not inside a character.
        let cut = match std::str::from_utf8(looked_at) {
            Err(error) if error.error_len().is_none() && looked_at.len() < field.len() => error.valid_up_to(),
            _ => looked_at.len(),
        };
        let text = printed(looked_at.get(..cut).unwrap_or_default()).replace('|', "\\|");
        let width = text.width();
        if width <= MAX_WIDTH && cut == field.len() {
            return Self { text, width };
        }
        let mut kept = String::new();
        for character in text.chars() {
            kept.push(character);
            if kept.width() >= MAX_WIDTH {
                kept.pop();
                break;
            }
        }
        kept.push('…');
        let width = kept.width();
        Self { text: kept, width }
    }

    /// Bytes beyond the columns that it takes.
    fn extra(&self) -> usize {
        self.text.len().saturating_sub(self.width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(fields: &[&str]) -> ByteRecord {
        ByteRecord::from(fields.to_vec())
    }

    fn cell(field: &[u8]) -> String {
        Cell::of(field).text
    }

    #[test]
    fn rows_are_aligned_by_display_width() {
        let mut table = Table::new(&record(&["name", "n"]), None, false);
        assert!(table.push(1, &record(&["漢字", "1"]), 1_000));
        assert!(table.push(2, &record(&["é"]), 1_000));
        assert!(table.push(9, &record(&["x", "2", "more"]), 1_000));
        assert_eq!(
            table.to_text(),
            "| name | n   |      |\n| ---- | --- | ---- |\n| 漢字 | 1   |      |\n| é    |     |      |\n\n…\n\n| x    | 2   | more |\n"
        );
        assert_eq!(table.shown(), [[1, 2], [9, 9]]);
    }

    #[test]
    fn cells_stay_on_their_line_and_in_their_width() {
        assert_eq!(cell(b"a\nb\t|c"), "a\\nb\\t\\|c");
        assert_eq!(cell(b"\xff"), "\\xff");
        assert_eq!(cell("x".repeat(40).as_bytes()), "x".repeat(40));
        assert_eq!(cell("x".repeat(41).as_bytes()), "x".repeat(39) + "…");
        assert_eq!(cell("漢".repeat(2_000).as_bytes()), "漢".repeat(19) + "…");
    }

    #[test]
    fn the_size_is_known_before_it_is_written() {
        let mut table = Table::new(&record(&["a", "b"]), None, true);
        let rows = [&["漢字", "1"][..], &["long enough to widen", "ä"], &["x", "2"], &["y"]];
        for (number, row) in [1_u64, 2, 7, 8].into_iter().zip(rows) {
            assert!(table.push(number, &record(row), 10_000));
            let lines = table.rows.len() + 2;
            assert_eq!(size(&table.widths, lines, table.extra, table.gaps), table.to_text().len());
        }
        let full = table.to_text();
        assert!(!table.push(9, &record(&["z"]), full.len() as u64));
        assert_eq!(table.to_text(), full);
    }
}
