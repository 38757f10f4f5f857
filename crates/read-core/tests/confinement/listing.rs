//! What directories list.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use super::both;
use read_core::{Entry, EntryKind, FileSystem, LocalFileSystem};

fn list(files: &LocalFileSystem, path: &str) -> Vec<Entry> {
    let source = files.open(&files.resolve(path.as_bytes()).unwrap().unwrap()).unwrap();
    let mut entries = source.entries().unwrap().list().unwrap();
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    entries
}

#[test]
fn entries_are_of_every_kind() {
    both(|world| {
        super::special::fifo(&world.path("ws/p"));
        fs::write(world.path("ws").join(OsStr::from_bytes(b"z\xff\n")), "12345").unwrap();
        world.link("ws/l", "sub/d.txt").link("ws/dangling", "no").write("ws/.hidden", "");
        assert_eq!(
            list(&world.files(), "."),
            [
                Entry::new(".hidden", EntryKind::File(Some(0))),
                Entry::new("dangling", EntryKind::Link(Some(b"no".to_vec()))),
                Entry::new("l", EntryKind::Link(Some(b"sub/d.txt".to_vec()))),
                Entry::new("ok.txt", EntryKind::File(Some(3))),
                Entry::new("p", EntryKind::Special("FIFO")),
                Entry::new("sub", EntryKind::Directory),
                Entry::new(*b"z\xff\n", EntryKind::File(Some(5))),
            ]
        );
        assert_eq!(list(&world.files(), "sub").len(), 1);
        assert_eq!(
            list(&world.builder().root(world.path("out")).build().unwrap(), &world.absolute("out")).len(),
            1
        );
    });
}

#[test]
fn where_a_link_leaves_to_is_not_told() {
    both(|world| {
        world
            .link("ws/sub/a", "../../out/s.txt")
            .link("ws/sub/b", "/etc/passwd")
            .link("ws/sub/c", "../ok.txt");
        world.link("ws/sub/e", world.path("ws/ok.txt")).link("ws/sub/f", "../../ws/ok.txt");
        let told: Vec<_> = list(&world.files(), "sub")
            .into_iter()
            .map(|entry| matches!(entry.kind, EntryKind::Link(Some(_))))
            .collect();
        assert_eq!(told, [false, false, true, false, true, true], "a b c d.txt e f");
    });
}

#[test]
fn a_directory_lists_again_and_as_it_is_then() {
    both(|world| {
        let files = world.files();
        let source = files.open(&files.resolve(b"sub").unwrap().unwrap()).unwrap();
        assert_eq!(source.entries().unwrap().list().unwrap().len(), 1);
        world.write("ws/sub/more", "");
        assert_eq!(source.entries().unwrap().list().unwrap().len(), 2);
        // Renamed and replaced by a link: the handle is of the directory that was opened.
        fs::rename(world.path("ws/sub"), world.path("ws/sub2")).unwrap();
        world.link("ws/sub", "../out");
        assert_eq!(source.entries().unwrap().list().unwrap().len(), 2);
    });
}

#[test]
fn a_removed_directory_is_empty_or_an_error() {
    both(|world| {
        let files = world.files();
        let source = files.open(&files.resolve(b"sub").unwrap().unwrap()).unwrap();
        fs::remove_dir_all(world.path("ws/sub")).unwrap();
        assert!(
            source.entries().unwrap().list().is_ok_and(|entries| entries.is_empty())
                || source.entries().unwrap().list().is_err()
        );
    });
}

#[test]
fn a_link_to_what_is_denied_is_not_listed() {
    both(|world| {
        world.write("ws/secrets/plan.txt", "x").link("ws/way", "secrets").link("ws/fine", "ok.txt");
        let rules = read_core::DenyRules::new(["secrets"]).unwrap();
        let files = world.builder().guard(std::sync::Arc::new(rules)).build().unwrap();
        let names: Vec<_> = list(&files, ".").into_iter().map(|entry| entry.name).collect();
        assert!(names.contains(&b"fine".to_vec()));
        assert!(!names.contains(&b"way".to_vec()) && !names.contains(&b"secrets".to_vec()));
    });
}
