//! Every limit of a read, with its default.

use std::time::Duration;

/// What bounds a read and its output. [`Limits::default`] is what the contract states; change fields to taste.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Lines shown at most; `None`: no cap. Default 2,000.
    pub max_lines: Option<u64>,
    /// Bytes of rendered text shown at most; `None`: no cap. Default 50 KiB.
    pub max_bytes: Option<u64>,
    /// Bytes beyond the caller's window that are read in order to count lines. Default 16 MiB.
    pub count_beyond: u64,
    /// Bytes that are read in order to count lines when the caller gave no window. Default 1 GiB.
    pub count_limit: u64,
    /// Threads that count the lines of a large file, the reading one among them; never more than the machine has cores.
    /// Default 4; 1: the reading thread alone.
    pub count_threads: usize,
    /// What to do with a large file that is read without a window. Default [`Large::Truncate`].
    pub large: Large,
    /// Lines above which a file is large. Default 1,000.
    pub describe_lines: u64,
    /// Bytes above which a file is large. Default 50 KiB.
    pub describe_bytes: u64,
    /// Bytes of any text that are read at all; `None`: no limit, the default.
    pub max_read_bytes: Option<u64>,
    /// Entries of a listing shown at most; `None`: no cap. Default 500.
    pub max_entries: Option<u64>,
    /// Whether directories may be listed. Default true.
    pub listings: bool,
    /// Bytes of a hex dump when no length is given. Default 4 KiB.
    pub hex_bytes: u64,
    /// Containers within containers. Default 8.
    pub max_depth: usize,
    /// Decoded bytes that one read may give in any case. Default 256 MiB.
    pub budget_base: u64,
    /// Further decoded bytes for each byte read from the outermost source. Default 64.
    pub budget_factor: u64,
    /// Bytes of a source that must be held whole (in memory or in a spool). Default 64 MiB.
    pub max_buffered: u64,
    /// How long one read may take; `None`: for ever. Default 30 s.
    pub timeout: Option<Duration>,
}

/// What to do with a large file that is read without a window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Large {
    /// Show its first page.
    #[default]
    Truncate,
    /// Say how large it is and how to ask for a window.
    Describe,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_lines: Some(2_000),
            max_bytes: Some(50 << 10),
            count_beyond: 16 << 20,
            count_limit: 1 << 30,
            count_threads: 4,
            large: Large::Truncate,
            describe_lines: 1_000,
            describe_bytes: 50 << 10,
            max_read_bytes: None,
            max_entries: Some(500),
            listings: true,
            hex_bytes: 4 << 10,
            max_depth: 8,
            budget_base: 256 << 20,
            budget_factor: 64,
            max_buffered: 64 << 20,
            timeout: Some(Duration::from_secs(30)),
        }
    }
}

/// The longest target, in bytes (64 KiB).
pub const MAX_TARGET: usize = 64 << 10;

/// The longest path that is looked up, in bytes; a longer candidate is no such literal.
pub const MAX_PATH: usize = 4_096;

/// The bytes of a source that decide what it is: its kind, its encoding (64 KiB).
pub const HEAD: usize = 64 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = include_str!("../../../docs/limits.md");

    /// The default that the page gives for what it calls `name` in Rust.
    fn written(name: &str) -> &'static str {
        let row = PAGE.lines().find(|line| line.contains(&format!("`{name}`")));
        row.and_then(|row| row.split('|').nth(2))
            .unwrap_or_else(|| panic!("{name} is not on the page"))
            .trim()
    }

    fn bytes(n: u64) -> String {
        let unit = |shift: u32, name: &str| (n >= 1 << shift).then(|| format!("{} {name}", n >> shift));
        unit(30, "GiB")
            .or_else(|| unit(20, "MiB"))
            .or_else(|| unit(10, "KiB"))
            .unwrap_or_else(|| n.to_string())
    }

    fn number(n: u64) -> String {
        let digits = n.to_string();
        let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
        groups.join(",")
    }

    #[test]
    fn the_page_names_every_limit_with_its_default() {
        // Without `..`, so that a new limit does not compile until it is on the page.
        let Limits {
            max_lines,
            max_bytes,
            count_beyond,
            count_limit,
            count_threads,
            large: _,
            describe_lines,
            describe_bytes,
            max_read_bytes,
            max_entries,
            listings: _,
            hex_bytes,
            max_depth,
            budget_base,
            budget_factor,
            max_buffered,
            timeout,
        } = Limits::default();
        let none = || "none".to_owned();
        assert_eq!(written("max_lines"), max_lines.map_or_else(none, number));
        assert_eq!(written("max_bytes"), max_bytes.map_or_else(none, bytes));
        assert_eq!(written("count_beyond"), bytes(count_beyond));
        assert_eq!(written("count_limit"), bytes(count_limit));
        assert_eq!(written("count_threads"), count_threads.to_string());
        assert_eq!(written("describe_lines"), number(describe_lines));
        assert_eq!(written("describe_bytes"), bytes(describe_bytes));
        assert_eq!(written("max_read_bytes"), max_read_bytes.map_or_else(none, bytes));
        assert_eq!(written("max_entries"), max_entries.map_or_else(none, number));
        assert_eq!(written("hex_bytes"), bytes(hex_bytes));
        assert_eq!(written("max_depth"), max_depth.to_string());
        assert_eq!(
            written("budget_base`, `budget_factor"),
            format!("{} + {budget_factor} × bytes read", bytes(budget_base))
        );
        assert_eq!(written("max_buffered"), bytes(max_buffered));
        assert_eq!(written("timeout"), timeout.map_or_else(none, |time| format!("{} s", time.as_secs())));
        assert_eq!(written("MAX_TARGET"), bytes(MAX_TARGET as u64));
        assert_eq!(written("MAX_PATH"), format!("{} bytes", number(MAX_PATH as u64)));
        assert_eq!(written("HEAD"), bytes(HEAD as u64));
        for switch in ["Large::Describe", "listings"] {
            assert!(PAGE.contains(&format!("`{switch}`")), "{switch}");
        }
    }
}
