//! What changed between resolving and opening.

use std::fs;

use super::{SECRET, both};
use read_core::{ErrorCode, FileSystem};

#[test]
fn a_component_swapped_for_a_link() {
    both(|world| {
        world.write("ws/a/b/x", "x\n").write("out/b/x", SECRET).write("ws/c/b/x", "another\n");
        let files = world.files();
        let resolved = files.resolve(b"a/b/x").unwrap().unwrap();
        fs::rename(world.path("ws/a"), world.path("ws/old")).unwrap();
        // Whether the link leads out or stays in.
        for target in ["../out", "c", "old"] {
            world.link("ws/a", target);
            let error = files.open(&resolved).unwrap_err();
            assert_eq!(error.code(), ErrorCode::ResolutionChanged, "{target}");
            assert!(!error.message().contains("out"), "{error}");
            fs::remove_file(world.path("ws/a")).unwrap();
        }
        fs::rename(world.path("ws/old"), world.path("ws/a")).unwrap();
        assert!(files.open(&resolved).is_ok());
    });
}

#[test]
fn the_file_itself_swapped_for_a_link() {
    both(|world| {
        let files = world.files();
        let resolved = files.resolve(b"ok.txt").unwrap().unwrap();
        fs::remove_file(world.path("ws/ok.txt")).unwrap();
        world.link("ws/ok.txt", world.path("out/s.txt"));
        assert_eq!(files.open(&resolved).unwrap_err().code(), ErrorCode::ResolutionChanged);
    });
}

#[test]
fn a_link_pointed_elsewhere_is_still_what_was_approved() {
    both(|world| {
        world.link("ws/l", "sub/d.txt");
        let files = world.files();
        let resolved = files.resolve(b"l").unwrap().unwrap();
        fs::remove_file(world.path("ws/l")).unwrap();
        world.link("ws/l", "../out/s.txt");
        assert_eq!(resolved.path(), "sub/d.txt");
        assert_eq!(files.open(&resolved).unwrap().to_bytes(100).unwrap(), b"deep\n");
    });
}

#[test]
fn another_kind_of_file() {
    both(|world| {
        let files = world.files();
        let file = files.resolve(b"ok.txt").unwrap().unwrap();
        let directory = files.resolve(b"sub").unwrap().unwrap();
        fs::remove_file(world.path("ws/ok.txt")).unwrap();
        fs::create_dir(world.path("ws/ok.txt")).unwrap();
        fs::remove_dir_all(world.path("ws/sub")).unwrap();
        super::special::fifo(&world.path("ws/sub"));
        assert_eq!(files.open(&file).unwrap_err().code(), ErrorCode::ResolutionChanged);
        assert_eq!(files.open(&directory).unwrap_err().code(), ErrorCode::ResolutionChanged);
        fs::remove_dir(world.path("ws/ok.txt")).unwrap();
        super::special::fifo(&world.path("ws/ok.txt"));
        assert_eq!(files.open(&file).unwrap_err().code(), ErrorCode::ResolutionChanged);
    });
}

#[test]
fn a_replaced_file_is_read() {
    both(|world| {
        let files = world.files();
        let resolved = files.resolve(b"ok.txt").unwrap().unwrap();
        world.write("ws/new", "new\n");
        fs::rename(world.path("ws/new"), world.path("ws/ok.txt")).unwrap();
        assert_eq!(files.open(&resolved).unwrap().to_bytes(100).unwrap(), b"new\n");
    });
}

#[test]
fn a_vanished_file_is_not_found() {
    both(|world| {
        let files = world.files();
        let resolved = files.resolve(b"sub/d.txt").unwrap().unwrap();
        fs::remove_file(world.path("ws/sub/d.txt")).unwrap();
        assert_eq!(files.open(&resolved).unwrap_err().code(), ErrorCode::NotFound);
        fs::remove_dir(world.path("ws/sub")).unwrap();
        assert_eq!(files.open(&resolved).unwrap_err().code(), ErrorCode::NotFound);
        world.write("ws/sub", "a file now\n");
        assert_eq!(files.open(&resolved).unwrap_err().code(), ErrorCode::ResolutionChanged);
    });
}

#[test]
fn an_open_file_stays_open() {
    both(|world| {
        let files = world.files();
        let source = files.open(&files.resolve(b"ok.txt").unwrap().unwrap()).unwrap();
        let before = source.identity().cloned();
        fs::remove_file(world.path("ws/ok.txt")).unwrap();
        world.write("ws/ok.txt", "another\n");
        assert_eq!(source.to_bytes(100).unwrap(), b"ok\n");
        let after = files.open(&files.resolve(b"ok.txt").unwrap().unwrap()).unwrap();
        assert_ne!(after.identity().cloned(), before);
        assert_eq!(source.identity().map(read_core::Identity::size), Some(3));
    });
}
