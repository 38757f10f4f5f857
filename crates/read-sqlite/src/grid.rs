//! Rows as text: a table where it fits, else a block for each row.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::value::Value;

/// Columns of the screen that a table takes at most.
const TABLE_WIDTH: usize = 120;
/// Columns of the screen that one column of a table takes at most.
const COLUMN_WIDTH: usize = 40;
/// How narrow a column may become so that a table fits.
const COLUMN_LEAST: usize = 12;

/// Rows with the names of their columns.
#[derive(Debug)]
pub(crate) struct Grid<'a> {
    pub(crate) columns: &'a [String],
    pub(crate) rows: &'a [Vec<Value>],
    /// The number of the first row, from 1.
    pub(crate) first: u64,
}

/// How much text may be written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    pub(crate) bytes: u64,
    pub(crate) lines: u64,
}

/// What was written.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Written {
    pub(crate) text: String,
    /// How many rows: fewer than there are where the room ended.
    pub(crate) rows: usize,
    /// Row and column of the first value that is shown in part.
    pub(crate) cut: Option<(usize, usize)>,
    /// Values that are no UTF-8.
    pub(crate) lossy: u64,
}

impl Grid<'_> {
    /// Writes the rows, as many as there is room for; at least one.
    pub(crate) fn write(&self, room: Room) -> Written {
        match self.widths() {
            Some(widths) => self.table(&widths, room),
            None => self.blocks(room),
        }
    }

    /// The widths of a table's columns; `None` where they do not fit.
    fn widths(&self) -> Option<Vec<usize>> {
        // Only what can be seen is measured: a cell is cut beyond the widest column.
        let mut widths: Vec<usize> =
            self.columns.iter().map(|name| name.width().clamp(1, COLUMN_WIDTH)).collect();
        if widths.is_empty() || total(&vec![1; widths.len()]) > TABLE_WIDTH {
            return None;
        }
        for row in self.rows {
            for (width, value) in widths.iter_mut().zip(row) {
                let shown = value.shown();
                *width = (*width).max(fit(&shown.text, COLUMN_WIDTH, shown.cut).0.width());
            }
        }
        // The widest columns give way first.
        while total(&widths) > TABLE_WIDTH {
            let widest =
                widths.iter_mut().max_by_key(|width| **width).filter(|width| **width > COLUMN_LEAST)?;
            *widest -= 1;
        }
        Some(widths)
    }

    fn table(&self, widths: &[usize], room: Room) -> Written {
        let mut written = Written::default();
        let header: Vec<String> =
            self.columns.iter().zip(widths).map(|(name, width)| fit(name, *width, false).0).collect();
        line(&mut written.text, header.iter().zip(widths));
        written.text.push('|');
        for width in widths {
            written.text.push_str(&"-".repeat(width + 2));
            written.text.push('|');
        }
        written.text.push('\n');
        for (number, row) in self.rows.iter().enumerate() {
            let mut cut = None;
            let mut lossy = 0;
            let mut cells = Vec::with_capacity(widths.len());
            for (column, (value, width)) in row.iter().zip(widths).enumerate() {
                let shown = value.shown();
                let (text, was_cut) = fit(&shown.text, *width, shown.cut);
                if was_cut {
                    cut = cut.or(Some((number, column)));
                }
                lossy += u64::from(shown.lossy);
                cells.push(text);
            }
            let mut text = String::new();
            line(&mut text, cells.iter().zip(widths));
            if !written.add(&text, room, number as u64 + 3) {
                break;
            }
            written.cut = written.cut.or(cut);
            written.lossy += lossy;
        }
        written
    }

    fn blocks(&self, room: Room) -> Written {
        let mut written = Written::default();
        let mut lines = 0;
        for (number, row) in self.rows.iter().enumerate() {
            let mut text = format!("── Row {} ──\n", self.first.saturating_add(number as u64));
            let mut cut = None;
            let mut lossy = 0;
            for (column, (name, value)) in self.columns.iter().zip(row).enumerate() {
                let shown = value.shown();
                let (value, was_cut) = fit(&shown.text, TABLE_WIDTH, shown.cut);
                if was_cut {
                    cut = cut.or(Some((number, column)));
                }
                lossy += u64::from(shown.lossy);
                text.push_str(name);
                text.push_str(": ");
                text.push_str(&value);
                text.push('\n');
            }
            lines += row.len() as u64 + 1;
            if !written.add(&text, room, lines) {
                break;
            }
            written.cut = written.cut.or(cut);
            written.lossy += lossy;
        }
        written
    }
}

impl Written {
    /// Adds a row, unless it is over the room and not the first.
    fn add(&mut self, row: &str, room: Room, lines: u64) -> bool {
        let bytes = (self.text.len() + row.len()) as u64;
        if self.rows > 0 && (bytes > room.bytes || lines > room.lines) {
            return false;
        }
        self.text.push_str(row);
        self.rows += 1;
        true
    }
}

/// The width of a table with such columns.
fn total(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + widths.len() * 3 + 1
}

fn line<'a>(out: &mut String, cells: impl Iterator<Item = (&'a String, &'a usize)>) {
    out.push('|');
    for (cell, width) in cells {
        out.push(' ');
        out.push_str(cell);
        out.push_str(&" ".repeat(width.saturating_sub(cell.width()) + 1));
        out.push('|');
    }
    out.push('\n');
}

/// `text` within `width` columns of the screen, `…` at its end where it was cut or goes on; and whether it does.
pub(crate) fn fit(text: &str, width: usize, goes_on: bool) -> (String, bool) {
    if !goes_on && text.width() <= width {
        return (text.to_owned(), false);
    }
    let room = width.saturating_sub(1);
    let mut end = 0;
    let mut used = 0;
    for (at, c) in text.char_indices() {
        // Marks that stand on the character before belong to it.
        used += c.width().unwrap_or(0);
        if used > room {
            break;
        }
        end = at + c.len_utf8();
    }
    let mut cut = text.get(..end).unwrap_or_default().to_owned();
    // A sequence of characters may be wider than its parts.
    while cut.width() > room && cut.pop().is_some() {}
    cut.push('…');
    (cut, true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ROOM: Room = Room { bytes: u64::MAX, lines: u64::MAX };

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn text(text: &str) -> Value {
        Value::Text { head: text.as_bytes().to_vec(), total: text.len() as u64 }
    }

    fn written(columns: &[String], rows: &[Vec<Value>]) -> Written {
        Grid { columns, rows, first: 1 }.write(ROOM)
    }

    #[test]
    fn wide_and_combining_characters_line_up() {
        let columns = names(&["id", "name"]);
        let rows = vec![
            vec![Value::Integer(1), text("日本")],
            vec![Value::Null, text("zoe\u{308}")],
            vec![Value::Blob(12_600), text("a\tb\n")],
        ];
        assert_eq!(
            written(&columns, &rows).text,
            "\
| id            | name   |
|---------------|--------|
| 1             | 日本   |
| NULL          | zoe\u{308}    |
| <BLOB 12.3KB> | a\\tb\\n |
"
        );
    }

    #[test]
    fn a_cell_takes_forty_columns() {
        let rows = vec![vec![text(&"x".repeat(41))], vec![text(&"x".repeat(40))]];
        let written = written(&names(&["c"]), &rows);
        assert!(written.text.contains(&format!("| {}… |", "x".repeat(39))));
        assert!(written.text.contains(&format!("| {} |", "x".repeat(40))));
        assert_eq!(written.cut, Some((0, 0)));
    }

    #[test]
    fn columns_give_way_until_they_no_longer_fit() {
        let row = |n| vec![text(&"y".repeat(40)); n];
        let columns: Vec<String> = (0..8).map(|n| format!("c{n}")).collect();
        let table = written(&columns[..4], &[row(4)]);
        assert!(table.text.lines().all(|line| line.width() == TABLE_WIDTH), "{}", table.text);
        let blocks = written(&columns, &[row(8)]);
        assert!(blocks.text.starts_with("── Row 1 ──\nc0: yyyy"), "{}", blocks.text);
        assert_eq!(blocks.cut, None);
    }

    #[test]
    fn room_ends_between_rows_and_one_row_is_always_shown() {
        let columns = names(&["c"]);
        let rows = vec![vec![text("abc")]; 5];
        let grid = Grid { columns: &columns, rows: &rows, first: 1 };
        assert_eq!(grid.write(Room { bytes: 1, lines: 1 }).rows, 1);
        assert_eq!(grid.write(Room { bytes: u64::MAX, lines: 4 }).rows, 2);
        assert_eq!(grid.write(ROOM).rows, 5);
    }

    proptest! {
        #[test]
        fn nothing_is_wider_than_it_may_be(cells in proptest::collection::vec(".{0,60}", 1..12), width in 1_usize..50) {
            for cell in &cells {
                prop_assert!(fit(cell, width, false).0.width() <= width);
                prop_assert!(fit(cell, width, true).0.width() <= width);
            }
            let columns: Vec<String> = (0..cells.len()).map(|n| n.to_string()).collect();
            let rows = vec![cells.iter().map(|cell| text(cell)).collect::<Vec<_>>()];
            let written = written(&columns, &rows);
            if written.text.starts_with('|') {
                prop_assert!(written.text.lines().all(|line| line.width() <= TABLE_WIDTH + 2), "{}", written.text);
            }
        }
    }
}
