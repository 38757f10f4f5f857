//! The files that are read and change, and how each of them changes.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Context, Result};
use rusqlite::Connection;

use super::{proof, writer};
use crate::random::Random;

/// How a file changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Text, replaced by another file.
    Replaced,
    /// Text, rewritten where it lies, a piece at a time.
    Rewritten,
    /// A zip with two members, replaced.
    Zip,
    /// A tar with two members, gzipped, replaced.
    TarGz,
    /// A database with one table, changed in transactions.
    Database,
    /// An image of one colour, replaced.
    Image,
}

/// The names of the members of archives.
pub(super) const MEMBERS: [&str; 2] = ["m0", "m1"];
/// The rows of a table.
pub(super) const ROWS: u64 = 400;
/// The sides of an image: it is the image of a version by its size, too.
pub(super) fn side(version: u64) -> u32 {
    20 + u32::try_from(version % 50).unwrap_or(0)
}

/// A file.
#[derive(Debug)]
pub(super) struct File {
    pub(super) name: String,
    pub(super) kind: Kind,
    version: AtomicU64,
    path: PathBuf,
}

/// All files.
#[derive(Debug)]
pub(super) struct Zoo {
    pub(super) files: Vec<File>,
}

impl Zoo {
    pub(super) fn make(root: &Path) -> Result<Self> {
        let kinds = [
            (Kind::Replaced, "r", "txt", 4),
            (Kind::Rewritten, "p", "txt", 4),
            (Kind::Zip, "z", "zip", 2),
            (Kind::TarGz, "g", "tgz", 2),
            (Kind::Database, "d", "db", 2),
            (Kind::Image, "i", "png", 2),
        ];
        let mut files = Vec::new();
        for (kind, letter, extension, count) in kinds {
            for index in 0..count {
                let name = format!("{letter}{index}.{extension}");
                let file = File { path: root.join(&name), name, kind, version: AtomicU64::new(0) };
                if kind == Kind::Database {
                    Connection::open(&file.path)?
                        .execute_batch("CREATE TABLE t(id INTEGER PRIMARY KEY, version, proof, line)")?;
                }
                file.change(&mut Random::new(&[index]))
                    .with_context(|| format!("{} cannot be made", file.name))?;
                files.push(file);
            }
        }
        Ok(Self { files })
    }

    /// Gives one of the files another version.
    pub(super) fn change(&self, random: &mut Random) -> Result<()> {
        let file = random.pick(&self.files).context("there are no files")?;
        file.change(random).with_context(|| format!("{} cannot be changed", file.name))
    }
}

impl File {
    fn change(&self, random: &mut Random) -> Result<()> {
        let version = self.version.fetch_add(1, Ordering::Relaxed) + 1;
        match self.kind {
            Kind::Replaced => writer::replace(&self.path, proof::text(&self.name, version).as_bytes()),
            Kind::Rewritten => {
                writer::rewrite(&self.path, proof::text(&self.name, version).as_bytes(), random)
            }
            Kind::Zip => writer::replace(&self.path, &writer::zip(&self.name, version)?),
            Kind::TarGz => writer::replace(&self.path, &writer::tar_gz(&self.name, version)?),
            Kind::Database => writer::update(&self.path, &self.name, version),
            Kind::Image => writer::replace(&self.path, &writer::image(version)?),
        }
    }
}
