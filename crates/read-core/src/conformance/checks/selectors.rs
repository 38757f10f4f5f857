//! Rests that a reader does not understand: declined, or an error, and never a wider read than was asked for.

use read_selector::Excerpt;

use crate::conformance::bench::{Desk, Subject, body, call, judged, read};
use crate::conformance::checks::errors::called_well;
use crate::conformance::report::Rule;
use crate::conformance::watch::Log;
use crate::error::{ErrorCode, ReadError};
use crate::filesystem::FileSystem;
use crate::meter::{Bounds, Meter};
use crate::output::ReadOutput;
use crate::reader::{Outcome, Probe};

/// They look like selectors, and are none.
const MALFORMED: &[&str] = &[
    "0",
    "0-5",
    "5-2",
    "5+0",
    "-0",
    "1-5:9:9",
    "1,,2",
    "1-2-3",
    "3.14",
    "raw:raw",
    "raw:0",
    "hex:hex",
    "hex:5-2",
    "stat:1",
    "@5-2",
    "@0+0",
    "99999999999999999999999",
    "1-99999999999999999999999",
    "-99999999999999999999999",
];

/// They look like nothing that a target has; a lone separator is not among them, as it could name a root. (A reader may still
/// have a use for one of them: it is not to give the whole.)
const UNKNOWN: &[&str] = &[
    "no-such-thing",
    "no/such/thing",
    "no-such-thing:1-2",
    "no-such-thing:raw",
    "../../etc/passwd",
    "..",
    ":",
    "::::",
    "?",
    "?no=such",
    "?no=such&=&&",
    "no-such?thing=1",
    "%00",
    "a\0b",
    "\n",
    "\u{202e}gnp",
    "\u{0}",
    " ",
    "'",
    "\"",
    "--",
    "é",
    "*",
    "[",
];

pub(in crate::conformance) fn check(subject: &Subject, log: &Log) {
    let pipeline = subject.pipeline(subject.files(), subject.limits());
    for sample in subject.samples.iter().filter(|sample| is_read_here(subject, &sample.path)) {
        let path = &sample.path;
        log.case(Rule::Selectors, path);
        let whole = read(&pipeline, path).ok();
        for rest in MALFORMED {
            let target = format!("{path}:{rest}");
            log.case(Rule::Selectors, &target);
            match judged(log, &pipeline, &target) {
                Ok(_) => log.finding("looks like a selector, is none, and is answered all the same"),
                Err(error) => suggestions(subject, log, &error),
            }
        }
        let long = ["x".repeat(60_000), ":".repeat(60_000), "1,".repeat(30_000)];
        for rest in UNKNOWN.iter().copied().chain(long.iter().map(String::as_str)) {
            let target = format!("{path}:{rest}");
            log.case(Rule::Selectors, Excerpt::new(&target));
            // A lone colon, or several, leave nothing to understand.
            if rest.trim_matches(':').is_empty() && rest.len() < 2 {
                continue;
            }
            let answer = judged(log, &pipeline, &target);
            not_the_whole(log, whole.as_ref(), answer.as_ref().ok());
            answer.err().iter().for_each(|error| suggestions(subject, log, error));
        }
        directly(subject, log, path);
        own_bytes(subject, log, path);
    }
    for (target, whole) in subject.answers() {
        for rest in MALFORMED.iter().chain(&["no-such-thing", "no-such-thing:1-2"]) {
            let longer = format!("{target}:{rest}");
            log.case(Rule::Selectors, &longer);
            not_the_whole(log, Some(&whole), judged(log, &pipeline, &longer).ok().as_ref());
        }
    }
}

fn not_the_whole(log: &Log, whole: Option<&ReadOutput>, answer: Option<&ReadOutput>) {
    if let (Some(whole), Some(answer)) = (whole, answer)
        && body(whole) == body(answer)
    {
        log.finding("is not understood, and answered as if it were not there");
    }
}

/// What an error offers instead can be read.
fn suggestions(subject: &Subject, log: &Log, error: &ReadError) {
    let pipeline = subject.pipeline(subject.files(), subject.limits());
    for offered in error.suggestions() {
        if let Err(error) = read(&pipeline, offered) {
            log.breaks(
                Rule::Errors,
                format!("offers '{offered}', which cannot be read: {}", error.message()),
            );
        }
    }
}

/// Whether the sample itself, without any rest, is this reader's.
fn is_read_here(subject: &Subject, path: &str) -> bool {
    let levels = subject.trace(path, &subject.limits(), Bounds::default()).unwrap_or_default();
    levels.first().is_some_and(|level| level.is_ours)
}

/// The same rests given to the reader itself: on the way through a target some never reach it as they are.
fn directly(subject: &Subject, log: &Log, path: &str) {
    let limits = subject.limits();
    let desk = Desk::new(subject, limits, Meter::unbounded());
    let files = subject.files();
    let Ok(Some(resolved)) = files.resolve(path.as_bytes()) else { return };
    let Ok(source) = files.open(&resolved) else { return };
    let is_claimed =
        source.head().is_ok_and(|head| subject.reader.probe(&Probe::new(&source, &head)).is_some());
    if !is_claimed {
        return;
    }
    for rest in MALFORMED.iter().chain(UNKNOWN) {
        log.case(Rule::Selectors, format!("read() of {path} with the rest {rest:?}"));
        let called = call(subject.reader, &source, rest, &desk.context());
        called_well(log, &called);
        if let Some(Outcome::Descend { rest: inner, .. }) = called.outcome()
            && !rest.ends_with(inner.as_str())
        {
            log.finding(format!(
                "descends with the rest {inner:?}, which is not the end of what it was given"
            ));
        }
    }
}

/// Core's own selectors of a file's bytes work on every source, unless the reader has a reason that it tells.
fn own_bytes(subject: &Subject, log: &Log, path: &str) {
    let pipeline = subject.pipeline(subject.files(), subject.limits());
    for rest in ["stat", "hex", "hex:@0+16", "@0+16", "raw", "1-2", "-2", "1:1", "1-1,2-2"] {
        let target = format!("{path}:{rest}");
        log.case(Rule::Selectors, &target);
        match judged(log, &pipeline, &target) {
            Ok(output) => {
                let text = output.to_text();
                if rest.starts_with("hex") && !text.starts_with("0000000") && !text.starts_with('[') {
                    log.finding("is a selector of core's, and answered with no dump: decline it");
                }
                if text.is_empty() && output.blocks.len() < 2 && output.details.notices.is_empty() {
                    log.finding("is answered with nothing at all");
                }
            }
            Err(error)
                if matches!(error.code(), ErrorCode::InvalidSelector | ErrorCode::UnsupportedContent) => {}
            Err(error) if error.is_correctable() => {}
            Err(error) => {
                log.finding(format!(
                    "is a selector of core's, and fails: {} ({})",
                    error.message(),
                    error.code().as_str()
                ));
            }
        }
    }
}
