//! A reader of one's own, registered explicitly: it shows `.ini` sections by name and leaves every other tail to core.
//!
//! `cargo run -p read-core --example own_reader -- app.ini:network`

#![expect(clippy::print_stdout, reason = "an example shows its output")]

use read_core::selector::cuts;
use read_core::{
    Answer, Body, Cancel, Match, MemoryFileSystem, Noun, Outcome, Pipeline, Probe, ReadContext, ReadError,
    ReaderHelp, Registry, Request, Slice, Source, Strength, TargetReader,
};

struct IniReader;

impl TargetReader for IniReader {
    fn name(&self) -> &'static str {
        "ini"
    }

    fn package(&self) -> &'static str {
        "own_reader"
    }

    fn help(&self) -> ReaderHelp {
        ReaderHelp { reads: "INI files by section", targets: "app.ini:network       the section [network]" }
    }

    fn probe(&self, probe: &Probe<'_>) -> Option<Match> {
        probe
            .has_extension(&["ini"])
            .then_some(Match { strength: Strength::Extension, media_type: "text/x-ini" })
    }

    fn read(&self, source: &Source, rest: &str, cx: &ReadContext<'_>) -> Result<Outcome, ReadError> {
        let bytes = source.to_bytes(cx.limits().max_buffered)?;
        let text = String::from_utf8_lossy(&bytes);
        let name =
            |part: &str| part.lines().next().and_then(|line| line.strip_suffix(']')).map(str::to_owned);
        let sections: Vec<(String, &str)> =
            text.split("\n[").skip(1).filter_map(|part| Some((name(part)?, part))).collect();

        // The longest name that exists is the section; what follows is a selector, and core's matter.
        for cut in cuts(rest) {
            if let Some((_, part)) = sections.iter().find(|(name, _)| name == cut.path) {
                let body = part.split_once('\n').map_or("", |(_, body)| body);
                let inner = source.member(
                    cut.path.as_bytes(),
                    Noun::Cell,
                    Body::Slice(Slice::from_bytes(body.as_bytes())),
                );
                return Ok(Outcome::descend(inner, cut.rest));
            }
        }
        if rest.is_empty() {
            let names: Vec<&str> = sections.iter().map(|(name, _)| name.as_str()).collect();
            return Ok(Answer::text(names.join("\n")).into());
        }
        Ok(Outcome::Decline)
    }
}

fn main() -> Result<(), ReadError> {
    let files = MemoryFileSystem::new()
        .with("app.ini", "\n[network]\nhost = example.org\nport = 80\n[log]\nlevel = info\n");
    let pipeline = Pipeline::new(files).with_registry(Registry::core().with(&IniReader));

    let target = std::env::args().nth(1).unwrap_or_else(|| "app.ini:network".to_owned());
    println!("{}", pipeline.read(&target, &Request::default(), Cancel::new())?.to_text());
    Ok(())
}
