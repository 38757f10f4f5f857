//! The page on the architecture states every invariant, with the name of its check.

use super::{Check, Violation, checks};
use crate::workspace::Workspace;

pub(super) const CHECKS: &[Check] = &[Check {
    name: "invariants-stated",
    holds: "ARCHITECTURE.md states each invariant with the name of its check.",
    invariant: false,
    find,
}];

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
}
