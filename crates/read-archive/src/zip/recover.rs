//! Zips whose central directory is gone: cut downloads. Members are read from their local headers, one after the other.

use read_core::{Meter, ReadError, Slice};

use super::builder::Builder;
use super::extra::{Extra, Wide};
use super::local::{HEADER, LocalHeader};
use super::number::number;
use super::record::{DESCRIPTOR, Mode, Record, name_sum};
use super::signature;
use crate::damage::Damage;

/// Bytes that are searched at a time for the end of a member.
const BLOCK: usize = 256 << 10;

/// Bytes that are read at a time where headers are expected.
const AHEAD: usize = 16 << 10;

/// A descriptor with its signature, in its longer form.
const DESCRIPTOR_MAX: usize = 24;

/// Adds the members that stand from the first byte on, and says where they end; `None` where none begins.
pub(super) fn read(
    slice: &Slice,
    builder: &mut Builder,
    path: &str,
    meter: &Meter,
) -> Result<Option<Damage>, ReadError> {
    let mut archive = Archive { slice, block: Vec::new(), block_at: 0, path };
    let mut at = match archive.bytes(0, 8, AHEAD)? {
        [b'P', b'K', 3, 4, ..] => 0,
        [b'P', b'K', _, _, b'P', b'K', 3, 4] => 4,
        _ => return Ok(None),
    };
    loop {
        meter.check()?;
        match member(&mut archive, at, builder, meter)? {
            Next::At(next) => at = next,
            Next::End(after) => return Ok(Some(Damage::new(after, "the central directory is missing"))),
        }
    }
}

/// The file, of which one block is held.
struct Archive<'a> {
    slice: &'a Slice,
    block: Vec<u8>,
    block_at: u64,
    path: &'a str,
}

impl Archive<'_> {
    /// The `len` bytes at `at`, fewer at the end of the file; where they are not held, at least `ahead` bytes are read.
    fn bytes(&mut self, at: u64, len: usize, ahead: usize) -> Result<&[u8], ReadError> {
        let start = at.checked_sub(self.block_at).and_then(|start| usize::try_from(start).ok());
        let is_held = |start: usize| start.checked_add(len).is_some_and(|end| end <= self.block.len());
        let start = if let Some(start) = start.filter(|start| is_held(*start)) {
            start
        } else {
            self.block.resize(len.max(ahead), 0);
            let got = self.slice.read_full_at(&mut self.block, at);
            self.block.truncate(got.map_err(|error| ReadError::io(self.path, error))?);
            self.block_at = at;
            0
        };
        let rest = self.block.get(start..).unwrap_or_default();
        Ok(rest.get(..len).unwrap_or(rest))
    }
}

/// Where to go on.
enum Next {
    At(u64),
    End(u64),
}

/// Adds the member whose local header stands at `at`.
fn member(
    archive: &mut Archive<'_>,
    at: u64,
    builder: &mut Builder,
    meter: &Meter,
) -> Result<Next, ReadError> {
    let Some(header) = LocalHeader::of(archive.bytes(at, HEADER, AHEAD)?) else { return Ok(Next::End(at)) };
    let len = header.variable_len();
    let variable = archive.bytes(at.saturating_add(HEADER as u64), len, AHEAD)?;
    let Some((name, extra)) = variable.split_at_checked(header.name_len).filter(|_| variable.len() == len)
    else {
        return Ok(Next::End(at));
    };
    if name.is_empty() || name.contains(&0) {
        // Four bytes alone make no header.
        return Ok(Next::End(at));
    }
    let mut wide = Wide { compressed: header.compressed, size: header.size, header: 0 };
    let extra = Extra::read(extra, name, &mut wide);
    let mut record = record(&header, at, wide, &extra, name);
    let has_descriptor = record.flags & DESCRIPTOR != 0 && record.compressed == 0;
    if has_descriptor {
        (record.compressed, record.size, record.crc) = (Record::UNKNOWN, Record::UNKNOWN, 0);
    }
    let number = builder.add(record, name, &extra, Mode::Plain)?;
    let data = at.saturating_add((HEADER + len) as u64);
    let next = if has_descriptor {
        descriptor(archive, data, meter)?.map(|found| {
            (record.compressed, record.size, record.crc) = (found.compressed, found.size, found.crc);
            builder.set(number, record);
            found.next
        })
    } else {
        Some(data.saturating_add(record.compressed))
    };
    Ok(match next {
        Some(next) if next <= archive.slice.len() => Next::At(next),
        _ => Next::End(archive.slice.len()),
    })
}

/// What the local header at `at` says of its member.
fn record(header: &LocalHeader, at: u64, wide: Wide, extra: &Extra<'_>, name: &[u8]) -> Record {
    Record {
        header: at,
        compressed: wide.compressed,
        size: wide.size,
        modified: extra.modified.unwrap_or(Record::NO_TIME),
        crc: header.crc,
        name_sum: name_sum(name),
        date: header.date,
        time: header.time,
        method: header.method,
        flags: header.flags,
    }
}

/// What follows the data of a member whose header does not know its size (APPNOTE 4.3.9).
#[derive(Clone, Copy, Debug)]
struct Descriptor {
    compressed: u64,
    size: u64,
    crc: u32,
    next: u64,
}

/// The descriptor of the member whose data begins at `data`: the first that gives the distance to itself.
fn descriptor(archive: &mut Archive<'_>, data: u64, meter: &Meter) -> Result<Option<Descriptor>, ReadError> {
    let mut at = data;
    loop {
        meter.check()?;
        // What stands before a signature and behind it is looked at too.
        let start = at.saturating_sub(DESCRIPTOR_MAX as u64).max(data);
        let bytes = archive.bytes(start, BLOCK, BLOCK)?;
        let is_end = bytes.len() < BLOCK;
        let end = if is_end { bytes.len() } else { BLOCK - DESCRIPTOR_MAX };
        let from = usize::try_from(at.saturating_sub(start)).unwrap_or(usize::MAX);
        let searched = bytes.get(from..bytes.len().min(end.saturating_add(1))).unwrap_or_default();
        for found in memchr::memmem::find_iter(searched, b"PK").map(|found| from.saturating_add(found)) {
            if let Some(descriptor) = descriptor_at(bytes, found, start, data) {
                return Ok(Some(descriptor));
            }
        }
        if is_end {
            return Ok(None);
        }
        at = start.saturating_add(end as u64);
    }
}

/// The descriptor that has its signature at `found` in `bytes`, which stand at `start`, or that ends where the next
/// record has its own.
fn descriptor_at(bytes: &[u8], found: usize, start: u64, data: u64) -> Option<Descriptor> {
    let position = start.saturating_add(found as u64);
    let record = bytes.get(found..)?;
    if record.starts_with(&signature::DESCRIPTOR) {
        return fields(record.get(4..)?, position.saturating_sub(data), position.saturating_add(4));
    }
    if record.starts_with(&signature::LOCAL) || record.starts_with(&signature::CENTRAL) {
        return [12, 20].into_iter().find_map(|len| {
            let before = bytes.get(found.checked_sub(len)?..)?;
            let at = position.saturating_sub(len as u64);
            fields(before, at.saturating_sub(data), at).filter(|found| found.next == position)
        });
    }
    None
}

/// A checksum and two sizes of four bytes, or of eight, when the first is `compressed`.
fn fields(bytes: &[u8], compressed: u64, start: u64) -> Option<Descriptor> {
    let crc = u32::try_from(number::<4>(bytes, 0)?).ok()?;
    if number::<4>(bytes, 4)? == compressed && number::<8>(bytes, 4) != Some(compressed) {
        return Some(Descriptor {
            compressed,
            size: number::<4>(bytes, 8)?,
            crc,
            next: start.saturating_add(12),
        });
    }
    (number::<8>(bytes, 4)? == compressed)
        .then(|| {
            Some(Descriptor {
                compressed,
                size: number::<8>(bytes, 12)?,
                crc,
                next: start.saturating_add(20),
            })
        })
        .flatten()
}
