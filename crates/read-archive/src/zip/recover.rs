//! Zips whose central directory is gone: cut downloads. Members are read from their local headers, one after the other.

use std::io;

use read_core::{Meter, ReadError, Slice};

use super::end::number;
use super::extra::{Extra, Wide};
use super::index::{Builder, DESCRIPTOR, Host, Record};
use crate::damage::Damage;

pub(super) const SIGNATURE: [u8; 4] = *b"PK\x03\x04";
const DESCRIPTOR_SIGNATURE: [u8; 4] = *b"PK\x07\x08";

/// A local header without its name and extra fields (APPNOTE 4.3.7).
pub(super) const HEADER: usize = 30;

/// Bytes that are searched at a time for the end of a member.
const BLOCK: usize = 256 << 10;

/// Adds the members that stand from the first byte on, and says where they end; `None` where none begins.
pub(super) fn read(
    slice: &Slice,
    builder: &mut Builder,
    path: &str,
    meter: &Meter,
) -> Result<Option<Damage>, ReadError> {
    let error = |error| ReadError::io(path, error);
    let mut marker = [0; 8];
    slice.read_full_at(&mut marker, 0).map_err(error)?;
    let mut at = match marker {
        [b'P', b'K', 3, 4, ..] => 0,
        [b'P', b'K', _, _, b'P', b'K', 3, 4] => 4,
        _ => return Ok(None),
    };
    loop {
        meter.check()?;
        match member(slice, at, builder, meter)? {
            Next::At(next) => at = next,
            Next::End(after) => return Ok(Some(Damage::new(after, "the central directory is missing"))),
        }
    }
}

/// Where to go on.
enum Next {
    At(u64),
    End(u64),
}

fn member(slice: &Slice, at: u64, builder: &mut Builder, meter: &Meter) -> Result<Next, ReadError> {
    let io = |error| ReadError::io("the archive", error);
    let mut fixed = [0; HEADER];
    if slice.read_full_at(&mut fixed, at).map_err(io)? < HEADER || !fixed.starts_with(&SIGNATURE) {
        return Ok(Next::End(at));
    }
    let short = |at| number::<2>(&fixed, at).unwrap_or(0);
    let field = |at| number::<4>(&fixed, at).unwrap_or(0);
    let len = |at| usize::try_from(short(at)).unwrap_or(0);
    let mut variable = vec![0; len(26).saturating_add(len(28))];
    let data = at.saturating_add((HEADER + variable.len()) as u64);
    if slice.read_full_at(&mut variable, at.saturating_add(HEADER as u64)).map_err(io)? < variable.len() {
        return Ok(Next::End(at));
    }
    let (name, extra) = variable.split_at_checked(len(26)).unwrap_or_default();
    if name.is_empty() || name.contains(&0) {
        // Four bytes alone make no header.
        return Ok(Next::End(at));
    }
    let mut wide = Wide { compressed: field(18), size: field(22), header: 0 };
    let extra = Extra::read(extra, name, &mut wide);
    let narrow = |value| u16::try_from(value).unwrap_or(0);
    let mut record = Record {
        header: at,
        compressed: wide.compressed,
        size: wide.size,
        modified: extra.modified.unwrap_or(Record::NO_TIME),
        crc: u32::try_from(field(14)).unwrap_or(0),
        date: narrow(short(12)),
        time: narrow(short(10)),
        method: narrow(short(8)),
        flags: narrow(short(6)),
    };
    let mut next = Some(data.saturating_add(record.compressed));
    if record.flags & DESCRIPTOR != 0 && record.compressed == 0 {
        let found = descriptor(slice, data, meter)?;
        next = found.map(|found| found.next);
        (record.compressed, record.size, record.crc) = found
            .map_or((Record::UNKNOWN, Record::UNKNOWN, 0), |found| (found.compressed, found.size, found.crc));
    }
    builder.add(record, name, extra.unicode_path, Host::Other, 0)?;
    Ok(match next {
        Some(next) if next <= slice.len() => Next::At(next),
        _ => Next::End(slice.len()),
    })
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
fn descriptor(slice: &Slice, data: u64, meter: &Meter) -> Result<Option<Descriptor>, ReadError> {
    let io = |error| ReadError::io("the archive", error);
    let mut block = vec![0; BLOCK];
    let mut at = data;
    loop {
        meter.check()?;
        let got = slice.read_full_at(&mut block, at).map_err(io)?;
        let bytes = block.get(..got).unwrap_or_default();
        for found in memchr::memmem::find_iter(bytes, b"PK") {
            let position = at.saturating_add(found as u64);
            if let Some(descriptor) = descriptor_at(slice, data, position).map_err(io)? {
                return Ok(Some(descriptor));
            }
        }
        if got < BLOCK {
            return Ok(None);
        }
        // The signature may stand across two blocks.
        at = at.saturating_add(got as u64).saturating_sub(1);
    }
}

/// The descriptor that has its signature at `position`, or that ends where the next record has.
fn descriptor_at(slice: &Slice, data: u64, position: u64) -> io::Result<Option<Descriptor>> {
    let mut bytes = [0; 24];
    let got = slice.read_full_at(&mut bytes, position)?;
    let bytes = bytes.get(..got).unwrap_or_default();
    if bytes.starts_with(&DESCRIPTOR_SIGNATURE) {
        return Ok(fields(
            bytes.get(4..).unwrap_or_default(),
            position.saturating_sub(data),
            position.saturating_add(4),
        ));
    }
    if bytes.starts_with(&SIGNATURE) || bytes.starts_with(&super::directory::SIGNATURE) {
        for len in [12, 20] {
            let Some(start) = position.checked_sub(len).filter(|start| *start >= data) else { continue };
            let mut bytes = [0; 20];
            slice.read_full_at(&mut bytes, start)?;
            if let Some(found) =
                fields(&bytes, start.saturating_sub(data), start).filter(|found| found.next == position)
            {
                return Ok(Some(found));
            }
        }
    }
    Ok(None)
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
