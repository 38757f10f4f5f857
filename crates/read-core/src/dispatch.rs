//! Dispatch: the strongest reader reads a source or hands on an inner one, until there is an answer.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use read_selector::{Classified, Selector, classify};

use crate::caps;
use crate::context::ReadContext;
use crate::error::{ErrorCode, ReadError};
use crate::meter::Trip;
use crate::names::printed;
use crate::output::notice;
use crate::output::{Block, ReadOutput, Text};
use crate::reader::{Answer, Outcome, Probe};
use crate::registry::Reader;
use crate::source::Source;
use crate::text::binary;
use crate::view::not_a_selector;

/// Reads `source` by way of whatever containers `rest` leads through, under one catch: streams are lazy, so that a decoder's
/// panic surfaces long after its reader has returned.
pub(crate) fn read(
    source: Source,
    rest: String,
    cx: &mut ReadContext<'_>,
    seen: &Seen<'_>,
) -> Result<ReadOutput, ReadError> {
    let at_work = AtWork::default();
    let meter = cx.meter;
    let read = catch_unwind(AssertUnwindSafe(|| {
        let (answer, source) = descend(source, rest, cx, &at_work)?;
        Ok(finish(answer, &source, cx, &at_work, seen))
    }));
    let error = match read {
        Ok(Ok(output)) => return Ok(output),
        Ok(Err(error)) => error,
        Err(panic) => panicked(&at_work, panic.as_ref()),
    };
    // Error chains lose what stopped a stream on their way through decoders; the meter kept it.
    match meter.tripped() {
        Some(trip) if error.code() != ErrorCode::ReaderFailed => Err(tripped(trip, &at_work)),
        _ => Err(error),
    }
}

/// The readers that a read has come through, the one at work last.
#[derive(Default)]
struct AtWork(RefCell<Vec<Reader>>);

impl AtWork {
    /// `reader` is at work, behind those of the `depth` levels above.
    fn set(&self, depth: usize, reader: Reader) {
        let mut readers = self.0.borrow_mut();
        readers.truncate(depth);
        readers.push(reader);
    }

    /// Nobody is at work yet behind those of the `depth` levels above.
    fn clear(&self, depth: usize) {
        self.0.borrow_mut().truncate(depth);
    }

    /// The name of the one at work.
    fn reader(&self) -> &'static str {
        self.0.borrow().last().map_or("core", |reader| reader.name())
    }

    /// Whether the one at work is core's own.
    fn is_core(&self) -> bool {
        self.0.borrow().last().is_none_or(is_core)
    }

    /// All of them that pass `is_named`, each once: `'a', 'b'`.
    fn names(&self, is_named: impl Fn(&Reader) -> bool) -> Vec<String> {
        let mut names: Vec<_> = self
            .0
            .borrow()
            .iter()
            .filter(|reader| is_named(reader))
            .map(|reader| format!("'{}'", reader.name()))
            .collect();
        names.dedup();
        names
    }

    /// Those that are not core's own: where a read goes wrong, the host wants to know whose they are.
    fn strangers(&self) -> Vec<String> {
        self.names(|reader| !is_core(reader))
    }
}

/// Whether a reader is one of this crate.
fn is_core(reader: &Reader) -> bool {
    reader.package() == env!("CARGO_PKG_NAME")
}

/// Adds to an answer what was noticed since an earlier read of the same path.
pub(crate) type Seen<'a> = dyn Fn(&Source, &mut Answer) + 'a;

fn descend(
    mut source: Source,
    mut rest: String,
    cx: &mut ReadContext<'_>,
    at_work: &AtWork,
) -> Result<(Answer, Source), ReadError> {
    let mut depth = 0;
    loop {
        cx.meter.check()?;
        source.attach(Some(cx.meter.clone()));
        cx.notices.extend_from_slice(source.notices());
        match level(&source, &rest, cx, at_work, depth)? {
            Outcome::Output(answer) => return Ok((answer, source)),
            Outcome::Descend { source: inner, rest: inner_rest, notices } => {
                depth += 1;
                if depth > cx.limits.max_depth {
                    return Err(too_deep(&inner, cx.limits.max_depth, at_work));
                }
                if !cx.permits(&inner) {
                    return Err(cx.denied(&inner));
                }
                cx.notices.extend(notices);
                (source, rest) = (inner, inner_rest);
            }
            Outcome::Decline => return Err(unread(&source, &rest)),
        }
    }
}

/// Offers a source to its readers, the strongest first.
fn level(
    source: &Source,
    rest: &str,
    cx: &ReadContext<'_>,
    at_work: &AtWork,
    depth: usize,
) -> Result<Outcome, ReadError> {
    let head = source.head().map_err(|error| ReadError::io(source.path(), error))?;
    // A probe may panic as well as a read: then its reader is to blame.
    let matches = cx.registry.matches_one_by_one(&Probe::new(source, &head), |reader| {
        at_work.set(depth, reader);
    });
    at_work.clear(depth);
    let mut holds_paths = false;
    for (reader, _) in matches {
        if holds_paths && cx.guard.has_rules() && shows_own_bytes(rest) {
            return Err(ReadError::new(
                ErrorCode::Denied,
                format!(
                    "'{}': the raw bytes of an archive are not shown where rules deny paths in it. Name a member.",
                    source.path()
                ),
            ));
        }
        at_work.set(depth, reader);
        // The one before may have taken all the time there was, and declined.
        cx.meter.check()?;
        match reader.read(source, rest, cx)? {
            Outcome::Decline => holds_paths |= reader.holds_paths(),
            outcome => return Ok(outcome),
        }
    }
    Ok(Outcome::Decline)
}

fn shows_own_bytes(rest: &str) -> bool {
    matches!(classify(rest), Classified::Selector(Selector::Bytes(_) | Selector::Hex(_)))
}

fn too_deep(source: &Source, depth: usize, at_work: &AtWork) -> ReadError {
    ReadError::new(
        ErrorCode::TooLarge,
        format!(
            "'{}' lies in more than {depth} containers (read by {}), and nothing deeper is read. A target that ends at an outer one lists that.",
            source.path(),
            at_work.names(|_| true).join(", ")
        ),
    )
}

/// The error of a read that the meter stopped; it names the readers that it was in.
fn tripped(trip: Trip, at_work: &AtWork) -> ReadError {
    let strangers = at_work.strangers();
    if strangers.is_empty() {
        return trip.into();
    }
    let message = format!("{trip} (Read by {}.)", strangers.join(", "));
    ReadError::new(ReadError::from(trip.clone()).code(), message).with_cause(trip)
}

/// The error when nobody reads it.
fn unread(source: &Source, rest: &str) -> ReadError {
    match source.head() {
        Ok(head) if rest.is_empty() => binary(source, &head),
        _ => not_a_selector(source.path(), rest),
    }
}

fn panicked(at_work: &AtWork, panic: &(dyn std::any::Any + Send)) -> ReadError {
    let said =
        panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let said = printed(said.unwrap_or("it panicked").as_bytes()).chars().take(200).collect::<String>();
    // A stream's decoder runs when a later reader reads it: then any of them may have failed.
    let names = at_work.names(|_| true);
    let who = match names.as_slice() {
        [one] => format!("The reader {one}"),
        [] => "The reader 'core'".to_owned(),
        several => format!("One of the readers {}", several.join(", ")),
    };
    ReadError::new(
        ErrorCode::ReaderFailed,
        format!("{who} failed on this content ({said}). Use :hex to see its bytes."),
    )
}

/// The output: the answer with all notices in order, and the details that every level knows.
fn finish(
    mut answer: Answer,
    source: &Source,
    cx: &ReadContext<'_>,
    at_work: &AtWork,
    seen: &Seen<'_>,
) -> ReadOutput {
    // Core's own readers count while they write; what they add to a full page belongs there.
    if !at_work.is_core() {
        caps::enforce(&mut answer, cx.limits);
    }
    seen(source, &mut answer);
    let Answer { mut blocks, mut details, notices: own } = answer;
    let mut notices = cx.notices.clone();
    notices.extend(own);
    notice::sort(&mut notices);
    if let Some(Block::Text(Text::Shown(text))) =
        blocks.iter_mut().find(|block| matches!(block, Block::Text(_)))
    {
        notice::append(text, &notices);
    }
    if details.reader.is_empty() {
        details.reader = at_work.reader();
    }
    if details.path.is_empty() {
        source.path().clone_into(&mut details.path);
    }
    cx.resolved_path.clone_into(&mut details.resolved_path);
    details.size_bytes = details.size_bytes.or(source.length());
    details.notices = notices.iter().map(|notice| notice.text().to_owned()).collect();
    details.member.extend(source.facts().iter().cloned());
    ReadOutput { blocks, details }
}
