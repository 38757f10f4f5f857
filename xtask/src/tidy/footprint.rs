//! What the small builds pull in, as cargo resolves it.

use std::collections::BTreeSet;

use anyhow::Result;

use super::{Check, Violation};
use crate::dependencies::third_party;
use crate::workspace::Workspace;

pub(super) const CHECKS: &[Check] = &[Check {
    name: "footprint",
    holds: "A text-only host builds at most 12 third-party crates: no runtime, no database, no decoder.",
    invariant: true,
    find,
}];

/// One build, how many third-party crates it may compile, and which it must not.
struct Bound {
    package: &'static str,
    arguments: &'static [&'static str],
    at_most: usize,
    never: &'static [&'static str],
}

const HEAVY: &[&str] = &["clap", "image", "rmcp", "rusqlite", "tar", "tokio", "zip"];

const BOUNDS: &[Bound] = &[
    Bound { package: "read-selector", arguments: &["--all-features"], at_most: 0, never: &[] },
    Bound { package: "read-core", arguments: &["--no-default-features"], at_most: 12, never: HEAVY },
    Bound { package: "read-core", arguments: &["--all-features"], at_most: usize::MAX, never: HEAVY },
    Bound { package: "read-tool", arguments: &["--no-default-features"], at_most: usize::MAX, never: HEAVY },
    Bound {
        package: "read-archive",
        arguments: &[],
        at_most: 35,
        never: &["clap", "image", "rmcp", "rusqlite", "tokio"],
    },
];

fn find(workspace: &Workspace) -> Vec<Violation> {
    let present = BOUNDS.iter().filter(|bound| workspace.package(bound.package).is_some());
    present.flat_map(|bound| judged(bound, third_party(workspace, bound.package, bound.arguments))).collect()
}

fn judged(bound: &Bound, crates: Result<BTreeSet<String>>) -> Vec<Violation> {
    match crates {
        Ok(crates) => exceeded(bound, &crates),
        Err(error) => vec![Violation::of_file(&manifest(bound), format!("cannot be resolved: {error:#}"))],
    }
}

fn manifest(bound: &Bound) -> String {
    format!("crates/{}/Cargo.toml", bound.package)
}

fn exceeded(bound: &Bound, crates: &BTreeSet<String>) -> Vec<Violation> {
    let path = manifest(bound);
    let build = [&[bound.package], bound.arguments].concat().join(" ");
    let mut found = Vec::new();
    if crates.len() > bound.at_most {
        let list: Vec<_> = crates.iter().map(String::as_str).collect();
        let message = format!(
            "{build} compiles {} third-party crates, over {}: {}",
            crates.len(),
            bound.at_most,
            list.join(", ")
        );
        found.push(Violation::of_file(&path, message));
    }
    let name = |one: &str| one.split(' ').next().unwrap_or_default().to_owned();
    let hit = crates.iter().filter(|one| bound.never.contains(&name(one).as_str()));
    found.extend(hit.map(|one| Violation::of_file(&path, format!("{build} pulls in {one}"))));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_resolved_is_found() {
        let bound = Bound { package: "read-nowhere", arguments: &[], at_most: 0, never: &[] };
        let crates = third_party(&Workspace::sample(&[]), bound.package, bound.arguments);
        let found = judged(&bound, crates);
        assert_eq!(found.len(), 1);
        assert!(found.iter().all(|one| one.message.contains("read-nowhere")), "{found:?}");
    }

    #[test]
    fn what_is_over_a_bound_is_found() {
        let crates = ["memchr 2.8.3", "memchr 3.0.0", "thiserror 2.0.21", "thiserror-impl 2.0.21"];
        let crates = crates.map(str::to_owned).into();
        let bound =
            |at_most, never| Bound { package: "read-core", arguments: &["--all-features"], at_most, never };
        assert_eq!(exceeded(&bound(4, &["zip"]), &crates), []);
        assert_eq!(exceeded(&bound(3, &[]), &crates).len(), 1);
        let found = exceeded(&bound(4, &["thiserror"]), &crates);
        assert_eq!(
            found,
            [Violation::of_file(
                "crates/read-core/Cargo.toml",
                "read-core --all-features pulls in thiserror 2.0.21"
            )]
        );
    }
}
