//! Member names: how they are listed and looked up.

mod charset;
mod cp437;

use std::borrow::Cow;

pub(crate) use charset::{Charset, Legacy};
pub(crate) use cp437::from_cp437;

/// A member's name as a path in its archive: parts joined by `/`, none of them empty, `.` or `..`, nothing in front.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Cleaned<'a> {
    pub(crate) path: Cow<'a, [u8]>,
    /// Whether it ended in a separator.
    pub(crate) directory: bool,
    /// Whether it had a `..`.
    pub(crate) climbs: bool,
    /// Whether it was absolute or began with a drive.
    pub(crate) rooted: bool,
}

impl Cleaned<'_> {
    /// Whether the path is another than the name says: worth telling, save for the root itself.
    pub(crate) fn strays(&self) -> bool {
        self.climbs || if self.path.is_empty() { !self.directory } else { self.rooted }
    }
}

/// Which backslashes of a name separate its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Backslash {
    /// Every one that is a character. In a name that is no UTF-8, the byte may be the second half of a double-byte character
    /// instead, and then it separates nothing.
    Separates,
    /// None.
    Literal,
}

/// The path that a member's name means inside its archive.
pub(crate) fn clean(name: &[u8], backslash: Backslash) -> Cleaned<'_> {
    let separates = backslash == Backslash::Separates && name.contains(&b'\\');
    if !separates && is_plain(name) {
        let (path, directory) = name.strip_suffix(b"/").map_or((name, false), |path| (path, true));
        return Cleaned { path: Cow::Borrowed(path), directory, climbs: false, rooted: false };
    }
    let name = if separates { Cow::Owned(with_slashes(name)) } else { Cow::Borrowed(name) };
    let directory = name.ends_with(b"/");
    let mut rooted = name.starts_with(b"/");
    let mut climbs = false;
    let mut path = Vec::with_capacity(name.len());
    let mut parts = name.split(|byte| *byte == b'/').peekable();
    if let Some([letter, b':']) = parts.peek()
        && letter.is_ascii_alphabetic()
        && name.len() > 2
    {
        rooted = true;
        parts.next();
    }
    for part in parts {
        match part {
            b"" | b"." => {}
            b".." => climbs = true,
            part => {
                if !path.is_empty() {
                    path.push(b'/');
                }
                path.extend_from_slice(part);
            }
        }
    }
    Cleaned { path: Cow::Owned(path), directory, climbs, rooted }
}

/// Whether a name is its own path already, a separator at its end aside.
fn is_plain(name: &[u8]) -> bool {
    let path = name.strip_suffix(b"/").unwrap_or(name);
    let mut parts = path.split(|byte| *byte == b'/');
    let drive = matches!(path, [letter, b':', b'/', ..] if letter.is_ascii_alphabetic())
        || matches!(name, [letter, b':', b'/'] if letter.is_ascii_alphabetic());
    !drive && parts.all(|part| !matches!(part, b"" | b"." | b".."))
}

/// The name with `/` for every backslash that is a character of its own.
pub(crate) fn with_slashes(name: &[u8]) -> Vec<u8> {
    let is_text = std::str::from_utf8(name).is_ok();
    let mut before = 0;
    name.iter()
        .map(|byte| {
            let own = *byte == b'\\' && (is_text || before < 0x80);
            before = *byte;
            if own { b'/' } else { *byte }
        })
        .collect()
}

/// The directory that a path lies in; empty for the root.
pub(crate) fn parent(path: &[u8]) -> &[u8] {
    path.iter().rposition(|byte| *byte == b'/').and_then(|slash| path.get(..slash)).unwrap_or_default()
}

/// Where a link in `directory` leads, as a path in the archive; `None` where it leaves the archive.
pub(crate) fn joined(directory: &[u8], target: &[u8]) -> Option<Vec<u8>> {
    let target = with_slashes(target);
    let rooted = target.starts_with(b"/")
        || matches!(target.as_slice(), [letter, b':', b'/', ..] if letter.is_ascii_alphabetic());
    if rooted {
        return None;
    }
    let mut parts: Vec<&[u8]> =
        directory.split(|byte| *byte == b'/').filter(|part| !part.is_empty()).collect();
    for part in target.split(|byte| *byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join(&b'/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(name: &[u8]) -> (String, bool, bool, bool) {
        let cleaned = clean(name, Backslash::Separates);
        (
            String::from_utf8_lossy(&cleaned.path).into_owned(),
            cleaned.directory,
            cleaned.climbs,
            cleaned.rooted,
        )
    }

    fn expect(path: &str, directory: bool, climbs: bool, rooted: bool) -> (String, bool, bool, bool) {
        (path.to_owned(), directory, climbs, rooted)
    }

    #[test]
    fn names_become_paths() {
        assert_eq!(path(b"a/b.txt"), expect("a/b.txt", false, false, false));
        assert_eq!(path(b"a/"), expect("a", true, false, false));
        assert_eq!(path(b"./a//b/./c"), expect("a/b/c", false, false, false));
        assert_eq!(path(b"dir\\sub\\a.txt"), expect("dir/sub/a.txt", false, false, false));
        assert_eq!(path(b"/etc/passwd"), expect("etc/passwd", false, false, true));
        assert_eq!(path(b"..\\..\\evil"), expect("evil", false, true, false));
        assert_eq!(path(b"C:\\x\\y"), expect("x/y", false, false, true));
        assert_eq!(path(b"\\\\server\\share"), expect("server/share", false, false, true));
        assert_eq!(path(b"x:1-2"), expect("x:1-2", false, false, false));
        assert_eq!(path(b"c:/"), expect("", true, false, true));
        assert_eq!(path(b".."), expect("", false, true, false));
        assert_eq!(path(b"a..b/..c"), expect("a..b/..c", false, false, false));
    }

    #[test]
    fn the_second_byte_of_a_character_separates_nothing() {
        assert_eq!(clean(b"\x83\\\x95\\.txt", Backslash::Separates).path.as_ref(), b"\x83\\\x95\\.txt");
        assert_eq!(clean("é\\x".as_bytes(), Backslash::Separates).path.as_ref(), "é/x".as_bytes());
    }

    #[test]
    fn cleaning_is_done_once() {
        for name in ["a/b", "./a", "/a", "a\\b", "../a", "C:/C:/x", "//"] {
            let once = clean(name.as_bytes(), Backslash::Separates).path.into_owned();
            let again = clean(&once, Backslash::Separates);
            assert!(!again.climbs, "{name}");
        }
    }

    #[test]
    fn links_stay_inside_or_lead_nowhere() {
        assert_eq!(joined(b"a/b", b"../c").as_deref(), Some(&b"a/c"[..]));
        assert_eq!(joined(b"", b"x/./y/").as_deref(), Some(&b"x/y"[..]));
        assert_eq!(joined(b"a", b"../.."), None);
        assert_eq!(joined(b"a", b"/etc/passwd"), None);
        assert_eq!(joined(b"a", b"..\\..\\x"), None);
        assert_eq!(joined(b"a", b"C:\\x"), None);
    }
}
