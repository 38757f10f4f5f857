//! `supply`: what the dependencies bring that a reviewer would ask about: unsafe code and build scripts.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::dependencies::third_party;
use crate::rust_source::{Masked, contains_word};
use crate::workspace::Workspace;
use crate::{Command, process};

pub(crate) const COMMAND: Command = Command {
    name: "supply",
    arguments: "",
    about: "Prints the crates that read-tool with all features is built of: lines with unsafe code, build scripts.",
    run,
};

/// One crate.
#[derive(Debug, Default, PartialEq, Eq)]
struct Supplied {
    /// Lines with the word, outside comments and texts, of its sources.
    unsafe_lines: usize,
    has_build_script: bool,
}

fn run(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    if !arguments.is_empty() {
        bail!("supply takes no arguments");
    }
    let wanted = third_party(workspace, "read-tool", &["--all-features"])?;
    let metadata = process::output(process::command(
        workspace,
        "cargo",
        &["metadata", "--locked", "--format-version", "1", "--all-features"],
    ))?;
    let metadata: Value = serde_json::from_str(&metadata).context("cargo's metadata is no JSON")?;
    let mut all = BTreeMap::new();
    for package in metadata.get("packages").and_then(Value::as_array).into_iter().flatten() {
        let text = |key: &str| package.get(key).and_then(Value::as_str).unwrap_or_default();
        let name = format!("{} {}", text("name"), text("version"));
        if wanted.contains(&name) {
            let folder = Path::new(text("manifest_path")).parent().context("a manifest without a folder")?;
            all.insert(
                name,
                Supplied {
                    unsafe_lines: unsafe_lines(&folder.join("src"))?,
                    has_build_script: has_build_script(package),
                },
            );
        }
    }
    if all.len() != wanted.len() {
        bail!("{} of {} crates were found", all.len(), wanted.len());
    }
    print!("{}", table(&all));
    Ok(())
}

fn has_build_script(package: &Value) -> bool {
    let targets = package.get("targets").and_then(Value::as_array).into_iter().flatten();
    let kinds = targets.filter_map(|target| target.get("kind")).filter_map(Value::as_array).flatten();
    kinds.filter_map(Value::as_str).any(|kind| kind == "custom-build")
}

/// Of all Rust files below a folder.
fn unsafe_lines(folder: &Path) -> Result<usize> {
    let mut open: Vec<PathBuf> = vec![folder.to_owned()];
    let mut lines = 0;
    while let Some(path) = open.pop() {
        if path.is_dir() {
            for entry in
                fs::read_dir(&path).with_context(|| format!("{} cannot be listed", path.display()))?
            {
                open.push(entry?.path());
            }
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text =
                fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
            lines += count(&text);
        }
    }
    Ok(lines)
}

fn count(text: &str) -> usize {
    Masked::new(text).all.lines().filter(|line| contains_word(line, "unsafe")).count()
}

fn table(all: &BTreeMap<String, Supplied>) -> String {
    let mut rows: Vec<_> = all.iter().collect();
    rows.sort_by_key(|(name, one)| (std::cmp::Reverse(one.unsafe_lines), name.as_str()));
    let mut text = String::from("| crate | lines with unsafe code | build script |\n| --- | --- | --- |\n");
    for (name, one) in rows.iter().filter(|(_, one)| one.unsafe_lines > 0 || one.has_build_script) {
        let script = if one.has_build_script { "yes" } else { "" };
        let _ = writeln!(text, "| `{name}` | {} | {script} |", one.unsafe_lines);
    }
    let clean: Vec<_> = rows
        .iter()
        .filter(|(_, one)| **one == Supplied::default())
        .map(|(name, _)| format!("`{name}`"))
        .collect();
    let _ = writeln!(text, "\nNeither: {}.", clean.join(", "));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_counts_in_code_alone() {
        assert_eq!(
            count(
                "// unsafe\nunsafe fn a() {}\nlet b = \"unsafe\";\nlet c = unsafe { a() };\nlet unsafely = 1;\n"
            ),
            2
        );
    }

    #[test]
    fn the_most_unsafe_stands_first_and_the_rest_is_named() {
        let one = |unsafe_lines, has_build_script| Supplied { unsafe_lines, has_build_script };
        let all = BTreeMap::from([
            ("a 1".to_owned(), one(0, false)),
            ("b 1".to_owned(), one(3, true)),
            ("c 1".to_owned(), one(9, false)),
            ("d 1".to_owned(), one(0, true)),
        ]);
        let text = table(&all);
        let rows: Vec<_> = text.lines().skip(2).collect();
        assert_eq!(
            rows,
            ["| `c 1` | 9 |  |", "| `b 1` | 3 | yes |", "| `d 1` | 0 | yes |", "", "Neither: `a 1`."]
        );
    }
}
