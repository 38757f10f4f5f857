//! The central directory: one record a member (APPNOTE 4.3.12).

use std::io::{self, BufReader, Read};

use read_core::{Meter, ReadError, Slice};

use super::end::{End, number};
use super::extra::{Extra, Wide};
use super::index::{Builder, Mode, Record, name_sum};
use crate::damage::Damage;

pub(super) const SIGNATURE: [u8; 4] = *b"PK\x01\x02";

/// A record without its name, extra fields and comment.
const RECORD: usize = 46;

/// Bytes read at a time.
const BLOCK: usize = 64 << 10;

/// Members between two looks at the meter.
const CHECKED: u32 = 1_024;

/// Reads the records of the directory at `end` into `builder`; what stops it before its end.
pub(super) fn read(
    slice: &Slice,
    end: &End,
    builder: &mut Builder,
    path: &str,
    meter: &Meter,
) -> Result<Option<Damage>, ReadError> {
    let mut directory = BufReader::with_capacity(BLOCK, slice.sub(end.start, end.size).reader());
    let mut at = 0_u64;
    let (mut name, mut extra) = (Vec::new(), Vec::new());
    while at < end.size {
        let mut fixed = [0; RECORD];
        let read = fill(&mut directory, &mut fixed)
            .and_then(|whole| {
                Ok(whole
                    && fixed.starts_with(&SIGNATURE)
                    && variable(&mut directory, &fixed, &mut name, &mut extra)?)
            })
            .map_err(|error| ReadError::io(path, error))?;
        if !read {
            // Digital signatures and padding may follow the records that were promised.
            let complete = u64::from(builder.len()) >= end.count && end.count > 0;
            let damage = Damage::new(end.start.saturating_add(at), "the central directory breaks off");
            return Ok((!complete).then_some(damage));
        }
        let comment = number::<2>(&fixed, 32).unwrap_or(0);
        at = at.saturating_add((RECORD + name.len() + extra.len()) as u64).saturating_add(comment);
        add(builder, &fixed, &name, &extra, end.base)?;
        if builder.len().is_multiple_of(CHECKED) {
            meter.check()?;
        }
    }
    let missing = end.count.saturating_sub(u64::from(builder.len()));
    Ok((missing > 0).then(|| {
        Damage::new(end.start.saturating_add(end.size), format!("{missing} promised members are missing"))
    }))
}

/// Fills `buf`; false where the file ends before.
fn fill(reader: &mut impl Read, buf: &mut [u8]) -> io::Result<bool> {
    match reader.read_exact(buf) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// Reads what has no fixed length; false where the file ends before.
fn variable(
    directory: &mut impl Read,
    fixed: &[u8; RECORD],
    name: &mut Vec<u8>,
    extra: &mut Vec<u8>,
) -> io::Result<bool> {
    let len = |at| usize::try_from(number::<2>(fixed, at).unwrap_or(0)).unwrap_or(0);
    name.resize(len(28), 0);
    extra.resize(len(30), 0);
    let comment = len(32) as u64;
    Ok(fill(directory, name)?
        && fill(directory, extra)?
        && (comment == 0 || io::copy(&mut directory.take(comment), &mut io::sink())? == comment))
}

fn add(
    builder: &mut Builder,
    fixed: &[u8; RECORD],
    name: &[u8],
    extra: &[u8],
    base: u64,
) -> Result<(), ReadError> {
    let short = |at| u16::try_from(number::<2>(fixed, at).unwrap_or(0)).unwrap_or(0);
    let field = |at| number::<4>(fixed, at).unwrap_or(0);
    let mut wide = Wide { compressed: field(20), size: field(24), header: field(42) };
    let extra = Extra::read(extra, name, &mut wide);
    let record = Record {
        header: wide.header.saturating_add(base),
        compressed: wide.compressed,
        size: wide.size,
        modified: extra.modified.unwrap_or(Record::NO_TIME),
        crc: u32::try_from(field(16)).unwrap_or(0),
        name_sum: name_sum(name),
        date: short(14),
        time: short(12),
        method: short(10),
        flags: short(8),
    };
    let mode = Mode::read(fixed.get(5).copied().unwrap_or(0), field(38));
    builder.add(record, name, &extra, mode).map(|_| ())
}
