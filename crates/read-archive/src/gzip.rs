//! Gzip: the same thing decompressed. Around one file it is transparent; around a container it hands that on.

mod header;
mod inflate;
mod marks;
mod resume;

use std::io::{self, Read};
use std::sync::Arc;

use read_core::{
    Body, Match, Outcome, Probe, ReadContext, ReadError, ReaderHelp, Source, Stream, Strength, TargetReader,
};
use read_selector::{Classified, Selector, classify};

use header::Header;
use inflate::{GzipReader, Trailing};
use marks::Marks;
#[cfg(test)]
pub(crate) use marks::WINDOW;

/// Reads gzip files.
pub static GZIP: &dyn TargetReader = &Gzip;

#[cfg(feature = "inventory")]
read_core::register_reader!(GZIP);

/// Where marks are kept between reads.
const SPACE: &str = "gzip marks";

struct Gzip;

impl TargetReader for Gzip {
    fn name(&self) -> &'static str {
        "gzip"
    }

    fn package(&self) -> &'static str {
        env!("CARGO_PKG_NAME")
    }

    fn help(&self) -> ReaderHelp {
        ReaderHelp::new(
            "gzip, around one file or an archive",
            "\
app.log.gz:-50        as if it were not compressed
a.tar.gz:dir/f.txt    a member of the archive inside",
        )
    }

    fn holds_paths(&self) -> bool {
        true
    }

    fn tells_damage(&self) -> bool {
        true
    }

    fn probe(&self, probe: &Probe<'_>) -> Option<Match> {
        // RFC 1952: the magic, the only method there is, and flags without the reserved bits.
        matches!(probe.head(), [0x1F, 0x8B, 8, flags, ..] if flags & 0xE0 == 0)
            .then_some(Match::new(Strength::Signature, "application/gzip"))
    }

    fn read(&self, source: &Source, rest: &str, cx: &ReadContext<'_>) -> Result<Outcome, ReadError> {
        let head = source.head().map_err(|error| ReadError::io(source.path(), error))?;
        let header = Header::read(&mut &*head).ok().flatten();
        let name = inner_name(source.name(), header.as_ref().and_then(|header| header.name.as_deref()));
        let marks = marks(source, cx);
        let inner = |trailing| {
            source
                .content(name.clone(), Body::Stream(stream(source, Arc::clone(&marks), trailing)))
                .with_facts(facts(header.as_ref(), source))
        };
        let told = inner(Trailing::Told);
        // Rules know it by its own name too, and are asked before anybody looks into it.
        if !cx.permits(&told) {
            return Err(cx.denied(&told));
        }
        let reader = cx.recognise(&told);
        let own_facts = matches!(
            classify(rest),
            Classified::Selector(Selector::Bytes(_) | Selector::Hex(_) | Selector::Stat)
        );
        // What is inside answers with members: then the bytes and facts asked for are those of this file.
        let holds_members =
            reader.filter(|reader| reader.name() != self.name()).is_some_and(TargetReader::holds_paths);
        if own_facts && holds_members {
            return Ok(Outcome::Decline);
        }
        // Others (a database, a picture, a zip) need all of it, and would be lost to a few bytes behind the end.
        let tells = reader.is_none_or(TargetReader::tells_damage);
        Ok(Outcome::descend(if tells { told } else { inner(Trailing::LeftOut) }, rest))
    }
}

/// The content, which can be taken up again at the marks.
fn stream(source: &Source, marks: Arc<Marks>, trailing: Trailing) -> Stream {
    let target: Arc<str> = source.path().into();
    let (whole, part) = (source.clone(), source.clone());
    let (target_too, marks_too) = (Arc::clone(&target), Arc::clone(&marks));
    Stream::decoded(move || {
        let reader = GzipReader::new(whole.reader()?, Arc::clone(&marks), Arc::clone(&target));
        Ok(Box::new(reader.with_trailing(trailing)) as Box<dyn Read + Send>)
    })
    .with_open_at(move |offset| {
        let open = |at| part.reader_at(at);
        let mut reader = match resume::nearest(&marks_too, offset, &open, &target_too)? {
            Some(reader) => reader,
            None => GzipReader::new(part.reader()?, Arc::clone(&marks_too), Arc::clone(&target_too)),
        };
        reader = reader.with_trailing(trailing);
        let skipped = offset.saturating_sub(reader.position());
        io::copy(&mut reader.by_ref().take(skipped), &mut io::sink())?;
        Ok(Box::new(reader))
    })
}

fn marks(source: &Source, cx: &ReadContext<'_>) -> Arc<Marks> {
    let Some(identity) = source.identity() else { return Arc::default() };
    if let Some(marks) = cx.cache().get::<Marks>(SPACE, identity) {
        return marks;
    }
    let marks = Arc::<Marks>::default();
    cx.cache().put(SPACE, identity, Arc::clone(&marks), Marks::WEIGHT);
    marks
}

/// The name of what is inside: what the header says, or the file's without its extension.
fn inner_name(outer: &[u8], stored: Option<&[u8]>) -> Vec<u8> {
    let stored = stored
        .and_then(|name| name.rsplit(|byte| matches!(byte, b'/' | b'\\')).find(|part| !part.is_empty()));
    if let Some(stored) = stored.filter(|name| !matches!(*name, b"." | b"..")) {
        return stored.to_vec();
    }
    let strip = |extension: &[u8]| {
        let (name, tail) = outer.split_at_checked(outer.len().checked_sub(extension.len())?)?;
        (tail.eq_ignore_ascii_case(extension) && !name.is_empty()).then_some(name)
    };
    if let Some(name) = strip(b".tgz").or_else(|| strip(b".taz")) {
        return [name, b".tar"].concat();
    }
    if let Some(name) = strip(b".svgz") {
        return [name, b".svg"].concat();
    }
    strip(b".gz").or_else(|| strip(b".z")).unwrap_or(outer).to_vec()
}

fn facts(header: Option<&Header>, source: &Source) -> Vec<(&'static str, String)> {
    let compressed = source.length().map(|length| length.to_string());
    let modified = header
        .filter(|header| header.modified > 0)
        .and_then(|header| crate::time::utc(i64::from(header.modified)));
    [("compressed_size", compressed), ("method", Some("deflate".to_owned())), ("modified", modified)]
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::inner_name;

    #[test]
    fn the_name_inside() {
        for (outer, stored, name) in [
            ("notes.txt.gz", None, "notes.txt"),
            ("a.TGZ", None, "a.tar"),
            ("noname", None, "noname"),
            (".gz", None, ".gz"),
            ("x.gz", Some("report.csv"), "report.csv"),
            ("x.gz", Some("../../etc/passwd"), "passwd"),
            ("x.gz", Some(".."), "x"),
        ] {
            let given = inner_name(outer.as_bytes(), stored.map(str::as_bytes));
            assert_eq!(String::from_utf8(given).unwrap(), name, "{outer} {stored:?}");
        }
    }
}
