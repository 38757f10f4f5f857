//! What an archive answers, zip and tar alike: a listing, a member, or why not.

use std::fmt::Write;
use std::sync::Arc;

use read_core::{
    Body, ErrorCode, Notice, Noun, Outcome, Rank, ReadContext, ReadError, Source, printed, shortened,
};
use read_selector::{Classified, Selector, classify, head};

use crate::archive::{Archive, denied, permits};
use crate::beside::with_siblings;
use crate::listing::Listing;
use crate::lookup::{Hit, exact, ignoring_case};
use crate::names::{Backslash, clean};
use crate::near::near;
use crate::other_reading;
use crate::tree::{Found, Kind};

/// Finds what `rest` names in the archive that `source` holds.
pub(crate) fn answer(
    archive: &Arc<dyn Archive>,
    source: &Source,
    rest: &str,
    cx: &ReadContext<'_>,
) -> Result<Outcome, ReadError> {
    if rest.is_empty() {
        return root(archive, source, rest, cx);
    }
    if let Some(hit) = exact(&**archive, rest, cx.meter())? {
        return reached(archive, source, &hit, None, cx);
    }
    match classify(rest) {
        Classified::Selector(Selector::Lines { raw: true, .. }) => return Err(no_raw(source)),
        Classified::Selector(Selector::Bytes(_) | Selector::Hex(_) | Selector::Stat) => {
            return Ok(Outcome::Decline);
        }
        Classified::Selector(_) | Classified::Malformed(_) | Classified::Empty => {
            return root(archive, source, rest, cx);
        }
        Classified::NotSelector => {}
    }
    if let Some(hit) = ignoring_case(&**archive, rest, cx.meter())? {
        let opened = format!(
            "Opened '{}': no file is named exactly '{}'",
            shortened(&hit.candidate.path),
            shortened(hit.candidate.asked.as_bytes())
        );
        return reached(archive, source, &hit, Some(Notice::new(Rank::Opened, opened)), cx);
    }
    Err(not_found(&**archive, source, rest, cx))
}

/// The root of the archive. One that makes no sense from its start is no archive to list.
fn root(
    archive: &Arc<dyn Archive>,
    source: &Source,
    rest: &str,
    cx: &ReadContext<'_>,
) -> Result<Outcome, ReadError> {
    match archive.damage() {
        Some(damage) if archive.tree().len() == 0 => {
            let message = format!(
                "'{}' is damaged: {} at byte {}, and nothing precedes that. Use :hex for its bytes.",
                source.path(),
                damage.reason,
                damage.after
            );
            Err(ReadError::new(ErrorCode::Corrupt, message))
        }
        _ => Ok(directory(archive, source, &[], rest, cx)),
    }
}

/// What was found, as an inner source.
fn reached(
    archive: &Arc<dyn Archive>,
    source: &Source,
    hit: &Hit<'_>,
    notice: Option<Notice>,
    cx: &ReadContext<'_>,
) -> Result<Outcome, ReadError> {
    let asked = &hit.candidate.path;
    if hit.path != *asked && !permits(source, asked, cx) {
        return Err(denied(source, asked));
    }
    let mut opened: Vec<Notice> = notice.into_iter().collect();
    if hit.path != *asked {
        let text = format!("'{}' is a link to '{}'", shortened(asked), shortened(&hit.path));
        opened.push(Notice::detail(Rank::Opened, text));
    }
    if hit.candidate.rest.is_empty() {
        opened.extend(other_reading::notice(&**archive, source, hit.candidate.asked));
    }
    let outcome = match hit.found {
        Found::Directory => directory(archive, source, &hit.path, hit.candidate.rest, cx),
        Found::Member(member) => {
            if member.sharing > 1 {
                // The listing says so in its text; the member is what an extraction gives, and stands alone.
                let text = format!("{} members share this name; the last is shown", member.sharing);
                opened.push(Notice::detail(Rank::Odd, text));
            }
            if let Kind::Special(special) = archive.tree().kind(member.number) {
                let message = format!(
                    "'{}:{}' is a {}: it has no content.",
                    source.path(),
                    shortened(&hit.path),
                    special.word()
                );
                return Err(ReadError::new(ErrorCode::NotRegular, message));
            }
            // The guard is asked before the member is touched: core asks again for what it is handed.
            if !permits(source, &hit.path, cx) {
                return Err(denied(source, &hit.path));
            }
            let mut notices =
                archive.damage().map_or_else(Vec::new, |damage| damage.notices(source.path()).into());
            notices.extend(archive.notices());
            let opened = archive.open(source, member.number, &hit.path)?;
            let source = with_siblings(opened, archive, source, &hit.path, cx);
            Outcome::Descend { source, rest: hit.candidate.rest.to_owned(), notices }
        }
    };
    Ok(match outcome {
        Outcome::Descend { source, rest, notices } => {
            opened.extend(notices);
            Outcome::Descend { source, rest, notices: opened }
        }
        other => other,
    })
}

/// A directory of the archive as an inner source.
fn directory(
    archive: &Arc<dyn Archive>,
    source: &Source,
    path: &[u8],
    rest: &str,
    cx: &ReadContext<'_>,
) -> Outcome {
    let listing =
        Listing { archive: Arc::clone(archive), directory: path.to_vec(), meter: cx.meter().clone() };
    let mut notices = archive.damage().map_or_else(Vec::new, |damage| damage.notices(source.path()).into());
    notices.extend(archive.notices());
    let unnamed = archive.tree().unnamed();
    if unnamed > 0 && path.is_empty() {
        let members = if unnamed == 1 { "1 member is".to_owned() } else { format!("{unnamed} members are") };
        notices.push(Notice::new(
            Rank::LeftOut,
            format!("{members} left out: the name leads nowhere in the archive"),
        ));
    }
    let source = source.member(path, Noun::ArchiveDirectory, Body::Dir(Arc::new(listing)));
    Outcome::Descend { source, rest: rest.to_owned(), notices }
}

fn no_raw(source: &Source) -> ReadError {
    let path = source.path();
    ReadError::new(
        ErrorCode::InvalidSelector,
        format!("'{path}' is an archive: ':raw' is not a selector for it. Use :hex for its bytes, or name a member: {path}:NAME."),
    )
    .with_suggestions([format!("{path}:hex")])
}

/// The error about a member that is not there, with near names. What the rules deny is denied whether or not it exists.
fn not_found(archive: &dyn Archive, source: &Source, rest: &str, cx: &ReadContext<'_>) -> ReadError {
    let asked = head(rest);
    let cleaned = clean(asked.as_bytes(), Backslash::Separates);
    if !cleaned.climbs && !permits(source, &cleaned.path, cx) {
        return denied(source, &cleaned.path);
    }
    let mut message = format!("'{}' not found inside archive", shortened(asked.as_bytes()));
    let near = if cleaned.climbs {
        message.push_str("; a path with '..' leads nowhere in it");
        Vec::new()
    } else {
        near(archive, &cleaned.path, cx.meter(), &|path| permits(source, path, cx))
    };
    // Writing to a string does not fail.
    if let Some(damage) = archive.damage() {
        let _ = write!(message, ", which is damaged or cut after {}", read_core::size(damage.after));
    }
    message.push('.');
    let names: Vec<_> = near.iter().map(|path| shortened(path)).collect();
    match names.as_slice() {
        [] => _ = write!(message, " Use {} to list it.", source.path()),
        [first, rest @ ..] => {
            message.push_str(" Did you mean ");
            message.push_str(first);
            for (at, one) in rest.iter().enumerate() {
                message.push_str(if at + 1 == rest.len() { " or " } else { ", " });
                message.push_str(one);
            }
            message.push('?');
        }
    }
    let targets = near.iter().map(|path| format!("{}:{}", source.path(), printed(path)));
    ReadError::new(ErrorCode::NotFound, message).with_suggestions(targets.collect::<Vec<_>>())
}
