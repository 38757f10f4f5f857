//! The reader is there because its crate is linked and named, and for no other reason.

use std::fs;
use std::process::Command;

#[test]
fn a_reader_that_is_linked_is_found() {
    let workspace = tempfile::tempdir().unwrap();
    fs::write(workspace.path().join("people.csv"), "name,born\nAda,1815\nAlan,1912\nGrace,1906\n").unwrap();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_custom-host"));
        command.args(arguments).current_dir(workspace.path()).output().unwrap()
    };
    let output = run(&["people.csv:1-2"]);
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        "| name | born |\n| ---- | ---- |\n| Ada  | 1815 |\n| Alan | 1912 |\n\n[1 more row in file. Use :3- to continue.]\n"
    );
    let usage = String::from_utf8(run(&[]).stderr).unwrap();
    for reader in ["CSV and TSV files, as tables (csv-reader)", "text in any common encoding (read-core)"] {
        assert!(usage.contains(reader), "{usage}");
    }
    assert!(!run(&["nobody.csv"]).status.success());
}

#[test]
fn registering_what_is_found_already_changes_nothing() {
    let found = read_core::Registry::discovered();
    let names = |registry: &read_core::Registry| {
        registry.iter().map(read_core::TargetReader::name).collect::<Vec<_>>()
    };
    assert_eq!(names(&found), ["csv", "directory", "text"]);
    assert_eq!(names(&found.clone().with(csv_reader::READER)), names(&found));
    // Where nothing runs before `main`, the explicit way gives the same.
    assert_eq!(names(&read_core::Registry::core().with(csv_reader::READER)), names(&found));
}
