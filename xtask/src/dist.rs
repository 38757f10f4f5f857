//! `dist`: the program as it is released.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::workspace::Workspace;
use crate::{Command, process};

pub(crate) const COMMAND: Command = Command {
    name: "dist",
    arguments: "",
    about: "Builds read-tool as it is released: on Linux one file that needs no library of the machine it runs on, and\n\
            starts a quarter sooner for that. Prints where it is.",
    run,
};

fn run(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    if !arguments.is_empty() {
        bail!("dist takes no arguments");
    }
    let program = built(workspace, "read-tool")?;
    process::run(process::command(workspace, &program.to_string_lossy(), &["--version"]))?;
    println!("{}", program.display());
    Ok(())
}

/// Builds the program `name`, of the package of that name; where it is.
pub(crate) fn built(workspace: &Workspace, name: &str) -> Result<PathBuf> {
    let target = match static_target(workspace)? {
        Ok(target) => target,
        Err(reason) => {
            println!("{name} is built with the machine's libraries: {reason}");
            return crate::release::built(workspace, name);
        }
    };
    let arguments = ["build", "--locked", "--release", "--target", &target, "--package", name, "--bin", name];
    let mut command = process::command(workspace, "cargo", &arguments);
    // With a target named, the flags are not those of procedural macros and build scripts, which must load and be loaded.
    let flags = std::env::var("RUSTFLAGS").unwrap_or_default();
    command.env("RUSTFLAGS", format!("{flags} -C target-feature=+crt-static").trim_start());
    process::run(command)?;
    Ok(workspace.target.join(&target).join("release").join(name))
}

/// The target to name for a program without shared libraries, or why there is none.
fn static_target(workspace: &Workspace) -> Result<Result<String, &'static str>> {
    let version = process::output(process::command(workspace, "rustc", &["-vV"]))?;
    let host = host(&version).context("rustc does not say what host it is for")?;
    if !host.ends_with("-linux-gnu") {
        return Ok(Err("only those of Linux with glibc are linked otherwise"));
    }
    // The compiler says the bare name where it has no such file.
    let library = process::output(process::command(workspace, "cc", &["-print-file-name=libc.a"]))?;
    if Path::new(library.trim()).is_absolute() {
        Ok(Ok(host.to_owned()))
    } else {
        Ok(Err("the C library to link is not installed (Debian: libc6-dev, Fedora: glibc-static)"))
    }
}

fn host(version: &str) -> Option<&str> {
    version.lines().find_map(|line| line.strip_prefix("host: "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_is_read_from_what_the_compiler_says() {
        let version = "rustc 1.95.0 (59807616e 2026-04-14)\nbinary: rustc\nhost: x86_64-unknown-linux-gnu\n";
        assert_eq!(host(version), Some("x86_64-unknown-linux-gnu"));
        assert_eq!(host("rustc 1.95.0"), None);
    }
}
