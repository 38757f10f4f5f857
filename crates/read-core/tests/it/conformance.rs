//! The conformance suite: core's own readers pass it, and readers that break a rule do not.

use std::io::{Cursor, Read};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use read_core::conformance::{Report, Rule, Suite};
use read_core::{
    Answer, Body, Details, ErrorCode, Match, Notice, Noun, Outcome, Probe, Rank, ReadContext, ReadError,
    Reader, ReaderHelp, Registry, Slice, Source, Stream, Strength, TargetReader,
};

use super::numbers;

fn core(name: &str) -> Suite {
    Suite::new(Registry::core().get(name).unwrap())
}

#[test]
fn the_text_reader_conforms() {
    let report = core("text")
        .sample("a.txt", numbers(40))
        .sample("crlf.txt", "\u{feff}one\r\ntwo — zwei\r\n\r\nlast")
        .sample(
            "wide.txt",
            "\u{feff}wide\nlines\n".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>(),
        )
        .sample("long.txt", "0123456789".repeat(60))
        .sample("empty.txt", "")
        .target("a.txt")
        .target("a.txt:3-9")
        .target("a.txt:-4")
        .target("a.txt:2-3,7-8,30-35")
        .target("a.txt:@10+40")
        .target("crlf.txt")
        .target("crlf.txt:raw")
        .target("wide.txt")
        .target("long.txt")
        .target("long.txt:hex")
        .target("empty.txt")
        .steps(96)
        .run();
    assert!(report.cases() > 5_000, "{report}");
}

#[test]
fn the_directory_reader_conforms() {
    let mut suite = core("directory").target("d").target("d:2-3").target("d:-1").target(".");
    for name in ["d/b.txt", "d/a.txt", "d/sub/c", "d/.hidden", "d/e\u{202e}f", "d/10", "d/9"] {
        suite = suite.sample(name, "content\n");
    }
    suite.steps(64).run();
}

/// A reader of texts that begin with `demo:`, which breaks one rule.
struct Breaking(&'static str, AtomicU64);

impl TargetReader for Breaking {
    fn name(&self) -> &'static str {
        if self.0 == "name" { "A Name" } else { "breaking" }
    }
    fn package(&self) -> &'static str {
        "test"
    }
    fn help(&self) -> ReaderHelp {
        ReaderHelp::new("demonstrations", "a.demo  its content")
    }
    fn probe(&self, probe: &Probe<'_>) -> Option<Match> {
        let head = probe.head();
        match self.0 {
            "probe panics" if head.first() == Some(&0xff) => panic!("on a byte"),
            "probe reads" => _ = probe.tail(1 << 20),
            _ => {}
        }
        let is_demo =
            if self.0 == "by name" { probe.has_extension(&["demo"]) } else { head.starts_with(b"demo:") };
        is_demo.then_some(Match::new(Strength::Signature, "text/x-demo"))
    }
    fn read(&self, source: &Source, rest: &str, cx: &ReadContext<'_>) -> Result<Outcome, ReadError> {
        let text = |source: &Source| -> Result<String, ReadError> {
            Ok(String::from_utf8_lossy(&source.to_bytes(cx.limits().max_buffered)?).into_owned())
        };
        match self.0 {
            "hangs" if cx.meter().check().is_err() => loop {
                std::thread::sleep(Duration::from_millis(50));
            },
            "widens" => return Ok(Answer::text(text(source)?).into()),
            "panics" if rest.contains('é') => panic!("on a letter"),
            "mute" if !rest.is_empty() => return Err(ReadError::new(ErrorCode::InvalidQuery, "Bad.")),
            _ if rest != "x" && !rest.starts_with("x:") && !rest.is_empty() => return Ok(Outcome::Decline),
            _ => {}
        }
        match self.0 {
            "floods" => Ok(Answer::text(text(source)?.repeat(200)).into()),
            // As many lines as there are in it, and no word about caps.
            "lists" => {
                let words: Vec<_> = text(source)?.lines().map(str::to_owned).collect();
                Ok(Answer::text(words.join("\n")).into())
            }
            "silent" => {
                let all = text(source)?;
                let cap = usize::try_from(cx.limits().max_bytes.unwrap_or(1 << 20)).unwrap();
                Ok(Answer::text(all.chars().take(cap).collect::<String>()).into())
            }
            "circles" => {
                let mut details = Details::default();
                let next = Some(source.path().to_owned());
                details.truncated = Some(read_core::Truncated::new(read_core::TruncatedBy::Rows, 1, next));
                let notices = vec![Notice::new(Rank::Continue, "More. Use :1- to continue.")];
                Ok(Answer::shown("a", details, notices).into())
            }
            "remembers" => Ok(Answer::text(format!("call {}", self.1.fetch_add(1, Relaxed))).into()),
            "swallows" => {
                let mut got = Vec::new();
                let mut reader = source.reader().map_err(|error| ReadError::io(source.path(), error))?;
                let mut byte = [0; 4];
                while let Ok(n @ 1..) = reader.read(&mut byte) {
                    got.extend(byte.iter().take(n));
                }
                Ok(Answer::text(String::from_utf8_lossy(&got)).into())
            }
            "strays" => {
                let Some(slice) = source.slice() else { return Ok(Answer::text(text(source)?).into()) };
                let mut outside = [0; 8];
                let _ = slice.at().read_at(&mut outside, slice.start() + slice.len());
                Ok(Answer::text(text(source)?).into())
            }
            "uncharged" | "one-shot" | "elsewhere" | "charged" => {
                Ok(Outcome::descend(self.inner(source, &text(source)?), ""))
            }
            _ => Ok(Answer::text(text(source)?).into()),
        }
    }
}

/// Lists the lines of a file, however many.
struct Lister;

impl TargetReader for Lister {
    fn name(&self) -> &'static str {
        "lister"
    }
    fn package(&self) -> &'static str {
        "test"
    }
    fn help(&self) -> ReaderHelp {
        ReaderHelp::new("lists", "a.list  its lines")
    }
    fn probe(&self, probe: &Probe<'_>) -> Option<Match> {
        probe.has_extension(&["list"]).then_some(Match::new(Strength::Extension, "text/x-list"))
    }
    fn read(&self, source: &Source, rest: &str, cx: &ReadContext<'_>) -> Result<Outcome, ReadError> {
        if !rest.is_empty() {
            return Ok(Outcome::Decline);
        }
        let bytes = source.to_bytes(cx.limits().max_buffered)?;
        Ok(Answer::text(String::from_utf8_lossy(&bytes)).into())
    }
}

#[test]
fn a_flood_is_found_with_a_sample_of_one_line_too() {
    let report = Suite::new(&Lister).sample("a.list", "one\n").steps(8).report();
    assert!(report.breaks(Rule::Caps), "{report}");
    assert!(report.to_string().contains("leaves it to core to hold the caps"), "{report}");
}

impl Breaking {
    fn inner(&self, source: &Source, text: &str) -> Source {
        let big = text.replace("demo:", "").repeat(50).into_bytes();
        let open = |bytes: Vec<u8>| move || Ok(Box::new(Cursor::new(bytes.clone())) as Box<dyn Read + Send>);
        match self.0 {
            "uncharged" => source.content("x", Body::Stream(Stream::view(open(big)))),
            "charged" => source.content("x", Body::Stream(Stream::decoded(open(big)))),
            "one-shot" => {
                let opened = AtomicU64::new(0);
                let bytes = text.replace("demo:", "").into_bytes();
                let once = move || {
                    let bytes = if opened.fetch_add(1, Relaxed) == 0 { bytes.clone() } else { Vec::new() };
                    Ok(Box::new(Cursor::new(bytes)) as Box<dyn Read + Send>)
                };
                source.content("x", Body::Stream(Stream::view(once)))
            }
            _ => Source::new("y", "somewhere/else", Noun::File, Body::Slice(Slice::from_bytes(big))),
        }
    }
}

fn report(breaks: &'static str) -> Report {
    let reader: Reader = Box::leak(Box::new(Breaking(breaks, AtomicU64::new(0))));
    let sample = format!("demo:\n{}", numbers(40));
    Suite::new(reader)
        .sample("a.demo", sample)
        .target("a.demo")
        .steps(8)
        .patience(Duration::from_secs(if breaks == "hangs" { 2 } else { 30 }))
        .report()
}

#[test]
fn a_reader_that_does_as_it_should_conforms() {
    let report = report("charged");
    assert!(report.is_clean(), "{report}");
}

#[test]
fn each_broken_rule_is_found() {
    for (breaks, rule) in [
        ("name", Rule::Naming),
        ("probe panics", Rule::Probing),
        ("probe reads", Rule::Probing),
        ("by name", Rule::Probing),
        ("widens", Rule::Selectors),
        ("panics", Rule::Selectors),
        ("mute", Rule::Errors),
        ("floods", Rule::Caps),
        ("lists", Rule::Caps),
        ("silent", Rule::Caps),
        ("circles", Rule::Following),
        ("remembers", Rule::Stateless),
        ("swallows", Rule::Hostile),
        ("strays", Rule::Reach),
        ("uncharged", Rule::Budget),
        ("one-shot", Rule::Descending),
        ("elsewhere", Rule::Descending),
    ] {
        let report = report(breaks);
        assert!(report.breaks(rule), "'{breaks}' is not found to break [{}]:\n{report}", rule.as_str());
    }
}

#[test]
fn a_reader_that_never_returns_is_a_finding_and_not_the_end() {
    let report = report("hangs");
    assert!(report.breaks(Rule::Stopping), "{report}");
    assert!(report.to_string().contains("did not return within 2 s"), "{report}");
}

#[test]
fn a_suite_without_samples_or_with_others_files_says_so() {
    let empty = core("text").report();
    assert!(empty.breaks(Rule::Targets), "{empty}");
    let others =
        Suite::new(Box::leak(Box::new(Breaking("", AtomicU64::new(0))))).sample("a.txt", "text").report();
    assert!(others.to_string().contains("none of them is read by 'breaking'"), "{others}");
}

#[test]
#[should_panic(expected = "does not conform")]
fn running_a_suite_panics_with_the_list() {
    core("text").target("nowhere.txt").run();
}
