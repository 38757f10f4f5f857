//! What messages call a source.

use std::fmt;

/// What messages and notices call a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Noun {
    /// A file.
    File,
    /// A directory.
    Directory,
    /// A member of an archive.
    ArchiveEntry,
    /// A directory in an archive.
    ArchiveDirectory,
    /// A cell of a database.
    Cell,
    /// A list of what a container holds.
    Listing,
    /// A text that the host embeds.
    Resource,
}

impl Noun {
    /// The word: `file`, `archive entry`, …
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Directory => "directory",
            Self::ArchiveEntry => "archive entry",
            Self::ArchiveDirectory => "archive directory",
            Self::Cell => "cell",
            Self::Listing => "listing",
            Self::Resource => "resource",
        }
    }

    /// The word with its article: `a file`, `an archive entry`, …
    pub const fn with_article(self) -> &'static str {
        match self {
            Self::File => "a file",
            Self::Directory => "a directory",
            Self::ArchiveEntry => "an archive entry",
            Self::ArchiveDirectory => "an archive directory",
            Self::Cell => "a cell",
            Self::Listing => "a listing",
            Self::Resource => "a resource",
        }
    }

    /// The word at the start of a sentence: `File`, `Archive entry`, …
    pub const fn capitalized(self) -> &'static str {
        match self {
            Self::File => "File",
            Self::Directory => "Directory",
            Self::ArchiveEntry => "Archive entry",
            Self::ArchiveDirectory => "Archive directory",
            Self::Cell => "Cell",
            Self::Listing => "Listing",
            Self::Resource => "Resource",
        }
    }
}

impl fmt::Display for Noun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
