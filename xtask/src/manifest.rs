//! `Cargo.toml` read line by line: cargo's own reader drops the comments, and they are what is looked at here.

use std::fmt::Write as _;

/// One entry of a manifest.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Entry<'a> {
    /// Counted from 1.
    pub(crate) line: usize,
    /// The table it stands in: `dependencies`, `target.'cfg(unix)'.dependencies`, …
    pub(crate) section: &'a str,
    /// What is left of `=`, without `.workspace`.
    pub(crate) key: &'a str,
    /// What is right of it, all its lines; for `a.workspace = true` it is `{ workspace = true }`.
    pub(crate) value: String,
    /// The comment lines directly above it, in order.
    pub(crate) comments: Vec<&'a str>,
}

impl Entry<'_> {
    /// Whether it declares a dependency of any kind, of a package.
    pub(crate) fn is_dependency(&self) -> bool {
        let last = self.section.rsplit('.').next().unwrap_or_default();
        self.section != "workspace.dependencies"
            && matches!(last, "dependencies" | "dev-dependencies" | "build-dependencies")
    }
}

/// The entries of a manifest. A dependency with a table of its own (`[dependencies.x]`) is an entry too.
pub(crate) fn entries(text: &str) -> Vec<Entry<'_>> {
    let mut entries: Vec<Entry<'_>> = Vec::new();
    let mut section = "";
    let mut comments = Vec::new();
    let mut open = 0_usize;
    for (at, full) in text.lines().enumerate() {
        let line = full.trim();
        if open > 0 {
            open = brackets(open, line);
            if let Some(entry) = entries.last_mut() {
                entry.value.push(' ');
                entry.value.push_str(line);
            }
            continue;
        }
        if line.starts_with('#') {
            comments.push(line);
            continue;
        }
        let above = std::mem::take(&mut comments);
        let number = at.saturating_add(1);
        if let Some(header) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            section = header.trim_matches(['[', ']']).trim();
            if let Some((table, key)) = table_of_its_own(section) {
                entries.push(Entry {
                    line: number,
                    section: table,
                    key,
                    value: String::new(),
                    comments: above,
                });
            }
            continue;
        }
        let Some((key, value)) = line.split_once('=') else { continue };
        let (key, value) = (key.trim(), value.trim());
        if table_of_its_own(section).is_some() {
            if let Some(entry) = entries.last_mut() {
                let _ = write!(entry.value, "{key} = {value} ");
            }
            continue;
        }
        open = brackets(0, value);
        let (key, value) = match key.split_once('.') {
            Some((name, field)) => (name, format!("{{ {field} = {value} }}")),
            None => (key, value.to_owned()),
        };
        entries.push(Entry { line: number, section, key, value, comments: above });
    }
    entries
}

/// For `dependencies.x` the table `dependencies` and the key `x`.
fn table_of_its_own(section: &str) -> Option<(&str, &str)> {
    let (table, key) = section.rsplit_once('.')?;
    table.ends_with("dependencies").then_some((table, key))
}

/// How many brackets are open after `text`, strings aside.
fn brackets(open: usize, text: &str) -> usize {
    let mut open = open;
    let mut quoted = false;
    for c in text.chars() {
        match c {
            '"' => quoted = !quoted,
            '#' if !quoted => break,
            '[' | '{' if !quoted => open = open.saturating_add(1),
            ']' | '}' if !quoted => open = open.saturating_sub(1),
            _ => {}
        }
    }
    open
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLE: &str = r#"[package]
name = "a"

[features]
default = ["x"]
## What x gives,
## in two lines.
x = [
    "dep:b",
    "dep:c",
]

[dependencies]
# Reason.
b.workspace = true
c = { workspace = true, features = ["f"] }

[target.'cfg(unix)'.dependencies]
# Another.
d = "1"

# Apart.
[dev-dependencies.e]
version = "2"

[workspace.dependencies]
z = "1"
"#;

    #[test]
    fn entries_have_sections_and_comments() {
        let entries = entries(SAMPLE);
        let find = |key: &str| entries.iter().find(|entry| entry.key == key).unwrap();
        assert_eq!(find("x").comments, ["## What x gives,", "## in two lines."]);
        assert_eq!(find("x").value, "[ \"dep:b\", \"dep:c\", ]");
        assert!(!find("x").is_dependency());
        assert_eq!(find("b").comments, ["# Reason."]);
        assert_eq!(find("b").value, "{ workspace = true }");
        assert!(find("c").comments.is_empty());
        assert_eq!(find("c").line, 16);
        assert_eq!(find("d").section, "target.'cfg(unix)'.dependencies");
        assert!(find("d").is_dependency());
        assert_eq!((find("e").section, find("e").value.as_str()), ("dev-dependencies", "version = \"2\" "));
        assert_eq!(find("e").comments, ["# Apart."]);
        assert!(!find("z").is_dependency());
    }
}
