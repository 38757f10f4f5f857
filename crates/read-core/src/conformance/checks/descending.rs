//! Inner sources follow from outer ones, and what a decoder adds is charged.

use std::io::Read;

use crate::conformance::bench::{Called, Desk, Level, Subject, call, comparable, judged, read};
use crate::conformance::report::Rule;
use crate::conformance::watch::Log;
use crate::error::{ErrorCode, ReadError};
use crate::limits::Limits;
use crate::meter::{Bounds, Budget, Meter, Trip};
use crate::reader::Outcome;
use crate::source::Source;

/// Bytes of an inner source that are looked at (8 MiB).
const LOOKED_AT: u64 = 8 << 20;

pub(in crate::conformance) fn check(subject: &Subject, log: &Log) {
    for target in &subject.targets {
        log.case(Rule::Descending, target);
        let levels = trace(subject, target, Bounds::default());
        for (outer, inner, rest) in ours(&levels) {
            follows(subject, log, outer, inner, rest);
            opens_again(subject, log, outer);
        }
        depth(subject, log, target, levels.iter().filter(|level| descent(level).is_some()).count());
        log.case(Rule::Budget, target);
        budget(subject, log, target, &levels);
    }
    for (target, _) in subject.answers() {
        no_budget(subject, log, target);
    }
}

fn trace(subject: &Subject, target: &str, bounds: Bounds) -> Vec<Level> {
    subject.trace(target, &subject.limits(), bounds).unwrap_or_default()
}

fn descent(level: &Level) -> Option<(&Source, &str)> {
    match level.called.outcome()? {
        Outcome::Descend { source, rest, .. } => Some((source, rest)),
        _ => None,
    }
}

/// The descents of the reader under test: from where, into what, with which rest.
fn ours(levels: &[Level]) -> impl Iterator<Item = (&Level, &Source, &str)> {
    levels.iter().filter(|level| level.is_ours).filter_map(|level| {
        let (inner, rest) = descent(level)?;
        Some((level, inner, rest))
    })
}

fn follows(subject: &Subject, log: &Log, outer: &Level, inner: &Source, rest: &str) {
    let (path, outside) = (inner.path(), outer.source.path());
    if !path.starts_with(outside) {
        log.finding(format!(
            "the inner source is called '{path}', which does not begin with '{outside}': make it with member() or content()"
        ));
        return;
    }
    if !outer.rest.ends_with(rest) {
        log.finding(format!("hands on the rest {rest:?}, which is not the end of its own, {:?}", outer.rest));
    }
    if path == outside && rest == outer.rest && inner.name() == outer.source.name() && !inner.is_decoded() {
        log.finding("descends into itself");
    }
    if let Some(identity) = outer.source.identity() {
        match inner.identity() {
            Some(own) if own == identity => {
                log.finding("the inner source has the outer one's identity: what is kept of one is taken for the other");
            }
            _ => {}
        }
    }
    let pipeline = subject.pipeline(subject.files(), subject.limits());
    if let Err(error) = judged(log, &pipeline, path)
        && matches!(error.code(), ErrorCode::NotFound | ErrorCode::InvalidSelector | ErrorCode::InvalidQuery)
    {
        log.finding(format!(
            "the path of the inner source, '{path}', does not lead back to it: {}",
            error.message()
        ));
    }
}

/// A stream is a recipe: whoever declines must not have used it up.
fn opens_again(subject: &Subject, log: &Log, outer: &Level) {
    // Asked anew: what the trace found was read by those who came after.
    let desk = Desk::new(subject, subject.limits(), Meter::unbounded());
    let called = call(subject.reader, &outer.source, &outer.rest, &desk.context());
    let Some(Outcome::Descend { source: inner, .. }) = called.outcome() else { return };
    if inner.is_dir() {
        return;
    }
    match (content(inner), content(inner)) {
        (Ok(first), Ok(second)) if first != second => {
            log.finding("the inner source gives other bytes the second time");
        }
        (Ok(_), Err(error)) => log.finding(format!("the inner source opens only once: {}", error.message())),
        _ => {}
    }
}

fn content(source: &Source) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    let read = source.reader().and_then(|reader| reader.take(LOOKED_AT).read_to_end(&mut bytes));
    read.map(|_| bytes).map_err(|error| ReadError::io(source.path(), error))
}

/// A host that allows as many levels as there are gets the answer, and one that allows fewer gets `too_large`.
fn depth(subject: &Subject, log: &Log, target: &str, depth: usize) {
    let at = |max_depth| subject.pipeline(subject.files(), Limits { max_depth, ..subject.limits() });
    let usual = read(&at(Limits::default().max_depth), target);
    if comparable(&read(&at(depth), target)) != comparable(&usual) {
        log.finding(format!("goes through {depth} containers, but not when that many are allowed"));
    }
    let Some(fewer) = depth.checked_sub(1) else { return };
    match judged(log, &at(fewer), target) {
        Err(error) if error.code() == ErrorCode::TooLarge => {}
        Err(error) => log.finding(format!(
            "goes through more containers than are allowed: {} and not too_large",
            error.code().as_str()
        )),
        Ok(_) => log.finding("goes through more containers than are allowed, and is answered"),
    }
}

/// Where more comes out than went in, somebody decoded it, and the budget must know.
fn budget(subject: &Subject, log: &Log, target: &str, levels: &[Level]) {
    for (at, (outer, inner, _)) in ours(levels).enumerate() {
        let (Ok(inside), Ok(outside)) = (length(inner), length(&outer.source)) else { continue };
        if inside <= outside || inside == 0 {
            continue;
        }
        let budget = Some(Budget { base: inside / 2, factor: 0 });
        let again = trace(subject, target, Bounds { budget, ..Bounds::default() });
        let is_stopped = match ours(&again).nth(at) {
            Some((level, inner, _)) => {
                is_budget(&level.called)
                    || content(inner).is_err_and(|error| error.code() != ErrorCode::Io || trips(&error))
            }
            None => true,
        };
        if !is_stopped {
            log.finding(format!(
                "gives {inside} bytes for {outside}, and nothing is charged: hand it on as Stream::decoded, or charge the meter"
            ));
        }
    }
}

/// Whoever decodes without a budget says so, and nobody else minds.
fn no_budget(subject: &Subject, log: &Log, target: &str) {
    log.case(Rule::Budget, format!("{target} on a budget of nothing"));
    let limits = Limits { budget_base: 0, budget_factor: 0, ..subject.limits() };
    match judged(log, &subject.pipeline(subject.files(), limits), target) {
        Err(error) if error.code() != ErrorCode::TooLarge => {
            log.finding(format!("gives {} and not too_large: {}", error.code().as_str(), error.message()));
        }
        _ => {}
    }
}

fn is_budget(called: &Called) -> bool {
    called.error().is_some_and(|error| error.code() == ErrorCode::TooLarge || trips(error))
}

/// Whether the budget stopped it, somewhere below.
fn trips(error: &ReadError) -> bool {
    let Some(cause) = error.cause() else { return false };
    let mut below: Option<&(dyn std::error::Error + 'static)> = Some(cause);
    while let Some(error) = below {
        let is_trip = matches!(error.downcast_ref::<Trip>(), Some(Trip::Budget { .. }));
        let is_wrapped = error
            .downcast_ref::<std::io::Error>()
            .and_then(std::io::Error::get_ref)
            .is_some_and(|inner| matches!(inner.downcast_ref::<Trip>(), Some(Trip::Budget { .. })));
        if is_trip || is_wrapped {
            return true;
        }
        below = error.source();
    }
    false
}

fn length(source: &Source) -> Result<u64, ReadError> {
    match source.slice() {
        Some(slice) => Ok(slice.len()),
        None if source.is_dir() => Ok(0),
        None => content(source).map(|bytes| bytes.len() as u64),
    }
}
