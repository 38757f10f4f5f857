//! Files in memory: for embedded hosts, tests and generated content.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, PoisonError, RwLock};

use super::{FileSystem, Resolved};
use crate::error::{ErrorCode, ReadError};
use crate::names::{printed, shortened};
use crate::source::{Body, Entries, Entry, EntryKind, Identity, Noun, Slice, Source};

/// A file system whose files lie in memory; directories are inferred from their paths. Files can be added and replaced
/// while reads run.
#[derive(Debug, Default)]
pub struct MemoryFileSystem {
    files: RwLock<BTreeMap<Vec<u8>, File>>,
}

#[derive(Clone, Debug)]
struct File {
    bytes: Arc<[u8]>,
    version: u64,
}

impl MemoryFileSystem {
    /// An empty file system.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with a file. The path has `/` between its parts and none in front.
    #[must_use]
    pub fn with(self, path: impl AsRef<[u8]>, content: impl Into<Vec<u8>>) -> Self {
        self.insert(path, content);
        self
    }

    /// Adds a file, or replaces one.
    pub fn insert(&self, path: impl AsRef<[u8]>, content: impl Into<Vec<u8>>) {
        let path = normal(path.as_ref());
        let mut files = self.files.write().unwrap_or_else(PoisonError::into_inner);
        let version = files.get(&path).map_or(0, |file| file.version.saturating_add(1));
        files.insert(path, File { bytes: content.into().into(), version });
    }

    /// Removes a file; whether there was one.
    pub fn remove(&self, path: impl AsRef<[u8]>) -> bool {
        self.files.write().unwrap_or_else(PoisonError::into_inner).remove(&normal(path.as_ref())).is_some()
    }

    fn file(&self, path: &[u8]) -> Option<File> {
        self.files.read().unwrap_or_else(PoisonError::into_inner).get(path).cloned()
    }

    /// The entries below `path`; `None` when there is no such directory.
    fn entries(&self, path: &[u8]) -> Option<Vec<Entry>> {
        let files = self.files.read().unwrap_or_else(PoisonError::into_inner);
        let mut prefix = path.to_vec();
        if !prefix.is_empty() {
            prefix.push(b'/');
        }
        let mut directories = BTreeSet::new();
        let mut entries = Vec::new();
        for (name, file) in files.range(prefix.clone()..).take_while(|(name, _)| name.starts_with(&prefix)) {
            let below = name.get(prefix.len()..).unwrap_or_default();
            match below.iter().position(|byte| *byte == b'/') {
                Some(slash) => {
                    directories.insert(below.get(..slash).unwrap_or_default().to_vec());
                }
                None => entries.push(Entry::new(below, EntryKind::File(Some(file.bytes.len() as u64)))),
            }
        }
        entries.extend(directories.into_iter().map(|name| Entry::new(name, EntryKind::Directory)));
        (path.is_empty() || !entries.is_empty()).then_some(entries)
    }
}

impl FileSystem for MemoryFileSystem {
    fn resolve(&self, path: &[u8]) -> Result<Option<Resolved>, ReadError> {
        if path.split(|byte| *byte == b'/').any(|part| part == b"..") || path.starts_with(b"/") {
            return Err(ReadError::new(
                ErrorCode::OutsideWorkspace,
                format!("'{}' leads out of the workspace. Use a path relative to it.", shortened(path)),
            ));
        }
        let name = normal(path);
        if self.file(&name).is_none() && self.entries(&name).is_none() {
            return Ok(None);
        }
        Ok(Some(Resolved::new(
            printed(path),
            if name.is_empty() { ".".into() } else { printed(&name) },
            name.clone(),
        )))
    }

    fn open(&self, resolved: &Resolved) -> Result<Source, ReadError> {
        let gone = || ReadError::new(ErrorCode::NotFound, format!("'{}' not found", resolved.asked()));
        let path = resolved.token::<Vec<u8>>().ok_or_else(gone)?;
        let leaf = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        if let Some(file) = self.file(path) {
            let identity = Identity::stamped(fingerprint(path), file.version, file.bytes.len() as u64);
            let body = Body::Slice(Slice::from_bytes(file.bytes));
            return Ok(Source::new(leaf, resolved.asked(), Noun::File, body)
                .with_identity(Some(identity))
                .contained());
        }
        let entries = self.entries(path).ok_or_else(gone)?;
        Ok(Source::new(leaf, resolved.asked(), Noun::Directory, Body::Dir(Arc::new(Listed(entries))))
            .contained())
    }
}

struct Listed(Vec<Entry>);

impl Entries for Listed {
    fn list(&self) -> Result<Vec<Entry>, ReadError> {
        Ok(self.0.clone())
    }
}

/// A path without empty parts and `.`.
fn normal(path: &[u8]) -> Vec<u8> {
    let parts = path.split(|byte| *byte == b'/').filter(|part| !part.is_empty() && *part != b".");
    parts.collect::<Vec<_>>().join(&b'/')
}

/// FNV-1a, 64 bits: identities only need to differ within one file system.
fn fingerprint(path: &[u8]) -> u64 {
    path.iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_are_inferred() {
        let files = MemoryFileSystem::new().with("a/b/c.txt", "x").with("a/d.txt", "y").with("ab.txt", "z");
        let open = |path: &str| files.open(&files.resolve(path.as_bytes()).unwrap().unwrap()).unwrap();
        let mut names: Vec<_> =
            open("a").entries().unwrap().list().unwrap().into_iter().map(|e| e.name).collect();
        names.sort();
        assert_eq!(names, [b"b".to_vec(), b"d.txt".to_vec()]);
        assert!(files.resolve(b"a/b/c.txt/d").unwrap().is_none());
        assert_eq!(files.resolve(b"a/../x").unwrap_err().code(), ErrorCode::OutsideWorkspace);
        assert_eq!(open("./a//d.txt").length(), Some(1));
    }

    #[test]
    fn a_replaced_file_has_another_identity() {
        let files = MemoryFileSystem::new().with("a", "1");
        let identity = || files.open(&files.resolve(b"a").unwrap().unwrap()).unwrap().identity().cloned();
        let before = identity();
        files.insert("a", "2");
        assert_ne!(before, identity());
    }
}
