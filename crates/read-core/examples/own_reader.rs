//! A reader of one's own, registered explicitly: it lists the sections of `.ini` files, shows one by its name, and leaves every
//! other tail to core.
//!
//! `cargo run -p read-core --example own_reader -- app.ini:network`

#![expect(clippy::print_stdout, reason = "an example shows its output")]

use read_core::selector::{Classified, Selector, classify, cuts};
use read_core::{
    Body, Cancel, Match, MemoryFileSystem, Notice, Noun, Outcome, Pipeline, Probe, Rank, ReadContext,
    ReadError, ReaderHelp, Registry, Request, Slice, Source, Strength, TargetReader, printed,
};

pub(crate) struct IniReader;

impl TargetReader for IniReader {
    fn name(&self) -> &'static str {
        "ini"
    }

    fn package(&self) -> &'static str {
        "own_reader"
    }

    fn help(&self) -> ReaderHelp {
        ReaderHelp::new(
            "INI files by section",
            "\
app.ini               its sections, also :5-9
app.ini:network       the section [network], also :network:5-9",
        )
    }

    fn probe(&self, probe: &Probe<'_>) -> Option<Match> {
        probe.has_extension(&["ini"]).then_some(Match::new(Strength::Extension, "text/x-ini"))
    }

    fn read(&self, source: &Source, rest: &str, cx: &ReadContext<'_>) -> Result<Outcome, ReadError> {
        let limits = cx.limits();
        let bytes = source.to_bytes(limits.max_buffered.min(limits.max_read_bytes.unwrap_or(u64::MAX)))?;
        // Core's text reader knows encodings; a guess here would show half of the sections.
        let text = match String::from_utf8(bytes) {
            Ok(text) if cx.request().encoding.is_none() => text,
            _ => return Ok(Outcome::Decline),
        };
        let Sections { before, named } = Sections::of(&text);
        if named.is_empty() {
            return Ok(Outcome::Decline);
        }
        let inner = |text: String| Body::Slice(Slice::from_bytes(text.into_bytes()));

        // The longest name that exists is the section; what follows is a selector, and core's matter. So are windows, caps and
        // numbers: a text that goes on as an inner source has them all.
        for cut in cuts(rest) {
            let mut same = named.iter().filter(|(name, _)| *name == cut.path).peekable();
            if same.peek().is_some() {
                let body = same.map(|(_, body)| body.as_str()).collect();
                return Ok(Outcome::descend(
                    source.member(cut.path.as_bytes(), Noun::Cell, inner(body)),
                    cut.rest,
                ));
            }
        }
        match classify(rest) {
            Classified::Empty | Classified::Selector(Selector::Lines { raw: false, .. }) => {}
            _ => return Ok(Outcome::Decline),
        }
        let list = named.iter().flat_map(|(name, _)| [name.as_str(), "\n"]).collect();
        let left_out = "What precedes the first section is not listed. Use :raw to see the file as it lies";
        Ok(Outcome::Descend {
            source: source.content("sections", inner(list)).with_noun(Noun::Listing),
            rest: rest.to_owned(),
            notices: before.then(|| Notice::new(Rank::LeftOut, left_out)).into_iter().collect(),
        })
    }
}

/// The sections of a file, in its order; a name may stand there twice.
struct Sections {
    /// Whether something stands before the first.
    before: bool,
    /// Names, on one line each, and what lies under them.
    named: Vec<(String, String)>,
}

impl Sections {
    fn of(text: &str) -> Self {
        let mut sections = Self { before: false, named: Vec::new() };
        for line in text.trim_start_matches('\u{feff}').split_inclusive('\n') {
            let name = line.trim_start().strip_prefix('[').and_then(|rest| Some(rest.split_once(']')?.0));
            match (name, sections.named.last_mut()) {
                (Some(name), _) => {
                    sections.named.push((printed(name.as_bytes()).into_owned(), String::new()));
                }
                (None, Some((_, body))) => body.push_str(line),
                (None, None) => sections.before |= !line.trim().is_empty(),
            }
        }
        sections
    }
}

fn main() -> Result<(), ReadError> {
    let files = MemoryFileSystem::new()
        .with("app.ini", "[network]\nhost = example.org\nport = 80\n[log]\nlevel = info\n");
    let pipeline = Pipeline::new(files).with_registry(Registry::core().with(&IniReader));

    let target = std::env::args().nth(1).unwrap_or_else(|| "app.ini:network".to_owned());
    println!("{}", pipeline.read(&target, &Request::default(), Cancel::new())?.to_text());
    Ok(())
}
