//! Pointer files: a small file beside a missing one, which names the embedded resource to read in its place.

use read_selector::cuts;

use super::candidate;
use crate::error::{ErrorCode, ReadError};
use crate::filesystem::{FileSystem, Resolved};
use crate::limits::MAX_PATH;
use crate::names::shortened;
use crate::resolution::{Origin, Resolution, SideFile};
use crate::resources::{Resources, SCHEME, find};

/// The longest pointer file, in bytes (1 KiB).
const MAX_POINTER: u64 = 1 << 10;

/// What a pointer file's name ends in.
pub(crate) const SUFFIX: &str = ".pointer";

/// Follows the pointer beside a path of `target` that does not exist. Whatever such a file holds but the one line that
/// is allowed is refused aloud: it is never the same as nothing being there.
pub(crate) fn follow(
    files: &dyn FileSystem,
    resources: &dyn Resources,
    target: &str,
) -> Result<Option<Resolution>, ReadError> {
    for cut in cuts(target).filter(|cut| cut.path.len() + SUFFIX.len() <= MAX_PATH) {
        let path = format!("{}{SUFFIX}", cut.path);
        let Some(pointer) = candidate(files, path.as_bytes())? else { continue };
        let name = pointed_to(files, &pointer, &path)?;
        let (embedded, left) = find(resources, &name)
            .map_err(|error| refused(&path, "names a resource that is not registered").with_cause(error))?;
        let rest = [left, cut.rest].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(":");
        let mut resolution = Resolution::of(Origin::Resource(embedded), &rest);
        resolution.side_files = vec![SideFile { suffix: "", path: pointer.path().to_owned() }];
        return Ok(Some(resolution));
    }
    Ok(None)
}

/// The resource that the pointer names, when it is the skill of its own directory.
fn pointed_to(files: &dyn FileSystem, pointer: &Resolved, path: &str) -> Result<String, ReadError> {
    let source = files.open(pointer)?;
    if source.is_dir() {
        return Err(refused(path, "is a directory"));
    }
    let bytes = source
        .to_bytes(MAX_POINTER)
        .map_err(|error| refused(path, "is over 1 KiB or cannot be read").with_cause(error))?;
    let text = String::from_utf8(bytes).map_err(|error| refused(path, "is no UTF-8").with_cause(error))?;
    let line = text.strip_suffix('\n').map_or(&*text, |line| line.strip_suffix('\r').unwrap_or(line));
    // The directory as it really is, not as a link may call it.
    let directory = pointer.directory();
    let skill = line
        .strip_prefix(SCHEME)
        .and_then(|name| name.strip_prefix("skills/"))
        .and_then(|name| name.strip_suffix("/SKILL.md"));
    match skill {
        Some(skill) if !skill.is_empty() && skill.as_bytes() == directory => Ok(line.to_owned()),
        Some(_) => Err(refused(path, "names the skill of another directory")),
        None => Err(refused(path, "holds something else than one line builtin://skills/NAME/SKILL.md")),
    }
}

fn refused(path: &str, why: &str) -> ReadError {
    ReadError::new(
        ErrorCode::PointerRefused,
        format!("'{}' {why}; it is not followed.", shortened(path.as_bytes())),
    )
}
