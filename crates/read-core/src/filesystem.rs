//! Where paths lead: the disk, memory, or a host's own store.

mod guarded;
#[cfg(feature = "local-fs")]
mod local;
mod memory;

use std::any::Any;
use std::fmt;
use std::sync::Arc;

pub use guarded::Guarded;
#[cfg(all(feature = "local-fs", unix))]
pub use local::*;
pub use memory::MemoryFileSystem;

use crate::error::ReadError;
use crate::guard::{Guard, Unguarded};
use crate::output::Notice;
use crate::source::Source;

/// A store of named sources, with its policy: it alone opens anything by path.
pub trait FileSystem: Send + Sync {
    /// What exists under exactly this name (a path with `/`); links are followed as far as the policy lets them be. `None`
    /// when nothing does, also when the name is too long or runs through a file. A name that the policy refuses is an error,
    /// whether or not it exists.
    fn resolve(&self, path: &[u8]) -> Result<Option<Resolved>, ReadError>;

    /// Opens what was resolved, and proves that it is the same.
    fn open(&self, resolved: &Resolved) -> Result<Source, ReadError>;

    /// The directories in which near names are looked for, as paths that [`resolve`](Self::resolve) takes.
    fn roots(&self) -> Vec<Vec<u8>> {
        vec![b".".to_vec()]
    }

    /// The directory that a leading `~/` stands for, as a path; `None` where the host names none.
    fn home(&self) -> Option<&str> {
        None
    }

    /// The rules that it holds to. What lies in containers, and what listings and near names tell, is held to the same ones. A
    /// store that has none says so by default; [`Guarded`] puts rules over it.
    fn guard(&self) -> Arc<dyn Guard> {
        Arc::new(Unguarded)
    }
}

/// A pointer to a file system is one.
macro_rules! points_to_a_file_system {
    ($($pointer:ident),*) => {$(
        impl<T: FileSystem + ?Sized> FileSystem for $pointer<T> {
            fn resolve(&self, path: &[u8]) -> Result<Option<Resolved>, ReadError> {
                (**self).resolve(path)
            }

            fn open(&self, resolved: &Resolved) -> Result<Source, ReadError> {
                (**self).open(resolved)
            }

            fn roots(&self) -> Vec<Vec<u8>> {
                (**self).roots()
            }

            fn home(&self) -> Option<&str> {
                (**self).home()
            }

            fn guard(&self) -> Arc<dyn Guard> {
                (**self).guard()
            }
        }
    )*};
}

points_to_a_file_system!(Box, Arc);

/// A path that exists and may be read.
#[derive(Clone)]
pub struct Resolved {
    asked: String,
    path: String,
    name: Vec<u8>,
    directory: Option<Vec<u8>>,
    contained: bool,
    notices: Vec<Notice>,
    token: Arc<dyn Any + Send + Sync>,
}

impl fmt::Debug for Resolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resolved")
            .field("asked", &self.asked)
            .field("path", &self.path)
            .field("contained", &self.contained)
            .finish_non_exhaustive()
    }
}

impl Resolved {
    /// `path` is the canonical path as it may be printed, relative to the workspace for what lies in it; `asked` is what
    /// the caller called it; `token` is what the file system needs to open it.
    pub fn new(asked: impl Into<String>, path: impl Into<String>, token: impl Any + Send + Sync) -> Self {
        let asked: String = asked.into();
        let name = crate::names::decoded(&asked).unwrap_or_else(|| asked.clone().into_bytes());
        Self {
            name,
            asked,
            path: path.into(),
            directory: None,
            contained: true,
            notices: Vec::new(),
            token: Arc::new(token),
        }
    }

    /// The same for a path outside the workspace that the host permits.
    #[must_use]
    pub fn outside(mut self) -> Self {
        self.contained = false;
        self
    }

    /// The same with a notice about how it was found.
    #[must_use]
    pub fn with_notice(mut self, notice: Notice) -> Self {
        self.notices.push(notice);
        self
    }

    /// What the caller called it, printable.
    pub fn asked(&self) -> &str {
        &self.asked
    }

    /// The canonical path, printable: relative to the workspace, absolute for a host read.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The path that leads to it, as bytes: what [`FileSystem::resolve`] was given, unless
    /// [`with_name`](Self::with_name) says otherwise.
    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// The same with the bytes of the path that leads to it, where `asked` does not have them.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<Vec<u8>>) -> Self {
        self.name = name.into();
        self
    }

    /// The same with the name of the directory that it really lies in, which a path relative to the workspace does not
    /// have for what lies directly in a root.
    #[must_use]
    pub fn in_directory(mut self, name: impl Into<Vec<u8>>) -> Self {
        self.directory = Some(name.into());
        self
    }

    /// The name of the directory that it lies in; empty where that is not known.
    pub fn directory(&self) -> &[u8] {
        match &self.directory {
            Some(name) => name,
            None => self.path.as_bytes().rsplit(|byte| *byte == b'/').nth(1).unwrap_or_default(),
        }
    }

    /// Whether it lies in the workspace.
    pub fn is_contained(&self) -> bool {
        self.contained
    }

    /// Notices about how it was found.
    pub fn notices(&self) -> &[Notice] {
        &self.notices
    }

    /// What the file system that made it needs to open it.
    pub fn token<T: Any>(&self) -> Option<&T> {
        self.token.downcast_ref()
    }
}
