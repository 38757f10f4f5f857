//! The reader: what it claims, and what it leaves to others.

use read_core::{
    Large, LineStyle, Match, Outcome, Probe, ReadContext, ReadError, Reader, ReaderHelp, Source, Strength,
    TargetReader, register_reader,
};

use crate::asked::Asked;
use crate::{delimiter, page};

/// Reads CSV and TSV files as tables.
pub static READER: Reader = &CsvReader;

register_reader!(READER);

/// It has no fields: readers keep nothing between calls.
struct CsvReader;

impl TargetReader for CsvReader {
    fn name(&self) -> &'static str {
        "csv"
    }

    fn package(&self) -> &'static str {
        env!("CARGO_PKG_NAME")
    }

    fn help(&self) -> ReaderHelp {
        ReaderHelp::new(
            "CSV and TSV files, as tables",
            "\
data.csv              the header and the first rows
data.csv:100-120      rows 100 to 120 (also :100+21, :-20, :5-9,40-44)
data.csv:?cols=a,b    some columns, also :100-120?cols=a,b
data.csv:raw          the text as it lies, also :raw:5-9",
        )
    }

    fn probe(&self, probe: &Probe<'_>) -> Option<Match> {
        if !probe.has_extension(&["csv", "tsv", "tab"]) {
            return None;
        }
        // The name alone decides: any text could be a table of one column.
        is_utf8_text(probe.head()).then_some(Match::new(Strength::Extension, media_type(probe.name())))
    }

    fn read(&self, source: &Source, rest: &str, cx: &ReadContext<'_>) -> Result<Outcome, ReadError> {
        if is_for_text(source, rest, cx) {
            return Ok(Outcome::Decline);
        }
        let Some(asked) = Asked::of(rest, cx.request(), source.path())? else {
            return Ok(Outcome::Decline);
        };
        let head = source.head().map_err(|error| ReadError::io(source.path(), error))?;
        page::read(source, &asked, delimiter::of(source.name(), &head), cx)
    }
}

/// The media type by the name's extension.
pub(crate) fn media_type(name: &[u8]) -> &'static str {
    if name.to_ascii_lowercase().ends_with(b".csv") { "text/csv" } else { "text/tab-separated-values" }
}

/// Whether the caller wants of the text what no table gives: anchors for an edit, another encoding, a mere description.
fn is_for_text(source: &Source, rest: &str, cx: &ReadContext<'_>) -> bool {
    let request = cx.request();
    let limits = cx.limits();
    let is_described = limits.large == Large::Describe
        && rest.is_empty()
        && (request.offset, request.limit) == (None, None)
        && source.length().is_none_or(|length| length > limits.describe_bytes);
    request.style == LineStyle::Anchored || request.encoding.is_some() || is_described
}

/// Whether `head` begins a text in UTF-8 with something in it. Its end may cut a character.
fn is_utf8_text(head: &[u8]) -> bool {
    let text = head.strip_prefix(delimiter::BOM).unwrap_or(head);
    let is_valid = match std::str::from_utf8(text) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    };
    is_valid && text.iter().any(|byte| !byte.is_ascii_whitespace()) && !text.contains(&0)
}
