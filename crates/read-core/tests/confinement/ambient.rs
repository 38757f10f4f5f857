//! Without a workspace, paths mean what the shell means.

use std::sync::Arc;

use super::{SECRET, World, both, outcome, read};
use read_core::{DenyRules, ErrorCode, FileSystem, LocalFileSystem, Unguarded};

fn ambient(world: &World) -> LocalFileSystem {
    LocalFileSystem::builder().force_walk(world.walk).build_ambient().unwrap()
}

#[test]
fn paths_mean_what_the_shell_means() {
    both(|world| {
        world
            .link("ws/l", "../out/s.txt")
            .link("ws/sub/up", "../..")
            .link("ws/dangling", "none")
            .link("ws/self", "self");
        let files = ambient(world);
        for (path, expected) in [
            ("ws/ok.txt", "ok\n"),
            ("ws/../out/s.txt", SECRET),
            ("ws/l", SECRET),
            ("ws/sub/up/out/../ws/ok.txt", "ok\n"),
            ("ws/sub", "directory"),
            ("ws/none", "none"),
            ("ws/ok.txt/", "none"),
            ("ws/dangling", "!not_found"),
            ("ws/self", "!not_found"),
            ("ws/self/x", "!not_found"),
            ("ws/dangling/x", "none"),
        ] {
            assert_eq!(outcome(&files, world.absolute(path)), expected, "{path}");
        }
        let error = read(&files, world.absolute("ws/dangling").as_bytes()).unwrap_err();
        assert!(error.message().contains("is a link to 'none'"), "{error}");
        assert_eq!(outcome(&files, "/"), "directory");
        assert_eq!(outcome(&files, "/../.."), "directory");
    });
}

#[test]
fn relative_paths_are_of_the_current_directory() {
    let files = LocalFileSystem::ambient(Arc::new(Unguarded)).unwrap();
    let shown = |path: &str| {
        let resolved = files.resolve(path.as_bytes()).unwrap().unwrap();
        assert!(resolved.is_contained(), "there is no workspace to be outside of");
        resolved.path().to_owned()
    };
    let here = std::env::current_dir().unwrap();
    assert_eq!(shown("src/../Cargo.toml"), "Cargo.toml");
    assert_eq!(shown("."), ".");
    assert_eq!(shown(here.join("Cargo.toml").to_str().unwrap()), "Cargo.toml");
    assert_eq!(shown(".."), here.parent().unwrap().to_str().unwrap());
    assert!(outcome(&files, "Cargo.toml").contains("[package]"));
}

#[test]
fn rules_hold_as_asked_and_as_resolved() {
    both(|world| {
        world.write("out/.env", "K=1\n").link("ws/l", "../out/.env").write("ws/.env.d/x", "K=1\n");
        let builder = LocalFileSystem::builder().guard(Arc::new(DenyRules::shipped())).force_walk(world.walk);
        let files = builder.build_ambient().unwrap();
        for path in ["out/.env", "ws/l", "ws/.env.d/x", "ws/../out/.env", "ws/.env.none"] {
            assert_eq!(outcome(&files, world.absolute(path)), "!denied", "{path}");
        }
        assert_eq!(outcome(&files, ".env"), "!denied", "below the current directory");
        assert_eq!(outcome(&files, world.absolute("ws/ok.txt")), "ok\n");
        let source = files.open(&files.resolve(world.absolute("out").as_bytes()).unwrap().unwrap()).unwrap();
        assert_eq!(source.entries().unwrap().list().unwrap().len(), 1, "and in listings");
    });
}

#[test]
fn a_link_swapped_after_resolution_is_noticed() {
    both(|world| {
        let files = ambient(world);
        let resolved = files.resolve(world.absolute("ws/sub/d.txt").as_bytes()).unwrap().unwrap();
        std::fs::rename(world.path("ws/sub"), world.path("ws/old")).unwrap();
        world.write("out/d.txt", SECRET).link("ws/sub", "../out");
        assert_eq!(files.open(&resolved).unwrap_err().code(), ErrorCode::ResolutionChanged);
    });
}

#[cfg(target_os = "linux")]
#[test]
fn magic_links_are_what_the_shell_means() {
    use std::os::fd::AsRawFd;
    both(|world| {
        let files = ambient(world);
        let open = std::fs::File::open(world.path("ws/ok.txt")).unwrap();
        let descriptor = format!("/proc/self/fd/{}", open.as_raw_fd());
        assert_eq!(outcome(&files, &descriptor), "ok\n");
        assert_eq!(outcome(&files, format!("/dev/fd/{}", open.as_raw_fd())), "ok\n");
        assert_eq!(outcome(&files, format!("/proc/self/root{}", world.absolute("ws/ok.txt"))), "ok\n");
        // A file without a name left, and a pipe.
        std::fs::remove_file(world.path("ws/ok.txt")).unwrap();
        assert_eq!(outcome(&files, &descriptor), "ok\n");
        let (reader, _writer) = std::io::pipe().unwrap();
        assert_eq!(outcome(&files, format!("/dev/fd/{}", reader.as_raw_fd())), "!not_regular");
    });
}
