//! Rows as text: a table where it fits, else a block for each row.

use std::borrow::Cow;

use read_core::ReadContext;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::value::{Shown, Value};

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

impl Room {
    /// The room that the caps of the output leave.
    pub(crate) fn of(cx: &ReadContext<'_>) -> Self {
        let limits = cx.limits();
        Self { bytes: limits.max_bytes.unwrap_or(u64::MAX), lines: limits.max_lines.unwrap_or(u64::MAX) }
    }
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
        // Each value is put in words once: it is measured before it is written.
        let rows: Vec<Vec<Shown>> =
            self.rows.iter().map(|row| row.iter().map(Value::shown).collect()).collect();
        match self.widths(&rows) {
            Some(widths) => self.table(&rows, &widths, room),
            None => self.blocks(&rows, room),
        }
    }

    /// The widths of a table's columns; `None` where they do not fit.
    fn widths(&self, rows: &[Vec<Shown>]) -> Option<Vec<usize>> {
        // Only what can be seen is measured: a cell is cut beyond the widest column.
        let mut widths: Vec<usize> =
            self.columns.iter().map(|name| width(name).clamp(1, COLUMN_WIDTH)).collect();
        if widths.is_empty() || total(&vec![1; widths.len()]) > TABLE_WIDTH {
            return None;
        }
        for row in rows {
            for (column, shown) in widths.iter_mut().zip(row) {
                *column = (*column).max(width(&fit(&shown.text, COLUMN_WIDTH, shown.cut).0));
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

    fn table(&self, rows: &[Vec<Shown>], widths: &[usize], room: Room) -> Written {
        let mut written = Written::default();
        line(
            &mut written.text,
            self.columns.iter().zip(widths).map(|(name, width)| (name.as_str(), false, *width)),
        );
        written.text.push('|');
        for width in widths {
            written.text.extend(std::iter::repeat_n('-', width + 2));
            written.text.push('|');
        }
        written.text.push('\n');
        for (number, row) in rows.iter().enumerate() {
            let mut text = String::new();
            let cells = row.iter().zip(widths).map(|(shown, width)| (shown.text.as_str(), shown.cut, *width));
            let cut = line(&mut text, cells).map(|column| (number, column));
            if !written.add(&text, room, number as u64 + 3) {
                break;
            }
            written.note(row, cut);
        }
        written
    }

    fn blocks(&self, rows: &[Vec<Shown>], room: Room) -> Written {
        let mut written = Written::default();
        let mut lines = 0;
        for (number, row) in rows.iter().enumerate() {
            let mut text = format!("── Row {} ──\n", self.first.saturating_add(number as u64));
            let mut cut = None;
            for (column, (name, shown)) in self.columns.iter().zip(row).enumerate() {
                let (value, was_cut) = fit(&shown.text, TABLE_WIDTH, shown.cut);
                if was_cut {
                    cut = cut.or(Some((number, column)));
                }
                text.push_str(name);
                text.push_str(": ");
                text.push_str(&value);
                text.push('\n');
            }
            lines += row.len() as u64 + 1;
            if !written.add(&text, room, lines) {
                break;
            }
            written.note(row, cut);
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

    /// Notes what is to be said of the row that was added.
    fn note(&mut self, row: &[Shown], cut: Option<(usize, usize)>) {
        self.cut = self.cut.or(cut);
        self.lossy += row.iter().filter(|shown| shown.lossy).count() as u64;
    }
}

/// The width of a table with such columns.
fn total(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + widths.len() * 3 + 1
}

/// Writes a line of cells (a text, whether it goes on, a width); gives the first that was cut.
fn line<'a>(out: &mut String, cells: impl Iterator<Item = (&'a str, bool, usize)>) -> Option<usize> {
    let mut first_cut = None;
    out.push('|');
    for (column, (text, goes_on, room)) in cells.enumerate() {
        let (cell, was_cut) = fit(text, room, goes_on);
        if was_cut {
            first_cut = first_cut.or(Some(column));
        }
        out.push(' ');
        out.push_str(&cell);
        out.extend(std::iter::repeat_n(' ', room.saturating_sub(width(&cell)) + 1));
        out.push('|');
    }
    out.push('\n');
    first_cut
}

/// How many columns of the screen a text takes.
fn width(text: &str) -> usize {
    // Most texts are plain, and looking characters up in tables takes its time.
    if text.bytes().all(|byte| (b' '..=b'~').contains(&byte)) { text.len() } else { text.width() }
}

/// `text` within `most` columns of the screen, `…` at its end where it was cut or goes on; and whether it does.
pub(crate) fn fit(text: &str, most: usize, goes_on: bool) -> (Cow<'_, str>, bool) {
    if !goes_on && width(text) <= most {
        return (Cow::Borrowed(text), false);
    }
    let room = most.saturating_sub(1);
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
    while width(&cut) > room && cut.pop().is_some() {}
    cut.push('…');
    (Cow::Owned(cut), true)
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
