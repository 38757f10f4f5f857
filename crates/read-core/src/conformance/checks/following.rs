//! Caps hold, and what they leave out can be had by the calls that are named.

use std::collections::HashSet;

use crate::caps::{self, Caps, Extent};
use crate::conformance::bench::{Subject, body, judged, read};
use crate::conformance::checks::errors::names_a_step;
use crate::conformance::report::Rule;
use crate::conformance::watch::Log;
use crate::error::ErrorCode;
use crate::limits::Limits;
use crate::output::{ReadOutput, TruncatedBy};

/// Bytes by which an output may be over the cap: notices, and what frames them.
const FRAME: usize = 2 << 10;

/// Pages of one target that are followed.
const PAGES: usize = 2_000;

/// The caps under which a long sample is read: far less than it has.
const FEW_LINES: u64 = 20;
const FEW_BYTES: u64 = 2 << 10;

/// Bytes of a long sample: a short one repeated (256 KiB).
const LONG: usize = 256 << 10;

/// A long sample repeats a short one so often at most.
const REPEATED: usize = 4_096;

pub(in crate::conformance) fn check(subject: &Subject, log: &Log) {
    for (target, whole) in subject.answers() {
        log.scope("");
        log.case(Rule::Caps, target);
        notices(log, &whole);
        let text = whole.to_text();
        let lines = text.lines().count() as u64;
        let longest = text.lines().map(str::len).max().unwrap_or(0);
        // Small pages, but not so small that a long sample takes a thousand of them.
        for (max_lines, max_bytes) in [
            (lines.div_ceil(24).max(2), 1 << 20),
            (1 << 20, (text.len() as u64).div_ceil(24).max(200)),
            (lines.div_ceil(5).max(1), (text.len() as u64).div_ceil(3).max(100)),
        ] {
            let limits = Limits {
                max_lines: Some(max_lines),
                max_entries: Some(max_lines),
                max_bytes: Some(max_bytes),
                ..subject.limits()
            };
            log.scope(format!(" under caps of {max_lines} lines and {max_bytes} bytes"));
            let room = usize::try_from(max_bytes)
                .unwrap_or(usize::MAX)
                .saturating_add(longest)
                .saturating_add(FRAME);
            follow(subject, log, target, &whole, &limits, room);
        }
    }
    log.scope("");
    for target in &subject.targets {
        long(subject, log, target);
    }
}

/// A sample that is too short to fill a page is repeated until it does. What that makes of it is the reader's to judge: only an
/// answer counts.
fn long(subject: &Subject, log: &Log, target: &str) {
    let limits = Limits {
        max_lines: Some(FEW_LINES),
        max_entries: Some(FEW_LINES),
        max_bytes: Some(FEW_BYTES),
        ..subject.limits()
    };
    for sample in subject.samples_of(target) {
        let times = LONG.checked_div(sample.bytes.len()).unwrap_or(0).clamp(1, REPEATED);
        log.case(Rule::Caps, format!("{target}, {} repeated {times} times", sample.path));
        let files = subject.files_with(sample, sample.bytes.repeat(times));
        if let Ok(output) = read(&subject.pipeline(files, limits.clone()), target) {
            extent(log, &output, &limits);
        }
    }
}

/// No more lines and bytes stand in an answer than the caps allow, save for what frames them.
fn extent(log: &Log, output: &ReadOutput, limits: &Limits) {
    // What core had to cut is the reader's to count.
    if let Some(notice) = output.details.notices.iter().find(|notice| caps::is_cut(notice)) {
        log.breaks(Rule::Caps, format!("leaves it to core to hold the caps ({notice})"));
    }
    let extent = Extent::of(body(output).0.as_bytes());
    if Caps::of(limits, output.details.shown.as_deref()).are_passed_by(extent) {
        let (lines, bytes) = (extent.lines, extent.bytes);
        log.breaks(Rule::Caps, format!("gives {lines} lines of {bytes} bytes, well over the caps"));
    }
}

/// Notices are single lines, and nothing can be read into them.
fn notices(log: &Log, output: &ReadOutput) {
    for notice in &output.details.notices {
        if notice.is_empty() || notice.contains(char::is_control) || notice.starts_with('[') {
            log.finding(format!("has the notice {notice:?}, which is not one line without brackets"));
        }
    }
}

/// Reads a target page after page, by the calls that the pages name.
fn follow(subject: &Subject, log: &Log, target: &str, whole: &ReadOutput, limits: &Limits, room: usize) {
    let pipeline = subject.pipeline(subject.files(), limits.clone());
    let mut seen = HashSet::from([target.to_owned()]);
    let mut at = target.to_owned();
    let mut wanted = None;
    for page in 0..PAGES {
        log.case(Rule::Following, &at);
        let output = match judged(log, &pipeline, &at) {
            Ok(output) => output,
            // A read may need more than a cap gives room for, and say which call does not.
            Err(error) if page == 0 && error.code() == ErrorCode::TooLarge => return,
            Err(error) => {
                log.finding(format!("was named as the call to go on, and fails: {}", error.message()));
                return;
            }
        };
        notices(log, &output);
        let text = output.to_text();
        if text.len() > room {
            log.breaks(Rule::Caps, format!("gives {} bytes, well over the cap", text.len()));
        }
        extent(log, &output, limits);
        if page == 0 {
            capped(log, whole, &output, limits);
        }
        let first = output.details.shown.as_ref().and_then(|shown| shown.first()).map(|range| range[0]);
        if let (Some(wanted), Some(first)) = (wanted.take(), first)
            && first != wanted
        {
            log.finding(format!(
                "begins at {first}, but the page before it ended at {}",
                wanted.saturating_sub(1)
            ));
        }
        let next = match &output.details.truncated {
            Some(truncated) => {
                let Some(next) = truncated.next_target.clone() else { return };
                if !output.details.notices.iter().any(|notice| names_a_step(notice)) {
                    log.finding("is cut, and no notice says how to go on");
                }
                let is_counted =
                    matches!(truncated.by, TruncatedBy::Lines | TruncatedBy::Rows | TruncatedBy::Entries);
                let is_forward = first.is_none_or(|first| truncated.next > first);
                wanted = Some(truncated.next).filter(|_| is_counted && is_forward);
                next
            }
            None => match continued(&output) {
                Some(next) => next,
                None => return,
            },
        };
        if !seen.insert(next.clone()) {
            log.finding(format!("goes on at '{next}', which was shown before"));
            return;
        }
        at = next;
    }
    log.case(Rule::Following, target);
    log.finding(format!("has no end after {PAGES} pages"));
}

/// What the first page leaves out, it says.
fn capped(log: &Log, whole: &ReadOutput, output: &ReadOutput, limits: &Limits) {
    let is_less = body(output).0.len() < body(whole).0.len();
    if is_less && output.details.notices.is_empty() {
        log.breaks(Rule::Caps, "shows less than without caps, and no notice says so");
    }
    let shown = output.details.shown.iter().flatten();
    let count =
        shown.map(|range| range[1].saturating_sub(range[0]).saturating_add(1)).fold(0, u64::saturating_add);
    if limits.max_lines.is_some_and(|cap| count > cap) {
        log.breaks(Rule::Caps, format!("says that it shows {count} lines, entries or rows"));
    }
}

/// The call in the last notice, as a target.
fn continued(output: &ReadOutput) -> Option<String> {
    let notice = output.details.notices.last().filter(|notice| notice.contains(" to continue"))?;
    let call = notice.split("Use ").nth(1)?.split(" to continue").next()?;
    let path = &output.details.path;
    if let Some(lines) = call.strip_prefix("offset=") {
        return Some(match lines.split_once(", limit=") {
            Some((first, count)) => format!("{path}:{first}+{count}"),
            None => format!("{path}:{lines}-"),
        });
    }
    // A selector hangs on the path; a call may also be a whole target.
    Some(if call.starts_with([':', '?']) { format!("{path}{call}") } else { call.to_owned() })
}
