//! What is shown is what the `sqlite3` program shows, cell for cell.

use crate::bench::{Bench, has_sqlite3, next};
use proptest::prelude::*;

/// A value as SQL writes it.
fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("NULL".to_owned()),
        any::<i64>().prop_map(|n| if n == i64::MIN {
            "(-9223372036854775807 - 1)".into()
        } else {
            n.to_string()
        }),
        (-1_000_000_i64..1_000_000, 0_u32..6)
            .prop_map(|(n, places)| format!("({n}.0 / {})", 10_i64.pow(places))),
        (1_i32..300).prop_map(|exponent| format!("1.5e{exponent}")),
        "[a-zA-Z0-9 éß日本\u{301}'\"|\\\\\n\t]{0,30}"
            .prop_map(|text| format!("'{}'", text.replace('\'', "''"))),
        proptest::collection::vec(any::<u8>(), 0..20).prop_map(|bytes| {
            let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("x'{}'", digits.concat())
        }),
    ]
}

#[derive(Debug, Clone)]
struct Table {
    columns: Vec<(String, &'static str)>,
    rows: Vec<Vec<String>>,
    encoding: &'static str,
    page_size: u32,
}

fn table() -> impl Strategy<Value = Table> {
    let declared =
        prop_oneof![Just(""), Just("INT"), Just("TEXT"), Just("REAL"), Just("NUMERIC"), Just("BLOB")];
    let name = "[a-z][a-z ?:'é]{0,6}";
    let encoding = prop_oneof![Just("UTF-8"), Just("UTF-16le"), Just("UTF-16be")];
    (proptest::collection::btree_map(name, declared, 1..5), encoding, 0_u32..3).prop_flat_map(
        |(columns, encoding, size)| {
            let columns: Vec<_> = columns.into_iter().collect();
            let rows = proptest::collection::vec(proptest::collection::vec(value(), columns.len()), 0..30);
            rows.prop_map(move |rows| Table {
                columns: columns.clone(),
                rows,
                encoding,
                page_size: 512 << size,
            })
        },
    )
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

impl Table {
    fn sql(&self) -> String {
        let columns: Vec<String> =
            self.columns.iter().map(|(name, kind)| format!("{} {kind}", quoted(name))).collect();
        let rows: Vec<String> =
            self.rows.iter().map(|row| format!("INSERT INTO t VALUES ({});", row.join(", "))).collect();
        format!(
            "PRAGMA page_size = {}; PRAGMA encoding = '{}'; CREATE TABLE t({}); BEGIN; {} COMMIT;",
            self.page_size,
            self.encoding,
            columns.join(", "),
            rows.join(" ")
        )
    }

    /// What the program shows: rows of cells, BLOBs as `<BLOB n>`.
    fn expected(&self, bench: &Bench) -> Vec<Vec<String>> {
        let cells: Vec<String> = self
            .columns
            .iter()
            .map(|(name, _)| {
                let name = quoted(name);
                format!(
                    "CASE typeof({name}) WHEN 'blob' THEN '<BLOB ' || length({name}) || 'B>' ELSE {name} END"
                )
            })
            .collect();
        let options =
            ["-list", "-noheader", "-separator", "\u{1f}", "-newline", "\u{1e}", "-nullvalue", "NULL"];
        let printed = bench.sqlite3_with(&options, "d.db", &format!("SELECT {} FROM t", cells.join(", ")));
        let rows = printed.split_terminator('\u{1e}');
        rows.map(|row| row.split('\u{1f}').map(ToOwned::to_owned).collect()).collect()
    }
}

/// The cells of a row that was printed under those widths.
fn cells(line: &str, widths: &[usize]) -> Vec<String> {
    let mut rest = line.strip_prefix("| ").unwrap();
    let mut cells = Vec::new();
    for width in widths {
        let mut cell = String::new();
        while let Some(c) = rest.chars().next() {
            let longer = format!("{cell}{c}");
            if unicode_width::UnicodeWidthStr::width(longer.as_str()) > *width {
                break;
            }
            cell = longer;
            rest = &rest[c.len_utf8()..];
        }
        cells.push(cell.trim_end_matches(' ').to_owned());
        rest = rest
            .strip_prefix(" | ")
            .or_else(|| rest.strip_prefix(" |"))
            .unwrap_or_else(|| panic!("{line:?}: {rest:?}"));
    }
    cells
}

/// Whether both are one real number: older programs print 15 digits of it, whatever it takes to read it back.
fn is_same_number(shown: &str, expected: &str) -> bool {
    let digits =
        |text: &str| text.contains('.').then(|| text.parse::<f64>().ok())?.map(|n| format!("{n:.14e}"));
    digits(shown).is_some_and(|shown| digits(expected) == Some(shown))
}

fn one_line(text: &str) -> String {
    text.replace('\n', "\\n").replace('\t', "\\t")
}

#[test]
fn pages_rows_and_cells_agree_with_the_program() {
    if !has_sqlite3() {
        return;
    }
    let config = ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    runner
        .run(&table(), |table| {
            let bench = Bench::with(&table.sql()).unwrap();
            let expected = table.expected(&bench);
            prop_assert_eq!(expected.len(), table.rows.len());
            let mut target = "d.db:t?limit=9".to_owned();
            let mut shown = Vec::new();
            loop {
                let text = bench.read(&target);
                if let Some(divider) = text.lines().nth(1).filter(|line| line.starts_with("|-")) {
                    let widths: Vec<usize> =
                        divider.trim_matches('|').split('|').map(|part| part.len() - 2).collect();
                    shown.extend(crate::bench::rows(&text).iter().map(|line| cells(line, &widths)));
                } else {
                    // Blocks: a line for each value behind the line of its row.
                    for block in text.split("── Row ").skip(1) {
                        let lines = block.lines().skip(1).take(table.columns.len());
                        let value =
                            |(line, (name, _)): (&str, &(String, &str))| line[name.len() + 2..].to_owned();
                        shown.push(lines.zip(&table.columns).map(value).collect());
                    }
                }
                match next(&text) {
                    Some(further) => target = further,
                    None => break,
                }
            }
            prop_assert_eq!(shown.len(), expected.len());
            for (number, (shown, expected)) in (1..).zip(shown.iter().zip(&expected)) {
                for ((shown, expected), (name, _)) in shown.iter().zip(expected).zip(&table.columns) {
                    let line = one_line(expected);
                    match shown.strip_suffix('…') {
                        Some(head) => prop_assert!(line.starts_with(head), "{shown:?} {line:?}"),
                        None if is_same_number(shown, &line) => {}
                        None => prop_assert_eq!(shown, line.trim_end_matches(' ')),
                    }
                    if !expected.starts_with("<BLOB") {
                        let cell = bench.read(&format!("d.db:t:{number}:{name}"));
                        let cell =
                            cell.strip_suffix("\n\n[The cell is NULL: it holds no value]").unwrap_or(&cell);
                        let cell = if cell == "[Cell is empty]" { "" } else { cell };
                        let cell = cell.split("\n\n[Decoded").next().unwrap_or(cell);
                        if !is_same_number(cell, expected) {
                            prop_assert_eq!(cell, expected);
                        }
                    }
                }
            }
            Ok(())
        })
        .unwrap();
}
