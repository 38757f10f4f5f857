//! Side files, under the same policy.

use std::sync::Arc;

use super::{SECRET, both};
use read_core::{DenyRules, ErrorCode, FileSystem, LocalFileSystem, ReadError, Source};

fn sibling(files: &LocalFileSystem, path: &str, suffix: &str) -> Result<Option<Source>, ReadError> {
    files.open(&files.resolve(path.as_bytes()).unwrap().unwrap()).unwrap().sibling(suffix)
}

#[test]
fn side_files_lie_beside_the_real_file() {
    both(|world| {
        world.write("ws/sub/d.txt-wal", "log\n").link("ws/l", "sub/d.txt").write("ws/l-wal", "not this\n");
        let files = world.files();
        for path in ["sub/d.txt", "l", &world.absolute("ws/sub/../l")] {
            let side = sibling(&files, path, "-wal").unwrap().unwrap();
            assert_eq!(side.to_bytes(100).unwrap(), b"log\n");
            assert!(side.is_contained());
        }
        for suffix in ["-none", "", "/../ok.txt", "-wal\0", "/"] {
            assert!(sibling(&files, "l", suffix).unwrap().is_none(), "{suffix:?}");
        }
    });
}

#[test]
fn side_files_are_under_the_same_rules() {
    both(|world| {
        world
            .link("ws/ok.txt-out", "../out/s.txt")
            .link("ws/ok.txt-dangling", "none")
            .write("ws/ok.txt-deny", SECRET);
        world.link("ws/ok.txt-in", "sub/d.txt");
        super::special::fifo(&world.path("ws/ok.txt-pipe"));
        let files = world.builder().guard(Arc::new(DenyRules::new(["*-deny"]).unwrap())).build().unwrap();
        let code = |suffix| {
            sibling(&files, "ok.txt", suffix).map_or_else(|error| error.code(), |_| panic!("{suffix} opened"))
        };
        assert_eq!(code("-out"), ErrorCode::OutsideWorkspace);
        assert_eq!(code("-deny"), ErrorCode::Denied);
        assert_eq!(code("-pipe"), ErrorCode::NotRegular);
        assert!(sibling(&files, "ok.txt", "-dangling").unwrap().is_none());
        assert_eq!(sibling(&files, "ok.txt", "-in").unwrap().unwrap().to_bytes(9).unwrap(), b"deep\n");
    });
}

#[test]
fn side_files_of_host_reads_lie_beside_them() {
    both(|world| {
        world
            .write("out/s.txt-wal", "log\n")
            .link("out/s.txt-link", "../ws/ok.txt")
            .link("out/s.txt-far", "/etc/passwd");
        let files = world.builder().host_reads(true).build().unwrap();
        let path = world.absolute("out/s.txt");
        let side = sibling(&files, &path, "-wal").unwrap().unwrap();
        assert_eq!((side.to_bytes(9).unwrap(), side.is_contained()), (b"log\n".to_vec(), false));
        assert!(sibling(&files, &path, "-none").unwrap().is_none());
        for suffix in ["-link", "-far"] {
            assert_eq!(
                sibling(&files, &path, suffix).unwrap_err().code(),
                ErrorCode::SymlinkRefused,
                "{suffix}"
            );
        }
    });
}
