//! Windows of bytes, cut inwards to whole characters.

use read_selector::ByteSpan;

use super::charset::{Charset, shown_len};
use super::document::Document;
use super::dump::{Span, read_span};
use super::oddities::Oddities;
use crate::error::{ErrorCode, ReadError};
use crate::names::count;
use crate::output::{Details, Notice, Rank, Truncated, TruncatedBy};
use crate::reader::Answer;
use crate::source::Source;
use crate::view::Asked;
use crate::{Limits, Slice};

/// Bytes behind a window that are read to see a character whole.
const AFTER: u64 = 8;

/// Reads the bytes of `span` as text.
pub(super) fn read(document: &Document<'_>, span: ByteSpan, asked: &Asked) -> Result<Answer, ReadError> {
    let limits = document.cx.limits();
    let charset = document.charset;
    if charset.is_stateful() {
        return Err(ReadError::new(
            ErrorCode::InvalidSelector,
            format!(
                "'{}' is {}: what its bytes mean depends on those before them. Use lines, or :hex for bytes.",
                document.source.path(),
                charset.name()
            ),
        ));
    }
    // In step with the file's units, not only with the window.
    let width = document.newline().width() as u64;
    let from = span.offset.saturating_sub(charset.sync_distance()) / width * width;
    let cap = limits.max_bytes.unwrap_or(limits.max_buffered);
    let wanted = span.len.map_or(u64::MAX, std::num::NonZero::get).min(cap);
    let lead = span.offset - from;
    let len = lead.saturating_add(wanted).saturating_add(AFTER);
    let Span { bytes, damage } = read_span(document.source, limits, from, len)?;
    let total = total_bytes(document.source, limits, from, bytes.len() as u64, len);
    let mut notices = asked.notices.clone();
    notices.extend(damage);
    let lead = usize::try_from(lead).unwrap_or(usize::MAX);
    if lead >= bytes.len() {
        notices.extend(document.read_limit_notice(bytes.len() as u64 + from));
        return Ok(beyond_end(document, span.offset, total, notices));
    }
    let end = lead.saturating_add(usize::try_from(wanted).unwrap_or(usize::MAX)).min(bytes.len());
    let (start, mut end) = whole_characters(charset, &bytes, lead, end);
    let mut body = bytes.get(start..end).unwrap_or_default();
    let at_start = from == 0 && start == 0;
    let bom = if at_start { document.bom.min(body.len()) } else { 0 };
    let mut text = String::new();
    let mut malformed = charset.decode(body.get(bom..).unwrap_or_default(), &mut text);
    if shown_len(&text) as u64 > cap {
        // Decoding made more of it than may be shown.
        let cut = charset
            .prefix_within(body.get(bom..).unwrap_or_default(), usize::try_from(cap).unwrap_or(usize::MAX));
        end = start + bom + cut;
        body = bytes.get(start..end).unwrap_or_default();
        text.clear();
        malformed = charset.decode(body.get(bom..).unwrap_or_default(), &mut text);
    }
    let first_malformed = malformed.first.map(|at| from + (start + bom + at) as u64);
    document.refuse_misnamed(first_malformed)?;
    let mut oddities = Oddities::default();
    oddities.malformed = malformed.count;
    oddities.nuls = memchr::memchr_iter(0, text.as_bytes()).count() as u64;
    let text = text.replace('\0', "␀").replace("\r\n", "\n");
    let name = charset.name();
    if name != "UTF-8" {
        notices.push(Notice::new(Rank::Decoded, format!("Decoded from {name}")));
    }
    notices.extend(oddities.notices(name));
    let (first, next) = (from + start as u64, from + end as u64);
    let capped = span.end().is_none_or(|end| end > next) && wanted == cap;
    let mut truncated = None;
    notices.extend(document.read_limit_notice(bytes.len() as u64 + from));
    if let Some(go_on) = go_on(document.source, "", next, span, total, capped) {
        truncated = capped.then(|| Truncated {
            by: TruncatedBy::Bytes,
            next,
            next_target: Some(format!("{}{}", document.source.path(), go_on.1)),
        });
        notices.push(Notice::new(Rank::Continue, go_on.0));
    }
    let details = Details {
        encoding: Some(name),
        line_ending: document.endings().name(),
        lossy: oddities.is_lossy(),
        media_type: Some("text/plain".to_owned()),
        shown_bytes: Some([first, next]),
        truncated,
        ..Details::default()
    };
    Ok(Answer::shown(text, details, notices))
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

/// The answer about a window behind the end.
pub(super) fn beyond_end(
    document: &Document<'_>,
    offset: u64,
    total: Option<u64>,
    mut notices: Vec<Notice>,
) -> Answer {
    let text = beyond_text(document.source, offset, total);
    notices.push(Notice::detail(Rank::LeftOut, text.clone()));
    let details = Details { media_type: Some("text/plain".to_owned()), ..Details::default() };
    Answer::shown(text, details, notices)
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

/// `start..end` cut inwards to whole characters; a window inside one character is that character.
fn whole_characters(charset: Charset, bytes: &[u8], start: usize, end: usize) -> (usize, usize) {
    let mut at = in_step(charset, bytes, start);
    // The last boundary at or before the start, and the first one behind it.
    let (mut before, mut first) = (at, None);
    let mut last = None;
    while at <= end {
        if at >= start {
            first.get_or_insert(at);
            last = Some(at);
        } else {
            before = at;
        }
        let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) else { break };
        at += charset.char_len(rest);
    }
    match (first, last) {
        (Some(first), Some(last)) if last > first => (first, last),
        // Inside one character: the one that covers the start.
        _ => {
            let from = if first == Some(start) { start } else { before };
            let len = bytes.get(from..).map_or(0, |rest| charset.char_len(rest));
            (from, from + len)
        }
    }
}

/// A position at or before `start` at which a character begins.
fn in_step(charset: Charset, bytes: &[u8], start: usize) -> usize {
    match charset {
        Charset::Utf8 => {
            let is_continuation = |at: usize| bytes.get(at).is_some_and(|byte| (0x80..=0xBF).contains(byte));
            (start.saturating_sub(3)..=start).rev().find(|at| !is_continuation(*at)).unwrap_or(start)
        }
        Charset::Utf16(_) | Charset::Utf32(_) => {
            let width = charset.newline().width();
            // One unit back, in case this one is the second half of a pair.
            start.saturating_sub(width) / width * width
        }
        #[cfg(feature = "encodings")]
        Charset::Legacy(_) => {
            let lead = bytes.get(..start).unwrap_or_default();
            charset.newline().ends_backwards(lead).next().unwrap_or(0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_cut_inwards() {
        let text = "aé€😀z".as_bytes();
        for ((start, end), shown) in [
            ((2, 9), "€"),
            ((0, 1), "a"),
            ((1, 3), "é"),
            ((2, 3), "é"),
            ((4, 5), "€"),
            ((3, 6), "€"),
            ((7, 8), "😀"),
            ((0, 11), "aé€😀z"),
        ] {
            let (from, to) = whole_characters(Charset::Utf8, text, start, end);
            assert_eq!(std::str::from_utf8(&text[from..to]).unwrap(), shown, "{start}..{end}");
        }
    }

    #[test]
    fn a_window_always_advances() {
        let text = "aé€\u{fffd}😀z".as_bytes();
        for charset in [Charset::Utf8, Charset::for_label("utf-16le").unwrap()] {
            for start in 0..text.len() {
                for end in start + 1..=text.len() {
                    let (from, to) = whole_characters(charset, text, start, end);
                    assert!(to > start && from < to, "{charset:?} {start}..{end}: {from}..{to}");
                }
            }
        }
    }
}
