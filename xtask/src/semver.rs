//! `semver`: whether the published crates' API changed more than their version says.

use anyhow::{Context, Result, bail};

use crate::manifest::entries;
use crate::workspace::Workspace;
use crate::{Command, process};

pub(crate) const COMMAND: Command = Command {
    name: "semver",
    arguments: "[REVISION]",
    about: "Compares the API of each published crate with that of an earlier revision, and fails where the change asks for\n\
            a higher version than the crates have. Without one: the newest tag v*, or before there is one the commit in\n\
            [workspace.metadata.semver] of Cargo.toml. Needs cargo-semver-checks.",
    run,
};

fn run(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    let baseline = match arguments {
        [] => baseline(workspace)?,
        [one] if !one.starts_with('-') => one.clone(),
        _ => bail!("semver takes one revision and nothing else"),
    };
    if !is_here(workspace, &baseline) {
        bail!("the revision {baseline} is not in this clone: fetch the whole history");
    }
    check(workspace, &baseline)
}

/// The revision that the next release is compared with.
pub(crate) fn baseline(workspace: &Workspace) -> Result<String> {
    let arguments = ["describe", "--tags", "--abbrev=0", "--match", "v*"];
    if let Ok(tag) = process::output(process::command(workspace, "git", &arguments)) {
        return Ok(tag.trim().to_owned());
    }
    let root = workspace.file("Cargo.toml").context("there is no Cargo.toml")?;
    let stated = entries(&root.text)
        .into_iter()
        .find(|entry| entry.section == "workspace.metadata.semver" && entry.key == "baseline")
        .context("no release is tagged, and Cargo.toml has no [workspace.metadata.semver] baseline")?;
    Ok(stated.value.trim_matches('"').to_owned())
}

/// Whether the clone has that revision: a shallow one may not.
pub(crate) fn is_here(workspace: &Workspace, revision: &str) -> bool {
    let commit = format!("{revision}^{{commit}}");
    process::output(process::command(workspace, "git", &["cat-file", "-e", &commit])).is_ok()
}

/// Whether the program that compares is installed.
pub(crate) fn has_tool(workspace: &Workspace) -> bool {
    process::output(process::command(workspace, "cargo", &["semver-checks", "--version"])).is_ok()
}

/// Fails where a change since `baseline` asks for a higher version.
pub(crate) fn check(workspace: &Workspace, baseline: &str) -> Result<()> {
    let mut arguments = vec!["semver-checks", "check-release", "--baseline-rev", baseline];
    let published: Vec<&str> = published(workspace).collect();
    if published.is_empty() {
        bail!("no crate is published: nothing was compared");
    }
    for package in published {
        arguments.extend(["--package", package]);
    }
    process::run(process::command(workspace, "cargo", &arguments))
}

/// The crates under `crates/`: all of them are published.
fn published(workspace: &Workspace) -> impl Iterator<Item = &str> {
    workspace.manifests().filter_map(|manifest| manifest.path.split('/').nth(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_are_compared_and_the_workshop_is_not() {
        let workspace = Workspace::sample(&[
            ("crates/read-x/Cargo.toml", "[package]\n"),
            ("xtask/Cargo.toml", "[package]\n"),
            ("examples/a/Cargo.toml", "[package]\n"),
        ]);
        assert_eq!(published(&workspace).collect::<Vec<_>>(), ["read-x"]);
    }

    #[test]
    fn a_comparison_of_nothing_is_an_error() {
        assert!(check(&Workspace::sample(&[]), "HEAD").is_err());
        let error = run(&Workspace::sample(&[]), &["--no".to_owned()]).unwrap_err();
        assert!(error.to_string().contains("one revision"));
    }
}
