//! Host reads: absolute paths that lead outside.

use super::{SECRET, both, outcome};
use read_core::{ErrorCode, FileSystem, SymlinkPolicy};

#[test]
fn absolute_paths_may_lead_outside() {
    both(|world| {
        world.link("out/l", "s.txt").link("way", "ws");
        let files = world.builder().host_reads(true).build().unwrap();
        let asked = world.absolute("out/l");
        let resolved = files.resolve(asked.as_bytes()).unwrap().unwrap();
        assert!(!resolved.is_contained());
        assert_eq!(resolved.path(), world.absolute("out/s.txt"), "the gate is shown where it leads");
        let source = files.open(&resolved).unwrap();
        assert_eq!(source.to_bytes(100).unwrap(), SECRET.as_bytes());
        assert!(!source.is_contained());
        assert_eq!(source.path(), asked);
        assert_eq!(outcome(&files, world.absolute("ws/../out/s.txt")), SECRET);
        assert_eq!(outcome(&files, world.absolute("out/nowhere")), "none");
        // What lies in a root is of the workspace, whichever way it is reached.
        for inside in ["ws/ok.txt", "way/ok.txt", "out/../ws/ok.txt"] {
            let resolved = files.resolve(world.absolute(inside).as_bytes()).unwrap().unwrap();
            assert!(resolved.is_contained() && resolved.path() == "ok.txt", "{inside}: {resolved:?}");
        }
    });
}

#[test]
fn relative_paths_are_never_widened() {
    both(|world| {
        world.link("ws/l", world.path("out/s.txt"));
        let files = world.builder().host_reads(true).build().unwrap();
        assert_eq!(outcome(&files, "../out/s.txt"), "!outside_workspace");
        assert_eq!(outcome(&files, "l"), "!outside_workspace");
        assert_eq!(
            outcome(&files, world.absolute("ws/l")),
            "!outside_workspace",
            "a link in a root is the workspace's"
        );
    });
}

#[test]
fn the_link_policy_holds_outside() {
    both(|world| {
        world.link("out/l", "s.txt").link("od", "out");
        let under = |policy| world.builder().host_reads(true).symlinks(policy).build().unwrap();
        let no_final = under(SymlinkPolicy::NoFinal);
        assert_eq!(outcome(&no_final, world.absolute("out/l")), "!symlink_refused");
        assert_eq!(outcome(&no_final, world.absolute("od/s.txt")), SECRET);
        let none = under(SymlinkPolicy::None);
        assert_eq!(outcome(&none, world.absolute("od/s.txt")), "!symlink_refused");
        assert_eq!(outcome(&none, world.absolute("out/s.txt")), SECRET);
    });
}

#[test]
fn a_component_swapped_after_approval_is_noticed() {
    both(|world| {
        world.write("out/d/x", "x\n").write("other/x", SECRET);
        let files = world.builder().host_reads(true).build().unwrap();
        let resolved = files.resolve(world.absolute("out/d/x").as_bytes()).unwrap().unwrap();
        std::fs::rename(world.path("out/d"), world.path("out/e")).unwrap();
        world.link("out/d", world.path("other"));
        assert_eq!(files.open(&resolved).unwrap_err().code(), ErrorCode::ResolutionChanged);
    });
}

#[test]
fn policies_about_links_hold_on_host_paths_as_they_are_written() {
    both(|world| {
        world.write("out/sub/x.txt", "x\n").write("out/o.txt", "o\n").link("out/sl", "sub");
        let files = |policy| world.builder().host_reads(true).symlinks(policy).build().unwrap();
        let none = files(SymlinkPolicy::None);
        for path in ["out/sl/x.txt", "out/sl/../o.txt", "out/sl", "out/sl/", "out/sl/."] {
            assert_eq!(outcome(&none, world.absolute(path)), "!symlink_refused", "{path}");
        }
        assert_eq!(outcome(&none, world.absolute("out/o.txt")), "o\n");
        let no_final = files(SymlinkPolicy::NoFinal);
        for path in ["out/sl", "out/sl/", "out/sl/."] {
            assert_eq!(outcome(&no_final, world.absolute(path)), "!symlink_refused", "{path}");
        }
        assert_eq!(outcome(&no_final, world.absolute("out/sl/x.txt")), "x\n");
    });
}

#[test]
fn no_name_outside_is_suggested() {
    both(|world| {
        let pipeline = read_core::Pipeline::new(world.builder().host_reads(true).build().unwrap());
        let near = |target: String| {
            let read = pipeline.read(&target, &read_core::Request::default(), read_core::Cancel::new());
            read.unwrap_err().suggestions().to_vec()
        };
        assert!(near(world.absolute("out/t.txt")).is_empty());
        assert_eq!(near("ko.txt".into()), ["ok.txt"]);
    });
}
