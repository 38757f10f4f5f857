//! Near names: what a caller may have meant by a path that does not exist.

use std::collections::VecDeque;

use read_selector::cuts;

use crate::filesystem::FileSystem;
use crate::limits::MAX_PATH;
use crate::meter::Meter;
use crate::names::printed;
use crate::source::{Entry, EntryKind};

/// Names offered at most.
const OFFERED: usize = 3;

/// Entries looked at, over all directories, in search of the same file name elsewhere.
const LOOKED_AT: usize = 2_000;

/// Entries of one directory that are looked at.
const COMPARED: usize = 200_000;

/// Pairs of letters that are compared for one name asked for. Most names are told apart by the letters that they have, and
/// those that have the likeliest ones come first.
const WORK: usize = 50_000_000;

/// Letters in which a near name may differ at most.
const MOST_ALLOWED: usize = 4;

/// Kinds of letters that are counted apart.
const KINDS: usize = 128;

/// Near names that are kept until it is known which of them may be seen.
const KEPT: usize = 64;

/// Entries that are compared between two looks at the meter.
const BETWEEN_CHECKS: usize = 1_024;

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
    let asked: Vec<char> = leaf.to_lowercase().chars().collect();
    let mut candidates: Vec<(usize, &[u8])> = Vec::new();
    for (number, entry) in entries.iter().enumerate() {
        if number % BETWEEN_CHECKS == 0 && meter.check().is_err() {
            break;
        }
        let least = least_distance(&lower(&entry.name), &asked);
        if least <= allowed(&asked) {
            candidates.push((least, &entry.name));
        }
    }
    candidates.sort_unstable();
    let mut near: Vec<(Nearness, &[u8])> = Vec::new();
    let mut left = WORK;
    for (least, name) in candidates {
        let is_enough = near.get(OFFERED - 1).is_some_and(|(third, _)| third.distance < least);
        if is_enough || left == 0 || meter.check().is_err() {
            break;
        }
        let letters = lower(name);
        left = left.saturating_sub(letters.len().saturating_mul(asked.len()));
        if let Some(nearness) = Nearness::of(&letters, &asked) {
            let at = near.partition_point(|known| *known <= (nearness, name));
            near.insert(at, (nearness, name));
            near.truncate(KEPT);
        }
    }
    let visible = near
        .into_iter()
        .map(|(_, name)| join(directory.as_bytes(), name))
        .filter(|path| is_visible(files, path));
    visible.take(OFFERED).map(|path| printed(&path).into_owned()).collect()
}

/// A name in lower case, letter by letter.
fn lower(name: &[u8]) -> Vec<char> {
    String::from_utf8_lossy(name).chars().flat_map(char::to_lowercase).collect()
}

/// Letters in which a near name may differ.
fn allowed(asked: &[char]) -> usize {
    (asked.len() / 3).clamp(1, MOST_ALLOWED)
}

/// Letters in which two names differ at least: those that one has and the other has not, in whatever order.
fn least_distance(name: &[char], asked: &[char]) -> usize {
    let mut count = [0_i32; KINDS];
    let mut add = |letters: &[char], by: i32| {
        for letter in letters {
            if let Some(kind) = count.get_mut(*letter as usize % KINDS) {
                *kind = kind.saturating_add(by);
            }
        }
    };
    add(name, 1);
    add(asked, -1);
    let over: u32 = count.iter().filter(|kind| **kind > 0).map(|kind| kind.unsigned_abs()).sum();
    let under: u32 = count.iter().filter(|kind| **kind < 0).map(|kind| kind.unsigned_abs()).sum();
    usize::try_from(over.max(under)).unwrap_or(usize::MAX)
}

/// How near a name is to the one asked for; the nearest sorts first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Nearness {
    /// Letters that are wrong, missing, too many, or swapped with the next one.
    distance: usize,
    /// Letters from the first difference to the last: of two names with as many wrong letters, that one is nearer in which
    /// they stand together.
    spread: usize,
}

impl Nearness {
    /// The nearness of two names in lower case; `None` where they are not near.
    fn of(name: &[char], asked: &[char]) -> Option<Self> {
        // What both begin and end with costs nothing.
        let same = name.iter().zip(asked).take_while(|(a, b)| a == b).count();
        let (name_end, asked_end) = (name.get(same..)?, asked.get(same..)?);
        let same = name_end.iter().rev().zip(asked_end.iter().rev()).take_while(|(a, b)| a == b).count();
        let middle = |end: &[char]| end.iter().take(end.len().saturating_sub(same)).collect::<String>();
        let spread = name_end.len().max(asked_end.len()).saturating_sub(same);
        let distance = strsim::osa_distance(&middle(name_end), &middle(asked_end));
        // Of a name of one letter, one wrong letter leaves nothing.
        let is_alike = distance == 0 || distance < name.len().max(asked.len());
        (distance <= allowed(asked) && is_alike).then_some(Self { distance, spread })
    }
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
    use proptest::prelude::*;

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

    proptest! {
        #[test]
        fn the_bound_is_one(name in "[abcé0-3]{0,12}", asked in "[abcé0-3]{0,12}") {
            let (a, b) = (lower(name.as_bytes()), lower(asked.as_bytes()));
            let distance = strsim::osa_distance(&name, &asked);
            prop_assert!(least_distance(&a, &b) <= distance);
            if let Some(nearness) = Nearness::of(&a, &b) {
                prop_assert_eq!(nearness.distance, distance);
            }
        }
    }
}
