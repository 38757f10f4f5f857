//! Near names: what a caller may have meant by a path that does not exist.

use std::collections::VecDeque;

use read_selector::cuts;

use crate::filesystem::FileSystem;
use crate::limits::MAX_PATH;
use crate::meter::Meter;
use crate::names::printed;
use crate::near::Near;
use crate::source::{Entry, EntryKind};

/// Names offered at most.
const OFFERED: usize = 3;

/// Entries looked at, over all directories, in search of the same file name elsewhere.
const LOOKED_AT: usize = 2_000;

/// Entries of one directory that are looked at.
const COMPARED: usize = 200_000;

/// Ways to cut a missing target for which near names are looked for: a target full of colons is no reason to list a
/// directory a thousand times.
const CUTS: usize = 4;

/// Up to three names near `path`, best first: in the same directory by case and edit distance, then the same file name
/// elsewhere in the workspace. What the policy hides is not looked at, nor is anything outside.
pub(super) fn near_names(files: &dyn FileSystem, path: &str, meter: &Meter) -> Vec<String> {
    let mut near: Vec<String> = Vec::new();
    if path.split('/').any(|part| part == "..") {
        return near;
    }
    let mut listed: Option<(&str, Vec<Entry>)> = None;
    for cut in cuts(path).filter(|cut| cut.path.len() <= MAX_PATH).take(CUTS) {
        let (directory, leaf) = split(cut.path);
        if listed.as_ref().is_none_or(|(known, _)| *known != directory) {
            listed = Some((directory, entries(files, directory.as_bytes(), COMPARED)));
        }
        let Some((_, entries)) = &listed else { continue };
        let found = siblings(files, directory, leaf, entries, meter);
        near.extend(found.into_iter().filter(|name| !near.contains(name)).collect::<Vec<_>>());
    }
    if near.len() < OFFERED {
        let leaf = path.rsplit('/').next().unwrap_or_default();
        for name in elsewhere(files, leaf.as_bytes(), meter) {
            if !near.contains(&name) {
                near.push(name);
            }
        }
    }
    near.truncate(OFFERED);
    near
}

/// A path's directory and its last name.
pub(super) fn split(path: &str) -> (&str, &str) {
    let (directory, leaf) = path.rsplit_once('/').unwrap_or((".", path));
    (if directory.is_empty() { "/" } else { directory }, leaf)
}

/// The path of `name` in a directory.
pub(super) fn join(directory: &[u8], name: &[u8]) -> Vec<u8> {
    match directory {
        b"." => name.to_vec(),
        _ => [directory.strip_suffix(b"/").unwrap_or(directory), b"/", name].concat(),
    }
}

/// At most `max` visible entries of a directory of the workspace; none where it cannot be read.
pub(super) fn entries(files: &dyn FileSystem, directory: &[u8], max: usize) -> Vec<Entry> {
    let listed = || {
        let resolved = files.resolve(directory).ok()??;
        if !resolved.is_contained() {
            return None;
        }
        files.open(&resolved).ok()?.entries()?.peek(max).ok()
    };
    listed().unwrap_or_default()
}

fn is_visible(files: &dyn FileSystem, path: &[u8]) -> bool {
    matches!(files.resolve(path), Ok(Some(_)))
}

/// Names in a directory that differ from `leaf` in case or by few letters.
fn siblings(
    files: &dyn FileSystem,
    directory: &str,
    leaf: &str,
    entries: &[Entry],
    meter: &Meter,
) -> Vec<String> {
    if leaf.is_empty() {
        return Vec::new();
    }
    let near = Near::new(leaf, Some(meter)).among(entries.iter().map(|entry| &entry.name));
    let visible = near
        .ranked()
        .map(|(name, _)| join(directory.as_bytes(), name))
        .filter(|path| is_visible(files, path));
    visible.take(OFFERED).map(|path| printed(&path).into_owned()).collect()
}

/// Files of that very name elsewhere, the nearest to a root first; no links followed.
fn elsewhere(files: &dyn FileSystem, leaf: &[u8], meter: &Meter) -> Vec<String> {
    let mut found = Vec::new();
    let mut looked_at = 0;
    let mut queue: VecDeque<Vec<u8>> = files.roots().into();
    while let Some(directory) = queue.pop_front() {
        if meter.check().is_err() {
            break;
        }
        let mut entries = entries(files, &directory, LOOKED_AT.saturating_sub(looked_at));
        looked_at += entries.len();
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        for entry in entries {
            let path = join(&directory, &entry.name);
            let is_file = matches!(entry.kind, EntryKind::File(_));
            if is_file && entry.name.eq_ignore_ascii_case(leaf) && is_visible(files, &path) {
                found.push(printed(&path).into_owned());
                if found.len() >= OFFERED {
                    return found;
                }
            } else if entry.is_dir() {
                queue.push_back(path);
            }
        }
        if looked_at >= LOOKED_AT {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryFileSystem;

    fn near(files: &MemoryFileSystem, path: &str) -> Vec<String> {
        near_names(files, path, &Meter::unbounded())
    }

    #[test]
    fn the_nearest_of_very_many_names_is_found() {
        let files = MemoryFileSystem::new();
        (0..30_000).for_each(|n| files.insert(format!("f{n}.txt"), ""));
        assert_eq!(near(&files, "f12345.tx").first().map(String::as_str), Some("f12345.txt"));
        assert_eq!(near(&files, "f29999.txr").first().map(String::as_str), Some("f29999.txt"));
        assert_eq!(near(&files, "f20991.TXT").first().map(String::as_str), Some("f20991.txt"));
    }

    #[test]
    fn nothing_in_common_is_not_near() {
        let files = MemoryFileSystem::new().with("d", "").with("ab", "").with("x y", "");
        for odd in ["?", "-", ":", " ", "q"] {
            assert_eq!(near(&files, odd), [""; 0], "{odd:?}");
        }
        assert_eq!(near(&files, "D"), ["d"]);
        assert_eq!(near(&files, "a"), ["ab"]);
        assert_eq!(near(&files, "ba"), ["ab"]);
    }
}
