//! How a file system on disk is set up.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use super::LocalFileSystem;
use super::beneath::Beneath;
use super::disk::{Current, Disk};
use super::place::cleaned_from_slash;
use super::refusal;
use super::roots::{Root, Roots, current};
use crate::error::{ErrorCode, ReadError};
use crate::guard::{Guard, Unguarded};

/// Which symbolic links a workspace follows. A link that leaves all roots is refused under each policy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SymlinkPolicy {
    /// Links, relative or absolute, that end in any root.
    #[default]
    Follow,
    /// The same, but the last component of a path must be no link.
    NoFinal,
    /// No component of a path may be a link.
    None,
}

/// Sets up a [`LocalFileSystem`].
#[derive(Clone)]
pub struct LocalFileSystemBuilder {
    roots: Vec<PathBuf>,
    symlinks: SymlinkPolicy,
    host_reads: bool,
    guard: Arc<dyn Guard>,
    home: Option<String>,
    refuse_hard_links: bool,
    force_walk: bool,
}

impl Default for LocalFileSystemBuilder {
    fn default() -> Self {
        Self {
            roots: Vec::new(),
            symlinks: SymlinkPolicy::default(),
            host_reads: false,
            guard: Arc::new(Unguarded),
            home: None,
            refuse_hard_links: false,
            force_walk: false,
        }
    }
}

impl fmt::Debug for LocalFileSystemBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalFileSystemBuilder")
            .field("roots", &self.roots)
            .field("symlinks", &self.symlinks)
            .field("host_reads", &self.host_reads)
            .field("home", &self.home)
            .field("refuse_hard_links", &self.refuse_hard_links)
            .field("force_walk", &self.force_walk)
            .finish_non_exhaustive()
    }
}

impl LocalFileSystemBuilder {
    /// Adds a root: a directory that exists when [`build`](Self::build) is called. Relative paths are of the first one.
    /// A root that is itself a link is followed once, then.
    #[must_use]
    pub fn root(mut self, directory: impl Into<PathBuf>) -> Self {
        self.roots.push(directory.into());
        self
    }

    /// Which symbolic links are followed. Default [`SymlinkPolicy::Follow`].
    #[must_use]
    pub fn symlinks(mut self, policy: SymlinkPolicy) -> Self {
        self.symlinks = policy;
        self
    }

    /// Whether an absolute path may lead outside all roots. Default false. Relative paths, and links from inside, never
    /// may.
    #[must_use]
    pub fn host_reads(mut self, allowed: bool) -> Self {
        self.host_reads = allowed;
        self
    }

    /// What decides which paths may be read. Default [`Unguarded`].
    #[must_use]
    pub fn guard(mut self, guard: Arc<dyn Guard>) -> Self {
        self.guard = guard;
        self
    }

    /// The directory that a leading `~/` stands for. Default none. It widens nothing: the path must still lie in a root.
    #[must_use]
    pub fn home(mut self, directory: Option<String>) -> Self {
        self.home = directory;
        self
    }

    /// Whether files with more than one hard link are denied: their other name may be one that is. Default false.
    #[must_use]
    pub fn refuse_hard_links(mut self, refuse: bool) -> Self {
        self.refuse_hard_links = refuse;
        self
    }

    /// Whether paths are walked by component even where `openat2` is there: for tests, and for kernels whose `openat2`
    /// is not to be trusted. Default false. The promises are the same.
    #[must_use]
    pub fn force_walk(mut self, walk: bool) -> Self {
        self.force_walk = walk;
        self
    }

    /// Opens the roots. [`ErrorCode::InvalidArguments`] when there is none, or one is no existing directory.
    pub fn build(self) -> Result<LocalFileSystem, ReadError> {
        if self.roots.is_empty() {
            return Err(ReadError::new(ErrorCode::InvalidArguments, "A workspace needs at least one root."));
        }
        let roots = self.roots.iter().map(|root| Root::open(root)).collect::<Result<_, _>>()?;
        Ok(self.finish(Roots(roots), None))
    }

    /// No workspace: see [`LocalFileSystem::ambient`]. Roots make no sense here and are
    /// [`ErrorCode::InvalidArguments`]; the policies about links and host reads are not asked.
    pub fn build_ambient(self) -> Result<LocalFileSystem, ReadError> {
        if !self.roots.is_empty() {
            return Err(ReadError::new(
                ErrorCode::InvalidArguments,
                "Roots make a workspace; without one there are none.",
            ));
        }
        let handle = current().map_err(|error| refusal::system(b".", error))?;
        // A directory that was removed, or lies where nobody may look, still serves relative paths.
        let path = rustix::process::getcwd(Vec::new()).ok().map(|path| cleaned_from_slash(path.as_bytes()));
        let current = Current { handle, path };
        Ok(Self { symlinks: SymlinkPolicy::Follow, ..self }.finish(Roots::default(), Some(current)))
    }

    fn finish(self, roots: Roots, current: Option<Current>) -> LocalFileSystem {
        let disk = Disk {
            roots,
            beneath: Beneath::new(self.force_walk),
            symlinks: self.symlinks,
            host_reads: self.host_reads,
            guarded: self.guard.has_rules(),
            guard: self.guard,
            refuse_hard_links: self.refuse_hard_links,
            current,
        };
        LocalFileSystem::new(disk, self.home)
    }
}
