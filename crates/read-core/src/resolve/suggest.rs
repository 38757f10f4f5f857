//! Near names: what a caller may have meant by a path that does not exist.

use std::collections::VecDeque;

use read_selector::cuts;

use super::Resolution;
use crate::error::ReadError;
use crate::filesystem::FileSystem;
use crate::limits::MAX_PATH;
use crate::meter::Meter;
use crate::names::printed;
use crate::output::{Notice, Rank};
use crate::source::{Entry, EntryKind};

/// Names offered at most.
const OFFERED: usize = 3;

/// Entries looked at, over all directories, in search of the same file name elsewhere.
const LOOKED_AT: usize = 2_000;

/// Entries of one directory that are compared by edit distance.
const COMPARED: usize = 10_000;

/// Up to three names near `path`, best first: in the same directory by case and edit distance, then the same file name
/// elsewhere in the workspace. What the policy hides is not looked at.
pub(super) fn near_names(files: &dyn FileSystem, path: &str, meter: &Meter) -> Vec<String> {
    let mut near = Vec::new();
    for cut in cuts(path).filter(|cut| cut.path.len() <= MAX_PATH) {
        for name in siblings(files, cut.path) {
            if !near.contains(&name) {
                near.push(name);
            }
        }
    }
    if near.len() < OFFERED && !path.split('/').any(|part| part == "..") {
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

fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/')
        .map_or((".", path), |(directory, leaf)| (if directory.is_empty() { "/" } else { directory }, leaf))
}

fn join(directory: &str, name: &[u8]) -> String {
    let name = printed(name);
    match directory {
        "." => name.into_owned(),
        _ => format!("{}/{name}", directory.trim_end_matches('/')),
    }
}

/// The visible entries of a directory; none where it cannot be read.
fn entries(files: &dyn FileSystem, directory: &[u8]) -> Vec<Entry> {
    let listed = || {
        let resolved = files.resolve(directory).ok()??;
        files.open(&resolved).ok()?.entries()?.list().ok()
    };
    listed().unwrap_or_default()
}

/// Whether the policy shows that name at all.
fn is_visible(files: &dyn FileSystem, directory: &str, name: &[u8]) -> bool {
    let mut path =
        if directory == "." { Vec::new() } else { directory.trim_end_matches('/').as_bytes().to_vec() };
    if directory != "." {
        path.push(b'/');
    }
    path.extend_from_slice(name);
    matches!(files.resolve(&path), Ok(Some(_)))
}

/// Names in the directory of `path` that differ from it in case or by few letters.
fn siblings(files: &dyn FileSystem, path: &str) -> Vec<String> {
    let (directory, leaf) = split(path);
    if leaf.is_empty() || path.split('/').any(|part| part == "..") {
        return Vec::new();
    }
    let lower = leaf.to_lowercase();
    let allowed = (leaf.chars().count() / 3).clamp(1, 4);
    let mut near: Vec<(usize, Vec<u8>)> = entries(files, directory.as_bytes())
        .into_iter()
        .take(COMPARED)
        .filter_map(|entry| {
            let name = String::from_utf8_lossy(&entry.name).to_lowercase();
            if name.len().abs_diff(lower.len()) > allowed * 4 {
                return None;
            }
            let distance = if name == lower { 0 } else { strsim::osa_distance(&name, &lower) };
            (distance <= allowed).then_some((distance, entry.name))
        })
        .collect();
    near.sort();
    near.retain(|(_, name)| is_visible(files, directory, name));
    near.into_iter().take(OFFERED).map(|(_, name)| join(directory, &name)).collect()
}

/// Files of that very name elsewhere, the nearest to the root first; no links followed.
fn elsewhere(files: &dyn FileSystem, leaf: &[u8], meter: &Meter) -> Vec<String> {
    let mut found = Vec::new();
    let mut looked_at = 0;
    let mut queue = VecDeque::from([".".to_owned()]);
    while let Some(directory) = queue.pop_front() {
        if meter.check().is_err() {
            break;
        }
        let mut entries = entries(files, directory.as_bytes());
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        for entry in entries {
            looked_at += 1;
            if looked_at > LOOKED_AT || found.len() >= OFFERED {
                return found;
            }
            let is_file = matches!(entry.kind, EntryKind::File(_));
            if is_file && entry.name.eq_ignore_ascii_case(leaf) && is_visible(files, &directory, &entry.name)
            {
                found.push(join(&directory, &entry.name));
            } else if entry.is_dir() && std::str::from_utf8(&entry.name).is_ok() {
                queue.push_back(join(&directory, &entry.name));
            }
        }
    }
    found
}

/// The one existing name that differs from the asked one only in Unicode form, in the kind of space or of apostrophe.
pub(super) fn unicode_twin(files: &dyn FileSystem, target: &str) -> Result<Option<Resolution>, ReadError> {
    for cut in cuts(target).filter(|cut| cut.path.len() <= MAX_PATH) {
        let (directory, leaf) = split(cut.path);
        // Plain ASCII has no other form, save for its spaces and apostrophes.
        if leaf.is_empty() || (leaf.is_ascii() && !leaf.contains([' ', '\''])) {
            continue;
        }
        let wanted = folded(leaf);
        let twins: Vec<Entry> = entries(files, directory.as_bytes())
            .into_iter()
            .filter(|entry| std::str::from_utf8(&entry.name).is_ok_and(|name| folded(name) == wanted))
            .take(2)
            .collect();
        let [twin] = twins.as_slice() else { continue };
        let mut path = if directory == "." { Vec::new() } else { directory.as_bytes().to_vec() };
        if !path.is_empty() && !path.ends_with(b"/") {
            path.push(b'/');
        }
        path.extend_from_slice(&twin.name);
        if let Some(resolved) = super::candidate(files, &path)? {
            let (actual, asked) = (printed(&path), printed(cut.path.as_bytes()));
            let notice =
                Notice::new(Rank::Opened, format!("Opened '{actual}': no file is named exactly '{asked}'"));
            return Ok(Some(Resolution { resolved, rest: cut.rest.to_owned(), notices: vec![notice] }));
        }
    }
    Ok(None)
}

/// A name with its composed characters taken apart and its spaces and apostrophes made plain.
fn folded(name: &str) -> String {
    let plain = name.chars().map(|c| match c {
        '\u{a0}' | '\u{202f}' => ' ',
        '\u{2018}' | '\u{2019}' => '\'',
        c => c,
    });
    #[cfg(feature = "unicode-names")]
    {
        use unicode_normalization::UnicodeNormalization;
        plain.nfd().collect()
    }
    #[cfg(not(feature = "unicode-names"))]
    {
        plain.collect()
    }
}
