//! What a build compiles, as cargo resolves it.

use std::collections::BTreeSet;

use anyhow::Result;

use crate::process;
use crate::workspace::Workspace;

/// The third-party crates (`name version`) that a build of `package` compiles for its own use.
pub(crate) fn third_party(
    workspace: &Workspace,
    package: &str,
    arguments: &[&str],
) -> Result<BTreeSet<String>> {
    let fixed = ["tree", "--locked", "--edges", "normal", "--prefix", "none", "--package", package];
    let tree =
        process::output(process::command(workspace, "cargo", &[fixed.as_slice(), arguments].concat()))?;
    Ok(named_in(&tree, |name| workspace.package(name).is_some()))
}

fn named_in(tree: &str, is_ours: impl Fn(&str) -> bool) -> BTreeSet<String> {
    tree.lines()
        .filter_map(|line| {
            let mut parts = line.split(' ');
            let (name, version) = (parts.next()?, parts.next()?.trim_start_matches('v'));
            (!is_ours(name)).then(|| format!("{name} {version}"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: &str = "read-core v0.1.0 (/somewhere)\nmemchr v2.8.3\nthiserror v2.0.21\nthiserror-impl v2.0.21 (proc-macro)\nmemchr v2.8.3\nmemchr v3.0.0 (*)\n";

    #[test]
    fn a_tree_names_each_crate_once() {
        let crates: Vec<_> = named_in(TREE, |name| name == "read-core").into_iter().collect();
        assert_eq!(crates, ["memchr 2.8.3", "memchr 3.0.0", "thiserror 2.0.21", "thiserror-impl 2.0.21"]);
    }
}
