//! The file system and the tool of one input.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use read_tool::core::{Resolved, Source};
use read_tool::{FileSystem, Limits, MemoryFileSystem, ReadError, ReadTool};

use super::input::{Input, Profile};
use super::target::Target;
use crate::make;

/// What a read may take; the watchdog bites at twice that.
const DEADLINE: Duration = Duration::from_secs(5);

/// Files in memory that have files beside them, as those on a disk do.
#[derive(Debug, Clone)]
struct Files(Arc<MemoryFileSystem>);

impl FileSystem for Files {
    fn resolve(&self, path: &[u8]) -> Result<Option<Resolved>, ReadError> {
        self.0.resolve(path)
    }

    fn open(&self, resolved: &Resolved) -> Result<Source, ReadError> {
        let (files, name) = (Arc::clone(&self.0), resolved.name().to_vec());
        Ok(self.0.open(resolved)?.with_siblings(move |suffix| {
            let side = files.resolve(&[name.as_slice(), suffix.as_bytes()].concat())?;
            side.map(|side| files.open(&side)).transpose()
        }))
    }
}

/// A tool over the files that this input is read among.
pub(crate) fn tool(target: Target, input: &Input) -> Result<ReadTool> {
    let files = match target {
        Target::Target | Target::Arguments => odd()?,
        _ => {
            let name = target.file();
            let files = MemoryFileSystem::new().with(name, input.bytes.clone());
            for (suffix, bytes) in &input.sides {
                files.insert(format!("{name}{suffix}"), bytes.clone());
            }
            files
        }
    };
    Ok(ReadTool::builder().workspace(Files(Arc::new(files))).limits(limits(input.profile)).build()?)
}

/// The limits of a profile.
pub(crate) fn limits(profile: Profile) -> Limits {
    let mut limits = Limits::default();
    limits.timeout = Some(DEADLINE);
    match profile {
        Profile::Usual => {}
        Profile::Tight => {
            limits.max_lines = Some(3);
            limits.max_bytes = Some(300);
            limits.max_entries = Some(2);
            limits.hex_bytes = 32;
            limits.count_beyond = 100;
        }
        Profile::Poor => {
            limits.budget_base = 1 << 10;
            limits.budget_factor = 2;
            limits.max_buffered = 4 << 10;
            limits.max_depth = 2;
            limits.max_read_bytes = Some(1 << 10);
        }
    }
    limits
}

/// The names of the files among which target strings are resolved.
pub(super) const NAMES: [&str; 18] = [
    "a.txt",
    "test",
    "test:1-2",
    "a:b:c.txt",
    "dir/sub/deep.txt",
    "dir/a.zip",
    "q?x=1",
    "d.db",
    "d.db:users",
    "na\u{ef}ve.txt",
    "nai\u{308}ve.txt",
    "it\u{2019}s here.txt",
    "new\nline",
    "bidi\u{202e}txt.exe",
    "100%.txt",
    "~",
    "@x",
    "arch.tar.gz",
];

/// Files whose names are also something else.
fn odd() -> Result<MemoryFileSystem> {
    let text = make::lines(30);
    let files = MemoryFileSystem::new().with(b"not-utf8-\xFF.txt", text.clone());
    let zip = make::zip::archive(&[
        make::zip::Member::stored("a.txt", text.as_bytes()),
        make::zip::Member::stored("a:1-2", b"a member named as a selector\n"),
        make::zip::Member::stored("dir/b?c.txt", text.as_bytes()),
    ])?;
    let tar = make::tar::end(
        [make::tar::member("in/t.txt", b'0', "", text.as_bytes()), make::tar::member("l", b'2', "in", b"")]
            .concat(),
    );
    for name in NAMES {
        let bytes = match name {
            "dir/a.zip" => zip.clone(),
            "arch.tar.gz" => make::gzipped(&tar)?,
            "d.db" => DATABASE.to_vec(),
            _ => text.clone().into_bytes(),
        };
        files.insert(name, bytes);
    }
    Ok(files)
}

/// A small database that never changes: two tables, a few rows.
const DATABASE: &[u8] = include_bytes!("../../data/users.db");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_names_are_read() {
        let input = Input { bytes: Vec::new(), sides: Vec::new(), random: 0, profile: Profile::Usual };
        let tool = tool(Target::Target, &input).unwrap();
        for name in NAMES {
            assert!(tool.read(name).is_ok(), "{name}");
        }
        assert!(tool.read("d.db?q=SELECT name FROM users").unwrap().to_text().contains("| name 1 "));
    }
}
