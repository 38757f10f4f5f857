//! What a workspace on disk promises, kept whoever does what to it. Each test runs once with `openat2`, where the kernel
//! has it, and once walking by component.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stderr,
    reason = "a test that meets something else than it expects shall stop there"
)]

mod ambient;
mod change;
mod deny;
mod host;
mod links;
mod listing;
mod paths;
mod permission;
mod property;
mod race;
mod roots;
mod siblings;
mod special;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use read_core::{FileSystem, LocalFileSystem, LocalFileSystemBuilder, ReadError};

/// What lies outside and must never be read.
const SECRET: &str = "secret\n";

/// A workspace `ws` with `ok.txt` and `sub/d.txt`, and beside it `out` with `s.txt`.
struct World {
    top: PathBuf,
    walk: bool,
    _dir: tempfile::TempDir,
}

impl World {
    fn new(walk: bool) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let world = Self { top: dir.path().canonicalize().unwrap(), walk, _dir: dir };
        world.write("ws/ok.txt", "ok\n").write("ws/sub/d.txt", "deep\n").write("out/s.txt", SECRET);
        world
    }

    fn path(&self, path: &str) -> PathBuf {
        self.top.join(path)
    }

    /// The absolute path as a string with `path` as it is written.
    fn absolute(&self, path: &str) -> String {
        format!("{}/{path}", self.top.display())
    }

    fn write(&self, path: &str, content: &str) -> &Self {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    fn link(&self, path: &str, target: impl AsRef<Path>) -> &Self {
        symlink(target, self.path(path)).unwrap();
        self
    }

    fn builder(&self) -> LocalFileSystemBuilder {
        LocalFileSystem::builder().root(self.path("ws")).force_walk(self.walk)
    }

    fn files(&self) -> LocalFileSystem {
        self.builder().build().unwrap()
    }
}

/// Runs `test` on a fresh world each way.
fn both(test: impl Fn(&World)) {
    for walk in [false, true] {
        test(&World::new(walk));
    }
}

/// A file's text, `directory`, `none` when nothing is there, or `!` and the error's code.
fn outcome(files: &LocalFileSystem, path: impl AsRef<[u8]>) -> String {
    match read(files, path.as_ref()) {
        Ok(Some(text)) => text,
        Ok(None) => "none".into(),
        Err(error) => format!("!{}", error.code().as_str()),
    }
}

fn read(files: &LocalFileSystem, path: &[u8]) -> Result<Option<String>, ReadError> {
    let Some(resolved) = files.resolve(path)? else { return Ok(None) };
    let source = files.open(&resolved)?;
    if source.is_dir() {
        return Ok(Some("directory".into()));
    }
    Ok(Some(String::from_utf8_lossy(&source.to_bytes(1 << 20)?).into_owned()))
}

/// The error of a path that must not be read, its message checked for what must not be told.
fn refusal(files: &LocalFileSystem, path: impl AsRef<[u8]>) -> ReadError {
    let error = read(files, path.as_ref()).unwrap_err();
    let asked = String::from_utf8_lossy(path.as_ref());
    for untold in ["secret", "out/s.txt", "/etc"] {
        assert!(asked.contains(untold) || !error.message().contains(untold), "{error}");
    }
    error
}
