//! Sources that are damaged, cut, lie, fail or change while they are read.

use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;

use crate::conformance::bench::{Sample, Subject, body, judged, spread};
use crate::conformance::fault::{Fault, Plan};
use crate::conformance::faulty_files::{FaultyFileSystem, Length};
use crate::conformance::report::Rule;
use crate::conformance::watch::Log;
use crate::directory::DIRECTORY;
use crate::error::ErrorCode;
use crate::filesystem::MemoryFileSystem;
use crate::output::ReadOutput;

/// Reads of one answer that stall, so that none of them stalls the test.
const STALLS: u64 = 4;

/// How long one of them stalls.
const STALL: Duration = Duration::from_millis(1);

pub(in crate::conformance) fn check(subject: &Subject, log: &Log) {
    for (target, whole) in subject.answers() {
        for sample in subject.samples_of(target) {
            damaged(subject, log, target, sample);
            lying(subject, log, target, sample);
        }
        for streams in [false, true] {
            log.scope(if streams { ", streamed" } else { "" });
            failing(subject, log, target, &whole, streams);
            changing(subject, log, target, streams);
        }
        log.scope("");
        vanishing(subject, log, target);
    }
}

/// The sample cut at each length, and with each byte flipped, one at a time.
fn damaged(subject: &Subject, log: &Log, target: &str, sample: &Sample) {
    let read = |bytes| {
        let _ = judged(log, &subject.pipeline(subject.files_with(sample, bytes), subject.limits()), target);
    };
    for at in spread(sample.bytes.len() as u64, subject.steps).filter_map(|at| usize::try_from(at).ok()) {
        log.case(Rule::Hostile, format!("{target}, {} cut after {at} bytes", sample.path));
        read(sample.bytes.get(..at).unwrap_or_default().to_vec());
        // All bits turned make another kind of byte, the lowest one another number.
        for mask in [0xff, 0x01] {
            log.case(
                Rule::Hostile,
                format!("{target}, {} with byte {at} turned by {mask:#04x}", sample.path),
            );
            let mut bytes = sample.bytes.to_vec();
            bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= mask);
            read(bytes);
        }
    }
}

/// The sample under lengths that are not true.
fn lying(subject: &Subject, log: &Log, target: &str, sample: &Sample) {
    let length = sample.bytes.len() as u64;
    for lie in [
        Length::Longer(1),
        Length::Longer(length),
        Length::Longer(1 << 40),
        Length::Longer(u64::MAX),
        Length::Shorter(1),
        Length::Shorter(length / 2),
        Length::Shorter(length),
    ] {
        for streams in [false, true] {
            log.case(Rule::Hostile, format!("{target} under a false length, {lie:?}"));
            let files = FaultyFileSystem::new(subject.files()).with_length(lie);
            let files = if streams { files.as_streams() } else { files };
            let _ = judged(log, &subject.pipeline(files, subject.limits()), target);
        }
    }
}

/// How many reads the target takes, and a way to read it under a plan.
fn under<'a>(
    subject: &'a Subject,
    log: &'a Log,
    target: &'a str,
    streams: bool,
) -> impl Fn(Plan) -> Result<ReadOutput, crate::ReadError> + 'a {
    move |plan| {
        let files = FaultyFileSystem::new(subject.files()).with_reads(plan);
        let files: FaultyFileSystem<MemoryFileSystem> = if streams { files.as_streams() } else { files };
        judged(log, &subject.pipeline(files, subject.limits()), target)
    }
}

fn reads(read: impl Fn(Plan) -> Result<ReadOutput, crate::ReadError>) -> u64 {
    let counting = Plan::none();
    let _ = read(counting.clone());
    counting.calls()
}

/// Whether an answer says something that the whole one does not: what it always says excuses nothing, nor does it that core finds
/// what is left of the content empty.
fn says_more(output: &ReadOutput, whole: &ReadOutput) -> bool {
    let known = |notice: &String| whole.details.notices.contains(notice) || notice.ends_with(" is empty");
    !output.details.notices.iter().all(known)
}

/// A read that fails, at each step in turn, once and for good.
fn failing(subject: &Subject, log: &Log, target: &str, whole: &ReadOutput, streams: bool) {
    let read = under(subject, log, target, streams);
    log.case(Rule::Hostile, target);
    for step in spread(reads(&read), subject.steps) {
        for kind in [ErrorKind::Other, ErrorKind::PermissionDenied] {
            let fault = || Fault::Fail(kind);
            for (how, plan) in
                [("fails", Plan::at(step, fault())), ("fails since", Plan::since(step, fault()))]
            {
                log.case(Rule::Hostile, format!("{target}, read {step} {how} ({kind})"));
                match read(plan) {
                    Ok(output) if body(&output) != body(whole) && !says_more(&output, whole) => {
                        log.finding("gives another answer than the whole, without a notice");
                    }
                    Err(error) if error.code() == ErrorCode::NotFound => {
                        log.finding("a failure is called not_found");
                    }
                    Ok(_) | Err(_) => {}
                }
            }
        }
        // A listing is one call, which nobody repeats.
        if is_listing(whole) {
            continue;
        }
        log.case(Rule::Hostile, format!("{target}, read {step} is interrupted"));
        same(log, whole, read(Plan::at(step, Fault::Fail(ErrorKind::Interrupted))).ok().as_ref());
        if step < STALLS {
            log.case(Rule::Hostile, format!("{target}, read {step} stalls"));
            same(log, whole, read(Plan::at(step, Fault::Stall(STALL))).ok().as_ref());
        }
    }
    log.case(Rule::Hostile, format!("{target}, read byte by byte"));
    if !is_listing(whole) {
        same(log, whole, read(Plan::since(0, Fault::Short)).ok().as_ref());
    }
}

fn is_listing(output: &ReadOutput) -> bool {
    output.details.reader == DIRECTORY.name()
}

fn same(log: &Log, whole: &ReadOutput, read: Option<&ReadOutput>) {
    match read {
        Some(output) if body(output) == body(whole) => {}
        Some(_) => log.finding("gives another answer, though every byte can be had"),
        None => log.finding("fails, though every byte can be had"),
    }
}

/// Content that ends, or turns into another, at each step in turn.
fn changing(subject: &Subject, log: &Log, target: &str, streams: bool) {
    let read = under(subject, log, target, streams);
    log.case(Rule::Hostile, target);
    let other: Arc<[u8]> =
        subject.samples.iter().rev().flat_map(|sample| sample.bytes.iter().rev().copied()).collect();
    for step in spread(reads(&read), subject.steps) {
        for (what, fault) in [
            ("ends", Fault::End),
            ("has other bytes", Fault::Flip),
            ("is another content", Fault::Swap(Arc::clone(&other))),
            ("gives single bytes", Fault::Short),
        ] {
            for (how, plan) in
                [("at", Plan::at(step, fault.clone())), ("since", Plan::since(step, fault.clone()))]
            {
                log.case(Rule::Hostile, format!("{target} {what} {how} read {step}"));
                let _ = read(plan);
            }
        }
    }
}

/// Files that cannot be resolved or opened, at each call in turn.
fn vanishing(subject: &Subject, log: &Log, target: &str) {
    let read = |plan| {
        let files = FaultyFileSystem::new(subject.files()).with_calls(plan);
        judged(log, &subject.pipeline(files, subject.limits()), target)
    };
    log.case(Rule::Hostile, target);
    let counting = Plan::none();
    let _ = read(counting.clone());
    for step in spread(counting.calls(), subject.steps) {
        for fault in [Fault::End, Fault::Fail(ErrorKind::PermissionDenied)] {
            log.case(
                Rule::Hostile,
                format!("{target}, call {step} of the file system goes wrong ({fault:?})"),
            );
            let _ = read(Plan::at(step, fault));
        }
    }
}
