//! Prepare, then run.

use std::fs;
use std::os::unix::fs::symlink;

use read_tool::{Arguments, Cancel, ErrorCode, LocalFileSystem, MemoryFileSystem, ReadTool};
use serde_json::json;

use super::tool;

#[test]
fn requirements_name_the_canonical_path_and_never_the_rest() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("real")).unwrap();
    fs::write(dir.path().join("real/a.txt"), "one\ntwo\n").unwrap();
    symlink("real", dir.path().join("link")).unwrap();
    let files = LocalFileSystem::builder().root(dir.path()).build().unwrap();
    let tool = ReadTool::builder().workspace(files).build().unwrap();
    let prepared = tool.prepare(&Arguments::new("./link/a.txt:2")).unwrap();
    let [requirement] = prepared.requirements() else { panic!("one requirement") };
    assert_eq!(
        (requirement.action, requirement.path.as_str(), requirement.contained),
        ("filesystem.read", "real/a.txt", true)
    );
    assert_eq!(prepared.audit_summary(), "read real/a.txt");
    assert_eq!(tool.run(prepared, &Cancel::new()).unwrap().to_text(), "two\n");
}

#[test]
fn a_summary_is_generic_for_arguments_that_do_not_parse() {
    let tool = tool(MemoryFileSystem::new().with("odd\nname", "x\n"));
    assert_eq!(tool.audit_summary(&json!({"path": "odd\nname:1-1"})), "read odd\\nname");
    for arguments in [
        json!({}),
        json!([1]),
        json!({"path": "secret.db:users?where=x"}),
        json!({"path": "odd\nname", "limit": 0}),
    ] {
        assert_eq!(tool.audit_summary(&arguments), "read");
    }
}

#[test]
fn a_component_swapped_for_a_link_after_preparation_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let (root, out) = (dir.path().join("ws"), dir.path().join("out"));
    for folder in [&root, &out, &root.join("d")] {
        fs::create_dir_all(folder).unwrap();
    }
    fs::write(root.join("d/a.txt"), "inside\n").unwrap();
    fs::write(out.join("a.txt"), "outside\n").unwrap();
    let files = LocalFileSystem::builder().root(&root).build().unwrap();
    let tool = ReadTool::builder().workspace(files).build().unwrap();
    let prepared = tool.prepare(&Arguments::new("d/a.txt")).unwrap();
    fs::rename(root.join("d"), root.join("was")).unwrap();
    symlink(&out, root.join("d")).unwrap();
    assert_eq!(tool.run(prepared, &Cancel::new()).unwrap_err().code(), ErrorCode::ResolutionChanged);
}

#[test]
fn a_file_replaced_by_another_is_no_change() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.txt"), "old\n").unwrap();
    let files = LocalFileSystem::builder().root(dir.path()).build().unwrap();
    let tool = ReadTool::builder().workspace(files).build().unwrap();
    let prepared = tool.prepare(&Arguments::new("a.txt")).unwrap();
    fs::write(dir.path().join("b.txt"), "new\n").unwrap();
    fs::rename(dir.path().join("b.txt"), dir.path().join("a.txt")).unwrap();
    assert_eq!(tool.run(prepared, &Cancel::new()).unwrap().to_text(), "new\n");
}

#[test]
fn a_prepared_read_runs_on_the_tool_that_made_it() {
    let files = || MemoryFileSystem::new().with("a.txt", "x\n");
    let prepared = tool(files()).prepare(&Arguments::new("a.txt")).unwrap();
    assert_eq!(tool(files()).run(prepared, &Cancel::new()).unwrap_err().code(), ErrorCode::ResolutionChanged);
}

#[test]
fn a_tool_without_a_workspace_is_not_built() {
    assert_eq!(ReadTool::builder().build().unwrap_err().code(), ErrorCode::InvalidArguments);
}

#[test]
fn the_types_cross_threads() {
    fn crosses<T: Send + Sync>() {}
    crosses::<ReadTool>();
    crosses::<read_tool::PreparedRead>();
    crosses::<read_tool::ReadOutput>();
    crosses::<read_tool::ReadError>();
    crosses::<read_tool::Ledger>();
    crosses::<read_tool::core::Source>();
    crosses::<read_tool::core::Meter>();
}
