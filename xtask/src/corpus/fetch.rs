//! Where the files come from: packages that carry them, through their registry's own client.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::process;
use crate::workspace::Workspace;

/// A package of Debian, and which of its folders has the files.
struct Package {
    name: &'static str,
    folder: &'static str,
}

const PACKAGES: &[Package] = &[
    // Zip, tar, pictures, and fifteen legacy encodings, each beside the same in UTF-8.
    Package { name: "libpython3.11-testsuite", folder: "usr/lib/python3.11/test" },
];

/// The folders, by name; a client that is not installed is said aloud.
pub(super) fn all(workspace: &Workspace) -> Vec<(String, PathBuf)> {
    let mut found = Vec::new();
    for package in PACKAGES {
        let folder = workspace.target.join("corpus").join(package.name);
        if !folder.exists()
            && let Err(error) = fetch(package, &folder)
        {
            println!("skipped: {} ({error:#})", package.name);
            continue;
        }
        found.push((package.name.to_owned(), folder.join(package.folder)));
    }
    found
}

/// Unpacked beside its place, and moved there when it is whole.
fn fetch(package: &Package, folder: &Path) -> Result<()> {
    let unfinished = folder.with_extension("unfinished");
    if unfinished.exists() {
        fs::remove_dir_all(&unfinished)?;
    }
    fs::create_dir_all(&unfinished)?;
    let run = |program: &str, arguments: &[&str]| {
        let mut command = std::process::Command::new(program);
        command.args(arguments).current_dir(&unfinished);
        process::output(command)
    };
    run("apt-get", &["download", package.name])?;
    let packed = fs::read_dir(&unfinished)?
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .find(|path| path.extension().is_some_and(|extension| extension == "deb"))
        .context("apt-get downloaded nothing")?;
    run("dpkg", &["-x", &packed.to_string_lossy(), "."])?;
    fs::rename(&unfinished, folder).context("the files cannot be put in their place")
}
