//! A few reads while files change.

use crate::{TOOL, said, trials};

#[test]
fn a_short_soak_finds_no_wrong_byte() {
    let folder = tempfile::tempdir().unwrap();
    let output = trials(folder.path(), &["soak", "--reads", "300", "--tool", TOOL]);
    assert!(output.status.success(), "{}", said(&output));
    assert!(said(&output).contains("changes of files"), "{}", said(&output));
}
