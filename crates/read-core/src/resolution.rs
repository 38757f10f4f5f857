//! What a target was resolved to, before anything of it is read.

use crate::filesystem::Resolved;
use crate::output::Notice;
use crate::resources::Embedded;

/// A target that was resolved: what it names, and what a read of it will open.
#[derive(Clone, Debug)]
pub struct Resolution {
    pub(crate) origin: Origin,
    /// What follows the path in the target, without its first colon.
    pub(crate) rest: String,
    /// How it was found.
    pub(crate) notices: Vec<Notice>,
    /// Whether it is the very name that was asked for.
    pub(crate) exact: bool,
    /// How the caller wrote the path, where that stands for another that is nobody's to see: `~/notes.txt`.
    pub(crate) written: Option<String>,
    pub(crate) side_files: Vec<SideFile>,
}

#[derive(Clone, Debug)]
pub(crate) enum Origin {
    File(Resolved),
    Resource(Embedded),
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
    /// What is under exactly the name that was asked for.
    pub(crate) fn of(origin: Origin, rest: &str) -> Self {
        Self {
            origin,
            rest: rest.to_owned(),
            notices: Vec::new(),
            exact: true,
            written: None,
            side_files: Vec::new(),
        }
    }

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
            Origin::Resource(embedded) => embedded.source().path().to_owned(),
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
