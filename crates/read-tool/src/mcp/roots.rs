//! The roots that a client names: they narrow the host's workspace, and never widen it.

use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use read_core::{ErrorCode, FileSystem, Guard, LocalFileSystem, ReadError, decoded, shortened};

use crate::ReadTool;

/// What is left of a workspace after a client has named its roots, for the host to build a tool over.
#[derive(Clone)]
pub struct Narrowed {
    /// The roots, at least one. Relative paths are of the first.
    pub roots: Vec<PathBuf>,
    /// The host's rules, which go on meaning paths as they lie in the host's own roots. Give it to the file system and to
    /// the tool.
    pub guard: Arc<dyn Guard>,
}

impl fmt::Debug for Narrowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Narrowed").field("roots", &self.roots).finish_non_exhaustive()
    }
}

type Build = dyn Fn(Narrowed) -> Result<ReadTool, ReadError> + Send + Sync;

/// A workspace that can be narrowed.
pub(super) struct Workspace {
    roots: Vec<PathBuf>,
    guard: Arc<dyn Guard>,
    build: Box<Build>,
}

impl fmt::Debug for Workspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workspace").field("roots", &self.roots).finish_non_exhaustive()
    }
}

/// What a client's roots leave of a workspace.
#[derive(Debug)]
pub(super) enum Remaining {
    /// All of it.
    Whole,
    /// A part of it.
    Part(Arc<ReadTool>),
}

impl Workspace {
    pub(super) fn new(
        roots: Vec<PathBuf>,
        guard: Arc<dyn Guard>,
        build: impl Fn(Narrowed) -> Result<ReadTool, ReadError> + Send + Sync + 'static,
    ) -> Self {
        Self { roots, guard, build: Box::new(build) }
    }

    /// What the roots with these URIs leave of the workspace.
    ///
    /// # Errors
    ///
    /// `outside_workspace` when they leave nothing.
    pub(super) fn narrowed(&self, uris: &[String]) -> Result<Remaining, ReadError> {
        let ours: Vec<_> = self.roots.iter().filter_map(|root| canonical(root)).collect();
        let theirs: Vec<_> =
            uris.iter().filter_map(|uri| path_of(uri)).filter_map(|path| canonical(&path)).collect();
        let common = intersection(&ours, &theirs);
        if ours.iter().all(|root| common.contains(root)) && !ours.is_empty() {
            return Ok(Remaining::Whole);
        }
        let inside =
            |path: &Vec<u8>| ours.iter().filter_map(|root| below(path, root).map(<[u8]>::to_vec)).collect();
        let common: Vec<(Vec<u8>, Vec<Vec<u8>>)> = common
            .into_iter()
            .map(|path| (inside(&path), path))
            .map(|(inside, path)| (path, inside))
            .collect();
        // A root that the host denies stays denied.
        let common: Vec<_> = common
            .into_iter()
            .filter(|(_, inside)| inside.iter().all(|path| permits_within(&*self.guard, path)))
            .collect();
        if common.is_empty() {
            return Err(nothing_left(uris));
        }
        let roots =
            common.iter().map(|(path, _)| PathBuf::from(OsStr::from_bytes(&absolute(path)))).collect();
        let prefixes =
            common.into_iter().flat_map(|(_, inside)| inside).filter(|path| !path.is_empty()).collect();
        let guard = Arc::new(Rebased { rules: Arc::clone(&self.guard), roots: ours, prefixes });
        (self.build)(Narrowed { roots, guard }).map(|tool| Remaining::Part(Arc::new(tool)))
    }
}

fn nothing_left(uris: &[String]) -> ReadError {
    let named: Vec<_> = uris.iter().take(3).map(|uri| shortened(uri.as_bytes())).collect();
    let named = match uris.len() {
        0 => "none".to_owned(),
        1..=3 => named.join(", "),
        more => format!("{} and {} more", named.join(", "), more - 3),
    };
    ReadError::new(
        ErrorCode::OutsideWorkspace,
        format!(
            "The client's roots ({named}) and this server's workspace have no directory in common: nothing can be read \
             until the client opens a directory of the workspace, or the server is started over another one."
        ),
    )
}

/// The directory that a URI names: `file:///home/me/my%20project`.
fn path_of(uri: &str) -> Option<PathBuf> {
    let rest =
        uri.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("file://")).and_then(|_| uri.get(7..))?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    if !path.starts_with('/') {
        return None;
    }
    let end = path.find(['?', '#']).unwrap_or(path.len());
    let mut bytes = Vec::with_capacity(end);
    let mut left = path.get(..end)?.bytes();
    while let Some(byte) = left.next() {
        bytes.push(if byte == b'%' { hex(left.next()?)? << 4 | hex(left.next()?)? } else { byte });
    }
    (!bytes.contains(&0)).then(|| PathBuf::from(std::ffi::OsString::from_vec(bytes)))
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

/// The path of an existing directory from `/`, no link on the way, as names joined by `/`.
fn canonical(directory: &Path) -> Option<Vec<u8>> {
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
fn intersection(ours: &[Vec<u8>], theirs: &[Vec<u8>]) -> Vec<Vec<u8>> {
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
fn below<'a>(path: &'a [u8], root: &[u8]) -> Option<&'a [u8]> {
    let rest = path.strip_prefix(root)?;
    match rest {
        [] => Some(rest),
        _ if root.is_empty() => Some(rest),
        [b'/', rest @ ..] => Some(rest),
        _ => None,
    }
}

fn absolute(names: &[u8]) -> Vec<u8> {
    [b"/", names].concat()
}

/// Whether the rules permit a path and every directory above it.
fn permits_within(rules: &dyn Guard, path: &[u8]) -> bool {
    let ends =
        path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at).chain([path.len()]);
    ends.filter_map(|end| path.get(..end)).filter(|path| !path.is_empty()).all(|path| rules.permits(path))
}

/// A host's rules over narrowed roots: a path is judged as it lies there, and as it lies in the host's own roots. Where a
/// client names several roots, a relative path is judged as if it lay in any of them: rather too much is refused than
/// anything let through that was denied before.
struct Rebased {
    rules: Arc<dyn Guard>,
    /// The host's roots, as names from `/`.
    roots: Vec<Vec<u8>>,
    /// Where the narrowed roots lie in them.
    prefixes: Vec<Vec<u8>>,
}

impl Rebased {
    fn permits_in_roots(&self, names: &[u8]) -> bool {
        self.roots.iter().filter_map(|root| below(names, root)).all(|path| permits_within(&*self.rules, path))
    }
}

impl Guard for Rebased {
    fn permits(&self, path: &[u8]) -> bool {
        self.rules.permits(path)
            && match path.strip_prefix(b"/") {
                Some(names) => self.permits_in_roots(names),
                None => {
                    self.prefixes.iter().all(|prefix| self.rules.permits(&[prefix, &b"/"[..], path].concat()))
                }
            }
    }

    fn permits_absolute(&self, path: &[u8]) -> bool {
        self.rules.permits_absolute(path)
            && path.strip_prefix(b"/").is_none_or(|names| self.permits_in_roots(names))
    }

    fn has_rules(&self) -> bool {
        self.rules.has_rules()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_are_directories_of_this_machine() {
        for (uri, path) in [
            ("file:///a/b", Some("/a/b")),
            ("FILE:///a%20b/%C3%A9", Some("/a b/é")),
            ("file://localhost/a", Some("/a")),
            ("file:///a?x#y", Some("/a")),
            ("file://elsewhere/a", None),
            ("file:///a%2", None),
            ("file:///a%zz", None),
            ("file:///a%00b", None),
            ("file://", None),
            ("https://example.org/a", None),
            ("é", None),
            ("", None),
        ] {
            assert_eq!(path_of(uri).as_deref(), path.map(Path::new), "{uri}");
        }
    }

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

    #[test]
    fn rules_mean_what_they_meant_before() {
        let rules = crate::DenyRules::new(&["/proj/private/**".to_owned(), "proj/keys".to_owned()]).unwrap();
        let guard = Rebased {
            rules: Arc::new(rules),
            roots: vec![b"code".to_vec()],
            prefixes: vec![b"proj".to_vec()],
        };
        assert!(guard.permits(b"src/a.rs"));
        assert!(!guard.permits(b"keys"), "a rule on proj/keys");
        assert!(!guard.permits(b"/code/proj/keys") && guard.permits(b"/other/proj/x"));
        assert!(!guard.permits_absolute(b"/code/proj/keys/a"));
    }

    #[test]
    fn nothing_in_common_is_said() {
        let error = nothing_left(&["file:///a".into(), "file:///b".into()]);
        assert_eq!(error.code(), ErrorCode::OutsideWorkspace);
        assert!(error.message().starts_with("The client's roots (file:///a, file:///b) and"), "{error}");
        assert!(nothing_left(&[]).message().contains("(none)"));
    }
}
