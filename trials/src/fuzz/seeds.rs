//! What inputs begin as: files that are right.

mod archives;
mod databases;
mod frames;
mod given;
mod images;
mod texts;

use std::path::PathBuf;

use anyhow::{Context, Result};

use super::target::Target;

/// A file that is right, with the files beside it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Seed {
    pub(crate) bytes: Vec<u8>,
    /// By what is added to the file's name: `-wal`, `-journal`.
    pub(crate) sides: Vec<(&'static str, Vec<u8>)>,
}

impl Seed {
    fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self { bytes: bytes.into(), sides: Vec::new() }
    }
}

/// The seeds of one target: those made in code, then those of folders, in the order of their paths.
pub(crate) fn of(target: Target, folders: &[PathBuf]) -> Result<Vec<Seed>> {
    let mut seeds = match target {
        Target::Text => texts::seeds(),
        Target::Zip => archives::zips()?,
        Target::Tar => archives::tars()?,
        Target::Gzip => archives::gzips()?,
        Target::Sqlite => databases::seeds()?,
        Target::Image => images::seeds()?,
        Target::Frames => frames::seeds(),
        // These are built from their grammar.
        Target::Target | Target::Arguments => Vec::new(),
    };
    for folder in folders {
        let given = given::seeds(target, folder);
        seeds.extend(given.with_context(|| format!("the seeds in {} cannot be read", folder.display()))?);
    }
    Ok(seeds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuzz::files::tool;
    use crate::fuzz::input::{Input, Profile};

    #[test]
    fn seeds_are_the_same_each_time() {
        for target in Target::ALL {
            assert_eq!(of(target, &[]).unwrap(), of(target, &[]).unwrap(), "{target:?}");
        }
    }

    #[test]
    fn files_are_read() {
        let readers = [
            (Target::Text, "text"),
            (Target::Zip, "zip"),
            (Target::Tar, "tar"),
            (Target::Sqlite, "sqlite"),
            (Target::Image, "image"),
        ];
        for (target, reader) in readers {
            for (index, seed) in of(target, &[]).unwrap().into_iter().enumerate() {
                let input =
                    Input { bytes: seed.bytes, sides: seed.sides, random: 0, profile: Profile::Usual };
                let binary = target == Target::Text && input.bytes.starts_with(&[0, 1, 2]);
                let output = tool(target, &input).unwrap().read(target.file());
                if binary {
                    assert!(output.is_err());
                    continue;
                }
                let output = output.unwrap_or_else(|error| panic!("{target:?} {index}: {error}"));
                let readers = [reader, "directory", "text"];
                assert!(readers.contains(&output.details.reader), "{target:?} {index}");
            }
        }
    }
}
