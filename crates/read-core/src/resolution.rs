//! What a target was resolved to, before anything of it is read.

use crate::filesystem::Resolved;
use crate::output::Notice;
use crate::resources;

/// A target that was resolved: what it names, and what a read of it will open.
#[derive(Clone, Debug)]
pub struct Resolution {
    pub(crate) origin: Origin,
    pub(crate) rest: String,
    pub(crate) notices: Vec<Notice>,
    pub(crate) exact: bool,
    /// The path as the caller wrote it, where that is not what was looked up.
    pub(crate) written: Option<String>,
    pub(crate) side_files: Vec<SideFile>,
}

#[derive(Clone, Debug)]
pub(crate) enum Origin {
    File(Resolved),
    Resource(resources::Found),
}

/// A file beside the one that is read, which a reader may open.
#[derive(Clone, Debug)]
pub(crate) struct SideFile {
    /// What its name has behind the other's.
    pub(crate) suffix: &'static str,
    /// Its canonical path, printable.
    pub(crate) path: String,
}

impl Resolution {
    /// The file or directory that is read; `None` for an embedded resource.
    pub fn resolved(&self) -> Option<&Resolved> {
        match &self.origin {
            Origin::File(resolved) => Some(resolved),
            Origin::Resource(_) => None,
        }
    }

    /// What it is called in one line, printable: the canonical path, or the resource's name.
    pub fn path(&self) -> String {
        match &self.origin {
            Origin::File(resolved) => resolved.path().to_owned(),
            Origin::Resource(found) => found.source().path().to_owned(),
        }
    }

    /// What follows the path in the target, without its first colon.
    pub fn rest(&self) -> &str {
        &self.rest
    }

    /// How it was found.
    pub fn notices(&self) -> &[Notice] {
        &self.notices
    }

    /// The canonical paths of the side files that a read may open besides: a database's log, a pointer.
    pub fn side_paths(&self) -> impl Iterator<Item = &str> {
        self.side_files.iter().map(|side| side.path.as_str())
    }
}
