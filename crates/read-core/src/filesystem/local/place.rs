//! Paths as sequences of names, taken apart without looking at the disk.

/// What a place is counted from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Base {
    /// The root of that number.
    Root(usize),
    /// `/`: outside the workspace, or no workspace at all.
    Slash,
}

/// A place without links, `.` or `..` in its path: names joined by `/`, none in front, empty for the base itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) base: Base,
    pub(super) names: Vec<u8>,
}

impl Place {
    pub(super) fn new(base: Base, names: impl Into<Vec<u8>>) -> Self {
        Self { base, names: names.into() }
    }

    /// The place of `name` in this directory.
    pub(super) fn join(&self, name: &[u8]) -> Self {
        let mut names = Vec::with_capacity(self.names.len().saturating_add(name.len()).saturating_add(1));
        names.extend_from_slice(&self.names);
        push(&mut names, name);
        Self { base: self.base, names }
    }
}

/// Appends `name` to joined names.
pub(super) fn push(names: &mut Vec<u8>, name: &[u8]) {
    if !names.is_empty() {
        names.push(b'/');
    }
    names.extend_from_slice(name);
}

/// Takes the last name off; whether there was one.
pub(super) fn pop(names: &mut Vec<u8>) -> bool {
    let there_was = !names.is_empty();
    names.truncate(names.iter().rposition(|byte| *byte == b'/').unwrap_or(0));
    there_was
}

/// The last name, empty when there is none.
pub(super) fn leaf(names: &[u8]) -> &[u8] {
    names.rsplit(|byte| *byte == b'/').next().unwrap_or_default()
}

/// The directory's names and the last name.
pub(super) fn split(names: &[u8]) -> (&[u8], &[u8]) {
    let leaf = leaf(names);
    let directory = names.get(..names.len().saturating_sub(leaf.len().saturating_add(1))).unwrap_or_default();
    (directory, leaf)
}

/// The names in `path`, `..` among them; empty ones and `.` are not.
pub(super) fn parts(path: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    path.split(|byte| *byte == b'/').filter(|part| !part.is_empty() && *part != b".")
}

/// The joined names that `path` spells, `..` taking the name before it away; `None` when it climbs above its start.
pub(super) fn cleaned(path: &[u8]) -> Option<Vec<u8>> {
    let mut names = Vec::with_capacity(path.len());
    for part in parts(path) {
        if part != b".." {
            push(&mut names, part);
        } else if !pop(&mut names) {
            return None;
        }
    }
    Some(names)
}

/// The same where nothing lies above the start, as above `/`.
pub(super) fn cleaned_from_slash(path: &[u8]) -> Vec<u8> {
    let mut names = Vec::with_capacity(path.len());
    for part in parts(path) {
        if part == b".." {
            pop(&mut names);
        } else {
            push(&mut names, part);
        }
    }
    names
}

/// What follows `directory` in `names`: empty for the directory itself, `None` for what does not lie in it.
pub(super) fn below<'a>(names: &'a [u8], directory: &[u8]) -> Option<&'a [u8]> {
    if directory.is_empty() {
        return Some(names);
    }
    match names.strip_prefix(directory)? {
        [] => Some(&[]),
        [b'/', rest @ ..] => Some(rest),
        _ => None,
    }
}

/// Joined names as an absolute path.
pub(super) fn absolute(names: &[u8]) -> Vec<u8> {
    [b"/", names].concat()
}

/// Each leading part of joined names that ends with a name, the shortest first, the whole last.
pub(super) fn prefixes(names: &[u8]) -> impl Iterator<Item = &[u8]> {
    let ends = names.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
    ends.chain((!names.is_empty()).then_some(names.len())).filter_map(|end| names.get(..end))
}

/// Whether a path can only mean a directory: it ends in `/`, `.` or `..`.
pub(super) fn means_directory(path: &[u8]) -> bool {
    matches!(path.rsplit(|byte| *byte == b'/').next(), Some(b"" | b"." | b".."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_cleaned_and_never_climb() {
        for (path, clean) in [
            (&b"a/b"[..], Some(&b"a/b"[..])),
            (b"./a//b/.", Some(b"a/b")),
            (b"a/../b", Some(b"b")),
            (b"a/..", Some(b"")),
            (b".", Some(b"")),
            (b"..", None),
            (b"../a", None),
            (b"a/../../a", None),
            (b"...", Some(b"...")),
        ] {
            assert_eq!(cleaned(path).as_deref(), clean, "{}", path.escape_ascii());
        }
        assert_eq!(cleaned_from_slash(b"/../a/../../b"), b"b");
    }

    #[test]
    fn names_are_compared_whole() {
        assert_eq!(below(b"ab/c", b"ab"), Some(&b"c"[..]));
        assert_eq!(below(b"abc", b"ab"), None);
        assert_eq!(below(b"ab", b"ab"), Some(&b""[..]));
        assert_eq!(below(b"ab", b""), Some(&b"ab"[..]));
    }

    #[test]
    fn prefixes_end_with_the_whole() {
        assert_eq!(prefixes(b"a/b/c").collect::<Vec<_>>(), [&b"a"[..], b"a/b", b"a/b/c"]);
        assert_eq!(prefixes(b"").count(), 0);
        assert_eq!(split(b"a/b/c"), (&b"a/b"[..], &b"c"[..]));
        assert_eq!(split(b"c"), (&b""[..], &b"c"[..]));
    }
}
