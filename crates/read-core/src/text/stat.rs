//! Facts about a source without its content.

use super::census::Census;
use super::document::{Document, read_limit_notice};
use crate::context::ReadContext;
use crate::error::{ErrorCode, ReadError};
use crate::media_type;
use crate::names::{count, size};
use crate::output::Details;
use crate::reader::{Answer, Probe, Strength};
use crate::source::Source;
use crate::view::Asked;

/// Bytes of text that make a token, roughly: what English prose and code have with today's tokenisers.
const BYTES_PER_TOKEN: u64 = 4;

/// Tells what the source is.
pub(crate) fn read(source: &Source, asked: &Asked, cx: &ReadContext<'_>) -> Result<Answer, ReadError> {
    let head = source.head().map_err(|error| ReadError::io(source.path(), error))?;
    let claim = cx.registry.claims(Probe::new(source, &head), |_| ()).next();
    let is_text = |reader: &str| reader == super::TEXT.name();
    let mut facts = Facts::default();
    let mut details = Details::default();
    // Who goes by the name may read a kind of text, who goes by the content knows better.
    let is_claimed =
        claim.is_some_and(|(reader, found)| !is_text(reader.name()) && found.strength > Strength::Extension);
    let document = match Document::open(source, cx) {
        _ if source.is_dir() || is_claimed => None,
        Ok(document) => Some(document),
        Err(error) if error.code() == ErrorCode::UnsupportedContent => None,
        Err(error) => return Err(error),
    };
    // The text reader takes everything that nobody else claims, and then refuses what is no text.
    let reader = claim.filter(|(reader, _)| document.is_some() || !is_text(reader.name()));
    let media = match (&document, reader) {
        (_, Some((reader, found))) if !is_text(reader.name()) => found.media_type,
        (Some(_), _) => "text/plain",
        (None, Some((_, found))) => found.media_type,
        (None, None) => media_type::of(&head),
    };
    let census =
        document.as_ref().map(|document| Census::take(document).map_err(|error| document.error(error)));
    let census = census.transpose()?;
    facts.add("path", source.path());
    // What comes out of a decoder has no length until it is counted.
    let counted =
        census.as_ref().filter(|census| census.whole && census.damage.is_empty()).map(|census| census.bytes);
    if let Some(length) = source.length().or(counted) {
        facts.add("size", &format!("{} ({})", size(length), count(length, "byte")));
    }
    facts.add("media type", media);
    details.media_type = Some(media.to_owned());
    if let (Some(document), Some(census)) = (&document, &census) {
        facts.text(document, census, &mut details);
    }
    if let Some(entries) = source.entries() {
        let entries = entries.list()?.len() as u64;
        facts.add("entries", &entries.to_string());
        details.total_lines = Some(entries);
    }
    facts.add("reader", reader.map_or("none", |(reader, _)| reader.name()));
    let mut notices = asked.notices.clone();
    notices.extend(census.map(|census| census.damage).unwrap_or_default());
    notices.extend(read_limit_notice(source, cx.limits(), 0));
    Ok(Answer::shown(facts.0, details, notices))
}

#[derive(Default)]
struct Facts(String);

impl Facts {
    fn add(&mut self, name: &str, value: &str) {
        self.0.push_str(name);
        self.0.push_str(": ");
        self.0.push_str(value);
        self.0.push('\n');
    }

    fn text(&mut self, document: &Document<'_>, census: &Census, details: &mut Details) {
        let mut endings = document.endings();
        // The first 64 KiB may be one long progress bar.
        endings.lf |= census.lines > 1 && endings.name() == Some("cr");
        self.add("encoding", document.charset.name());
        if let Some(name) = endings.name() {
            self.add("line ends", name);
        }
        let at_least = if census.whole { "" } else { "at least " };
        self.add("lines", &format!("{at_least}{}", census.lines));
        if census.lines > 0 {
            let longest = count(census.longest, "byte");
            self.add("longest line", &format!("{at_least}{longest} (line {})", census.longest_line));
        }
        self.add("estimated tokens", &format!("{at_least}{}", census.bytes.div_ceil(BYTES_PER_TOKEN)));
        details.encoding = Some(document.charset.name());
        details.line_ending = endings.name();
        details.total_lines = census.whole.then_some(census.lines);
    }
}
