//! `features`: what each crate can be built with, and that every combination builds.

use std::fmt::Write as _;

use anyhow::{Result, bail};

use crate::manifest::{Entry, entries};
use crate::workspace::{File, Workspace};
use crate::{Command, process};

pub(crate) const COMMAND: Command = Command {
    name: "features",
    arguments: "[--table]",
    about: "Prints the features of each crate, from the `##` comments of its manifest, and lints every combination of\n\
            them with cargo-hack; --table prints only.",
    run,
};

/// A crate of at most so many features is checked in every combination (64 for 6), a larger one in every pair, alone and
/// with all of them.
const FULL_POWERSET: usize = 6;

/// The features of one crate.
struct Features<'a> {
    package: &'a str,
    features: Vec<Feature<'a>>,
}

struct Feature<'a> {
    name: &'a str,
    is_default: bool,
    gives: String,
}

fn run(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    match arguments {
        [] => {
            print!("{}", table(workspace));
            check(workspace)
        }
        [one] if one == "--table" => {
            print!("{}", table(workspace));
            Ok(())
        }
        _ => bail!("features takes --table and nothing else"),
    }
}

/// Lints the libraries and programs in every combination of features: what one combination leaves unused is an error.
pub(crate) fn check(workspace: &Workspace) -> Result<()> {
    let all: Vec<_> = all(workspace).collect();
    if all.is_empty() {
        bail!("no crate has features: nothing was checked");
    }
    for features in all {
        // Not `--no-dev-deps`: it rewrites manifests while it runs, and cargo's resolver keeps the features of
        // dev-dependencies out of a library's build without it.
        let mut arguments = vec![
            "hack",
            "--package",
            features.package,
            "--feature-powerset",
            "--exclude-features",
            "default",
        ];
        if features.features.len() > FULL_POWERSET {
            arguments.extend(["--depth", "2"]);
        }
        arguments.extend(["clippy", "--locked", "--", "--deny", "warnings"]);
        process::run(process::command(workspace, "cargo", &arguments))?;
    }
    Ok(())
}

fn all(workspace: &Workspace) -> impl Iterator<Item = Features<'_>> {
    workspace.manifests().filter_map(features)
}

fn features(manifest: &File) -> Option<Features<'_>> {
    let package = manifest.path.split('/').nth(1)?;
    let entries = entries(&manifest.text);
    let declared = || entries.iter().filter(|entry| entry.section == "features");
    let default = declared().find(|entry| entry.key == "default").map_or("", |entry| entry.value.as_str());
    let is_default = |name: &str| default.contains(&format!("\"{name}\""));
    let features: Vec<_> = declared()
        .filter(|entry| entry.key != "default")
        .map(|entry| Feature { name: entry.key, is_default: is_default(entry.key), gives: gives(entry) })
        .collect();
    (!features.is_empty()).then_some(Features { package, features })
}

fn gives(entry: &Entry<'_>) -> String {
    let lines = entry.comments.iter().filter_map(|comment| comment.strip_prefix("##"));
    lines.map(str::trim).collect::<Vec<_>>().join(" ")
}

fn table(workspace: &Workspace) -> String {
    let mut text = String::from("| crate | feature | default | gives |\n| --- | --- | --- | --- |\n");
    for features in all(workspace) {
        for feature in &features.features {
            let default = if feature.is_default { "yes" } else { "" };
            let gives = feature.gives.replace('|', "\\|");
            let _ = writeln!(text, "| `{}` | `{}` | {default} | {gives} |", features.package, feature.name);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_what_the_manifests_say() {
        let manifest =
            "[features]\ndefault = [\"a\"]\n## Reads a,\n## or | b.\na = []\n## Reads c.\nc = []\n";
        let workspace = Workspace::sample(&[
            ("crates/read-x/Cargo.toml", manifest),
            ("crates/read-y/Cargo.toml", "[dependencies]\n"),
        ]);
        assert_eq!(
            table(&workspace),
            "| crate | feature | default | gives |\n| --- | --- | --- | --- |\n\
             | `read-x` | `a` | yes | Reads a, or \\| b. |\n| `read-x` | `c` |  | Reads c. |\n"
        );
    }

    #[test]
    fn a_check_of_nothing_is_an_error() {
        assert!(check(&Workspace::sample(&[])).is_err());
    }
}
