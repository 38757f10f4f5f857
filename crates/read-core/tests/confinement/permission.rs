//! Permission denied, at each level.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::{both, read};

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// Root reads everything: there is nothing to test then.
fn is_locked(path: &Path) -> bool {
    mode(path, 0);
    let locked = fs::File::open(path).is_err();
    if !locked {
        eprintln!("skipped: this user reads files of mode 0");
    }
    locked
}

#[test]
fn a_locked_file_says_so() {
    both(|world| {
        world.write("ws/locked.txt", "x").write("ws/shut/in.txt", "x").write("ws/names/in.txt", "x");
        world.link("ws/l", "shut/in.txt").link("ws/d", "shut");
        if !is_locked(&world.path("ws/locked.txt")) {
            return;
        }
        mode(&world.path("ws/shut"), 0);
        mode(&world.path("ws/names"), 0o444);
        let files = world.files();
        for path in ["locked.txt", "shut/in.txt", "shut/none", "shut", "l", "d", "d/x", "names/in.txt"] {
            let error = read(&files, path.as_bytes()).unwrap_err();
            assert_eq!(error.code().as_str(), "io", "{path}");
            assert!(
                error.message().contains("permission denied") && !error.message().contains("found"),
                "{error}"
            );
            assert!(error.cause().is_some());
        }
        // Names that may be listed are, though their files may not be looked at.
        let listed = read_core::FileSystem::resolve(&files, b"names").unwrap().unwrap();
        let listed = read_core::FileSystem::open(&files, &listed).unwrap();
        assert_eq!(listed.entries().unwrap().list().unwrap().len(), 1);
        mode(&world.path("ws/shut"), 0o755);
        mode(&world.path("ws/names"), 0o755);
    });
}

#[test]
fn a_directory_that_may_be_entered_but_not_listed_is_entered() {
    both(|world| {
        world.write("ws/enter/x.txt", "x\n").link("ws/enter/l", "x.txt").write("ws/probe", "");
        if !is_locked(&world.path("ws/probe")) {
            return;
        }
        mode(&world.path("ws/enter"), 0o111);
        let files = world.files();
        // Only some systems have handles that need no read permission.
        if cfg!(any(target_os = "linux", target_os = "android", target_os = "freebsd")) {
            assert_eq!(super::outcome(&files, "enter/x.txt"), "x\n");
            assert_eq!(super::outcome(&files, "enter/l"), "x\n");
            assert_eq!(super::outcome(&files, "enter/none"), "none");
        }
        assert_eq!(super::outcome(&files, "enter"), "!io");
        mode(&world.path("ws/enter"), 0o755);
    });
}
