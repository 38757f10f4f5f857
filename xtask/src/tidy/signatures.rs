//! Public signatures name nobody else's types.

use super::{Check, Violation};
use crate::rust_source::{contains_word, imports};
use crate::workspace::{Workspace, crate_of_source};

pub(super) const CHECKS: &[Check] = &[Check {
    name: "public-signatures",
    holds: "No public signature names a third party's type, so that its releases are not ours.",
    invariant: true,
    find,
}];

/// Crates that stand in signatures by decision.
const BY_DECISION: [(&str, &str); 3] = [
    ("inventory", "the registration macro expands to it in the crates of others"),
    ("serde", "its traits are what a host serialises with"),
    ("serde_json", "arguments arrive as its values"),
];

fn find(workspace: &Workspace) -> Vec<Violation> {
    let mut found = Vec::new();
    for (file, rust) in workspace.sources() {
        let Some(package) = crate_of_source(&file.path).and_then(|name| workspace.package(name)) else {
            continue;
        };
        let foreign: Vec<String> = package
            .dependencies
            .iter()
            .filter(|dependency| !dependency.dev && workspace.package(&dependency.name).is_none())
            .map(|dependency| dependency.name.replace('-', "_"))
            .filter(|name| BY_DECISION.iter().all(|(decided, _)| decided != name))
            // A module of that name is ours, and hides the crate in paths.
            .filter(|name| !contains_word(&rust.code, &format!("mod {name};")))
            .collect();
        let root = |path: &str| path.split("::").next().unwrap_or_default().to_owned();
        let imported: Vec<_> =
            imports(&rust.code).into_iter().filter(|import| foreign.contains(&root(&import.path))).collect();
        for (line, signature) in signatures(&rust.code) {
            let qualified = foreign.iter().find(|name| contains_word(&signature, &format!("{name}::")));
            let short = imported
                .iter()
                .find(|import| !signature.starts_with("pub use") && contains_word(&signature, &import.name))
                .map(|import| &import.path);
            found.extend(qualified.or(short).map(|name| {
                Violation::of_line(
                    &file.path,
                    line,
                    format!("a public signature names '{name}'; wrap it in a type of ours"),
                )
            }));
        }
    }
    found
}

/// Each public item with the line it begins on: up to its body, or with it where that is public too.
fn signatures(code: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut offset = 0_usize;
    for (at, line) in code.split_inclusive('\n').enumerate() {
        let item = line.trim_start();
        if item.starts_with("pub ") {
            let start = offset.saturating_add(line.len().saturating_sub(item.len()));
            let signature = code.get(start..).map_or(String::new(), signature);
            found.push((at.saturating_add(1), signature));
        }
        offset = offset.saturating_add(line.len());
    }
    found
}

fn signature(item: &str) -> String {
    let is = |kind: &str| {
        item.strip_prefix("pub ")
            .is_some_and(|rest| contains_word(rest.get(..kind.len()).unwrap_or_default(), kind))
    };
    // Variants and trait methods are as public as what they stand in, and import groups have braces of their own.
    let with_body = is("enum") || is("trait") || is("use");
    // A public field ends at its comma; commas also stand inside brackets.
    let is_field = ![
        "fn", "struct", "enum", "trait", "type", "const", "static", "use", "mod", "unsafe", "async", "extern",
    ]
    .into_iter()
    .any(is);
    let mut depth = 0_usize;
    let mut previous = ' ';
    for (at, c) in item.char_indices() {
        match c {
            '{' if depth == 0 && !with_body => return item.get(..at).unwrap_or_default().to_owned(),
            '(' | '[' | '{' | '<' => depth = depth.saturating_add(1),
            '>' if previous == '-' || previous == '=' => {}
            '}' if depth <= 1 => return item.get(..at).unwrap_or_default().to_owned(),
            ')' | ']' | '>' | '}' => depth = depth.saturating_sub(1),
            ';' if depth == 0 => return item.get(..at).unwrap_or_default().to_owned(),
            ',' if depth == 0 && is_field => return item.get(..at).unwrap_or_default().to_owned(),
            _ => {}
        }
        previous = c;
    }
    item.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<Option<usize>> {
        let workspace = Workspace::sample(&[("crates/read-a/src/lib.rs", text)])
            .with_package("read-a", &["read-core", "zip", "fast-resize", "inventory"])
            .with_package("read-core", &[]);
        find(&workspace).into_iter().map(|one| one.line).collect()
    }

    #[test]
    fn a_foreign_type_is_found() {
        assert_eq!(found("pub fn a(\n    b: u8,\n) -> zip::Archive { }\n"), [Some(1)]);
        assert_eq!(found("use zip::{Archive as Z};\n\n    pub fn a(z: &Z) {}\n"), [Some(3)]);
        assert_eq!(found("pub enum E {\n    A(zip::Error),\n}\n"), [Some(1)]);
        assert_eq!(found("pub struct S {\n    pub inner: fast_resize::Image,\n}\n"), [Some(2)]);
        assert_eq!(found("pub trait T {\n    fn a(&self) -> zip::Error;\n}\n"), [Some(1)]);
        assert_eq!(found("pub use zip::{Archive, Error};\n"), [Some(1)]);
        assert_eq!(found("pub type A = Result<(), zip::Error>;\n"), [Some(1)]);
        assert_eq!(found("pub struct S(pub zip::Error);\n"), [Some(1)]);
    }

    #[test]
    fn bodies_private_items_and_what_was_decided_pass() {
        assert_eq!(found("use zip::Archive;\npub fn a() -> u8 { zip::read(Archive) }\n"), []);
        assert_eq!(found("pub(crate) fn a() -> zip::Archive {}\nfn b(z: zip::Error) {}\n"), []);
        assert_eq!(
            found(
                "pub struct S {\n    inner: zip::Archive,\n    pub size: u64,\n    other: zip::Error,\n}\n"
            ),
            []
        );
        assert_eq!(found("pub use inventory;\npub use inventory::submit;\npub use read_core::zip;\n"), []);
        assert_eq!(
            found("pub fn a() -> unzip::Archive {}\npub fn b(f: impl Fn(u8) -> u8) { zip::x() }\n"),
            []
        );
    }
}
