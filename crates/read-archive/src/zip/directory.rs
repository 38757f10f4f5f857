//! The central directory: one record a member (APPNOTE 4.3.12).

use std::io;

use read_core::{Meter, ReadError, Slice};

use super::builder::Builder;
use super::end::End;
use super::extra::{Extra, Wide};
use super::number::{long, short};
use super::record::{Mode, Record, name_sum, says_utf8};
use super::signature::CENTRAL;
use crate::damage::Damage;

/// A record without its name, extra fields and comment.
const FIXED: usize = 46;

/// Bytes read at a time.
const BLOCK: usize = 64 << 10;

/// Members between two looks at the meter.
pub(super) const CHECKED: u32 = 1_024;

/// Reads the records of the directory at `end` into `builder`; what stops it before its end.
pub(super) fn read(
    slice: &Slice,
    end: &End,
    builder: &mut Builder,
    path: &str,
    meter: &Meter,
) -> Result<Option<Damage>, ReadError> {
    builder.reserve(end.count.min(end.size / FIXED as u64));
    let mut entries = Entries::new(slice, end);
    while entries.position() < end.size {
        let Some(entry) = entries.next().map_err(|error| ReadError::io(path, error))? else {
            // Digital signatures and padding may follow the records that were promised.
            let complete = u64::from(builder.len()) >= end.count && end.count > 0;
            let after = end.start.saturating_add(entries.position());
            return Ok((!complete).then(|| Damage::new(after, "the central directory breaks off")));
        };
        let (extra, wide) = entry.extra();
        builder.add(entry.record(&extra, wide, end.base), entry.name(), &extra, entry.mode())?;
        if builder.len().is_multiple_of(CHECKED) {
            meter.check()?;
        }
    }
    let missing = end.count.saturating_sub(u64::from(builder.len()));
    Ok((missing > 0).then(|| {
        Damage::new(end.start.saturating_add(end.size), format!("{missing} promised members are missing"))
    }))
}

/// Goes over the records of a directory, of which one block is held.
pub(super) struct Entries {
    directory: Slice,
    block: Vec<u8>,
    /// The bytes of the block that are filled.
    filled: usize,
    /// Where the next record stands in the block.
    at: usize,
    /// Where the block stands in the directory.
    block_at: u64,
}

impl Entries {
    pub(super) fn new(slice: &Slice, end: &End) -> Self {
        let directory = slice.sub(end.start, end.size);
        Self { directory, block: Vec::new(), filled: 0, at: 0, block_at: 0 }
    }

    /// The bytes of the directory that precede the next record.
    pub(super) fn position(&self) -> u64 {
        self.block_at.saturating_add(self.at as u64)
    }

    /// The next record; `None` where none stands.
    pub(super) fn next(&mut self) -> io::Result<Option<Entry<'_>>> {
        if !self.holds(FIXED)? {
            return Ok(None);
        }
        let fixed = self.block.get(self.at..).and_then(<[u8]>::first_chunk::<FIXED>);
        let Some(len) = fixed.filter(|fixed| fixed.starts_with(&CENTRAL)).map(len) else { return Ok(None) };
        if !self.holds(len)? {
            return Ok(None);
        }
        let start = self.at;
        self.at = start.saturating_add(len);
        Ok(self.block.get(start..self.at).and_then(Entry::of))
    }

    /// Whether `len` bytes follow; then they are in the block.
    fn holds(&mut self, len: usize) -> io::Result<bool> {
        if self.filled.saturating_sub(self.at) >= len {
            return Ok(true);
        }
        self.block.copy_within(self.at..self.filled, 0);
        self.block_at = self.position();
        self.filled = self.filled.saturating_sub(self.at);
        self.at = 0;
        let wanted = usize::try_from(self.directory.len()).unwrap_or(usize::MAX).min(BLOCK).max(len);
        if self.block.len() < wanted {
            self.block.resize(wanted, 0);
        }
        let free = self.block.get_mut(self.filled..).unwrap_or_default();
        self.filled += self.directory.read_full_at(free, self.block_at.saturating_add(self.filled as u64))?;
        Ok(self.filled >= len)
    }
}

/// The bytes of the record that begins so.
fn len(fixed: &[u8; FIXED]) -> usize {
    let variable = [28, 30, 32].map(|at| usize::from(short(fixed, at)));
    variable.into_iter().fold(FIXED, usize::saturating_add)
}

/// One record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry<'a> {
    fixed: &'a [u8; FIXED],
    /// What follows: the name, then the extra fields, then the comment.
    variable: &'a [u8],
}

impl<'a> Entry<'a> {
    fn of(record: &'a [u8]) -> Option<Self> {
        let (fixed, variable) = record.split_first_chunk::<FIXED>()?;
        Some(Self { fixed, variable })
    }

    fn name_len(self) -> usize {
        usize::from(short(self.fixed, 28))
    }

    /// The name as it is stored.
    pub(super) fn name(self) -> &'a [u8] {
        self.variable.get(..self.name_len()).unwrap_or_default()
    }

    /// Whether the name is said to be UTF-8.
    pub(super) fn is_utf8(self) -> bool {
        says_utf8(short(self.fixed, 8))
    }

    /// The name and the extra fields, which may hold another one.
    pub(super) fn names(self) -> &'a [u8] {
        let len = self.name_len().saturating_add(usize::from(short(self.fixed, 30)));
        self.variable.get(..len).unwrap_or_default()
    }

    /// The extra fields, and the fields that they widen.
    pub(super) fn extra(self) -> (Extra<'a>, Wide) {
        let mut wide = Wide {
            compressed: long(self.fixed, 20),
            size: long(self.fixed, 24),
            header: long(self.fixed, 42),
        };
        let fields = self.names().get(self.name_len()..).unwrap_or_default();
        (Extra::read(fields, self.name(), &mut wide), wide)
    }

    /// What it is by its attributes.
    pub(super) fn mode(self) -> Mode {
        let [_, _, _, _, _, host, ..] = *self.fixed;
        Mode::read(host, long(self.fixed, 38))
    }

    /// What it says of a member of an archive that stands behind `base` bytes.
    pub(super) fn record(self, extra: &Extra<'_>, wide: Wide, base: u64) -> Record {
        Record {
            header: wide.header.saturating_add(base),
            compressed: wide.compressed,
            size: wide.size,
            modified: extra.modified.unwrap_or(Record::NO_TIME),
            crc: u32::try_from(long(self.fixed, 16)).unwrap_or(0),
            name_sum: name_sum(self.name()),
            date: short(self.fixed, 14),
            time: short(self.fixed, 12),
            method: short(self.fixed, 10),
            flags: short(self.fixed, 8),
        }
    }
}
