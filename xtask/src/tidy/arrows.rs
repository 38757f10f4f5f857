//! Which crate may depend on which.

use super::{Check, Violation};
use crate::workspace::{Package, Workspace};

pub(super) const CHECKS: &[Check] = &[
    Check {
        name: "plugin-arrows",
        holds: "No plugin depends on another plugin, nor on read-tool.",
        invariant: true,
        find: plugins,
    },
    Check {
        name: "core-arrows",
        holds: "Of this workspace, read-core depends on read-selector alone.",
        invariant: true,
        find: core,
    },
    Check {
        name: "leaf-arrows",
        holds: "read-selector and read-hashline depend on no crate of this workspace; read-selector on no crate at all.",
        invariant: true,
        find: leaves,
    },
];

/// The crates that are no plugins. `custom-host` and `c-host` are examples of hosts, which link plugins as read-tool does;
/// what measures and tries the tool depends on all of it.
const FRAME: [&str; 9] = [
    "read-selector",
    "read-core",
    "read-hashline",
    "read-tool",
    "custom-host",
    "c-host",
    "read-bench",
    "read-trials",
    "xtask",
];

fn plugins(workspace: &Workspace) -> Vec<Violation> {
    let is_plugin = |name: &str| workspace.package(name).is_some() && !FRAME.contains(&name);
    let plugins = workspace.packages.iter().filter(|package| is_plugin(&package.name));
    plugins.flat_map(|plugin| forbidden(plugin, |name| is_plugin(name) || name == "read-tool")).collect()
}

fn core(workspace: &Workspace) -> Vec<Violation> {
    let other = |name: &str| name != "read-selector" && workspace.package(name).is_some();
    workspace.package("read-core").into_iter().flat_map(|package| forbidden(package, other)).collect()
}

fn leaves(workspace: &Workspace) -> Vec<Violation> {
    let ours = |name: &str| workspace.package(name).is_some();
    let leaves = ["read-selector", "read-hashline"].into_iter().filter_map(|name| workspace.package(name));
    let mut found: Vec<_> = leaves.flat_map(|package| forbidden(package, ours)).collect();
    if let Some(selector) = workspace.package("read-selector") {
        let shipped =
            selector.dependencies.iter().filter(|dependency| !dependency.dev && !ours(&dependency.name));
        found.extend(shipped.map(|dependency| violation(selector, &dependency.name)));
    }
    found
}

fn forbidden(package: &Package, is_forbidden: impl Fn(&str) -> bool) -> Vec<Violation> {
    let hit = package.dependencies.iter().filter(|dependency| is_forbidden(&dependency.name));
    hit.map(|dependency| violation(package, &dependency.name)).collect()
}

fn violation(package: &Package, dependency: &str) -> Violation {
    Violation::of_file(
        &format!("crates/{}/Cargo.toml", package.name),
        format!("{} must not depend on {dependency}", package.name),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Workspace {
        Workspace::sample(&[])
            .with_package("read-selector", &[])
            .with_package("read-core", &["read-selector", "memchr"])
            .with_package("read-hashline", &["sha2"])
            .with_package("read-one", &["read-core", "zip"])
            .with_package("read-tool", &["read-core", "read-one"])
    }

    #[test]
    fn what_is_allowed_passes() {
        for check in CHECKS {
            assert_eq!((check.find)(&sample()), [], "{}", check.name);
        }
    }

    #[test]
    fn a_plugin_on_a_plugin_or_on_the_umbrella_is_found() {
        let found = plugins(&sample().with_package("read-two", &["read-one", "read-tool"]));
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|one| one.path == "crates/read-two/Cargo.toml"));
    }

    #[test]
    fn core_on_a_plugin_is_found() {
        let workspace =
            Workspace::sample(&[]).with_package("read-core", &["read-one"]).with_package("read-one", &[]);
        assert_eq!(core(&workspace).len(), 1);
    }

    #[test]
    fn a_leaf_with_a_dependency_is_found() {
        let workspace = Workspace::sample(&[])
            .with_package("read-core", &[])
            .with_package("read-selector", &["memchr"])
            .with_package("read-hashline", &["read-core", "sha2"]);
        let messages: Vec<_> = leaves(&workspace).into_iter().map(|one| one.message).collect();
        assert_eq!(
            messages,
            ["read-hashline must not depend on read-core", "read-selector must not depend on memchr"]
        );
    }
}
