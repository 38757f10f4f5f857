//! Inputs that are nearly right find nothing, and faults that are planted are found.

use std::path::{Path, PathBuf};

use crate::{TOOL, said, trials};

/// Fixed inputs of some targets: the same each time.
fn nothing_is_found(targets: &[&str], inputs: &str) {
    let folder = tempfile::tempdir().unwrap();
    let mut arguments =
        vec!["fuzz", "--inputs", inputs, "--workers", "2", "--patience", "60", "--tool", TOOL];
    for target in targets {
        arguments.extend(["--only", target]);
    }
    let output = trials(folder.path(), &arguments);
    assert!(output.status.success(), "{}", said(&output));
    for target in targets {
        assert!(said(&output).contains(target), "{}", said(&output));
    }
}

#[test]
fn targets_and_arguments_find_nothing() {
    nothing_is_found(&["target", "arguments"], "400");
}

#[test]
fn texts_find_nothing() {
    nothing_is_found(&["text"], "200");
}

#[test]
fn archives_find_nothing() {
    nothing_is_found(&["zip", "tar", "gzip"], "120");
}

#[test]
fn databases_find_nothing() {
    nothing_is_found(&["sqlite"], "100");
}

#[test]
fn images_find_nothing() {
    nothing_is_found(&["image"], "120");
}

#[test]
fn frames_find_nothing() {
    nothing_is_found(&["frames"], "100");
}

/// What is known and not yet mended; an entry that finds nothing any more must go.
const OPEN: &[&str] = &[];

/// Files that once found something.
fn findings(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(findings(&path));
        } else if path.extension().is_some_and(|extension| extension == "bin") {
            files.push(path);
        }
    }
    files.sort();
    files
}

#[test]
fn what_once_found_something_finds_nothing() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("findings");
    let files = findings(&folder);
    assert!(OPEN.iter().all(|open| files.contains(&folder.join(open))), "an open finding has no file");
    for file in files {
        let here = tempfile::tempdir().unwrap();
        let path = file.to_str().unwrap();
        let output = trials(here.path(), &["fuzz", "--replay", path, "--tool", TOOL, "--patience", "5"]);
        if OPEN.iter().any(|open| folder.join(open) == file) {
            assert!(!output.status.success(), "{path} finds nothing any more: take it off the list");
        } else {
            assert!(output.status.success(), "{path}: {}", said(&output));
        }
    }
}

fn planted(fault: &str, kind: &str, more: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let mut arguments =
        vec!["fuzz", "--only", "target", "--inputs", "12", "--workers", "2", "--plant", fault];
    arguments.extend(["--plant-at", "5", "--json", "results.json"]);
    arguments.extend(more);
    let output = trials(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let results = std::fs::read_to_string(folder.path().join("results.json")).unwrap();
    let results: serde_json::Value = serde_json::from_str(&results).unwrap();
    let found = results["targets"][0]["findings"].as_array().unwrap();
    assert!(found.iter().all(|one| one["number"] == 5 && one["kind"] == kind), "{results}");
    assert!(!found.is_empty());
    // The inputs behind it were tried all the same.
    assert!(results["targets"][0]["inputs"].as_u64().unwrap() >= 11, "{results}");
    assert!(folder.path().join("target/fuzz/findings/target-5.bin").exists());
}

#[test]
fn a_planted_panic_is_found() {
    planted("panic", "panic", &[]);
}

#[test]
fn a_planted_abort_is_found() {
    planted("abort", "crash", &[]);
}

#[test]
fn a_planted_hang_is_found() {
    planted("hang", "hang", &["--patience", "6"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_planted_hunger_is_found() {
    planted("memory", "crash", &[]);
}
