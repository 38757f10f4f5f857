//! The end of a zip: the record that says where the central directory lies (APPNOTE 4.3.14 to 4.3.16).

use std::io;

use read_core::{Probe, Slice};

use super::number::{long, number, short};
use super::signature;

/// The end record without its comment.
const END: usize = 22;

/// The longest comment.
const COMMENT: usize = 0xFFFF;

/// The record that points to the zip64 end record.
const LOCATOR: usize = 20;

/// The zip64 end record without its extensible data.
const END64: usize = 56;

/// Where the central directory lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct End {
    /// Its first byte in the file.
    pub(super) start: u64,
    /// Its bytes.
    pub(super) size: u64,
    /// The members that it should list; archives of more than 65,535 without zip64 say less.
    pub(super) count: u64,
    /// What precedes the archive in the file: added to every offset.
    pub(super) base: u64,
    /// Where the end record stands.
    pub(super) position: u64,
    /// Whether this is the last of several volumes.
    pub(super) is_volume: bool,
}

/// Every central directory that the end of the file names, the one to use first: end records whose comment ends with the
/// file, then others, the last in the file first.
pub(super) fn directories(slice: &Slice) -> io::Result<Vec<End>> {
    let mut tail = vec![0; usize::try_from(slice.len()).unwrap_or(usize::MAX).min(END + COMMENT)];
    let start = slice.len().saturating_sub(tail.len() as u64);
    let got = slice.read_full_at(&mut tail, start)?;
    tail.truncate(got);
    let mut fitting = Vec::new();
    let mut others = Vec::new();
    // Searching forward is vectorised, searching backward is not.
    let found: Vec<usize> = memchr::memmem::find_iter(&tail, &signature::END).collect();
    for at in found.into_iter().rev() {
        let Some(record) = tail.get(at..).filter(|record| record.len() >= END) else { continue };
        let comment = number::<2>(record, 20).unwrap_or(0);
        let room = (record.len() - END) as u64;
        if comment > room {
            continue;
        }
        if let Some(end) = directory(slice, record, start.saturating_add(at as u64))? {
            if comment == room { fitting.push(end) } else { others.push(end) }
        }
    }
    fitting.append(&mut others);
    Ok(fitting)
}

/// Whether there is another directory than the first of `ends` that lies in no member's data: two tools may see two
/// archives then.
pub(super) fn are_several(ends: &[End]) -> bool {
    let Some((end, others)) = ends.split_first() else { return false };
    let in_a_member = |position| position >= end.base && position < end.start;
    others.iter().any(|other| other.start != end.start && !in_a_member(other.position))
}

/// The directory that the end record at `position` names, where one is there.
fn directory(slice: &Slice, record: &[u8], position: u64) -> io::Result<Option<End>> {
    let (mut count, mut size, mut offset) =
        (u64::from(short(record, 10)), long(record, 12), long(record, 16));
    let mut end_of_directory = position;
    if let Some((record, at)) = end64(slice, position)? {
        let field = |at| number::<8>(&record, at).unwrap_or(0);
        let wide = |narrow: u64, full: u64, at| if narrow == full { field(at) } else { narrow };
        (count, size, offset) =
            (wide(count, 0xFFFF, 32), wide(size, 0xFFFF_FFFF, 40), wide(offset, 0xFFFF_FFFF, 48));
        end_of_directory = at;
    }
    let is_volume = !matches!(number::<2>(record, 4), Some(0 | 0xFFFF));
    let here = |start| {
        Some(End { start, size, count, base: u64::saturating_sub(start, offset), position, is_volume })
    };
    // It ends where the end record begins, whatever precedes the archive; where that is not so, its offset is the truth.
    let by_end = end_of_directory.checked_sub(size);
    for start in by_end.into_iter().chain([offset]) {
        let is_empty = size == 0 && count == 0 && Some(start) == by_end;
        if is_empty || (start < position && signature::stands_at(slice, start, signature::CENTRAL)?) {
            return Ok(here(start));
        }
    }
    Ok(None)
}

/// The zip64 end record in front of an end record, and where it stands.
fn end64(slice: &Slice, position: u64) -> io::Result<Option<([u8; END64], u64)>> {
    let Some(at) = position.checked_sub(LOCATOR as u64) else { return Ok(None) };
    let mut locator = [0; LOCATOR];
    slice.read_full_at(&mut locator, at)?;
    if !locator.starts_with(&signature::LOCATOR) {
        return Ok(None);
    }
    let named = number::<8>(&locator, 8);
    let directly_before = at.checked_sub(END64 as u64);
    for at in named.into_iter().chain(directly_before) {
        let mut record = [0; END64];
        if at < position
            && slice.read_full_at(&mut record, at)? == END64
            && record.starts_with(&signature::END64)
        {
            return Ok(Some((record, at)));
        }
    }
    Ok(None)
}

/// Whether the last bytes of a source end a zip whose parts fit in front of them.
pub(super) fn closes(probe: &Probe<'_>) -> bool {
    let Some(length) = probe.length() else { return false };
    let Some(tail) = probe.tail(END + COMMENT) else { return false };
    memchr::memmem::find_iter(&tail, &signature::END).any(|at| {
        let Some(record) = tail.get(at..).filter(|record| record.len() >= END) else { return false };
        let fits = number::<2>(record, 20) == Some((record.len() - END) as u64);
        let parts =
            number::<4>(record, 12).zip(number::<4>(record, 16)).map(|(size, offset)| (size, size + offset));
        let position = length.saturating_sub(record.len() as u64);
        // An empty zip behind something else says nothing; zip64 has its figures elsewhere.
        fits && parts.is_some_and(|(size, sum)| size > 0 && (sum <= position || sum >= 0xFFFF_FFFF))
    })
}
