//! Twins: names that differ only in their Unicode form, in the kind of space or of apostrophe. What a model copies from a
//! screen is not always what the disk has.

use read_selector::cuts;

use super::candidate;
use super::suggest::{entries, join};
use crate::error::ReadError;
use crate::filesystem::FileSystem;
use crate::limits::MAX_PATH;
use crate::names::printed;
use crate::output::{Notice, Rank};
use crate::resolution::{Origin, Resolution};

/// Ways to cut a target for which twins are looked for.
const CUTS: usize = 4;

/// The one existing path of which each name is the asked one or its only twin.
pub(super) fn find(files: &dyn FileSystem, target: &str) -> Result<Option<Resolution>, ReadError> {
    for cut in cuts(target).filter(|cut| cut.path.len() <= MAX_PATH).take(CUTS) {
        // A name that is refused stays refused, whatever looks like it.
        if !has_twins(cut.path) || files.resolve(cut.path.as_bytes()).is_err() {
            continue;
        }
        let Some(path) = path(files, cut.path)? else { continue };
        if let Some(resolved) = candidate(files, &path)? {
            let (actual, asked) = (printed(&path), printed(cut.path.as_bytes()));
            let notice =
                Notice::new(Rank::Opened, format!("Opened '{actual}': no file is named exactly '{asked}'"));
            let mut resolution = Resolution::of(Origin::File(resolved), cut.rest);
            resolution.notices.push(notice);
            resolution.exact = false;
            return Ok(Some(resolution));
        }
    }
    Ok(None)
}

/// Plain ASCII has no other form, save for its spaces and apostrophes.
fn has_twins(name: &str) -> bool {
    !name.is_ascii() || name.contains([' ', '\''])
}

/// The path with each name that does not exist replaced by its twin; `None` where one has none, or several.
fn path(files: &dyn FileSystem, asked: &str) -> Result<Option<Vec<u8>>, ReadError> {
    let mut path = if asked.starts_with('/') { b"/".to_vec() } else { b".".to_vec() };
    for part in asked.split('/').filter(|part| !part.is_empty() && *part != ".") {
        let literal = join(&path, part.as_bytes());
        if part == ".." || candidate(files, &literal)?.is_some() {
            path = literal;
            continue;
        }
        if !has_twins(part) {
            return Ok(None);
        }
        let wanted = folded(part);
        let is_twin = |name: &[u8]| std::str::from_utf8(name).is_ok_and(|name| folded(name) == wanted);
        let mut twins = entries(files, &path, usize::MAX).into_iter().filter(|entry| is_twin(&entry.name));
        let (Some(twin), None) = (twins.next(), twins.next()) else { return Ok(None) };
        path = join(&path, &twin.name);
    }
    Ok(Some(path))
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
