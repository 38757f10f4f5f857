//! Spans of a source's bytes: read as far as they are sound, and what is said around them.

use std::io::Read;

use read_selector::ByteSpan;

use crate::error::ReadError;
use crate::limits::Limits;
use crate::names::count;
use crate::output::Notice;
use crate::source::{Slice, Source};
use crate::stream_fault::{StreamFault, damage_notices};

/// Bytes of a source.
#[derive(Debug, Default)]
pub(super) struct Span {
    pub(super) bytes: Vec<u8>,
    /// What is said where a decoder failed behind them.
    pub(super) damage: Vec<Notice>,
}

/// At most `len` bytes of a source from `from` on, under the host's read limit; those that a decoder gave before it failed.
pub(super) fn read_span(source: &Source, limits: &Limits, from: u64, len: u64) -> Result<Span, ReadError> {
    let len = len.min(limits.max_read_bytes.unwrap_or(u64::MAX).saturating_sub(from));
    let mut span = Span::default();
    let read = source.reader_at(from).and_then(|reader| reader.take(len).read_to_end(&mut span.bytes));
    if let Err(error) = read {
        let after = from.saturating_add(span.bytes.len() as u64);
        if after == 0 || !source.is_decoded() || !StreamFault::is_damage(&error) {
            return Err(ReadError::io(source.path(), error));
        }
        // Where the way to the window failed, nobody knows how far it went.
        let after = (!span.bytes.is_empty()).then_some(after);
        span.damage = damage_notices(source.path(), after, &error).into();
    }
    Ok(span)
}

/// The bytes in all: where that is a fact, where the end was met, or as the container around them says.
pub(super) fn total_bytes(source: &Source, limits: &Limits, from: u64, got: u64, wanted: u64) -> Option<u64> {
    let limit = limits.max_read_bytes.unwrap_or(u64::MAX);
    match source.slice().map(Slice::len) {
        Some(len) => Some(len.min(limit)),
        // Where nothing was got behind some offset, the end lies before it.
        None if got < wanted && (got > 0 || from == 0) => Some(from.saturating_add(got)),
        // A word that is a lie by what was read already is not taken.
        None => source.length().filter(|len| *len >= from.saturating_add(got)).map(|len| len.min(limit)),
    }
}

/// What is said about a byte behind the end.
pub(super) fn beyond_text(source: &Source, offset: u64, total: Option<u64>) -> String {
    let noun = source.noun();
    match total {
        Some(0) => format!("Byte {offset} is beyond end of {noun} (0 bytes)."),
        Some(total) => format!("Byte {offset} is beyond end of {noun} ({}).", count(total, "byte")),
        None => format!("Byte {offset} is beyond end of {noun}."),
    }
}

/// The notice that says how to go on behind a byte window, and the selector in it; `None` at the end of the source.
pub(super) fn go_on(
    source: &Source,
    prefix: &str,
    next: u64,
    span: ByteSpan,
    total: Option<u64>,
    capped: bool,
) -> Option<(String, String)> {
    let left = total.map(|total| total.saturating_sub(next));
    if left == Some(0) {
        return None;
    }
    // A capped window goes on to the caller's own end; one that was shown whole, with as much again.
    let asked = span.len.map(std::num::NonZero::get);
    let len = if capped { span.end().map(|end| end.saturating_sub(next)) } else { asked };
    let len = match (len, left) {
        (Some(len), Some(left)) => Some(len.min(left)),
        (len, left) => len.or(left),
    };
    let selector = match len {
        Some(len) => format!(":{prefix}@{next}+{}", len.max(1)),
        None => format!(":{prefix}@{next}"),
    };
    let more = left.map_or_else(|| "More bytes".to_owned(), |left| count(left, "more byte"));
    Some((format!("{more} in {}. Use {selector} to continue.", source.noun()), selector))
}
