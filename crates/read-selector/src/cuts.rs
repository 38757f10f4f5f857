//! Where a target can be cut into a path and what follows it.

use core::iter::FusedIterator;

/// One way to cut a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cut<'a> {
    /// The part to look up as a literal path; never empty.
    pub path: &'a str,
    /// What follows: without the `:` that it was cut at, but with its `?`. Empty for the whole target (and for
    /// a target that ends in `:`, cut there).
    pub rest: &'a str,
}

/// Every way to cut `target` into a path and a rest, longest path first.
///
/// The first cut is the whole target with an empty rest; the others are at each `:` or `?`, from the last to
/// the first. The rest is without the `:` it was cut at, but keeps a `?`. A Windows drive colon (one ASCII
/// letter at the very start, then `:`, then `\` or `/`) is never a cut, and no path is empty: an empty target
/// has no cut at all.
///
/// The iterator is lazy and allocates nothing; running it to its end looks at each byte once.
///
/// ```
/// let cuts: Vec<_> = read_selector::cuts("a.zip:b/c.txt:5").map(|cut| (cut.path, cut.rest)).collect();
/// assert_eq!(cuts, [("a.zip:b/c.txt:5", ""), ("a.zip:b/c.txt", "5"), ("a.zip", "b/c.txt:5")]);
///
/// let cuts: Vec<_> = read_selector::cuts("d.db?q=SELECT 1").map(|cut| (cut.path, cut.rest)).collect();
/// assert_eq!(cuts, [("d.db?q=SELECT 1", ""), ("d.db", "?q=SELECT 1")]);
/// ```
pub fn cuts(target: &str) -> Cuts<'_> {
    Cuts {
        target,
        path: Some(target).filter(|path| !path.is_empty()),
        shortest: if has_drive(target) { 2 } else { 1 },
    }
}

/// Every way to cut what stands behind a container, longest path first: as [`cuts`], save that no drive stands there.
///
/// ```
/// let cuts: Vec<_> = read_selector::inner_cuts("a:/b.txt").map(|cut| (cut.path, cut.rest)).collect();
/// assert_eq!(cuts, [("a:/b.txt", ""), ("a", "/b.txt")]);
/// ```
pub fn inner_cuts(rest: &str) -> Cuts<'_> {
    Cuts { shortest: 1, ..cuts(rest) }
}

/// The cuts of one target; see [`cuts`].
#[derive(Debug, Clone)]
pub struct Cuts<'a> {
    target: &'a str,
    /// The path of the next cut.
    path: Option<&'a str>,
    /// The least length of a path in bytes: a cut before it would leave nothing, or half a drive.
    shortest: usize,
}

impl<'a> Iterator for Cuts<'a> {
    type Item = Cut<'a>;

    fn next(&mut self) -> Option<Cut<'a>> {
        let path = self.path.take()?;
        let tail = self.target.get(path.len()..).unwrap_or_default();
        self.path = path.rfind([':', '?']).filter(|&at| at >= self.shortest).and_then(|at| path.get(..at));
        Some(Cut { path, rest: tail.strip_prefix(':').unwrap_or(tail) })
    }
}

impl FusedIterator for Cuts<'_> {}

/// Whether `target` starts with a Windows drive, as `C:\x` and `c:/x` do.
fn has_drive(target: &str) -> bool {
    matches!(target.as_bytes(), [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::cuts;
    use alloc::string::String;
    use alloc::vec::Vec;

    fn pairs(target: &str) -> Vec<(&str, &str)> {
        cuts(target).map(|cut| (cut.path, cut.rest)).collect()
    }

    #[test]
    fn whole_target_comes_first_and_alone_without_separators() {
        assert_eq!(pairs("src/a.rs"), [("src/a.rs", "")]);
    }

    #[test]
    fn longest_path_first() {
        assert_eq!(pairs("a:b:c"), [("a:b:c", ""), ("a:b", "c"), ("a", "b:c")]);
    }

    #[test]
    fn question_mark_stays_in_the_rest() {
        assert_eq!(
            pairs("d.db:t?limit=5:x"),
            [
                ("d.db:t?limit=5:x", ""),
                ("d.db:t?limit=5", "x"),
                ("d.db:t", "?limit=5:x"),
                ("d.db", "t?limit=5:x")
            ]
        );
        assert_eq!(pairs("a:?b"), [("a:?b", ""), ("a:", "?b"), ("a", "?b")]);
    }

    #[test]
    fn no_path_is_empty() {
        assert_eq!(pairs(""), []);
        assert_eq!(pairs(":"), [(":", "")]);
        assert_eq!(pairs("?q=1"), [("?q=1", "")]);
        assert_eq!(pairs("::"), [("::", ""), (":", "")]);
    }

    #[test]
    fn trailing_colon_leaves_an_empty_rest() {
        assert_eq!(pairs("a.rs:"), [("a.rs:", ""), ("a.rs", "")]);
    }

    #[test]
    fn drive_colon_is_no_cut() {
        assert_eq!(pairs(r"C:\x:5"), [(r"C:\x:5", ""), (r"C:\x", "5")]);
        assert_eq!(pairs("c:/x"), [("c:/x", "")]);
        // Only one letter at the very start, with a slash behind it, is a drive.
        assert_eq!(pairs("ab:/x"), [("ab:/x", ""), ("ab", "/x")]);
        assert_eq!(pairs("1:/x"), [("1:/x", ""), ("1", "/x")]);
        assert_eq!(pairs("c:5"), [("c:5", ""), ("c", "5")]);
        assert_eq!(pairs("c:"), [("c:", ""), ("c", "")]);
        assert_eq!(pairs("é:/x"), [("é:/x", ""), ("é", "/x")]);
    }

    #[test]
    fn every_separator_of_a_long_target_is_one_cut() {
        let target: String = core::iter::repeat_n(':', 1 << 16).collect();
        assert_eq!(cuts(&target).count(), 1 << 16);
    }

    #[test]
    fn ends_for_good() {
        let mut cuts = cuts("a");
        assert!(cuts.next().is_some());
        assert_eq!((cuts.next(), cuts.next()), (None, None));
    }
}
