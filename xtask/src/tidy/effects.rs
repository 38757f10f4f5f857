//! What reaches outside the program, and from where: files, streams, the environment, memory.

use super::{Check, Violation};
use crate::rust_source::{Masked, contains_word, imports, lines_with};
use crate::workspace::{File, Workspace};

pub(super) const CHECKS: &[Check] = &[
    Check {
        name: "opens-in-one-place",
        holds: "Nothing outside read-core's filesystem module reaches the disk by path.",
        invariant: true,
        find: opens,
    },
    Check {
        name: "effects-in-cli",
        holds: "Nothing outside read-tool's cli module prints, reads the environment or exits.",
        invariant: true,
        find: effects,
    },
    Check {
        name: "unsafe-listed",
        holds: "Unsafe code stands in the one audited module alone: read-sqlite's vfs.",
        invariant: true,
        find: unsafety,
    },
];

/// Who may use the system's interface: the module with the policy, and the one that asks open streams whether they block.
const OPENERS: &[&str] = &["crates/read-core/src/filesystem", "crates/read-tool/src/mcp/stdio"];
const CLI: &[&str] = &["crates/read-tool/src/cli"];
const UNSAFE: &[&str] = &["crates/read-sqlite/src/vfs"];

/// The example that exports names to C, which is unsafe to write and all that it has of it.
const EXPORTS: &str = "examples/c-host/src/lib.rs";

/// Calls that reach the disk by path. Methods of `Path` that other types have too (`exists`, `metadata`) are left to
/// review.
const OPENS: &[&str] = &[
    "File::open",
    "File::create",
    "File::create_new",
    "File::options",
    "OpenOptions",
    "fs::canonicalize",
    "fs::copy",
    "fs::create_dir",
    "fs::create_dir_all",
    "fs::metadata",
    "fs::open",
    "fs::openat",
    "fs::openat2",
    "fs::read",
    "fs::read_dir",
    "fs::read_link",
    "fs::read_to_string",
    "fs::remove_dir_all",
    "fs::remove_file",
    "fs::rename",
    "fs::symlink_metadata",
    "fs::write",
    ".canonicalize()",
    ".read_dir()",
    ".read_link()",
    ".symlink_metadata()",
    ".try_exists()",
    "rustix",
    // Decoders and databases that open by path themselves.
    "Connection::open",
    "Connection::open_with_flags",
    "ImageReader::open",
    "image::open",
];

const EFFECTS: &[&str] = &[
    "print!",
    "println!",
    "eprint!",
    "eprintln!",
    "io::stdin",
    "io::stdout",
    "io::stderr",
    "std::env",
    "env::args",
    "env::args_os",
    "env::current_dir",
    "env::home_dir",
    "env::temp_dir",
    "env::var",
    "env::var_os",
    "env::vars",
    "process::abort",
    "process::exit",
];

fn opens(workspace: &Workspace) -> Vec<Violation> {
    outside(
        workspace,
        OPENERS,
        OPENS,
        "reaches the disk by path; only the filesystem module may, under the policy",
    )
}

fn effects(workspace: &Workspace) -> Vec<Violation> {
    outside(workspace, CLI, EFFECTS, "reaches out of the library; only the cli module may")
}

fn unsafety(workspace: &Workspace) -> Vec<Violation> {
    let files = workspace.rust_files().filter(|(file, _)| !lies_in(file, UNSAFE));
    files
        .flat_map(|(file, rust)| {
            let exports = file.path == EXPORTS;
            let lines = rust
                .all
                .lines()
                .enumerate()
                .filter(move |(_, line)| is_unsafe(line) && !(exports && is_export(line)));
            lines.map(|(at, _)| at.saturating_add(1)).map(|line| {
                Violation::of_line(&file.path, line, "unsafe code stands outside the audited modules")
            })
        })
        .collect()
}

/// Whether the line lets a name be exported, and nothing else.
fn is_export(line: &str) -> bool {
    line.trim() == "#[unsafe(no_mangle)]" || line.starts_with("#![allow(unsafe_code, reason = ")
}

/// Whether the line has unsafe code, or a permission for it; forbidding it is welcome.
fn is_unsafe(line: &str) -> bool {
    let permits = ["allow", "expect", "warn"].into_iter().any(|level| contains_word(line, level));
    contains_word(line, "unsafe") || (contains_word(line, "unsafe_code") && permits)
}

fn outside(workspace: &Workspace, modules: &[&str], patterns: &[&str], why: &str) -> Vec<Violation> {
    let sources = workspace.sources().filter(|(file, _)| !lies_in(file, modules));
    sources
        .flat_map(|(file, rust)| {
            places(rust, patterns)
                .into_iter()
                .map(|(line, pattern)| Violation::of_line(&file.path, line, format!("'{pattern}' {why}")))
        })
        .collect()
}

/// Whether `file` is one of the modules, or below it: a module is given without `.rs`.
fn lies_in(file: &File, modules: &[&str]) -> bool {
    let rest = |module: &&str| file.path.strip_prefix(*module);
    modules.iter().filter_map(rest).any(|rest| rest == ".rs" || rest.starts_with('/'))
}

/// Where the patterns stand in the code, each line once, an import in braces included.
fn places<'a>(rust: &Masked, patterns: &[&'a str]) -> Vec<(usize, &'a str)> {
    let imports = imports(&rust.code);
    let mut places = Vec::new();
    for pattern in patterns {
        let imported = |path: &str| path.ends_with(&format!("::{pattern}")) || path == *pattern;
        let by_import = imports.iter().filter(|import| imported(&import.path)).map(|import| import.line);
        places.extend(
            lines_with(&rust.code, pattern).into_iter().chain(by_import).map(|line| (line, *pattern)),
        );
    }
    places.sort_by_key(|(line, _)| *line);
    places.dedup_by_key(|(line, _)| *line);
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(find: fn(&Workspace) -> Vec<Violation>, path: &str, text: &str) -> Vec<Option<usize>> {
        find(&Workspace::sample(&[(path, text)])).into_iter().map(|one| one.line).collect()
    }

    const ELSEWHERE: &str = "crates/read-a/src/b.rs";

    #[test]
    fn an_open_by_path_is_found() {
        for text in [
            "fn a() { std::fs::File::open(p); }\n",
            "fn a() { fs::read(p); }\n",
            "use std::fs::{read_dir};\n",
            "use std::fs::OpenOptions;\n",
            "fn a() { rustix::fs::open(p); }\n",
            "fn a() { let b = path.canonicalize()?; }\n",
            "fn a() { Connection::open(p); }\n",
        ] {
            assert_eq!(found(opens, ELSEWHERE, text), [Some(1)], "{text}");
        }
        assert_eq!(
            found(opens, "crates/read-core/src/filesystem_extra.rs", "fn a() { fs::read(p); }\n"),
            [Some(1)]
        );
    }

    #[test]
    fn the_filesystem_module_tests_and_open_files_pass() {
        let text = "fn a() { fs::read(p); }\n";
        for path in [
            "crates/read-core/src/filesystem.rs",
            "crates/read-core/src/filesystem/local.rs",
            "crates/read-a/tests/it/main.rs",
            "crates/read-a/examples/a.rs",
            "xtask/src/main.rs",
        ] {
            assert_eq!(found(opens, path, text), [], "{path}");
        }
        let text =
            "use std::fs::{self, File};\n// fs::read\nfn a(f: &File) { f.metadata(); b(\"fs::read\"); }\n";
        assert_eq!(found(opens, ELSEWHERE, text), []);
        assert_eq!(found(opens, ELSEWHERE, "#[cfg(test)]\nmod tests { fn a() { fs::read(p); } }\n"), []);
        assert_eq!(found(opens, ELSEWHERE, "fn a() { Connection::open_with_flags_and_vfs(p); }\n"), []);
    }

    #[test]
    fn an_effect_outside_the_command_line_is_found() {
        for text in [
            "fn a() { println!(\"\"); }\n",
            "fn a() { std::process::exit(1); }\n",
            "use std::env;\n",
            "use std::io::{stdout};\n",
            "fn a() { tokio::io::stdout(); }\n",
        ] {
            assert_eq!(found(effects, "crates/read-tool/src/mcp.rs", text), [Some(1)], "{text}");
        }
    }

    #[test]
    fn the_command_line_and_compile_time_values_pass() {
        let text = "fn a() { println!(\"{}\", std::env::args().count()); std::process::exit(1) }\n";
        assert_eq!(found(effects, "crates/read-tool/src/cli.rs", text), []);
        assert_eq!(found(effects, "crates/read-tool/src/cli/options.rs", text), []);
        let text = "const A: &str = env!(\"CARGO_PKG_VERSION\");\nfn a() -> std::process::ExitCode { b(\"println!\") }\n";
        assert_eq!(found(effects, ELSEWHERE, text), []);
    }

    #[test]
    fn unsafe_code_is_found_wherever_it_stands() {
        assert_eq!(
            found(unsafety, EXPORTS, "#[unsafe(no_mangle)]\nfn a() {\n    unsafe { b() }\n}\n"),
            [Some(3)]
        );
        assert_eq!(found(unsafety, ELSEWHERE, "#[unsafe(no_mangle)]\nfn a() {}\n"), [Some(1)]);
        assert_eq!(found(unsafety, ELSEWHERE, "fn a() {\n    unsafe { b() }\n}\n"), [Some(2)]);
        assert_eq!(found(unsafety, ELSEWHERE, "#![allow(unsafe_code)]\n"), [Some(1)]);
        assert_eq!(found(unsafety, "crates/read-a/tests/it/main.rs", "unsafe fn a() {}\n"), [Some(1)]);
        assert_eq!(found(unsafety, ELSEWHERE, "#[cfg(test)]\nmod t { unsafe fn a() {} }\n"), [Some(2)]);
    }

    #[test]
    fn audited_modules_and_words_pass() {
        assert_eq!(found(unsafety, "crates/read-sqlite/src/vfs/io.rs", "unsafe fn a() {}\n"), []);
        assert_eq!(found(unsafety, ELSEWHERE, "#![forbid(unsafe_code)]\n"), []);
        assert_eq!(found(unsafety, ELSEWHERE, "// unsafe\nfn a() { b(\"unsafe\"); c(UnwindSafe) }\n"), []);
    }
}
