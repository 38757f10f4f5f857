//! `features`: what each crate can be built with, and that every combination builds.

use std::fmt::Write as _;

use anyhow::{Context, Result, bail};

use crate::manifest::{Entry, entries};
use crate::workspace::{File, Workspace};
use crate::{Command, process};

pub(crate) const COMMAND: Command = Command {
    name: "features",
    arguments: "[--table | --write]",
    about: "Prints the features of each crate, from the `##` comments of its manifest, and lints combinations of them with\n\
            cargo-hack: all of them for a crate of at most six, else each alone, each pair, and all together.\n\
            --table prints only; --write writes the tables of the readmes anew.",
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
        [one] if one == "--write" => write(workspace),
        _ => bail!("features takes --table or --write, and nothing else"),
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

/// How the table of features in a crate's readme begins.
const HEADER: &str = "| feature | default | what it adds |\n| --- | --- | --- |\n";

/// The table of a crate's own features.
fn own_table(features: &Features<'_>) -> String {
    let mut text = HEADER.to_owned();
    for Feature { name, is_default, gives } in &features.features {
        let default = if *is_default { "yes" } else { "" };
        let _ = writeln!(text, "| `{name}` | {default} | {} |", gives.replace('|', "\\|"));
    }
    text
}

/// The readme of a published crate with features, and the same with the table that its manifest gives; `None` for that where the
/// readme has no such table.
fn readmes(workspace: &Workspace) -> impl Iterator<Item = (&File, Option<String>)> {
    let published = workspace.manifests();
    published.filter_map(features).filter_map(|features| {
        let readme = workspace.file(&format!("crates/{}/README.md", features.package))?;
        let renewed = readme.text.split_once(HEADER).map(|(before, after)| {
            let rows: usize =
                after.split_inclusive('\n').take_while(|line| line.starts_with('|')).map(str::len).sum();
            [before, &own_table(&features), after.get(rows..).unwrap_or_default()].concat()
        });
        Some((readme, renewed))
    })
}

/// The readmes whose table of features is missing, or not what the manifest says.
pub(crate) fn outdated(workspace: &Workspace) -> impl Iterator<Item = &File> {
    readmes(workspace)
        .filter(|(readme, renewed)| renewed.as_ref() != Some(&readme.text))
        .map(|(readme, _)| readme)
}

fn write(workspace: &Workspace) -> Result<()> {
    for (readme, renewed) in readmes(workspace) {
        let Some(renewed) = renewed else { bail!("{} has no table of features to renew", readme.path) };
        std::fs::write(workspace.root.join(&readme.path), renewed)
            .with_context(|| format!("{} cannot be written", readme.path))?;
    }
    Ok(())
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
    fn a_readme_that_says_something_else_is_outdated() {
        let manifest = "[features]\ndefault = [\"a\"]\n## Reads a.\na = []\n";
        let of = |readme: &str| {
            let workspace = Workspace::sample(&[
                ("crates/read-x/Cargo.toml", manifest),
                ("crates/read-x/README.md", readme),
            ]);
            let renewed = readmes(&workspace).next().and_then(|(_, renewed)| renewed);
            (outdated(&workspace).count(), renewed)
        };
        let right = format!("# x\n\n{HEADER}| `a` | yes | Reads a. |\n\nMore.\n");
        assert_eq!(of(&right), (0, Some(right.clone())));
        assert_eq!(of(&right.replace("Reads a.", "Reads b.")), (1, Some(right.clone())));
        assert_eq!(of(&right.replace("| `a`", "| `z` |  | Gone. |\n| `a`")), (1, Some(right)));
        assert_eq!(of("# x\n"), (1, None));
    }

    #[test]
    fn a_check_of_nothing_is_an_error() {
        assert!(check(&Workspace::sample(&[])).is_err());
    }
}
