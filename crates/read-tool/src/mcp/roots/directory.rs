//! Directories as canonical paths, and how they lie in each other.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use read_core::{FileSystem, LocalFileSystem, decoded};

/// The path of an existing directory from `/`, no link on the way, as names joined by `/`.
pub(super) fn canonical(directory: &Path) -> Option<Vec<u8>> {
    let path = std::path::absolute(directory).ok()?;
    LocalFileSystem::builder().root(&path).build().ok()?;
    let disk = LocalFileSystem::builder().root("/").build().ok()?;
    let found = disk.resolve(path.as_os_str().as_bytes()).ok()??;
    let names = decoded(found.path()).unwrap_or_else(|| found.path().as_bytes().to_vec());
    Some(if names == b"." { Vec::new() } else { names })
}

/// Whether two paths lead to one directory.
#[cfg(feature = "cli")]
pub(crate) fn same_directory(one: &Path, other: &Path) -> bool {
    canonical(one).is_some_and(|one| canonical(other) == Some(one))
}

/// What two sets of directories have in common, in the order of `theirs`, each once.
pub(super) fn intersection(ours: &[Vec<u8>], theirs: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut common: Vec<Vec<u8>> = Vec::new();
    for their in theirs {
        for our in ours {
            let both = if below(their, our).is_some() {
                their
            } else if below(our, their).is_some() {
                our
            } else {
                continue;
            };
            if !common.contains(both) {
                common.push(both.clone());
            }
        }
    }
    common
}

/// What follows the directory `root` in `path`.
pub(super) fn below<'a>(path: &'a [u8], root: &[u8]) -> Option<&'a [u8]> {
    let rest = path.strip_prefix(root)?;
    match rest {
        [] => Some(rest),
        _ if root.is_empty() => Some(rest),
        [b'/', rest @ ..] => Some(rest),
        _ => None,
    }
}

pub(super) fn absolute(names: &[u8]) -> Vec<u8> {
    [b"/", names].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_meet_where_one_holds_the_other() {
        let paths = |text: &str| -> Vec<Vec<u8>> { text.split_whitespace().map(Into::into).collect() };
        for (ours, theirs, common) in [
            ("w", "w", "w"),
            ("w", "w/a w/b", "w/a w/b"),
            ("w/a w/b x", "w", "w/a w/b"),
            ("w", "wide", ""),
            ("w", "x y", ""),
            ("w w/a", "w/a/b", "w/a/b"),
        ] {
            assert_eq!(intersection(&paths(ours), &paths(theirs)), paths(common), "{ours} and {theirs}");
        }
        assert_eq!(intersection(&[Vec::new()], &paths("a")), paths("a"), "the root of all");
    }
}
