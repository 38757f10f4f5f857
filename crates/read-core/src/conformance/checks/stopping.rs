//! Reads that are cancelled or late stop, and say so.

use std::time::Duration;

use crate::conformance::bench::{Desk, Level, Subject, body, call, judged, spread};
use crate::conformance::checks::errors::called_well;
use crate::conformance::fault::{Fault, Plan};
use crate::conformance::faulty_files::FaultyFileSystem;
use crate::conformance::report::Rule;
use crate::conformance::watch::Log;
use crate::context::Request;
use crate::error::ErrorCode;
use crate::limits::Limits;
use crate::meter::{Bounds, Cancel, Meter};

pub(in crate::conformance) fn check(subject: &Subject, log: &Log) {
    for (target, whole) in subject.answers() {
        beforehand(subject, log, target);
        for streams in [false, true] {
            log.scope(if streams { ", streamed" } else { "" });
            let files = |plan| {
                let files = FaultyFileSystem::new(subject.files()).with_reads(plan);
                if streams { files.as_streams() } else { files }
            };
            let counting = Plan::none();
            log.case(Rule::Stopping, target);
            let _ = judged(log, &subject.pipeline(files(counting.clone()), subject.limits()), target);
            for step in spread(counting.calls(), subject.steps) {
                log.case(Rule::Stopping, format!("{target} cancelled at read {step}"));
                let cancel = Cancel::new();
                let plan = Plan::at(step, Fault::Cancel(cancel.clone()));
                let pipeline = subject.pipeline(files(plan), subject.limits());
                match pipeline.read(target, &Request::default(), cancel) {
                    Err(error) if error.code() == ErrorCode::Cancelled => {}
                    Err(error) => log.finding(format!(
                        "gives {} and not cancelled: {}",
                        error.code().as_str(),
                        error.message()
                    )),
                    // It had all that it needed.
                    Ok(output) if body(&output) == body(&whole) => {}
                    Ok(_) => log.finding("gives a part of the answer as if it were the whole"),
                }
            }
            log.case(Rule::Stopping, format!("{target} with no time at all"));
            let limits = Limits { timeout: Some(Duration::ZERO), ..subject.limits() };
            match judged(log, &subject.pipeline(files(Plan::none()), limits), target) {
                Err(error) if error.code() == ErrorCode::TimedOut => {}
                Err(error) => log.finding(format!("gives {} and not timed_out", error.code().as_str())),
                Ok(_) => log.finding("is answered after its deadline"),
            }
        }
        log.scope("");
    }
}

/// The reader itself, called when the read is cancelled already: it may fail, answer or decline, but it returns.
fn beforehand(subject: &Subject, log: &Log, target: &str) {
    log.case(Rule::Stopping, format!("{target} cancelled beforehand"));
    let cancel = Cancel::new();
    cancel.cancel();
    let desk = Desk::new(subject, subject.limits(), Meter::start(Bounds { cancel, ..Bounds::default() }));
    let levels = subject.trace(target, &subject.limits(), Bounds::default()).unwrap_or_default();
    for Level { mut source, rest, .. } in levels.into_iter().filter(|level| level.is_ours) {
        source.attach(Some(desk.meter.clone()));
        called_well(log, &call(subject.reader, &source, &rest, &desk.context()));
    }
}
