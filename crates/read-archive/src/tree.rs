//! The members of one archive as a tree of directories, whatever order they lie in. Once their paths are sorted a
//! directory is a range of them, and is listed and looked up without a walk over its archive. One member is found faster
//! by looking at them all, so that they are sorted when that is worth it.

use std::sync::OnceLock;

use read_core::{ErrorCode, ReadError, size};

use crate::limits::MAX_INDEX;

/// What a member is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Directory,
    /// A symbolic link: its target is relative to its own directory.
    Symlink,
    /// A hard link: its target is a path in the archive.
    Hardlink,
    /// A device or the like.
    Special(Special),
    /// A member that no path leads to: its name is nothing but `..` and the like.
    Unnamed,
}

/// Members that have no content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Special {
    Device,
    Fifo,
    Socket,
}

impl Special {
    /// What a listing calls it.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Device => "device",
            Self::Fifo => "FIFO",
            Self::Socket => "socket",
        }
    }
}

/// Where a text lies in the tree's store of texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    start: u32,
    len: u32,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    path: Span,
    kind: Kind,
    /// Whether the path is not what the member is named. One that is wins over one that is not.
    cleaned: bool,
}

/// The members that share one path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    /// The one that wins: the last.
    pub(crate) number: u32,
    /// How many there are.
    pub(crate) sharing: u32,
}

/// What a path leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Member(Member),
    Directory,
}

/// One name in a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Child<'a> {
    pub(crate) name: &'a [u8],
    pub(crate) found: Found,
}

/// The members, numbered as they were added.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    texts: Vec<u8>,
    nodes: Vec<Node>,
    /// Numbers of the members that have paths, by path.
    order: OnceLock<Box<[u32]>>,
    /// The names of members whose path is another, by number.
    named: Vec<(u32, Span)>,
    /// Bytes that the archive keeps of its members beside the tree.
    beside: u64,
    has_links: bool,
}

/// The true path of a member that was added under another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Renamed {
    pub(crate) number: u32,
    pub(crate) path: Span,
    /// What its archive calls it, where that is not its path.
    pub(crate) named: Option<Span>,
}

impl Tree {
    /// Makes room for `count` members.
    pub(crate) fn reserve(&mut self, count: usize) {
        self.nodes.reserve(count);
    }

    /// Keeps a text for a path that is added later, or for anything else.
    pub(crate) fn store(&mut self, text: &[u8]) -> Result<Span, ReadError> {
        let start = u32::try_from(self.texts.len()).map_err(|_| too_large(self.nodes.len()))?;
        let len = u32::try_from(text.len()).map_err(|_| too_large(self.nodes.len()))?;
        if self.weight().saturating_add(u64::from(len)) > MAX_INDEX {
            return Err(too_large(self.nodes.len()));
        }
        self.texts.extend_from_slice(text);
        Ok(Span { start, len })
    }

    /// The text that was kept.
    pub(crate) fn text(&self, span: Span) -> &[u8] {
        let start = span.start as usize;
        self.texts.get(start..start.saturating_add(span.len as usize)).unwrap_or_default()
    }

    /// The first `len` bytes of a text.
    pub(crate) fn cut(span: Span, len: usize) -> Span {
        Span { len: span.len.min(u32::try_from(len).unwrap_or(u32::MAX)), ..span }
    }

    /// Counts `bytes` that the archive keeps beside the tree.
    pub(crate) fn keep(&mut self, bytes: u64) -> Result<(), ReadError> {
        self.beside = self.beside.saturating_add(bytes);
        if self.weight() > MAX_INDEX { Err(too_large(self.nodes.len())) } else { Ok(()) }
    }

    /// Adds the next member under `path`; `named` is what its archive calls it, where that is not its path.
    pub(crate) fn add(&mut self, path: Span, kind: Kind, named: Option<Span>) {
        let number = self.len();
        let kind = if path.len == 0 { Kind::Unnamed } else { kind };
        self.has_links |= matches!(kind, Kind::Symlink | Kind::Hardlink);
        self.nodes.push(Node { path, kind, cleaned: named.is_some() });
        if let Some(named) = named {
            self.named.push((number, named));
        }
    }

    /// Puts members under other paths; they come by number. Whoever adds or renames ends with [`seal`](Self::seal).
    pub(crate) fn rename(&mut self, renamed: &[Renamed]) {
        for one in renamed {
            if let Some(node) = self.nodes.get_mut(one.number as usize) {
                node.path = one.path;
                node.cleaned = one.named.is_some();
                node.kind = if one.path.len == 0 { Kind::Unnamed } else { node.kind };
            }
        }
        self.named.retain(|(number, _)| renamed.binary_search_by_key(number, |one| one.number).is_err());
        self.named.extend(renamed.iter().filter_map(|one| Some((one.number, one.named?))));
        self.named.sort_unstable_by_key(|(number, _)| *number);
    }

    /// Ends an addition of members.
    pub(crate) fn seal(&mut self) {
        self.order = OnceLock::new();
        self.texts.shrink_to_fit();
        self.nodes.shrink_to_fit();
        self.named.shrink_to_fit();
    }

    /// The members by path. Of those that share a path, the ones whose names had to be cleaned come first; otherwise they
    /// keep the order of the archive. So the last of a path is the one that wins.
    pub(crate) fn sorted(&self) -> &[u32] {
        self.order.get_or_init(|| {
            let is_named_so = |number: u32| self.node(number).is_some_and(|node| !node.cleaned);
            let mut order: Vec<u32> =
                (0..self.len()).filter(|number| self.kind(*number) != Kind::Unnamed).collect();
            order.sort_by(|a, b| {
                self.path(*a).cmp(self.path(*b)).then_with(|| is_named_so(*a).cmp(&is_named_so(*b)))
            });
            order.into()
        })
    }

    /// How many members were added.
    pub(crate) fn len(&self) -> u32 {
        u32::try_from(self.nodes.len()).unwrap_or(u32::MAX)
    }

    /// Whether any member is a link.
    pub(crate) fn has_links(&self) -> bool {
        self.has_links
    }

    /// How many members are not listed, because their names lead nowhere. (The root itself is no loss.)
    pub(crate) fn unnamed(&self) -> usize {
        self.named.iter().filter(|(number, _)| self.kind(*number) == Kind::Unnamed).count()
    }

    /// The bytes of memory that this takes, and what is kept beside it.
    pub(crate) fn weight(&self) -> u64 {
        let named = self.named.len() * size_of::<(u32, Span)>();
        let own = self.texts.len() + self.nodes.len() * (size_of::<Node>() + size_of::<u32>()) + named;
        self.beside.saturating_add(own as u64)
    }

    fn node(&self, number: u32) -> Option<&Node> {
        self.nodes.get(number as usize)
    }

    /// What a member is.
    pub(crate) fn kind(&self, number: u32) -> Kind {
        self.node(number).map_or(Kind::Unnamed, |node| node.kind)
    }

    /// The path of a member.
    pub(crate) fn path(&self, number: u32) -> &[u8] {
        self.node(number).map(|node| self.text(node.path)).unwrap_or_default()
    }

    /// What its archive calls a member, where that is not its path.
    pub(crate) fn named(&self, number: u32) -> Option<&[u8]> {
        let at = self.named.binary_search_by_key(&number, |(number, _)| *number).ok()?;
        self.named.get(at).map(|(_, name)| self.text(*name))
    }

    /// What lies at `path`, which is clean; the root is empty. A file wins over a directory of the same path, unless only
    /// a directory is wanted.
    pub(crate) fn find(&self, path: &[u8], directory_only: bool) -> Option<Found> {
        if path.is_empty() {
            return Some(Found::Directory);
        }
        if self.order.get().is_none() {
            return self.search(path, directory_only);
        }
        let group = self.group_from(self.lower_bound(path), path);
        if !directory_only && let Some(member) = self.winner(group) {
            return Some(Found::Member(member));
        }
        (!group.is_empty() && group.iter().any(|number| self.kind(*number) == Kind::Directory)
            || self.has_below(path))
        .then_some(Found::Directory)
    }

    /// The same by looking at every member.
    fn search(&self, path: &[u8], directory_only: bool) -> Option<Found> {
        let mut is_directory = false;
        let mut cleaned = None;
        let mut named_so = None;
        let mut sharing = 0;
        for (number, node) in (0..).zip(&self.nodes) {
            if (node.path.len as usize) < path.len() {
                continue;
            }
            match self.text(node.path).strip_prefix(path) {
                Some([]) if node.kind == Kind::Directory => is_directory = true,
                Some([]) => {
                    sharing += 1;
                    *if node.cleaned { &mut cleaned } else { &mut named_so } = Some(number);
                }
                Some([b'/', ..]) => is_directory = true,
                _ => {}
            }
        }
        let member = named_so
            .or(cleaned)
            .filter(|_| !directory_only)
            .map(|number| Found::Member(Member { number, sharing }));
        member.or_else(|| is_directory.then_some(Found::Directory))
    }

    /// The members of `path` that are no directories, as the one that wins.
    fn winner(&self, group: &[u32]) -> Option<Member> {
        let mut files = group.iter().filter(|number| self.kind(**number) != Kind::Directory);
        let sharing = u32::try_from(files.clone().count()).unwrap_or(u32::MAX);
        files.next_back().map(|number| Member { number: *number, sharing })
    }

    /// Whether any path lies below `path`.
    fn has_below(&self, path: &[u8]) -> bool {
        let below = with_separator(path);
        self.sorted()
            .get(self.lower_bound(&below))
            .is_some_and(|number| self.path(*number).starts_with(&below))
    }

    fn lower_bound(&self, path: &[u8]) -> usize {
        self.sorted().partition_point(|number| self.path(*number) < path)
    }

    /// The members of exactly `path`, which begin at `start` if there are any.
    fn group_from(&self, start: usize, path: &[u8]) -> &[u32] {
        let rest = self.sorted().get(start..).unwrap_or_default();
        let len = rest.iter().take_while(|number| self.path(**number) == path).count();
        rest.get(..len).unwrap_or_default()
    }

    /// The names in a directory, each once (twice where it is both a file and a directory).
    pub(crate) fn children(&self, directory: &[u8]) -> Children<'_> {
        let prefix = if directory.is_empty() { Vec::new() } else { with_separator(directory) };
        Children { tree: self, at: self.lower_bound(&prefix), prefix, pending: None }
    }

    /// The paths of the same directory that begin with `path` and go on, in no order.
    pub(crate) fn beside<'a>(&'a self, path: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
        let sorted = self.order.get().map(|order| {
            let from = self.lower_bound(path);
            order.get(from..).unwrap_or_default().iter().map(|number| self.path(*number))
        });
        let unsorted = self.nodes.iter().filter(|_| self.order.get().is_none());
        let sorted = sorted.into_iter().flatten().take_while(move |other| other.starts_with(path));
        sorted.chain(unsorted.map(|node| self.text(node.path))).filter(move |other| {
            other.strip_prefix(path).is_some_and(|rest| !rest.is_empty() && !rest.contains(&b'/'))
        })
    }

    /// Every path, in order; a path that several members share comes as often.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &[u8]> {
        self.sorted().iter().map(|number| self.path(*number))
    }

    /// Where the paths that begin with `prefix` end, from `start` on. Looks ahead in growing steps: most directories are
    /// small.
    fn end_of(&self, prefix: &[u8], start: usize) -> usize {
        let inside =
            |at: usize| self.sorted().get(at).is_some_and(|number| self.path(*number).starts_with(prefix));
        let mut step = 1;
        let mut low = start;
        while inside(low.saturating_add(step)) {
            low = low.saturating_add(step);
            step = step.saturating_mul(2);
        }
        let high = low.saturating_add(step).min(self.sorted().len());
        let span = self.sorted().get(low..high).unwrap_or_default();
        low.saturating_add(span.partition_point(|number| self.path(*number).starts_with(prefix)))
    }
}

/// See [`Tree::children`].
pub(crate) struct Children<'a> {
    tree: &'a Tree,
    prefix: Vec<u8>,
    at: usize,
    /// A file of the same name as the directory that was just given.
    pending: Option<Child<'a>>,
}

impl<'a> Iterator for Children<'a> {
    type Item = Child<'a>;

    fn next(&mut self) -> Option<Child<'a>> {
        if let Some(child) = self.pending.take() {
            return Some(child);
        }
        loop {
            let tree = self.tree;
            let path = tree.path(*tree.sorted().get(self.at)?);
            let rest = path.strip_prefix(self.prefix.as_slice())?;
            if let Some(slash) = rest.iter().position(|byte| *byte == b'/') {
                let name = rest.get(..slash).unwrap_or_default();
                let below =
                    path.get(..self.prefix.len().saturating_add(slash).saturating_add(1)).unwrap_or_default();
                self.at = tree.end_of(below, self.at);
                return Some(Child { name, found: Found::Directory });
            }
            let group = tree.group_from(self.at, path);
            self.at = self.at.saturating_add(group.len().max(1));
            let file = tree.winner(group).map(|member| Child { name: rest, found: Found::Member(member) });
            let is_directory = group.iter().any(|number| tree.kind(*number) == Kind::Directory);
            // A directory that has members is given where they are.
            if is_directory && !tree.has_below(path) {
                self.pending = file;
                return Some(Child { name: rest, found: Found::Directory });
            }
            if file.is_some() {
                return file;
            }
        }
    }
}

fn with_separator(path: &[u8]) -> Vec<u8> {
    let mut path = path.to_vec();
    path.push(b'/');
    path
}

fn too_large(members: usize) -> ReadError {
    ReadError::new(
        ErrorCode::TooLarge,
        format!(
            "The archive has more members than can be indexed: {members} of them took {}.",
            size(MAX_INDEX)
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    /// What is found, sorted or not.
    fn find(tree: &Tree, path: &str, directory_only: bool) -> Option<Found> {
        let found = tree.find(path.as_bytes(), directory_only);
        if !path.is_empty() {
            assert_eq!(tree.search(path.as_bytes(), directory_only), found, "{path}");
        }
        found
    }

    fn tree(members: &[(&str, Kind)]) -> Tree {
        let mut tree = Tree::default();
        for (path, kind) in members {
            let span = tree.store(path.as_bytes()).unwrap();
            tree.add(span, *kind, None);
        }
        tree.seal();
        tree.sorted();
        tree
    }

    fn names(tree: &Tree, directory: &str) -> Vec<String> {
        let shown = tree.children(directory.as_bytes()).map(|child| {
            let name = String::from_utf8_lossy(child.name).into_owned();
            if child.found == Found::Directory { format!("{name}/") } else { name }
        });
        let mut shown: Vec<_> = shown.collect();
        shown.sort();
        shown
    }

    #[test]
    fn directories_are_inferred_and_given_once() {
        let tree = tree(&[
            ("a", Kind::Directory),
            ("a.txt", Kind::File),
            ("a/b/c", Kind::File),
            ("a/d", Kind::File),
            ("e", Kind::Directory),
            ("a-z", Kind::File),
        ]);
        assert_eq!(names(&tree, ""), ["a-z", "a.txt", "a/", "e/"]);
        assert_eq!(names(&tree, "a"), ["b/", "d"]);
        assert_eq!(names(&tree, "e"), Vec::<String>::new());
        assert_eq!(find(&tree, "a/b", false), Some(Found::Directory));
        assert_eq!(find(&tree, "a/b/", false), None);
        assert_eq!(find(&tree, "a/x", false), None);
    }

    #[test]
    fn the_last_of_a_path_wins_and_a_true_name_over_a_cleaned_one() {
        let mut tree = Tree::default();
        for named in [None, Some(&b"../x"[..])] {
            let path = tree.store(b"x").unwrap();
            let named = named.map(|name| tree.store(name).unwrap());
            tree.add(path, Kind::File, named);
        }
        tree.seal();
        tree.sorted();
        assert_eq!(find(&tree, "x", false), Some(Found::Member(Member { number: 0, sharing: 2 })));
        assert_eq!(tree.named(1), Some(&b"../x"[..]));
    }

    #[test]
    fn members_are_renamed_with_what_they_are_called() {
        let mut tree = tree(&[("a", Kind::File), ("b", Kind::File), ("c", Kind::File)]);
        let (path, name) = (tree.store(b"z").unwrap(), tree.store(b"/z").unwrap());
        tree.rename(&[Renamed { number: 1, path, named: Some(name) }]);
        tree.seal();
        assert_eq!(names(&tree, ""), ["a", "c", "z"]);
        assert_eq!((tree.named(1), tree.named(0)), (Some(&b"/z"[..]), None));
        tree.rename(&[Renamed { number: 1, path, named: None }]);
        tree.seal();
        assert_eq!(tree.named(1), None);
    }

    #[test]
    fn whatever_is_kept_counts() {
        let mut tree = Tree::default();
        tree.keep(MAX_INDEX - 1_000).unwrap();
        assert!(tree.store(&[b'x'; 1_001]).is_err());
        tree.store(&[b'x'; 900]).unwrap();
        assert_eq!(tree.keep(101).unwrap_err().code(), ErrorCode::TooLarge);
    }

    #[test]
    fn a_file_and_a_directory_of_one_path_are_both_there() {
        let tree = tree(&[("a", Kind::File), ("a/b", Kind::File), ("c", Kind::File), ("c", Kind::Directory)]);
        assert_eq!(names(&tree, ""), ["a", "a/", "c", "c/"]);
        assert!(matches!(find(&tree, "a", false), Some(Found::Member(_))));
        assert_eq!(find(&tree, "a", true), Some(Found::Directory));
        assert_eq!(find(&tree, "c", true), Some(Found::Directory));
    }

    proptest! {
        #[test]
        fn every_path_is_found_by_walking_down(paths in proptest::collection::vec("[ab./]{1,6}", 0..40)) {
            let mut tree = Tree::default();
            let mut wanted = BTreeSet::new();
            for path in &paths {
                let cleaned = super::super::names::clean(path.as_bytes(), super::super::names::Backslash::Separates);
                let span = tree.store(&cleaned.path).unwrap();
                tree.add(span, Kind::File, None);
                if !cleaned.path.is_empty() {
                    wanted.insert(cleaned.path.into_owned());
                }
            }
            tree.seal();
            let mut walked = BTreeSet::new();
            let mut queue = vec![Vec::new()];
            while let Some(directory) = queue.pop() {
                let mut seen = BTreeSet::new();
                for child in tree.children(&directory) {
                    let mut path = directory.clone();
                    if !path.is_empty() {
                        path.push(b'/');
                    }
                    path.extend_from_slice(child.name);
                    prop_assert!(seen.insert((child.name.to_vec(), child.found == Found::Directory)));
                    let directory = child.found == Found::Directory;
                    prop_assert_eq!(tree.find(&path, directory), Some(child.found));
                    prop_assert_eq!(tree.search(&path, directory), Some(child.found));
                    if child.found == Found::Directory { queue.push(path); } else { walked.insert(path); }
                }
            }
            prop_assert_eq!(walked, wanted);
        }
    }
}
