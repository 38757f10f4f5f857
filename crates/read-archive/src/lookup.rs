//! Which member the rest of a target names: the longest name that exists wins, links in the archive followed.

use read_core::{ErrorCode, MAX_PATH, Meter, ReadError, decoded, printed};
use read_selector::inner_cuts;

use crate::archive::Archive;
use crate::limits::{CASE_COMPARED, CASE_CUTS, MAX_HOPS};
use crate::names::{Backslash, clean, joined, parent};
use crate::tree::{Found, Kind};

/// Cuts of a target that are tried at names of over 4 KiB: a target of colons has thousands.
const LONG_CUTS: usize = 16;

/// Names that are searched for before the members are sorted.
const SEARCHES: usize = 8;

/// Names between two looks at the meter.
const CHECKED: usize = 1_024;

/// One way to read the rest of a target as a path in the archive and what follows.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Candidate<'a> {
    /// The path, clean.
    pub(crate) path: Vec<u8>,
    /// Whether only a directory is meant.
    pub(crate) directory: bool,
    /// The path as it was asked for.
    pub(crate) asked: &'a str,
    pub(crate) rest: &'a str,
}

/// What a path led to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Hit<'a> {
    pub(crate) candidate: Candidate<'a>,
    pub(crate) found: Found,
    /// Where it lies, links followed.
    pub(crate) path: Vec<u8>,
}

/// Every way to read `rest`, the longest path first. A name with `..` is none. Each is tried as it is, then as a listing
/// would print it, then with `\` for `/`.
pub(crate) fn candidates(rest: &str) -> Vec<Candidate<'_>> {
    let mut candidates: Vec<Candidate<'_>> = Vec::new();
    let tried = inner_cuts(rest)
        .enumerate()
        .filter(|(number, cut)| cut.path.len() <= MAX_PATH || *number < LONG_CUTS);
    for cut in tried.map(|(_, cut)| cut) {
        let printed = decoded(cut.path);
        let literal = cut.path.as_bytes();
        let forms =
            [Some((literal, Backslash::Literal)), printed.as_deref().map(|name| (name, Backslash::Literal))]
                .into_iter()
                .flatten()
                .chain([(literal, Backslash::Separates)]);
        for (name, backslash) in forms {
            let cleaned = clean(name, backslash);
            let is_new =
                candidates.last().is_none_or(|last| last.path != *cleaned.path || last.asked != cut.path);
            // The root is named by `.` and `/` alone.
            let is_root = cleaned.path.is_empty();
            let means_something = !is_root || cut.path.bytes().all(|byte| matches!(byte, b'.' | b'/'));
            if !cleaned.climbs && is_new && means_something {
                candidates.push(Candidate {
                    path: cleaned.path.into_owned(),
                    directory: cleaned.directory,
                    asked: cut.path,
                    rest: cut.rest,
                });
            }
        }
    }
    candidates
}

/// The first candidate that exists. A link that leads nowhere is an error when nothing else fits.
pub(crate) fn exact<'a>(
    archive: &dyn Archive,
    rest: &'a str,
    meter: &Meter,
) -> Result<Option<Hit<'a>>, ReadError> {
    let candidates = candidates(rest);
    // Looking at every member is quick; for each of many names it is not.
    if candidates.len() > SEARCHES {
        archive.tree().sorted();
    }
    first(archive, candidates.into_iter().map(Ok), meter)
}

/// The first candidate that exactly one path differs from in case alone.
pub(crate) fn ignoring_case<'a>(
    archive: &dyn Archive,
    rest: &'a str,
    meter: &Meter,
) -> Result<Option<Hit<'a>>, ReadError> {
    let named = candidates(rest).into_iter().filter(|candidate| !candidate.path.is_empty());
    let twins = named.take(CASE_CUTS).filter_map(|candidate| {
        let path = only_twin(archive, &candidate.path, meter).transpose()?;
        Some(path.map(|path| Candidate { path, ..candidate }))
    });
    first(archive, twins, meter)
}

fn first<'a>(
    archive: &dyn Archive,
    tried: impl Iterator<Item = Result<Candidate<'a>, ReadError>>,
    meter: &Meter,
) -> Result<Option<Hit<'a>>, ReadError> {
    let mut failed = None;
    for candidate in tried {
        let candidate = candidate?;
        meter.check()?;
        match resolve(archive, &candidate.path, candidate.directory) {
            Ok(Some((found, path))) => return Ok(Some(Hit { candidate, found, path })),
            Ok(None) => {}
            // With a selector taken off, the path may lead somewhere.
            Err(error) => failed = Some(error),
        }
    }
    failed.map_or(Ok(None), Err)
}

/// The one path, of a member or a directory, that is `asked` without regard to case.
fn only_twin(archive: &dyn Archive, asked: &[u8], meter: &Meter) -> Result<Option<Vec<u8>>, ReadError> {
    let Ok(lower) = std::str::from_utf8(asked).map(str::to_lowercase) else { return Ok(None) };
    let mut twin: Option<&[u8]> = None;
    for (number, path) in archive.tree().paths().take(CASE_COMPARED).enumerate() {
        if number % CHECKED == 0 {
            meter.check()?;
        }
        let Some(path) =
            same_depth(path, asked).filter(|path| path.len().abs_diff(asked.len()) <= asked.len())
        else {
            continue;
        };
        let equal = path.eq_ignore_ascii_case(asked)
            || (!path.is_ascii() && std::str::from_utf8(path).is_ok_and(|path| path.to_lowercase() == lower));
        if equal {
            match twin {
                Some(other) if other != path => return Ok(None),
                _ => twin = Some(path),
            }
        }
    }
    Ok(twin.map(<[u8]>::to_vec))
}

/// The beginning of `path` that has as many parts as `asked`.
fn same_depth<'a>(path: &'a [u8], asked: &[u8]) -> Option<&'a [u8]> {
    let depth = memchr::memchr_iter(b'/', asked).count();
    let mut slashes = memchr::memchr_iter(b'/', path).skip(depth);
    let end = slashes.next().unwrap_or(path.len());
    (memchr::memchr_iter(b'/', path).count() >= depth).then(|| path.get(..end)).flatten()
}

/// What lies at `path`, and its true path: links are followed, on the way and at the end.
pub(crate) fn resolve(
    archive: &dyn Archive,
    path: &[u8],
    directory_only: bool,
) -> Result<Option<(Found, Vec<u8>)>, ReadError> {
    let tree = archive.tree();
    if !tree.has_links() {
        return Ok(tree.find(path, directory_only).map(|found| (found, path.to_vec())));
    }
    tree.sorted();
    let mut here = path.to_vec();
    // The part of `here` that the last link was followed to.
    let mut reached = 0;
    for hop in 0..=MAX_HOPS {
        let found = tree.find(&here, false);
        let link = match found {
            Some(Found::Member(member)) if is_link(tree.kind(member.number)) => Some((member.number, 0)),
            Some(Found::Member(_)) if directory_only => {
                return Ok(tree.find(&here, true).map(|found| (found, here)));
            }
            Some(found) => return Ok(Some((found, here))),
            None => link_above(archive, &here),
        };
        let Some((number, kept)) = link else {
            // A link to a directory that is there leads somewhere; what is missing is something in it.
            let target = here.get(..reached).unwrap_or_default();
            let leads = hop == 0 || (reached < here.len() && tree.find(target, true).is_some());
            return if leads { Ok(None) } else { Err(dangling(path, &here)) };
        };
        // The archive may hold the directory that a link of the same name hides.
        if hop == 0 && directory_only && tree.find(&here, true).is_some() && kept == 0 {
            return Ok(Some((Found::Directory, here)));
        }
        let name = tree.path(number).to_vec();
        let target = archive.link(number)?;
        let directory = if tree.kind(number) == Kind::Hardlink { &[][..] } else { parent(&name) };
        let hard = clean(&target, Backslash::Separates);
        let mut next = if tree.kind(number) == Kind::Hardlink && !hard.climbs {
            hard.path.into_owned()
        } else {
            joined(directory, &target).ok_or_else(|| leaves(&name, &target))?
        };
        reached = next.len();
        let tail = here.get(here.len().saturating_sub(kept)..).unwrap_or_default();
        next.extend_from_slice(if next.is_empty() { tail.strip_prefix(b"/").unwrap_or(tail) } else { tail });
        here = next;
    }
    Err(ReadError::new(
        ErrorCode::SymlinkRefused,
        format!(
            "'{}' leads through more than {MAX_HOPS} links in the archive. It is not followed.",
            printed(path)
        ),
    ))
}

fn is_link(kind: Kind) -> bool {
    matches!(kind, Kind::Symlink | Kind::Hardlink)
}

/// The symbolic link among the directories that `path` names, and how many bytes of the path follow it.
fn link_above(archive: &dyn Archive, path: &[u8]) -> Option<(u32, usize)> {
    let tree = archive.tree();
    let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
    for at in slashes {
        let above = path.get(..at)?;
        match tree.find(above, false) {
            Some(Found::Member(member)) if tree.kind(member.number) == Kind::Symlink => {
                return Some((member.number, path.len().saturating_sub(at)));
            }
            _ => {}
        }
    }
    None
}

fn leaves(name: &[u8], target: &[u8]) -> ReadError {
    ReadError::new(
        ErrorCode::SymlinkRefused,
        format!(
            "'{}' is a link out of the archive, to '{}'. It is not followed.",
            printed(name),
            printed(target)
        ),
    )
}

fn dangling(name: &[u8], target: &[u8]) -> ReadError {
    ReadError::new(
        ErrorCode::NotFound,
        format!("'{}' is a link to '{}', which is not in the archive.", printed(name), printed(target)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_name_comes_first_in_each_spelling() {
        let paths = |rest| {
            candidates(rest).into_iter().map(|one| String::from_utf8(one.path).unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(paths("a/b:5"), ["a/b:5", "a/b"]);
        assert_eq!(paths("d\\n.txt"), ["d\\n.txt", "d\n.txt", "d/n.txt"]);
        assert_eq!(paths("../a"), Vec::<String>::new());
        assert_eq!(paths("a/../../f.txt:1"), Vec::<String>::new());
        assert_eq!(paths("/a//b/"), ["a/b"]);
        assert_eq!(
            (paths("./"), paths("\\:")),
            (vec![String::new()], vec!["\\:".to_owned(), ":".to_owned(), "\\".to_owned()])
        );
    }

    #[test]
    fn depth_is_counted_in_parts() {
        assert_eq!(same_depth(b"A/b/c", b"a/b"), Some(&b"A/b"[..]));
        assert_eq!(same_depth(b"A", b"a/b"), None);
        assert_eq!(same_depth(b"A/b", b"a/b"), Some(&b"A/b"[..]));
    }
}
