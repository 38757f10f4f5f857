//! Symbolic links under each policy.

use super::{both, outcome, refusal};
use read_core::{ErrorCode, SymlinkPolicy};

const POLICIES: [SymlinkPolicy; 3] = [SymlinkPolicy::Follow, SymlinkPolicy::NoFinal, SymlinkPolicy::None];

#[test]
fn a_link_that_ends_in_any_root_is_followed() {
    both(|world| {
        world
            .write("two/only.txt", "2\n")
            .link("ws/l", "sub/d.txt")
            .link("ws/dir", "sub")
            .link("ws/chain", "dir/../l")
            .link("ws/sub/up", "../ok.txt")
            .link("ws/abs", world.path("ws/sub/d.txt"))
            .link("ws/absdir", world.path("ws/sub"))
            .link("ws/around", "../ws/ok.txt")
            .link("ws/far", "../../../../../../../../../../etc/..//")
            .link("ws/two", "../two")
            .link("ws/abstwo", world.path("two/only.txt"))
            .link("out/back", "../ws/ok.txt")
            .link("ws/viaout", "../out/back")
            .link("ws/root", world.path("ws"));
        let files = world.builder().root(world.path("two")).build().unwrap();
        for (path, expected) in [
            ("l", "deep\n"),
            ("l/", "none"),
            ("l/x", "none"),
            ("dir", "directory"),
            ("dir/", "directory"),
            ("dir/d.txt", "deep\n"),
            ("dir/nowhere", "none"),
            ("chain", "deep\n"),
            ("sub/up", "ok\n"),
            ("dir/up", "ok\n"),
            ("abs", "deep\n"),
            ("absdir/up", "ok\n"),
            ("around", "ok\n"),
            ("far", "!outside_workspace"),
            ("two/only.txt", "2\n"),
            ("two/../ok.txt", "!outside_workspace"),
            ("abstwo", "2\n"),
            ("viaout", "ok\n"),
            ("root/root/dir/../root/l", "deep\n"),
        ] {
            assert_eq!(outcome(&files, path), expected, "{path}");
        }
    });
}

#[test]
fn a_link_that_leaves_is_outside_under_each_policy() {
    both(|world| {
        world
            .link("ws/l", "../out/s.txt")
            .link("ws/ld", "../out")
            .link("ws/abs", world.path("out/s.txt"))
            .link("ws/gone", "../out/nowhere")
            .link("ws/goneabs", "/nowhere/at/all")
            .link("ws/chain", "l")
            .link("ws/sub/chain", "../ld/../out/s.txt")
            .link("ws/etc", "/etc/passwd")
            .link("ws/slash", "/")
            .link("ws/parent", "..")
            .link("ws/sub/two", "../..")
            .link("out/hop", "s.txt")
            .link("ws/hop", "../out/hop")
            .link("out/self", "self")
            .link("ws/loopout", "../out/self");
        for policy in POLICIES {
            let files = world.builder().symlinks(policy).build().unwrap();
            for path in [
                "l",
                "l/",
                "ld",
                "ld/",
                "ld/s.txt",
                "ld/nowhere",
                "abs",
                "gone",
                "goneabs",
                "chain",
                "sub/chain",
                "etc",
                "slash",
                "slash/etc/passwd",
                "parent",
                "parent/out/s.txt",
                "sub/two",
                "hop",
                "loopout",
            ] {
                let error = refusal(&files, path);
                assert_eq!(error.code(), ErrorCode::OutsideWorkspace, "{path} under {policy:?}: {error}");
                assert!(error.message().contains(path), "{error}");
            }
        }
        // It does come back, and `..` of what a link wrote is where it stands.
        assert_eq!(outcome(&world.files(), "parent/ws/ok.txt"), "ok\n");
    });
}

#[test]
fn policies_refuse_links() {
    both(|world| {
        world
            .link("ws/l", "sub/d.txt")
            .link("ws/dir", "sub")
            .link("ws/chain", "l")
            .link("ws/dangling", "nowhere");
        world.link("ws/sub/self", "self");
        let no_final = world.builder().symlinks(SymlinkPolicy::NoFinal).build().unwrap();
        let none = world.builder().symlinks(SymlinkPolicy::None).build().unwrap();
        for (path, under_no_final, under_none) in [
            ("ok.txt", "ok\n", "ok\n"),
            ("sub/d.txt", "deep\n", "deep\n"),
            ("sub/../ok.txt", "ok\n", "ok\n"),
            ("l", "!symlink_refused", "!symlink_refused"),
            ("chain", "!symlink_refused", "!symlink_refused"),
            ("dangling", "!symlink_refused", "!symlink_refused"),
            ("sub/self", "!symlink_refused", "!symlink_refused"),
            ("dir", "!symlink_refused", "!symlink_refused"),
            ("dir/", "!symlink_refused", "!symlink_refused"),
            ("dir/d.txt", "deep\n", "!symlink_refused"),
            ("dir/../ok.txt", "ok\n", "!symlink_refused"),
            ("dir/self", "!symlink_refused", "!symlink_refused"),
            ("nowhere", "none", "none"),
        ] {
            assert_eq!(outcome(&no_final, path), under_no_final, "{path}");
            assert_eq!(outcome(&none, path), under_none, "{path}");
        }
    });
}

#[test]
fn loops_end() {
    both(|world| {
        world
            .link("ws/a", "b")
            .link("ws/b", "a")
            .link("ws/self", "self")
            .link("ws/grow", "grow/grow")
            .link("ws/sub/up", "..");
        for hop in 0..50 {
            world.link(&format!("ws/h{}", hop + 1), format!("h{hop}"));
        }
        world.link("ws/h0", "ok.txt");
        let files = world.files();
        for path in ["a", "b", "self", "grow", "a/x", "self/x", "h50"] {
            let error = refusal(&files, path);
            assert_eq!(error.code(), ErrorCode::NotFound, "{path}");
            assert!(error.message().contains("too many levels of symbolic links"), "{error}");
        }
        assert_eq!(outcome(&files, "h39"), "ok\n", "40 links are not too many");
        assert_eq!(outcome(&files, "sub/up/sub/up/sub/d.txt"), "deep\n");
    });
}

#[test]
fn a_dangling_link_names_its_target() {
    both(|world| {
        world.link("ws/l", "nowhere.txt").link("ws/l2", "l").link("ws/sub/l", "../no/such");
        world.link("ws/through", "ok.txt/x").link("ws/abs", world.path("ws/no"));
        let files = world.files();
        for (path, target) in [
            ("l", "nowhere.txt"),
            ("l2", "nowhere.txt"),
            ("sub/l", "../no/such"),
            ("through", "ok.txt/x"),
            ("abs", "ws/no"),
        ] {
            let error = refusal(&files, path);
            assert_eq!(error.code(), ErrorCode::NotFound);
            assert!(error.message().starts_with(&format!("'{path}' is a link to '")), "{error}");
            assert!(error.message().contains(target), "{error}");
        }
        assert_eq!(outcome(&files, "l/x"), "none", "what would lie in it does not exist");
    });
}

#[cfg(target_os = "linux")]
#[test]
fn magic_links_do_not_lead_out() {
    use read_core::LocalFileSystem;
    use std::os::fd::AsRawFd;

    both(|world| {
        let inside = std::fs::File::open(world.path("ws/ok.txt")).unwrap();
        let outside = std::fs::File::open(world.path("out")).unwrap();
        world
            .link("ws/root", "/proc/self/root")
            .link("ws/cwd", "/proc/self/cwd")
            .link("ws/exe", "/proc/self/exe")
            .link("ws/in", format!("/proc/self/fd/{}", inside.as_raw_fd()))
            .link("ws/dev", format!("/dev/fd/{}", inside.as_raw_fd()))
            .link("ws/out", format!("/proc/self/fd/{}", outside.as_raw_fd()));
        let files = world.files();
        for path in ["root", "root/etc/passwd", "cwd", "exe", "in", "dev", "out", "out/s.txt"] {
            assert_eq!(refusal(&files, path).code(), ErrorCode::OutsideWorkspace, "{path}");
        }
        let back = format!("root{}", world.absolute("ws/ok.txt"));
        assert_eq!(outcome(&files, back), "!outside_workspace", "not even to come back");

        let proc = LocalFileSystem::builder().root("/proc/self").force_walk(world.walk).build().unwrap();
        for path in ["root", "root/etc/passwd", "cwd", "exe", &format!("fd/{}", outside.as_raw_fd())] {
            assert_eq!(refusal(&proc, path).code(), ErrorCode::OutsideWorkspace, "{path}");
        }
        let whole = LocalFileSystem::builder().root("/").force_walk(world.walk).build().unwrap();
        assert_eq!(
            outcome(&whole, format!("proc/self/root{}", world.absolute("out/s.txt"))),
            "!outside_workspace"
        );
        assert!(outcome(&whole, "proc/self/status").contains("Pid:"), "plain links of /proc are links");
    });
}
