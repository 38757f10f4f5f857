//! Every error is correctable or not, and says what to call instead.

use read_tool::{ErrorCode, MemoryFileSystem, ReadError};

use super::tool;

/// The table of the contract.
const CORRECTABLE: &[&str] = &[
    "invalid_arguments",
    "invalid_selector",
    "invalid_query",
    "not_found",
    "outside_workspace",
    "not_regular",
    "is_directory",
    "too_large",
    "timed_out",
    "busy",
    "query_failed",
];
const FINAL: &[&str] = &[
    "denied",
    "symlink_refused",
    "resolution_changed",
    "pointer_refused",
    "builtin_empty",
    "unsupported_content",
    "encrypted",
    "corrupt",
    "not_built_in",
    "reader_failed",
    "cancelled",
    "io",
];

#[test]
fn every_code_is_in_the_table() {
    assert_eq!(ErrorCode::ALL.len(), CORRECTABLE.len() + FINAL.len());
    for code in ErrorCode::ALL {
        let table = if code.is_correctable() { CORRECTABLE } else { FINAL };
        assert!(table.contains(&code.as_str()), "{}", code.as_str());
        assert_eq!(ReadError::new(*code, "x").is_correctable(), code.is_correctable());
    }
}

#[test]
fn correctable_errors_name_a_next_step() {
    let tool = tool(MemoryFileSystem::new().with("a.txt", "one\n").with("d/x", ""));
    for target in
        ["b.txt", "a.txt:0", "a.txt:5-2", "a.txt:abc", "a.txt:raw:raw", "../x", "https://x/y", "d:raw"]
    {
        let error = tool.read(target).unwrap_err();
        assert!(error.is_correctable(), "{target}");
        let says = error.message().contains("Use ")
            || error.message().contains("Send ")
            || error.message().contains("Did you mean")
            || error.message().contains("must be")
            || error.message().contains("Check ");
        assert!(says, "{target}: {error}");
    }
}
