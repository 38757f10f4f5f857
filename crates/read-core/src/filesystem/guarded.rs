//! Rules over any store of files.

use std::fmt;
use std::sync::Arc;

use super::{FileSystem, Resolved};
use crate::error::{ErrorCode, ReadError};
use crate::guard::{AllOf, Guard};
use crate::names::{decoded, shortened};
use crate::source::{Body, Entries, Entry, Source};

/// A store of files under a host's rules: what they refuse is not resolved, opened, listed or offered as a near name, whether
/// or not it exists. Paths are asked about as they are asked for and as they are resolved, with every directory above them.
///
/// It is for stores without rules of their own, as [`MemoryFileSystem`](super::MemoryFileSystem) is; a
/// [`LocalFileSystem`](super::LocalFileSystem) has its own [guard](super::LocalFileSystemBuilder::guard), which knows its roots.
///
/// ```
/// use std::sync::Arc;
///
/// use read_core::{Cancel, DenyRules, ErrorCode, Guarded, MemoryFileSystem, Pipeline, Request};
///
/// let files = MemoryFileSystem::new().with(".env", "KEY=1\n").with("notes.txt", "one\n");
/// let pipeline = Pipeline::new(Guarded::new(files, Arc::new(DenyRules::shipped())));
/// let read = |target| pipeline.read(target, &Request::default(), Cancel::new());
/// assert_eq!(read(".env").unwrap_err().code(), ErrorCode::Denied);
/// assert_eq!(read(".")?.to_text(), "notes.txt (4B)\n");
/// # Ok::<(), read_core::ReadError>(())
/// ```
pub struct Guarded<F> {
    files: F,
    guard: Arc<dyn Guard>,
}

impl<F: fmt::Debug> fmt::Debug for Guarded<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guarded").field("files", &self.files).finish_non_exhaustive()
    }
}

impl<F: FileSystem> Guarded<F> {
    /// `files` under the rules of `guard`.
    pub fn new(files: F, guard: Arc<dyn Guard>) -> Self {
        Self { files, guard }
    }

    /// The store itself.
    pub fn files(&self) -> &F {
        &self.files
    }

    /// Whether the rules permit what was resolved.
    fn permits_resolved(&self, resolved: &Resolved) -> bool {
        permits_within(&*self.guard, &canonical(resolved))
    }
}

impl<F: FileSystem> FileSystem for Guarded<F> {
    fn resolve(&self, path: &[u8]) -> Result<Option<Resolved>, ReadError> {
        // Where `..` leads is the store's to say: then the path is judged as it is resolved.
        if !climbs(path) && !permits_within(&*self.guard, &cleaned(path)) {
            return Err(denied(&shortened(path)));
        }
        match self.files.resolve(path)? {
            Some(resolved) if !self.permits_resolved(&resolved) => Err(denied(&shortened(path))),
            found => Ok(found),
        }
    }

    fn open(&self, resolved: &Resolved) -> Result<Source, ReadError> {
        if !self.permits_resolved(resolved) {
            return Err(denied(resolved.asked()));
        }
        let (guard, path) = (Arc::clone(&self.guard), canonical(resolved));
        let source = self.files.open(resolved)?;
        if let Some(entries) = source.entries().cloned() {
            return Ok(source.with_body(Body::Dir(Arc::new(Visible { entries, guard, directory: path }))));
        }
        let inner = source.clone();
        Ok(source.with_siblings(move |suffix| {
            if permits_within(&*guard, &[&*path, suffix.as_bytes()].concat()) {
                return inner.sibling(suffix);
            }
            Err(denied(&format!("{}{suffix}", inner.path())))
        }))
    }

    fn roots(&self) -> Vec<Vec<u8>> {
        self.files.roots()
    }

    fn home(&self) -> Option<&str> {
        self.files.home()
    }

    fn guard(&self) -> Arc<dyn Guard> {
        let inner = self.files.guard();
        if inner.has_rules() {
            return Arc::new(AllOf::new([inner, Arc::clone(&self.guard)]));
        }
        Arc::clone(&self.guard)
    }
}

/// The entries of a directory that may be seen.
struct Visible {
    entries: Arc<dyn Entries>,
    guard: Arc<dyn Guard>,
    directory: Vec<u8>,
}

impl Visible {
    fn permits(&self, entry: &Entry) -> bool {
        let path = match self.directory.as_slice() {
            [] => entry.name.clone(),
            directory => [directory.strip_suffix(b"/").unwrap_or(directory), b"/", &entry.name].concat(),
        };
        permits(&*self.guard, &path)
    }
}

impl Entries for Visible {
    fn list(&self) -> Result<Vec<Entry>, ReadError> {
        let mut entries = self.entries.list()?;
        entries.retain(|entry| self.permits(entry));
        Ok(entries)
    }

    fn peek(&self, max: usize) -> Result<Vec<Entry>, ReadError> {
        let mut entries = self.entries.peek(max)?;
        entries.retain(|entry| self.permits(entry));
        Ok(entries)
    }
}

/// The path of what was resolved as rules know it; empty for the workspace itself.
fn canonical(resolved: &Resolved) -> Vec<u8> {
    let path = resolved.path();
    let path = decoded(path).unwrap_or_else(|| path.as_bytes().to_vec());
    cleaned(&path)
}

fn climbs(path: &[u8]) -> bool {
    path.split(|byte| *byte == b'/').any(|part| part == b"..")
}

/// A path without empty parts and `.`.
fn cleaned(path: &[u8]) -> Vec<u8> {
    let parts = path.split(|byte| *byte == b'/').filter(|part| !part.is_empty() && *part != b".");
    let names = parts.collect::<Vec<_>>().join(&b'/');
    if path.starts_with(b"/") { [b"/", &*names].concat() } else { names }
}

/// Whether the rules permit a path and every directory above it.
fn permits_within(guard: &dyn Guard, path: &[u8]) -> bool {
    if !guard.has_rules() {
        return true;
    }
    let slashes = path.iter().enumerate().filter(|(at, byte)| *at > 0 && **byte == b'/');
    let ends = slashes.map(|(at, _)| at).chain([path.len()]);
    ends.filter_map(|end| path.get(..end)).all(|path| permits(guard, path))
}

/// Whether the rules permit a path, taken alone. The workspace itself has no name that a rule could mean.
fn permits(guard: &dyn Guard, path: &[u8]) -> bool {
    matches!(path, [] | [b'/'])
        || guard.permits(path) && (!path.starts_with(b"/") || guard.permits_absolute(path))
}

fn denied(path: &str) -> ReadError {
    ReadError::new(ErrorCode::Denied, format!("'{path}' is denied by this host's rules."))
}
