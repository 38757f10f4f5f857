//! Hex dumps, as `hexdump -C` prints them.

use std::fmt::Write;
use std::io::Read;
use std::num::NonZeroU64;

use read_selector::ByteSpan;

use super::bytes::{beyond_text, go_on, total_bytes};
use super::document::read_limit_notice;
use crate::context::ReadContext;
use crate::error::ReadError;
use crate::limits::Limits;
use crate::media_type;
use crate::output::{Details, Notice, Rank, Truncated, TruncatedBy};
use crate::reader::Answer;
use crate::source::Source;
use crate::stream_fault::{StreamFault, damage_notices};
use crate::view::Asked;

/// Bytes a row.
const ROW: usize = 16;

/// Characters of a full row with its line end.
const ROW_TEXT: u64 = 79;

/// Dumps the bytes of `span`, or the first ones.
pub(crate) fn read(
    source: &Source,
    span: Option<ByteSpan>,
    asked: &Asked,
    cx: &ReadContext<'_>,
) -> Result<Answer, ReadError> {
    let limits = cx.limits();
    let span = span.unwrap_or(ByteSpan { offset: 0, len: None });
    let default = NonZeroU64::new(limits.hex_bytes);
    let wanted = span.len.or(default).map_or(1, NonZeroU64::get);
    let rows =
        limits.max_lines.unwrap_or(u64::MAX).min(limits.max_bytes.unwrap_or(u64::MAX) / ROW_TEXT).max(1);
    let cap = rows.saturating_mul(ROW as u64).min(limits.max_buffered);
    let len = wanted.min(cap);
    // One byte more shows whether a stream goes on.
    let Span { mut bytes, damage } = read_span(source, limits, span.offset, len.saturating_add(1))?;
    let total = total_bytes(source, limits, span.offset, bytes.len() as u64, len.saturating_add(1));
    bytes.truncate(usize::try_from(len).unwrap_or(usize::MAX));
    let head = source.head().map_err(|error| ReadError::io(source.path(), error))?;
    let mut details = Details { media_type: Some(media_type::of(&head).to_owned()), ..Details::default() };
    let mut notices = asked.notices.clone();
    notices.extend(damage);
    notices.extend(read_limit_notice(source, limits, span.offset.saturating_add(bytes.len() as u64)));
    if bytes.is_empty() {
        let text = if total == Some(0) {
            format!("[{} is empty]", source.noun().capitalized())
        } else {
            beyond_text(source, span.offset, total)
        };
        notices.push(Notice::detail(Rank::LeftOut, text.trim_matches(['[', ']'])));
        return Ok(Answer::shown(text, details, notices));
    }
    let next = span.offset.saturating_add(bytes.len() as u64);
    let capped = wanted > len;
    let whole = ByteSpan { offset: span.offset, len: NonZeroU64::new(wanted) };
    if let Some((notice, selector)) = go_on(source, "hex:", next, whole, total, capped) {
        if capped || span.len.is_none() {
            let next_target = format!("{}{selector}", source.path());
            details.truncated =
                Some(Truncated { by: TruncatedBy::Bytes, next, next_target: Some(next_target) });
        }
        notices.push(Notice::new(Rank::Continue, notice));
    }
    details.shown_bytes = Some([span.offset, next]);
    Ok(Answer::shown(dump(&bytes, span.offset), details, notices))
}

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

/// The rows of `bytes`, which stand at `offset`: equal rows after the first of them are one `*`, the end has a row of its
/// own.
fn dump(bytes: &[u8], offset: u64) -> String {
    let mut out = String::with_capacity(bytes.len().saturating_mul(5));
    let mut previous: Option<&[u8]> = None;
    let mut starred = false;
    for (row, at) in bytes.chunks(ROW).zip((0_u64..).step_by(ROW)) {
        if row.len() == ROW && previous == Some(row) {
            if !starred {
                out.push_str("*\n");
                starred = true;
            }
            continue;
        }
        starred = false;
        previous = Some(row);
        write_row(&mut out, offset.saturating_add(at), row);
    }
    // Writing to a string does not fail.
    let _ = writeln!(out, "{:08x}", offset.saturating_add(bytes.len() as u64));
    out
}

fn write_row(out: &mut String, offset: u64, row: &[u8]) {
    let _ = write!(out, "{offset:08x} ");
    for column in 0..ROW {
        if column % 8 == 0 {
            out.push(' ');
        }
        match row.get(column) {
            Some(byte) => _ = write!(out, "{byte:02x} "),
            None => out.push_str("   "),
        }
    }
    out.push_str(" |");
    out.extend(row.iter().map(|byte| if matches!(byte, 0x20..=0x7E) { char::from(*byte) } else { '.' }));
    out.push_str("|\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_as_hexdump_prints_them() {
        // `printf 'AB\0\1' | hexdump -C`
        assert_eq!(
            dump(b"AB\0\x01", 0),
            "00000000  41 42 00 01                                       |AB..|\n00000004\n"
        );
        // `head -c 64 /dev/zero | hexdump -C`
        assert_eq!(
            dump(&[0; 64], 0),
            "00000000  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  |................|\n*\n00000040\n"
        );
    }
}
