//! What can be fuzzed.

use clap::ValueEnum;

/// A kind of input.
#[allow(clippy::enum_variant_names, reason = "target strings are called so everywhere")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, ValueEnum)]
pub(crate) enum Target {
    /// Target strings over files with odd names.
    Target,
    /// Text files.
    Text,
    /// Zip archives.
    Zip,
    /// Tar archives.
    Tar,
    /// Gzip files.
    Gzip,
    /// SQLite databases, with logs and journals.
    Sqlite,
    /// Images.
    Image,
    /// Arguments as a model sends them.
    Arguments,
    /// Lines of the server's protocol.
    Frames,
}

impl Target {
    pub(crate) const ALL: [Self; 9] = [
        Self::Target,
        Self::Text,
        Self::Zip,
        Self::Tar,
        Self::Gzip,
        Self::Sqlite,
        Self::Image,
        Self::Arguments,
        Self::Frames,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Target => "target",
            Self::Text => "text",
            Self::Zip => "zip",
            Self::Tar => "tar",
            Self::Gzip => "gzip",
            Self::Sqlite => "sqlite",
            Self::Image => "image",
            Self::Arguments => "arguments",
            Self::Frames => "frames",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|target| target.name() == name)
    }

    /// Tells the inputs of one target from those of another with the same number.
    pub(crate) fn salt(self) -> u64 {
        self.name().bytes().fold(7, |salt, byte| salt * 31 + u64::from(byte))
    }

    /// The name under which its bytes lie in the file system, where they are a file.
    pub(crate) fn file(self) -> &'static str {
        match self {
            Self::Text => "f.txt",
            Self::Zip => "f.zip",
            Self::Tar => "f.tar",
            Self::Gzip => "f.gz",
            Self::Sqlite => "f.db",
            Self::Image => "f.img",
            Self::Target | Self::Arguments | Self::Frames => "f",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_and_salts_differ() {
        for target in Target::ALL {
            assert_eq!(Target::named(target.name()), Some(target));
            assert!(Target::ALL.iter().all(|other| *other == target || other.salt() != target.salt()));
        }
        assert_eq!(Target::named("no-such-target"), None);
    }
}
