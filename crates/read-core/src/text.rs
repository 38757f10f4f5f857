//! The text reader: every window of every text, whatever source it comes from, is decoded, cut and rendered here.

mod blocks;
mod bytes;
mod census;
mod charset;
mod document;
pub(crate) mod dump;
mod index;
mod lines;
mod newline;
mod oddities;
mod parallel;
mod scan;
mod sheet;
mod shown;
mod sniff;
mod span;
pub(crate) mod stat;
mod stream_decode;
mod tail;
mod written;

use document::Document;
pub(crate) use document::binary;

use crate::context::ReadContext;
use crate::error::{ErrorCode, ReadError};
use crate::media_type;
use crate::names::{printed, size};
use crate::output::{Details, Notice, Rank};
use crate::reader::{Answer, Match, Outcome, Probe, ReaderHelp, Strength, TargetReader};
use crate::registry::Reader;
use crate::source::{Noun, Source};
use crate::view::{Asked, View};

/// `bytes` decoded from the encoding of that name, UTF-8 where there is none.
fn decode(bytes: &[u8], encoding: Option<&str>) -> String {
    let charset = encoding.and_then(charset::Charset::for_label).unwrap_or(charset::Charset::Utf8);
    let mut text = String::new();
    charset.decode(bytes, &mut text);
    text
}

/// An error for a label that names no encoding, whatever the source is.
pub(crate) fn check_encoding(label: &str) -> Result<(), ReadError> {
    document::charset_argument(label).map(|_| ())
}

/// Reads text: the fallback for everything that has bytes.
pub(crate) static TEXT: Reader = &TextReader;

struct TextReader;

impl TargetReader for TextReader {
    fn name(&self) -> &'static str {
        "text"
    }

    fn package(&self) -> &'static str {
        env!("CARGO_PKG_NAME")
    }

    fn help(&self) -> ReaderHelp {
        ReaderHelp::new(
            "text in any common encoding",
            "\
src/ui.rs             the file, from its first line
src/ui.rs:200-260     lines 200 to 260 (also :200+61, :200- to the end, :5-9,40-44)
app.log:-50           the last 50 lines
notes.txt:raw         verbatim, also :raw:5-9
big.json:@4096+1024   1024 bytes from offset 4096; :hex dumps bytes, :stat tells size, lines and encoding",
        )
    }

    fn tells_damage(&self) -> bool {
        true
    }

    fn probe(&self, probe: &Probe<'_>) -> Option<Match> {
        (!probe.is_dir()).then_some(Match::new(Strength::Fallback, "text/plain"))
    }

    fn read(&self, source: &Source, rest: &str, cx: &ReadContext<'_>) -> Result<Outcome, ReadError> {
        let asked = Asked::of(rest, cx.request(), source.path())?;
        let answer = match &asked.view {
            View::Lines { lines, raw } => match Document::open(source, cx) {
                Ok(document) => lines::read(&document, lines, *raw, &asked)?,
                // An archive is looked through member by member: that one is binary is an answer, not a failure.
                Err(error) if !raw && is_binary_entry(source, &error) => binary_entry(source, asked)?,
                Err(error) => return Err(error),
            },
            View::Bytes(span) => bytes::read(&Document::open(source, cx)?, *span, &asked)?,
            View::Hex(span) => dump::read(source, *span, &asked, cx)?,
            View::Stat => stat::read(source, &asked, cx)?,
        };
        Ok(answer.into())
    }
}

fn is_binary_entry(source: &Source, error: &ReadError) -> bool {
    source.noun() == Noun::ArchiveEntry && error.code() == ErrorCode::UnsupportedContent
}

/// The answer about an archive entry that is no text and that no reader claims.
fn binary_entry(source: &Source, asked: Asked) -> Result<Answer, ReadError> {
    let head = source.head().map_err(|error| ReadError::io(source.path(), error))?;
    let length = source.length().map(|length| format!(" ({})", size(length))).unwrap_or_default();
    let text = format!("Cannot read binary archive entry '{}'{length}", printed(source.entry_name()));
    let mut notices = asked.notices;
    notices.push(Notice::detail(Rank::LeftOut, &*text));
    let details = Details { media_type: Some(media_type::of(&head).to_owned()), ..Details::default() };
    Ok(Answer::shown(format!("[{text}]"), details, notices))
}
