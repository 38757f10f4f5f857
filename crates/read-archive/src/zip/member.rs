//! One member of a zip: where its data lies, and the stream that decodes it.

mod decode;
mod decoder_memory;

use read_core::{
    Body, ErrorCode, Notice, Noun, Rank, ReadError, Slice, Source, Stream, damage_notices, printed,
    shortened, size as size_of,
};

use super::index::Place;
use super::local::{HEADER, LocalHeader};
use super::method::{self, STORED};
use super::record::{Record, name_sum};
use crate::limits::{MAX_LINK, VERIFIED};
use crate::time;

pub(super) fn gone(archive: &str, name: &[u8]) -> ReadError {
    ReadError::new(ErrorCode::NotFound, format!("'{}' not found inside archive {archive}", printed(name)))
}

/// The member as a source under `path`: a part of the file where it is stored, else a stream.
pub(super) fn open(
    slice: &Slice,
    place: Place,
    record: &Record,
    source: &Source,
    path: &[u8],
) -> Result<Source, ReadError> {
    let target = format!("{}:{}", source.path(), printed(path));
    let (data, name) = data(slice, place, record, &target)?;
    let mut notices = Vec::new();
    if !name.is_empty() && name_sum(&name) != record.name_sum {
        let text = format!("The local header of {target} names it '{}'", shortened(&name));
        notices.push(Notice::new(Rank::Odd, text));
    }
    let body = if record.method == STORED {
        let size = record.size().unwrap_or(record.compressed);
        let stored = data.sub(0, size);
        if size != record.compressed {
            let text = format!(
                "{target} has two sizes, {} and {}; the lesser is shown",
                size_of(size),
                size_of(record.compressed)
            );
            notices.push(Notice::new(Rank::Odd, text));
        }
        if stored.len() < size {
            let [told, _] = damage_notices(&target, Some(stored.len()), &"its data is cut");
            notices.push(told);
        } else if size <= VERIFIED && !checksum_holds(&stored, record.crc, &target)? {
            let text = format!("The checksum of {target} is not that of its content: it is damaged");
            notices.push(Notice::new(Rank::Odd, text));
        }
        Body::Slice(stored)
    } else {
        let record = *record;
        Body::Stream(Stream::decoded(move || decode::stream(&data, &record, &target)))
    };
    let length = match &body {
        Body::Slice(data) => Some(data.len()),
        _ => record.size(),
    };
    Ok(source
        .member(path, Noun::ArchiveEntry, body)
        .with_length(length)
        .with_facts(facts(record))
        .with_notices(notices))
}

/// Where a symbolic link leads: its content.
pub(super) fn link_target(
    slice: &Slice,
    place: Place,
    record: &Record,
    archive: &str,
    name: &[u8],
) -> Result<Vec<u8>, ReadError> {
    let target = format!("{archive}:{}", printed(name));
    let (data, _) = data(slice, place, record, &target)?;
    let mut link = Vec::new();
    let read = if record.method == STORED {
        std::io::Read::read_to_end(&mut data.sub(0, MAX_LINK + 1).reader(), &mut link)
    } else {
        let stream = decode::stream(&data, record, &target);
        stream.and_then(|stream| {
            std::io::Read::read_to_end(&mut std::io::Read::take(stream, MAX_LINK + 1), &mut link)
        })
    };
    read.map_err(|error| ReadError::io(&target, error))?;
    if link.len() as u64 > MAX_LINK {
        return Err(ReadError::new(
            ErrorCode::TooLarge,
            format!("'{target}' is a link of over {}.", size_of(MAX_LINK)),
        ));
    }
    Ok(link)
}

/// The bytes of a member as they are stored, when this build can read them, and what its local header names it.
fn data(slice: &Slice, place: Place, record: &Record, target: &str) -> Result<(Slice, Vec<u8>), ReadError> {
    if record.is_encrypted() {
        let message =
            format!("'{target}' is encrypted, and passwords are not taken. Other members may be readable.");
        return Err(ReadError::new(ErrorCode::Encrypted, message));
    }
    if let Some(reason) = method::unsupported(record.method) {
        return Err(ReadError::new(ErrorCode::UnsupportedContent, format!("'{target}' is {reason}.")));
    }
    let (header, at) = local_header(slice, place, record, target)?;
    let start = at.saturating_add(HEADER as u64);
    let mut name = vec![0; header.name_len];
    let got = slice.read_full_at(&mut name, start).map_err(|error| ReadError::io(target, error))?;
    name.truncate(got);
    let data = slice.sub(start.saturating_add(header.variable_len() as u64), record.compressed);
    decoder_memory::permit(record.method, &data, record.size(), target)?;
    Ok((data, name))
}

/// The local header of a member, and where it stands: behind what precedes the archive, or where its offset says, for
/// archives whose directory was moved.
fn local_header(
    slice: &Slice,
    place: Place,
    record: &Record,
    target: &str,
) -> Result<(LocalHeader, u64), ReadError> {
    for at in [record.header, record.header.saturating_sub(place.base)] {
        let mut header = [0; HEADER];
        let got = slice.read_full_at(&mut header, at).map_err(|error| ReadError::io(target, error))?;
        if let Some(header) = header.get(..got).and_then(LocalHeader::of) {
            return Ok((header, at));
        }
    }
    if place.is_volume {
        let message = format!(
            "'{target}' lies in another volume: this file is the last part of a split archive. Join the parts first."
        );
        return Err(ReadError::new(ErrorCode::UnsupportedContent, message));
    }
    let message =
        format!("'{target}' is damaged: no local header stands at byte {} of the archive.", record.header);
    Err(ReadError::new(ErrorCode::Corrupt, message))
}

fn checksum_holds(data: &Slice, crc: u32, target: &str) -> Result<bool, ReadError> {
    let mut sum = flate2::Crc::new();
    let mut block = vec![0; 64 << 10];
    let mut at = 0;
    loop {
        let got = data.read_full_at(&mut block, at).map_err(|error| ReadError::io(target, error))?;
        sum.update(block.get(..got).unwrap_or_default());
        if got < block.len() {
            return Ok(sum.sum() == crc);
        }
        at = at.saturating_add(got as u64);
    }
}

/// What `details.member` says.
fn facts(record: &Record) -> Vec<(&'static str, String)> {
    let modified = time::utc(record.modified).or_else(|| time::dos(record.date, record.time));
    let compressed = (record.compressed != Record::UNKNOWN).then(|| record.compressed.to_string());
    [("compressed_size", compressed), ("method", Some(method::name(record.method))), ("modified", modified)]
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .collect()
}
