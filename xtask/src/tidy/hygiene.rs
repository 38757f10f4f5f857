//! Files: how they begin and end, how long they are, and what no file says.

use super::{Check, Exception, Violation, except};
use crate::rust_source::contains_word;
use crate::workspace::{File, Workspace};

pub(super) const CHECKS: &[Check] = &[
    Check {
        name: "module-docs",
        holds: "Every Rust file begins with `//!` and says what it holds.",
        invariant: false,
        find: module_docs,
    },
    Check {
        name: "file-length",
        holds: "No Rust file is longer than 600 lines.",
        invariant: false,
        find: lengths,
    },
    Check {
        name: "line-ends",
        holds: "No line ends in a space, a tab or a carriage return, and every file ends in one line end.",
        invariant: false,
        find: line_ends,
    },
    Check {
        name: "no-loose-ends",
        holds: "No file holds a mark for later, a placeholder or a debugging aid.",
        invariant: false,
        find: loose_ends,
    },
    Check {
        name: "no-machine-paths",
        holds: "No file names a path of the machine it was written on.",
        invariant: false,
        find: machine_paths,
    },
];

/// Lines of one file; more wants splitting by idea.
const MAX_LINES: usize = 600;

const LONG_FILES: &[Exception] = &[];

/// This file names what it looks for.
const OWN_PATTERNS: &[Exception] =
    &[Exception { path: "xtask/src/tidy/hygiene.rs", reason: "names what it looks for" }];

const LOOSE_ENDS: [&str; 6] = ["TODO", "FIXME", "XXX", "todo!", "unimplemented!", "dbg!"];

const MACHINE_PATHS: [&str; 3] = ["/work/", "/root/", "/tmp/target"];

/// Directories whose files are data, and are as they are on purpose.
const DATA: [&str; 6] = ["corpus", "data", "findings", "fixtures", "golden", "snapshots"];

fn is_data(file: &File) -> bool {
    file.path.split('/').any(|part| DATA.contains(&part))
}

fn module_docs(workspace: &Workspace) -> Vec<Violation> {
    let bare = workspace.rust_files().filter(|(file, _)| !is_data(file) && !file.text.starts_with("//! "));
    bare.map(|(file, _)| Violation::of_line(&file.path, 1, "begin the file with `//!` and what it holds"))
        .collect()
}

fn lengths(workspace: &Workspace) -> Vec<Violation> {
    let long = workspace.rust_files().filter(|(file, _)| file.text.lines().count() > MAX_LINES);
    let found = long.map(|(file, _)| {
        let lines = file.text.lines().count();
        Violation::of_file(&file.path, format!("{lines} lines, over {MAX_LINES}: split it by idea"))
    });
    except(found.collect(), LONG_FILES, "xtask/src/tidy/hygiene.rs")
}

fn line_ends(workspace: &Workspace) -> Vec<Violation> {
    let mut found = Vec::new();
    for file in workspace.files.iter().filter(|file| !is_data(file) && !file.text.is_empty()) {
        let ragged = file.text.split('\n').enumerate().filter(|(_, line)| line.ends_with([' ', '\t', '\r']));
        found.extend(ragged.map(|(at, _)| {
            Violation::of_line(&file.path, at.saturating_add(1), "the line ends in white space")
        }));
        if !file.text.ends_with('\n') || file.text.ends_with("\n\n") {
            found.push(Violation::of_file(&file.path, "the file does not end in one line end"));
        }
    }
    found
}

fn loose_ends(workspace: &Workspace) -> Vec<Violation> {
    let mut found = Vec::new();
    for file in workspace.files.iter().filter(|file| !is_data(file)) {
        for (at, line) in file.text.lines().enumerate() {
            let word = LOOSE_ENDS.iter().find(|word| contains_word(line, word));
            found.extend(word.map(|word| {
                Violation::of_line(
                    &file.path,
                    at.saturating_add(1),
                    format!("'{word}': finish it, or file an issue"),
                )
            }));
        }
    }
    except(found, OWN_PATTERNS, "xtask/src/tidy/hygiene.rs")
}

fn machine_paths(workspace: &Workspace) -> Vec<Violation> {
    let mut found = Vec::new();
    for file in &workspace.files {
        for (at, line) in file.text.lines().enumerate() {
            let path = MACHINE_PATHS.iter().find(|path| stands_at_a_root(line, path));
            found.extend(path.map(|path| {
                Violation::of_line(
                    &file.path,
                    at.saturating_add(1),
                    format!("'{path}' is a path of one machine"),
                )
            }));
        }
    }
    except(found, OWN_PATTERNS, "xtask/src/tidy/hygiene.rs")
}

/// Whether `path` stands in `line` as an absolute path, and not as a part of a longer one.
fn stands_at_a_root(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(at, _)| {
        let before = line.get(..at).and_then(|text| text.chars().next_back());
        !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '*' | '}' | '~'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(find: fn(&Workspace) -> Vec<Violation>, path: &str, text: &str) -> Vec<Option<usize>> {
        let this = include_str!("hygiene.rs");
        let workspace = Workspace::sample(&[(path, text), ("xtask/src/tidy/hygiene.rs", this)]);
        find(&workspace).into_iter().map(|one| one.line).collect()
    }

    const RUST: &str = "crates/read-a/src/b.rs";

    #[test]
    fn a_good_file_passes() {
        let text =
            "//! What it holds.\n\n/// Todo lists, the word `xxx` and a/work/b or ~/root/c.\nfn a() {}\n";
        for check in CHECKS {
            assert_eq!(found(check.find, RUST, text), [], "{}", check.name);
        }
    }

    #[test]
    fn a_file_without_a_word_about_itself_is_found() {
        assert_eq!(found(module_docs, RUST, "fn a() {}\n"), [Some(1)]);
        assert_eq!(found(module_docs, RUST, "// A plain comment.\n"), [Some(1)]);
        assert_eq!(found(module_docs, "crates/read-a/tests/it/main.rs", ""), [Some(1)]);
    }

    #[test]
    fn a_long_file_is_found() {
        assert_eq!(found(lengths, RUST, &"\n".repeat(601)), [None]);
        assert_eq!(found(lengths, RUST, &"\n".repeat(600)), []);
        assert_eq!(found(lengths, "docs/a.md", &"\n".repeat(601)), []);
    }

    #[test]
    fn ragged_lines_and_ends_are_found() {
        assert_eq!(found(line_ends, "docs/a.md", "a \nb\n"), [Some(1)]);
        assert_eq!(found(line_ends, "docs/a.md", "a\nb\t\n"), [Some(2)]);
        assert_eq!(found(line_ends, "docs/a.md", "a\r\n"), [Some(1)]);
        assert_eq!(found(line_ends, "docs/a.md", "a"), [None]);
        assert_eq!(found(line_ends, "docs/a.md", "a\n\n"), [None]);
        assert_eq!(found(line_ends, "crates/read-a/tests/golden/a.txt", "a \r\nb"), []);
    }

    #[test]
    fn loose_ends_are_found() {
        for word in LOOSE_ENDS {
            assert_eq!(found(loose_ends, RUST, &format!("\nfn a() {{ {word}(1) }}\n")), [Some(2)], "{word}");
        }
    }

    #[test]
    fn machine_paths_are_found() {
        for path in MACHINE_PATHS {
            assert_eq!(found(machine_paths, "docs/a.md", &format!("see `{path}x`\n")), [Some(1)], "{path}");
            assert_eq!(found(machine_paths, "docs/a.md", &format!("{path}x\n")), [Some(1)], "{path}");
        }
    }
}
