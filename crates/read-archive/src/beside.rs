//! Files beside a member, for readers that need them: a database's log and journal.

use std::sync::{Arc, OnceLock};

use read_core::{Meter, ReadContext, ReadError, Source};

use crate::archive::{Archive, denied, permits};
use crate::tree::{Found, Kind};

/// Names that rules deny beside one member, and that are remembered as such. Not configurable; where there are more, all
/// names that begin as the member's are denied.
const DENIED: usize = 256;

/// `member`, which lies at `path`, with a way to the members of the same directory whose names go on from its own.
pub(crate) fn with_siblings(
    member: Source,
    archive: &Arc<dyn Archive>,
    container: &Source,
    path: &[u8],
    cx: &ReadContext<'_>,
) -> Source {
    let has_rules = cx.guard().has_rules();
    // Side files are asked for when there is no guard to ask any more.
    let denied_names: Vec<Vec<u8>> = if has_rules {
        let names = archive.tree().beside(path).filter(|name| !permits(container, name, cx));
        names.take(DENIED).map(<[u8]>::to_vec).collect()
    } else {
        Vec::new()
    };
    let (archive, container, path) = (Arc::clone(archive), container.clone(), path.to_vec());
    let (meter, whole) = (cx.meter().clone(), OnceLock::new());
    member.with_siblings(move |suffix| {
        if suffix.is_empty() || suffix.contains(['/', '\\', '\0']) {
            return Ok(None);
        }
        let name = [&*path, suffix.as_bytes()].concat();
        if denied_names.len() >= DENIED || denied_names.contains(&name) {
            return Err(denied(&container, &name));
        }
        if let Some(found) = open(&archive, &container, &name)? {
            return Ok(Some(found));
        }
        // It may stand behind what was looked at.
        let Some(whole) = searched_whole(&whole, &*archive, &container, &meter)? else { return Ok(None) };
        match open(whole, &container, &name)? {
            Some(_) if has_rules => Err(denied(&container, &name)),
            found => Ok(found),
        }
    })
}

fn searched_whole<'a>(
    whole: &'a OnceLock<Option<Arc<dyn Archive>>>,
    archive: &dyn Archive,
    container: &Source,
    meter: &Meter,
) -> Result<Option<&'a Arc<dyn Archive>>, ReadError> {
    if whole.get().is_none() {
        let _ = whole.set(archive.searched_whole(container, meter)?);
    }
    Ok(whole.get().and_then(Option::as_ref))
}

fn open(archive: &Arc<dyn Archive>, container: &Source, name: &[u8]) -> Result<Option<Source>, ReadError> {
    match archive.tree().find(name, false) {
        // A link is not followed: what it leads to is no file of this directory.
        Some(Found::Member(member)) if archive.tree().kind(member.number) == Kind::File => {
            archive.open(container, member.number, name).map(Some)
        }
        _ => Ok(None),
    }
}
