//! Manifests: where versions stand, and why each dependency is there.

use super::{Check, Violation};
use crate::manifest::{Entry, entries};
use crate::workspace::{File, Workspace};

pub(super) const CHECKS: &[Check] = &[
    Check {
        name: "dependency-reasons",
        holds: "Every dependency has its reason in a comment directly above it.",
        invariant: false,
        find: reasons,
    },
    Check {
        name: "workspace-versions",
        holds: "Versions stand in the root manifest alone, each of them used: a crate says `workspace = true`.",
        invariant: false,
        find: versions,
    },
    Check {
        name: "features-explained",
        holds: "Every feature has a `##` comment above it that says what it gives.",
        invariant: false,
        find: features,
    },
    Check {
        name: "features-tabled",
        holds: "The readme of a published crate tables its features as its manifest explains them.",
        invariant: false,
        find: tables,
    },
];

/// The manifests of all members.
fn everyone(workspace: &Workspace) -> impl Iterator<Item = &File> {
    workspace.files.iter().filter(|file| file.path.ends_with("/Cargo.toml"))
}

/// The manifests of all members but the examples, which are written as strangers write theirs, with versions of their own.
fn members(workspace: &Workspace) -> impl Iterator<Item = &File> {
    everyone(workspace).filter(|file| !file.path.starts_with("examples/"))
}

fn dependencies(file: &File) -> impl Iterator<Item = Entry<'_>> {
    entries(&file.text).into_iter().filter(Entry::is_dependency)
}

fn reasons(workspace: &Workspace) -> Vec<Violation> {
    let bare = |file| dependencies(file).filter(|entry| entry.comments.is_empty());
    everyone(workspace)
        .flat_map(|file| {
            bare(file).map(|entry| {
                let message = format!("'{}' has no reason: write it in a comment directly above", entry.key);
                Violation::of_line(&file.path, entry.line, message)
            })
        })
        .collect()
}

fn versions(workspace: &Workspace) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut used = Vec::new();
    for file in members(workspace) {
        for entry in dependencies(file) {
            if !entry.value.contains("workspace = true") {
                let message = format!("'{}' has a version of its own: say `workspace = true`", entry.key);
                found.push(Violation::of_line(&file.path, entry.line, message));
            }
            used.push(entry.key.to_owned());
        }
    }
    if let Some(root) = workspace.file("Cargo.toml") {
        let declared =
            entries(&root.text).into_iter().filter(|entry| entry.section == "workspace.dependencies");
        found.extend(declared.filter(|entry| !used.iter().any(|key| key == entry.key)).map(|entry| {
            Violation::of_line(
                &root.path,
                entry.line,
                format!("'{}' is used by no member: remove it", entry.key),
            )
        }));
    }
    found
}

fn tables(workspace: &Workspace) -> Vec<Violation> {
    let message = "its table of features is missing or outdated: run 'cargo xtask features --write'";
    crate::features::outdated(workspace).map(|readme| Violation::of_file(&readme.path, message)).collect()
}

fn features(workspace: &Workspace) -> Vec<Violation> {
    let unexplained = |entry: &Entry<'_>| {
        entry.section == "features"
            && entry.key != "default"
            && !entry.comments.iter().any(|c| c.starts_with("## "))
    };
    members(workspace)
        .flat_map(|file| {
            entries(&file.text).into_iter().filter(unexplained).map(|entry| {
                let message = format!("the feature '{}' is not explained: write `## …` above it", entry.key);
                Violation::of_line(&file.path, entry.line, message)
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(find: fn(&Workspace) -> Vec<Violation>, text: &str) -> Vec<Option<usize>> {
        let root = "[workspace.dependencies]\nzip = \"9\"\n";
        let workspace = Workspace::sample(&[("Cargo.toml", root), ("crates/read-a/Cargo.toml", text)]);
        find(&workspace).into_iter().map(|one| one.line).collect()
    }

    const GOOD: &str = "[features]\ndefault = [\"zip\"]\n## Reads it.\nzip = [\"dep:zip\"]\n\n[dependencies]\n# Reads it.\nzip.workspace = true\n";

    #[test]
    fn a_good_manifest_passes() {
        for check in CHECKS {
            assert_eq!(found(check.find, GOOD), [], "{}", check.name);
        }
    }

    #[test]
    fn a_dependency_without_a_reason_is_found() {
        assert_eq!(found(reasons, "[dependencies]\n# Why.\n\nzip.workspace = true\n"), [Some(4)]);
        assert_eq!(
            found(reasons, "[dev-dependencies]\n# Why.\na.workspace = true\nzip.workspace = true\n"),
            [Some(4)]
        );
        assert_eq!(found(reasons, "[dependencies.zip]\nworkspace = true\n"), [Some(1)]);
    }

    #[test]
    fn a_version_of_its_own_is_found() {
        assert_eq!(found(versions, "[dependencies]\nzip = \"8\"\n"), [Some(2)]);
        assert_eq!(found(versions, "[dependencies]\nzip = { version = \"8\" }\n"), [Some(2)]);
        assert_eq!(found(versions, "[dependencies]\nzip = { workspace = true, optional = true }\n"), []);
    }

    #[test]
    fn a_version_that_nobody_uses_is_found() {
        let found =
            versions(&Workspace::sample(&[("Cargo.toml", "[workspace.dependencies]\nzip = \"9\"\n")]));
        assert_eq!(found, [Violation::of_line("Cargo.toml", 2, "'zip' is used by no member: remove it")]);
    }

    #[test]
    fn a_feature_without_words_is_found() {
        assert_eq!(found(features, "[features]\n# Reads it.\nzip = []\n"), [Some(3)]);
    }
}
