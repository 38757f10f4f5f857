//! What a directory holds: on disk and in an archive alike.

use crate::error::ReadError;

/// A directory's entries.
pub trait Entries: Send + Sync {
    /// All entries, in any order; core sorts, filters and cuts them. `.` and `..` are not among them.
    fn list(&self) -> Result<Vec<Entry>, ReadError>;

    /// Some of the entries, at most `max`, in any order; their sizes may be left out. For a quick look at a directory that may
    /// be huge.
    fn peek(&self, max: usize) -> Result<Vec<Entry>, ReadError> {
        let mut entries = self.list()?;
        entries.truncate(max);
        Ok(entries)
    }
}

/// One entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// The name's bytes, one component.
    pub name: Vec<u8>,
    /// What it is.
    pub kind: EntryKind,
    /// Said behind the entry in a listing: why it cannot be read, say.
    pub remark: Option<String>,
}

/// What an entry is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EntryKind {
    /// A file of this many bytes, where that is known.
    File(Option<u64>),
    /// A directory.
    Directory,
    /// A symbolic link with the bytes of its target, where that may be told.
    Link(Option<Vec<u8>>),
    /// A FIFO, socket or device, named by its word.
    Special(&'static str),
}

impl Entry {
    /// An entry without a remark.
    pub fn new(name: impl Into<Vec<u8>>, kind: EntryKind) -> Self {
        Self { name: name.into(), kind, remark: None }
    }

    /// The same with a remark, where there is one.
    #[must_use]
    pub fn with_remark(mut self, remark: Option<String>) -> Self {
        self.remark = remark;
        self
    }

    /// Whether it is a directory.
    pub fn is_dir(&self) -> bool {
        self.kind == EntryKind::Directory
    }
}
