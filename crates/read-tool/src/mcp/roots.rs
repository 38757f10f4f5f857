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
    /// The host's rules, which go on meaning paths as they lie in the host's own roots: for the tool.
    pub guard: Arc<dyn Guard>,
    /// The same rules for the file system, which asks about every path by its place on the disk, too.
    pub files_guard: Arc<dyn Guard>,
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

    /// What the roots with these URIs leave of the workspace. Those that are no directory are left out, each after a word
    /// about it.
    ///
    /// # Errors
    ///
    /// `outside_workspace` when they leave nothing.
    pub(super) fn narrowed(&self, uris: &[String], left_out: &dyn Fn(&str)) -> Result<Remaining, ReadError> {
        let ours: Vec<_> = self.roots.iter().filter_map(|root| canonical(root)).collect();
        let their = |uri: &String| {
            let path = path_of(uri).and_then(|path| canonical(&path));
            if path.is_none() {
                left_out(uri);
            }
            path
        };
        let theirs: Vec<_> = uris.iter().filter_map(their).collect();
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
        // Relative paths are of the first root.
        let first = common.into_iter().next().map(|(_, inside)| inside).unwrap_or_default();
        let prefixes = first.into_iter().filter(|path| !path.is_empty()).collect();
        let located = Arc::new(Located { rules: Arc::clone(&self.guard), roots: ours });
        let guard = Arc::new(Rebased { located: Arc::clone(&located), prefixes });
        let narrowed = Narrowed { roots, guard, files_guard: located };
        (self.build)(narrowed).map(|tool| Remaining::Part(Arc::new(tool)))
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

/// The directory that a URI names: `file:///home/me/my%20project`, `file:/home/me`, `file://localhost/home/me` (RFC 8089).
fn path_of(uri: &str) -> Option<PathBuf> {
    let (scheme, rest) = uri.split_once(':')?;
    if !scheme.eq_ignore_ascii_case("file") {
        return None;
    }
    let path = match rest.strip_prefix("//") {
        None => rest,
        Some(rest) => {
            let (host, path) = rest.split_at_checked(rest.find('/')?)?;
            (host.is_empty() || host.eq_ignore_ascii_case("localhost")).then_some(path)?
        }
    };
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

/// A host's rules for a file system over narrowed roots. It asks about each path twice, relative to the root that it lies in and
/// by its place on the disk; only the place tells which root that is, and what the host's rules mean there.
struct Located {
    rules: Arc<dyn Guard>,
    /// The host's roots, as names from `/`.
    roots: Vec<Vec<u8>>,
}

impl Located {
    fn permits_in_roots(&self, names: &[u8]) -> bool {
        self.roots.iter().filter_map(|root| below(names, root)).all(|path| permits_within(&*self.rules, path))
    }
}

impl Guard for Located {
    fn permits(&self, path: &[u8]) -> bool {
        path.strip_prefix(b"/").is_none_or(|names| self.rules.permits(path) && self.permits_in_roots(names))
    }

    fn permits_absolute(&self, path: &[u8]) -> bool {
        self.rules.permits_absolute(path)
            && path.strip_prefix(b"/").is_none_or(|names| self.permits_in_roots(names))
    }

    fn has_rules(&self) -> bool {
        self.rules.has_rules()
    }
}

/// A host's rules for a tool over narrowed roots. A relative path is of the first of them, or of a member alone: it is judged as
/// both.
struct Rebased {
    located: Arc<Located>,
    /// Where the first of the narrowed roots lies in the host's.
    prefixes: Vec<Vec<u8>>,
}

impl Guard for Rebased {
    fn permits(&self, path: &[u8]) -> bool {
        let rules = &self.located.rules;
        let behind = |prefix: &Vec<u8>| rules.permits(&[prefix, &b"/"[..], path].concat());
        match path.strip_prefix(b"/") {
            Some(_) => self.located.permits(path),
            None => rules.permits(path) && self.prefixes.iter().all(behind),
        }
    }

    fn permits_absolute(&self, path: &[u8]) -> bool {
        self.located.permits_absolute(path)
    }

    fn has_rules(&self) -> bool {
        self.located.has_rules()
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
            ("file://LOCALHOST/a", Some("/a")),
            ("file:/a/b", Some("/a/b")),
            ("File:/a%20b", Some("/a b")),
            ("file:a", None),
            ("file://localhost", None),
            ("file://localhostess/a", None),
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
        let rules = ["/proj/private/**", "proj/keys", "*.pem"].map(str::to_owned);
        let located = Arc::new(Located {
            rules: Arc::new(crate::DenyRules::new(rules).unwrap()),
            roots: vec![b"code".to_vec()],
        });
        let guard = Rebased { located: Arc::clone(&located), prefixes: vec![b"proj".to_vec()] };
        assert!(guard.permits(b"src/a.rs"));
        assert!(!guard.permits(b"keys"), "a rule on proj/keys");
        assert!(!guard.permits(b"a.zip/b.pem") && !guard.permits(b"proj/keys"), "members alone");
        for guard in [&guard as &dyn Guard, &*located] {
            assert!(!guard.permits(b"/code/proj/keys") && guard.permits(b"/other/proj/x"));
            assert!(!guard.permits_absolute(b"/code/proj/keys/a"));
            assert!(
                guard.permits_absolute(b"/code/lib/proj/keys"),
                "a rule on another directory's proj/keys"
            );
            assert!(!guard.permits_absolute(b"/code/lib/a.pem") && guard.has_rules());
        }
        assert!(located.permits(b"keys"), "relative to which root it is not told");
    }

    #[test]
    fn nothing_in_common_is_said() {
        let error = nothing_left(&["file:///a".into(), "file:///b".into()]);
        assert_eq!(error.code(), ErrorCode::OutsideWorkspace);
        assert!(error.message().starts_with("The client's roots (file:///a, file:///b) and"), "{error}");
        assert!(nothing_left(&[]).message().contains("(none)"));
    }
}
