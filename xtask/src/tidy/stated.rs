//! Pages that speak of the code: the architecture's states every invariant, the threat model's names tests that exist.

use std::collections::BTreeSet;

use super::{Check, Violation, checks};
use crate::workspace::Workspace;

pub(super) const CHECKS: &[Check] = &[
    Check {
        name: "invariants-stated",
        holds: "ARCHITECTURE.md states each invariant with the name of its check.",
        invariant: false,
        find,
    },
    Check {
        name: "promises-proved",
        holds: "Every test that docs/threat-model.md and docs/workspace.md name as a proof exists.",
        invariant: false,
        find: unproved,
    },
];

/// The pages whose tables name a test for each promise, in their last column.
const PROMISES: [&str; 2] = ["docs/threat-model.md", "docs/workspace.md"];

const PAGE: &str = "ARCHITECTURE.md";

fn find(workspace: &Workspace) -> Vec<Violation> {
    let text = workspace.file(PAGE).map_or("", |file| file.text.as_str());
    let missing = checks().filter(|check| check.invariant && !text.contains(&format!("`{}`", check.name)));
    missing
        .map(|check| {
            Violation::of_file(PAGE, format!("state the invariant of `{}`: {}", check.name, check.holds))
        })
        .collect()
}

fn unproved(workspace: &Workspace) -> Vec<Violation> {
    let tests: BTreeSet<&str> = workspace.rust_files().flat_map(|(file, _)| test_names(&file.text)).collect();
    PROMISES.iter().flat_map(|path| unproved_on(workspace, path, &tests)).collect()
}

fn unproved_on(workspace: &Workspace, path: &str, tests: &BTreeSet<&str>) -> Vec<Violation> {
    let Some(page) = workspace.file(path) else {
        return vec![Violation::of_file(path, "write the promises and their proofs")];
    };
    let mut found = Vec::new();
    let mut named = 0;
    for (line, text) in (1..).zip(page.text.lines()) {
        let Some(proof) = text.strip_suffix('|').and_then(|row| row.rsplit('|').next()) else { continue };
        // `read-core` `it::dispatch::the_name`: a crate, and the way to a test in it.
        let quoted = proof.split('`').skip(1).step_by(2).filter(|name| !name.contains('-'));
        for test in quoted.filter_map(|way| way.rsplit("::").next()) {
            named += 1;
            if !tests.contains(test) {
                found.push(Violation::of_line(path, line, format!("there is no test `{test}`")));
            }
        }
    }
    if named == 0 {
        found.push(Violation::of_file(path, "no row names a test"));
    }
    found
}

/// The functions behind a `#[test]`, with other attributes and comments between.
fn test_names(text: &str) -> impl Iterator<Item = &str> {
    text.split("#[test]").skip(1).filter_map(|after| {
        let (_, signature) = after.split_once("fn ")?;
        signature.split(|c: char| !c.is_alphanumeric() && c != '_').next()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_is_silent_about_one_is_found() {
        let names: Vec<_> =
            checks().filter(|check| check.invariant).map(|check| format!("`{}`", check.name)).collect();
        let all = names.join("\n");
        assert_eq!(find(&Workspace::sample(&[(PAGE, &all)])), []);
        let less = all.replace("`core-arrows`", "");
        let found = find(&Workspace::sample(&[(PAGE, &less)]));
        assert_eq!(found.len(), 1);
        assert!(found.iter().all(|one| one.message.contains("core-arrows")));
        assert!(find(&Workspace::sample(&[])).len() > 1);
    }

    #[test]
    fn a_proof_that_is_gone_is_found() {
        let code = "#[test]\n// Why.\n#[cfg(unix)]\nfn it_holds() {}\nfn a_helper() {}\n";
        let found = |page: &str| {
            let pages = PROMISES.map(|path| (path, page));
            unproved(&Workspace::sample(&[&pages[..], &[("crates/a/tests/a.rs", code)]].concat())).len()
        };
        assert_eq!(found("| promise | how | `it_holds` |\n"), 0);
        assert_eq!(found("| promise | `read-a` `it::b::it_holds`, `…::it_holds` |\n"), 0);
        assert_eq!(found("| `p` | how | `it_holds`, `it::a_helper` |\n"), 2);
        assert_eq!(found("no table\n"), 2);
        assert_eq!(unproved(&Workspace::sample(&[])).len(), 2);
    }
}
