//! Every limit of this reader: those that a host may set, and those that are fixed.

use std::time::Duration;

/// What bounds a read of a database. [`SqliteLimits::DEFAULT`] is what the registered reader uses; a host that wants other
/// figures registers a [`SqliteReader::with_limits`](crate::SqliteReader::with_limits) instead.
///
/// Beside these the limits of the whole read hold: its deadline, its output caps and `max_buffered`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SqliteLimits {
    /// How long one read may work on a database, waiting for locks left out. Default 5 s.
    pub timeout: Duration,
    /// How long to wait for a lock that another process holds. Default 3 s.
    pub lock_wait: Duration,
    /// How long the list of tables may count rows (what it does not reach is listed without a count), and how long a page
    /// may look for rows behind damage. Default 1 s.
    pub list_time: Duration,
    /// How long to count the rows that follow a page. Default 100 ms.
    pub count_time: Duration,
    /// Rows of a table that the list counts. Default 50,000.
    pub count_rows: u64,
    /// Rows that are counted behind a page. Default 500.
    pub count_ahead: u64,
    /// Rows of a page when no limit is given. Default 20.
    pub page_rows: u64,
    /// Rows of a page at most. Default 500.
    pub max_page_rows: u64,
    /// Rows of a query's result at most. Default 1,000.
    pub max_query_rows: u64,
    /// Bytes of one value in a query; a row of its result may have four times as many. Default 16 MiB.
    pub max_value: u32,
    /// Bytes of one cell that is read whole. Default 64 MiB.
    pub max_cell: u32,
    /// Bytes that sorting and grouping may hold, all in memory: no temporary file is written. Default 64 MiB.
    pub temporary: u64,
    /// Bytes that SQLite may take in memory for one read, beside those. Default 128 MiB.
    pub memory: u64,
}

impl SqliteLimits {
    /// The defaults.
    pub const DEFAULT: Self = Self {
        timeout: Duration::from_secs(5),
        lock_wait: Duration::from_secs(3),
        list_time: Duration::from_secs(1),
        count_time: Duration::from_millis(100),
        count_rows: 50_000,
        count_ahead: 500,
        page_rows: 20,
        max_page_rows: 500,
        max_query_rows: 1_000,
        max_value: 16 << 20,
        max_cell: 64 << 20,
        temporary: 64 << 20,
        memory: 128 << 20,
    };
}

impl Default for SqliteLimits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// How often a read is tried at least when the database is changed under it, however long that takes.
pub(crate) const ATTEMPTS: u32 = 3;

/// Bytes of a database that is copied where its state did not hold while it was read in place. A larger one takes longer to
/// copy than most queries take.
pub(crate) const COPIED: u64 = 16 << 20;

/// SELECTs that a statement may come to once views and common tables are put in it. SQLite is done with so many in about a
/// tenth of a second.
pub(crate) const MAX_SELECTS: u64 = 1_500;
/// How deep views may lie in each other.
pub(crate) const MAX_VIEW_DEPTH: usize = 64;

/// The longest SQL text. A caller's is no longer than a target; the page of a table of two thousand columns is.
pub(crate) const MAX_SQL: i32 = 4 << 20;
/// Columns that a table or a result may have.
pub(crate) const MAX_COLUMNS: usize = 2_000;
/// How deep an expression may be.
pub(crate) const MAX_EXPRESSION_DEPTH: i32 = 200;
/// SELECTs that a UNION and the like may join.
pub(crate) const MAX_COMPOUND: i32 = 100;
/// Steps that a statement may come to.
pub(crate) const MAX_STEPS: i32 = 250_000;
/// Arguments of a function.
pub(crate) const MAX_ARGUMENTS: i32 = 100;
/// Parameters of a statement.
pub(crate) const MAX_PARAMETERS: i32 = 100;
/// The longest pattern of LIKE and GLOB, in bytes: SQLite's own default.
pub(crate) const MAX_PATTERN: usize = 50_000;

/// Steps of a statement between two looks at the watch. Straight runs of slow functions are not interrupted, so that it is
/// few.
pub(crate) const WATCHED_STEPS: i32 = 200;
/// What the steps of a statement that compute, each over the longest value that there may be, may come to in bytes: some
/// seconds. Steps that follow each other without a jump are not interrupted, however long their values are, so that the
/// more there are, the shorter values must be.
pub(crate) const MAX_WORK: u64 = 1 << 31;
/// How long a value may be in any case, in a statement of this crate's own: what it reads itself is shorter.
pub(crate) const OWN_VALUE: u32 = 2 << 20;
/// How long a value may be in any case, in a statement that a caller wrote.
pub(crate) const ASKED_VALUE: u32 = 64 << 10;
/// How long a value may be where functions are named whose time or memory grows with the square of it: `json_patch`,
/// `jsonb_patch`, `json_pretty`.
pub(crate) const QUADRATIC_VALUE: u32 = 32 << 10;

/// Bytes of one text of a query's result that are kept; more is never shown.
pub(crate) const KEPT_OF_VALUE: usize = 512;
/// Bytes of a query's result that are kept: well over what the output can show.
pub(crate) const KEPT_OF_RESULT: usize = 4 << 20;

/// Bytes of a text that a page reads in any case.
pub(crate) const PAGE_VALUE: u64 = 1024;
/// Bytes that the texts of one row may have for a statement to read them whole, as long as each of them may be (1 MiB: 16
/// columns); of others it reads the first letters.
pub(crate) const READ_OF_ROW: u64 = 1 << 20;
/// The same for all rows of a page and before it (16 MiB).
pub(crate) const READ_OF_PAGE: u64 = 16 << 20;
/// A longer text of a table without row numbers is not read for its first characters.
pub(crate) const PAGE_READABLE: u64 = 1 << 20;
/// Bytes of a text in the condition by which a page goes on.
pub(crate) const CONDITION_TEXT: usize = 200;

/// Bytes of one value that a row shows at most.
pub(crate) const ROW_VALUE: u64 = 4 << 10;
/// Bytes of one value that a row shows at least, however many columns there are.
pub(crate) const ROW_VALUE_LEAST: u64 = 64;

/// Rows that the description of a table shows.
pub(crate) const SAMPLE_ROWS: u64 = 5;
/// Bytes of a CREATE statement that are shown.
pub(crate) const SHOWN_STATEMENT: usize = 16 << 10;
/// Indexes and foreign keys shown at most.
pub(crate) const SHOWN_INDEXES: usize = 100;

/// Bytes of a long cell that are read at a time.
pub(crate) const CELL_PIECE: usize = 1 << 20;
/// Bytes at either end of a long cell that are there whatever is asked for: more than is looked at to see what it is.
pub(crate) const CELL_EDGE: u64 = 128 << 10;
/// Bytes around a window in a long cell that are there.
pub(crate) const CELL_AROUND: u64 = 64 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    /// The page of limits, as readers have it.
    const PAGE: &str = include_str!("../../../docs/limits.md");
    const README: &str = include_str!("../README.md");

    fn bytes(n: u64) -> String {
        match n {
            n if n >= 1 << 20 => format!("{} MiB", n >> 20),
            n if n >= 1 << 10 => format!("{} KiB", n >> 10),
            n => n.to_string(),
        }
    }

    fn time(time: Duration) -> String {
        match time.as_millis() {
            ms if ms >= 1_000 => format!("{} s", ms / 1_000),
            ms => format!("{ms} ms"),
        }
    }

    fn configurable() -> Vec<(&'static str, String)> {
        let SqliteLimits {
            timeout,
            lock_wait,
            list_time,
            count_time,
            count_rows,
            count_ahead,
            page_rows,
            max_page_rows,
            max_query_rows,
            max_value,
            max_cell,
            temporary,
            memory,
        } = SqliteLimits::DEFAULT;
        vec![
            ("timeout", time(timeout)),
            ("lock_wait", time(lock_wait)),
            ("list_time", time(list_time)),
            ("count_time", time(count_time)),
            ("count_rows", count_rows.to_string()),
            ("count_ahead", count_ahead.to_string()),
            ("page_rows", page_rows.to_string()),
            ("max_page_rows", max_page_rows.to_string()),
            ("max_query_rows", max_query_rows.to_string()),
            ("max_value", bytes(max_value.into())),
            ("max_cell", bytes(max_cell.into())),
            ("temporary", bytes(temporary)),
            ("memory", bytes(memory)),
        ]
    }

    fn fixed() -> Vec<(&'static str, String)> {
        vec![
            ("ATTEMPTS", ATTEMPTS.to_string()),
            ("COPIED", bytes(COPIED)),
            ("MAX_SELECTS", MAX_SELECTS.to_string()),
            ("MAX_VIEW_DEPTH", MAX_VIEW_DEPTH.to_string()),
            ("MAX_SQL", bytes(u64::try_from(MAX_SQL).unwrap())),
            ("MAX_COLUMNS", MAX_COLUMNS.to_string()),
            ("MAX_EXPRESSION_DEPTH", MAX_EXPRESSION_DEPTH.to_string()),
            ("MAX_COMPOUND", MAX_COMPOUND.to_string()),
            ("MAX_STEPS", MAX_STEPS.to_string()),
            ("MAX_ARGUMENTS", MAX_ARGUMENTS.to_string()),
            ("MAX_PARAMETERS", MAX_PARAMETERS.to_string()),
            ("MAX_PATTERN", MAX_PATTERN.to_string()),
            ("WATCHED_STEPS", WATCHED_STEPS.to_string()),
            ("MAX_WORK", bytes(MAX_WORK)),
            ("OWN_VALUE", bytes(OWN_VALUE.into())),
            ("ASKED_VALUE", bytes(ASKED_VALUE.into())),
            ("QUADRATIC_VALUE", bytes(QUADRATIC_VALUE.into())),
            ("KEPT_OF_VALUE", KEPT_OF_VALUE.to_string()),
            ("KEPT_OF_RESULT", bytes(KEPT_OF_RESULT as u64)),
            ("PAGE_VALUE", bytes(PAGE_VALUE)),
            ("READ_OF_ROW", bytes(READ_OF_ROW)),
            ("READ_OF_PAGE", bytes(READ_OF_PAGE)),
            ("PAGE_READABLE", bytes(PAGE_READABLE)),
            ("CONDITION_TEXT", CONDITION_TEXT.to_string()),
            ("ROW_VALUE", bytes(ROW_VALUE)),
            ("ROW_VALUE_LEAST", ROW_VALUE_LEAST.to_string()),
            ("SAMPLE_ROWS", SAMPLE_ROWS.to_string()),
            ("SHOWN_STATEMENT", bytes(SHOWN_STATEMENT as u64)),
            ("SHOWN_INDEXES", SHOWN_INDEXES.to_string()),
            ("CELL_PIECE", bytes(CELL_PIECE as u64)),
            ("CELL_EDGE", bytes(CELL_EDGE)),
            ("CELL_AROUND", bytes(CELL_AROUND)),
        ]
    }

    /// The second cell of the row whose third is that name, in the section about databases.
    fn written(name: &str) -> Option<String> {
        let (_, section) = PAGE.split_once("\n## Databases\n")?;
        let section = section.split("\n## ").next()?;
        let row = section.lines().find(|line| line.contains(&format!("| `{name}` |")))?;
        row.split('|').nth(2).map(|cell| cell.trim().replace(',', ""))
    }

    #[test]
    fn the_page_of_limits_names_every_limit_with_its_value() {
        for (name, value) in configurable().into_iter().chain(fixed()) {
            assert_eq!(written(name), Some(value), "{name}");
        }
    }

    #[test]
    fn the_readme_names_what_a_host_may_set() {
        for (name, value) in configurable() {
            let row =
                README.lines().find(|line| line.starts_with('|') && line.contains(&format!("`{name}`")));
            let row = row.unwrap_or_else(|| panic!("{name}")).replace(',', "");
            assert!(row.ends_with(&format!("| {value} |")), "{name}: {row}");
        }
    }
}
