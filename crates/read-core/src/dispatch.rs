//! Dispatch: the strongest reader reads a source or hands on an inner one, until there is an answer.

use read_selector::{Classified, Selector, classify};

use crate::at_work::AtWork;
use crate::context::ReadContext;
use crate::error::{ErrorCode, ReadError};
use crate::output::Notice;
use crate::reader::{Answer, Outcome, Probe};
use crate::source::Source;
use crate::text::binary;
use crate::view::not_a_selector;

/// What a read has come to.
pub(crate) struct Reached {
    pub(crate) answer: Answer,
    /// The innermost source, which the answer is about.
    pub(crate) source: Source,
    /// What the levels on the way had to say.
    pub(crate) notices: Vec<Notice>,
}

/// Reads `source` by way of whatever containers `rest` leads through. Streams are lazy: a decoder's panic may surface long
/// after its reader has returned, here or later, so that the caller catches it.
pub(crate) fn read(
    mut source: Source,
    mut rest: String,
    at_work: &AtWork,
    cx: &ReadContext<'_>,
) -> Result<Reached, ReadError> {
    let mut depth = 0;
    let mut notices = Vec::new();
    loop {
        cx.meter.check()?;
        source.attach(Some(cx.meter.clone()));
        notices.extend_from_slice(source.notices());
        match level(&source, &rest, cx, at_work, depth)? {
            Outcome::Output(answer) => return Ok(Reached { answer, source, notices }),
            Outcome::Descend { source: inner, rest: inner_rest, notices: said } => {
                depth += 1;
                if depth > cx.limits.max_depth {
                    return Err(too_deep(&inner, cx.limits.max_depth, at_work));
                }
                if !cx.permits(&inner) {
                    return Err(cx.denied(&inner));
                }
                notices.extend(said);
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
    let claims = cx.registry.claims(Probe::new(source, &head), |reader| at_work.set(depth, reader));
    let mut holds_paths = false;
    for (reader, _) in claims {
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
    at_work.clear(depth);
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
            at_work.all().join(", ")
        ),
    )
}

/// The error when nobody reads it.
fn unread(source: &Source, rest: &str) -> ReadError {
    match source.head() {
        Ok(head) if rest.is_empty() => binary(source, &head),
        _ => not_a_selector(source.path(), rest),
    }
}
