//! Windows of bytes, cut inwards to whole characters.

use read_selector::ByteSpan;

use super::charset::{Charset, shown_len};
use super::document::Document;
use super::oddities::Oddities;
use super::span::{Span, beyond_text, go_on, read_span, total_bytes};
use crate::error::{ErrorCode, ReadError};
use crate::output::{Details, Notice, Rank, Truncated, TruncatedBy};
use crate::reader::Answer;
use crate::view::Asked;

/// Bytes behind a window that are read to see a character whole.
const AFTER: u64 = 8;

/// Reads the bytes of `span` as text.
pub(super) fn read(document: &Document<'_>, span: ByteSpan, asked: &Asked) -> Result<Answer, ReadError> {
    let limits = document.cx.limits();
    if document.charset.is_stateful() {
        return Err(not_by_bytes(document));
    }
    // In step with the file's units, not only with the window.
    let width = document.newline().width() as u64;
    let from = span.offset.saturating_sub(document.charset.sync_distance()) / width * width;
    let cap = limits.max_bytes.unwrap_or(limits.max_buffered);
    let wanted = span.len.map_or(u64::MAX, std::num::NonZero::get).min(cap);
    let lead = span.offset - from;
    let len = lead.saturating_add(wanted).saturating_add(AFTER);
    let Span { bytes, damage } = read_span(document.source, limits, from, len)?;
    let seen = bytes.len() as u64;
    let total = total_bytes(document.source, limits, from, seen, len);
    let mut notices = asked.notices.clone();
    notices.extend(damage);
    let lead = usize::try_from(lead).unwrap_or(usize::MAX);
    if lead >= bytes.len() {
        notices.extend(document.read_limit_notice(from + seen));
        return Ok(beyond_end(document, span.offset, total, notices));
    }
    let end = lead.saturating_add(usize::try_from(wanted).unwrap_or(usize::MAX)).min(bytes.len());
    let window = Decoded::of(document, &bytes, from, (lead, end), cap)?;
    notices.extend(window.notices(document.charset.name()));
    notices.extend(document.read_limit_notice(from + seen));
    let capped = span.end().is_none_or(|end| end > window.next) && wanted == cap;
    let mut truncated = None;
    if let Some((notice, selector)) = go_on(document.source, "", window.next, span, total, capped) {
        truncated = capped.then(|| Truncated {
            by: TruncatedBy::Bytes,
            next: window.next,
            next_target: Some(format!("{}{selector}", document.source.path())),
        });
        notices.push(Notice::new(Rank::Continue, notice));
    }
    let details = Details {
        encoding: Some(document.charset.name()),
        line_ending: document.endings().name(),
        lossy: window.oddities.is_lossy(),
        media_type: Some("text/plain".to_owned()),
        shown_bytes: Some([window.first, window.next]),
        truncated,
        ..Details::default()
    };
    Ok(Answer::shown(window.text, details, notices))
}

/// The error about an encoding in which bytes mean nothing without those before them.
fn not_by_bytes(document: &Document<'_>) -> ReadError {
    ReadError::new(
        ErrorCode::InvalidSelector,
        format!(
            "'{}' is {}: what its bytes mean depends on those before them. Use lines, or :hex for bytes.",
            document.source.path(),
            document.charset.name()
        ),
    )
}

/// A window of bytes as text.
struct Decoded {
    text: String,
    oddities: Oddities,
    /// The offsets in the source of its first byte and of the first one behind it.
    first: u64,
    next: u64,
}

impl Decoded {
    /// The window `start..end` of `bytes`, which stand at `from`, cut inwards to whole characters and to `cap` bytes of text.
    fn of(
        document: &Document<'_>,
        bytes: &[u8],
        from: u64,
        (start, end): (usize, usize),
        cap: u64,
    ) -> Result<Self, ReadError> {
        let charset = document.charset;
        let (start, mut end) = whole_characters(charset, bytes, start, end);
        let body = bytes.get(start..end).unwrap_or_default();
        let bom = if from == 0 && start == 0 { document.bom.min(body.len()) } else { 0 };
        let body = body.get(bom..).unwrap_or_default();
        let mut text = String::new();
        let mut malformed = charset.decode(body, &mut text);
        if shown_len(&text) as u64 > cap {
            // Decoding made more of it than may be shown.
            let cut = charset.prefix_within(body, usize::try_from(cap).unwrap_or(usize::MAX));
            end = start + bom + cut;
            text.clear();
            malformed = charset.decode(body.get(..cut).unwrap_or_default(), &mut text);
        }
        document.refuse_misnamed(malformed.first.map(|at| from + (start + bom + at) as u64))?;
        let mut oddities = Oddities::default();
        oddities.malformed = malformed.count;
        oddities.nuls = memchr::memchr_iter(0, text.as_bytes()).count() as u64;
        let text = text.replace('\0', "␀").replace("\r\n", "\n");
        Ok(Self { text, oddities, first: from + start as u64, next: from + end as u64 })
    }

    /// How it was decoded, and what is odd about it.
    fn notices(&self, encoding: &str) -> Vec<Notice> {
        let decoded = || Notice::new(Rank::Decoded, format!("Decoded from {encoding}"));
        let mut notices: Vec<_> = (encoding != "UTF-8").then(decoded).into_iter().collect();
        notices.extend(self.oddities.notices(encoding));
        notices
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
