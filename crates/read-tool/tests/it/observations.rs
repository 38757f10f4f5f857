//! The ledger: proof of what was read.

use std::sync::Arc;

use read_tool::{
    CanEdit, Completeness, Ledger, LedgerLimits, Limits, MemoryFileSystem, ReadTool, StoredLedger,
};

fn observed(completeness: Completeness, files: MemoryFileSystem) -> (ReadTool, Arc<Ledger>) {
    let ledger = Arc::new(Ledger::new(completeness));
    (ReadTool::builder().workspace(files).ledger(&ledger).build().unwrap(), ledger)
}

fn shown(files: MemoryFileSystem) -> (ReadTool, Arc<Ledger>) {
    observed(Completeness::EveryLineShown, files)
}

#[test]
fn a_whole_read_authorises_and_a_change_revokes_it() {
    let (tool, ledger) = shown(MemoryFileSystem::new().with("a", "x\ny\n"));
    assert_eq!(ledger.can_edit("a", Some(b"x\ny\n")), CanEdit::ReadRequired);
    tool.read("./a").unwrap();
    assert_eq!(ledger.can_edit("a", Some(b"x\ny\n")), CanEdit::Yes);
    assert_eq!(ledger.can_edit("a", Some(b"x\ny")), CanEdit::Stale);
    assert_eq!(ledger.can_edit("a", None), CanEdit::Stale);
}

#[test]
fn pages_of_the_same_bytes_add_up_and_of_other_bytes_do_not() {
    let content: String = (1..=5_000).map(|n| format!("{n}\n")).collect();
    let live = Some(content.as_bytes());
    let (tool, ledger) = shown(MemoryFileSystem::new().with("a", content.clone()));
    for (page, verdict) in
        [("a", CanEdit::Truncated), ("a:4001-", CanEdit::Truncated), ("a:2001-4000", CanEdit::Yes)]
    {
        tool.read(page).unwrap();
        assert_eq!(ledger.can_edit("a", live), verdict, "{page}");
    }
    tool.read("a:1-2").unwrap();
    assert_eq!(ledger.can_edit("a", live), CanEdit::Yes, "a later page never lowers it");
    tool.read("a:stat").unwrap();
    assert_eq!(ledger.can_edit("a", live), CanEdit::Yes);
}

#[test]
fn the_host_chooses_what_complete_means() {
    let content: String = (1..=5_000).map(|n| format!("{n}\n")).collect();
    let (tool, ledger) =
        observed(Completeness::EveryByteRead, MemoryFileSystem::new().with("a", content.clone()));
    tool.read("a:7-8").unwrap();
    assert_eq!(ledger.can_edit("a", Some(content.as_bytes())), CanEdit::Yes);
}

#[test]
fn a_definite_absence_is_recorded() {
    let (tool, ledger) = shown(MemoryFileSystem::new().with("b", "x"));
    tool.read("./new.txt:1-5").unwrap_err();
    assert_eq!(ledger.can_edit("new.txt", None), CanEdit::Yes);
    assert_eq!(ledger.can_edit("new.txt", Some(b"")), CanEdit::Stale);
    tool.read("../out").unwrap_err();
    assert_eq!(ledger.can_edit("../out", None), CanEdit::ReadRequired);
}

#[test]
fn lossy_and_cut_reads_authorise_nothing() {
    let (tool, ledger) =
        shown(MemoryFileSystem::new().with("bad", b"ok\nb\xff\n").with("cut", "x".repeat(60_000)));
    tool.read("bad").unwrap();
    assert_eq!(ledger.can_edit("bad", Some(b"ok\nb\xff\n")), CanEdit::ReadRequired);
    tool.read("cut").unwrap();
    assert_eq!(ledger.can_edit("cut", Some("x".repeat(60_000).as_bytes())), CanEdit::Truncated);

    let ledger = Arc::new(Ledger::default());
    let mut limits = Limits::default();
    limits.max_read_bytes = Some(2);
    let files = MemoryFileSystem::new().with("a", "x\ny\n");
    let tool = ReadTool::builder().workspace(files).limits(limits).ledger(&ledger).build().unwrap();
    tool.read("a").unwrap();
    assert_eq!(ledger.can_edit("a", Some(b"x\ny\n")), CanEdit::Truncated);
}

#[test]
fn a_name_that_only_looks_the_same_authorises_nothing() {
    let (tool, ledger) = shown(MemoryFileSystem::new().with("cafe\u{301}.txt", "x\n"));
    assert!(tool.read("caf\u{e9}.txt").unwrap().to_text().contains("[Opened "));
    assert!(ledger.is_empty());
}

#[test]
fn a_ledger_is_stored_bounded_and_loaded_with_care() {
    let files = MemoryFileSystem::new().with("a", "x\n").with("b", "y\n").with("c", "z\n");
    let (tool, ledger) = shown(files);
    for target in ["a", "b", "c", "none"] {
        let _ = tool.read(target);
    }
    let stored = ledger.store(3);
    assert_eq!(stored.cut(), 1);
    let mut json = serde_json::to_value(&stored).unwrap();
    json["rows"]
        .as_array_mut()
        .unwrap()
        .push(serde_json::json!({"path": "evil", "seen": "file", "sha256": "zz"}));
    json["rows"].as_array_mut().unwrap().push(serde_json::json!(7));
    let stored: StoredLedger = serde_json::from_value(json).unwrap();
    let loaded = Ledger::load(stored, Completeness::EveryLineShown, LedgerLimits::default());
    assert_eq!((loaded.skipped, loaded.ledger.len()), (2, 3));
    assert_eq!(loaded.ledger.can_edit("none", None), CanEdit::Yes);
    assert_eq!(loaded.ledger.can_edit("c", Some(b"z\n")), CanEdit::Yes);
    assert_eq!(loaded.ledger.can_edit("a", Some(b"x\n")), CanEdit::ReadRequired, "the oldest was cut");
}

#[test]
fn a_ledger_forgets_the_oldest_beyond_its_bound() {
    let mut limits = LedgerLimits::default();
    limits.paths = 2;
    let ledger = Arc::new(Ledger::default().with_limits(limits));
    let files = MemoryFileSystem::new().with("a", "x\n").with("b", "y\n").with("c", "z\n");
    let tool = ReadTool::builder().workspace(files).ledger(&ledger).build().unwrap();
    for target in ["a", "b", "a", "c"] {
        tool.read(target).unwrap();
    }
    assert_eq!(ledger.can_edit("b", Some(b"y\n")), CanEdit::ReadRequired);
    assert_eq!(ledger.can_edit("a", Some(b"x\n")), CanEdit::Yes);
}
