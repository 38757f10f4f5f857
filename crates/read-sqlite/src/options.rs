//! Every limit of this reader, with its default.

use std::time::Duration;

/// What bounds a read of a database. [`Options::DEFAULT`] is what the registered reader uses; a host that wants other
/// figures registers a [`SqliteReader::with_options`](crate::SqliteReader::with_options) instead.
///
/// Beside these the limits of the whole read hold: its deadline, its output caps and `max_buffered`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// How long one read may work on a database, waiting for locks left out. Default 5 s.
    pub timeout: Duration,
    /// How long to wait for a lock that another process holds. Default 3 s.
    pub lock_wait: Duration,
    /// How long the list of tables may count rows. What it does not reach is listed without a count. Default 1 s.
    pub list_time: Duration,
    /// How long to count the rows that follow a page. Default 100 ms.
    pub count_time: Duration,
    /// Rows of a table that the list counts. Default 50,000.
    pub count_rows: u64,
    /// Rows that are counted behind a page. Default 5,000.
    pub count_ahead: u64,
    /// Rows of a page when no limit is given. Default 20.
    pub page_rows: u64,
    /// Rows of a page at most. Default 500.
    pub max_page_rows: u64,
    /// Rows of a query's result at most. Default 1,000.
    pub max_query_rows: u64,
    /// Bytes of one value in a query, and of one row of its result. Default 16 MiB.
    pub max_value: u32,
    /// Bytes of one cell that is read whole. Default 64 MiB.
    pub max_cell: u32,
    /// Bytes that sorting and grouping may hold, all in memory: no temporary file is written. Default 64 MiB.
    pub temporary: u64,
    /// Bytes that SQLite may take in memory for one read, beside those. Default 128 MiB.
    pub memory: u64,
}

impl Options {
    /// The defaults.
    pub const DEFAULT: Self = Self {
        timeout: Duration::from_secs(5),
        lock_wait: Duration::from_secs(3),
        list_time: Duration::from_secs(1),
        count_time: Duration::from_millis(100),
        count_rows: 50_000,
        count_ahead: 5_000,
        page_rows: 20,
        max_page_rows: 500,
        max_query_rows: 1_000,
        max_value: 16 << 20,
        max_cell: 64 << 20,
        temporary: 64 << 20,
        memory: 128 << 20,
    };
}

impl Default for Options {
    fn default() -> Self {
        Self::DEFAULT
    }
}
