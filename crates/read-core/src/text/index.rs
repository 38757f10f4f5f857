//! A sparse index of lines: paging through a large file costs the page, not the file.

/// Bytes between two entries, at least.
pub(crate) const SPACING: u64 = 64 << 10;

/// Entries above which every second one is dropped: 1 MiB of index.
const MAX_ENTRIES: usize = 64 << 10;

/// For some offsets, how many lines end before them; and how many there are in all, once that is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LineIndex {
    entries: Vec<Entry>,
    total: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Entry {
    /// A position, in step with the encoding's units.
    pub(crate) offset: u64,
    /// Lines that end at or before it.
    pub(crate) lines_before: u64,
}

impl LineIndex {
    /// The last entry from which line `line` (from 1) can still be reached going forward: at least one line end lies
    /// between.
    pub(crate) fn before_line(&self, line: u64) -> Entry {
        let lines_to_pass = line.saturating_sub(1);
        let after = self.entries.partition_point(|entry| entry.lines_before < lines_to_pass);
        after.checked_sub(1).and_then(|at| self.entries.get(at)).copied().unwrap_or_default()
    }

    /// The last entry.
    pub(crate) fn last(&self) -> Entry {
        self.entries.last().copied().unwrap_or_default()
    }

    /// Whether an entry at `offset` would be worth keeping.
    pub(crate) fn wants(&self, offset: u64) -> bool {
        offset >= self.last().offset.saturating_add(SPACING)
    }

    /// Adds an entry behind the last one.
    pub(crate) fn push(&mut self, entry: Entry) {
        if !self.wants(entry.offset) {
            return;
        }
        if self.entries.len() >= MAX_ENTRIES {
            let mut keep = false;
            self.entries.retain(|_| {
                keep = !keep;
                keep
            });
        }
        self.entries.push(entry);
    }

    /// Lines in all.
    pub(crate) fn total(&self) -> Option<u64> {
        self.total
    }

    pub(crate) fn set_total(&mut self, lines: u64) {
        self.total = Some(lines);
    }

    /// What it weighs in a cache, in bytes.
    pub(crate) fn weight(&self) -> u64 {
        (self.entries.len() * size_of::<Entry>() + size_of::<Self>()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_entry_before_a_line_leaves_a_line_end_to_pass() {
        let mut index = LineIndex::default();
        for n in 1..=3 {
            index.push(Entry { offset: n * SPACING, lines_before: n * 10 });
        }
        assert_eq!(index.before_line(1), Entry::default());
        assert_eq!(index.before_line(11), Entry::default(), "line 11 may begin before the entry");
        assert_eq!(index.before_line(12).lines_before, 10);
        assert_eq!(index.before_line(1_000).lines_before, 30);
    }

    #[test]
    fn entries_keep_their_distance() {
        let mut index = LineIndex::default();
        index.push(Entry { offset: 10, lines_before: 1 });
        assert_eq!(index.last(), Entry::default());
        index.push(Entry { offset: SPACING, lines_before: 1 });
        index.push(Entry { offset: SPACING + 1, lines_before: 2 });
        assert_eq!(index.last().offset, SPACING);
    }
}
