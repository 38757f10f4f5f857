//! Roots: several, linked, missing, removed.

use std::fs;
use std::sync::Arc;

use super::{SECRET, both, outcome};
use read_core::{
    Cancel, EmbeddedResources, ErrorCode, FileSystem, LocalFileSystem, Pipeline, ReadError, ReadOutput,
    Request,
};

#[test]
fn a_root_must_be_an_existing_directory() {
    both(|world| {
        for root in ["nowhere", "ws/ok.txt"] {
            let error = LocalFileSystem::builder().root(world.path(root)).build().unwrap_err();
            assert_eq!(error.code(), ErrorCode::InvalidArguments);
            assert!(error.message().contains(root), "{error}");
        }
        assert_eq!(LocalFileSystem::builder().build().unwrap_err().code(), ErrorCode::InvalidArguments);
        assert!(world.builder().root(world.path("nowhere")).build().is_err(), "one bad root of two");
        assert!(world.builder().build_ambient().is_err());
    });
}

#[test]
fn a_relative_path_is_of_the_first_root() {
    both(|world| {
        world.write("two/only.txt", "2\n").write("two/ok.txt", "not this\n");
        let files = world.builder().root(world.path("two")).build().unwrap();
        assert_eq!(outcome(&files, "ok.txt"), "ok\n");
        assert_eq!(outcome(&files, "only.txt"), "none");
        assert_eq!(outcome(&files, "../two/only.txt"), "!outside_workspace");
    });
}

#[test]
fn absolute_paths_lie_in_a_root() {
    both(|world| {
        world.write("two/only.txt", "2\n").write("ws2/x", SECRET);
        let files = world.builder().root(world.path("two")).build().unwrap();
        assert_eq!(outcome(&files, world.absolute("ws/ok.txt")), "ok\n");
        assert_eq!(outcome(&files, world.absolute("ws//./sub/../ok.txt")), "ok\n");
        assert_eq!(outcome(&files, world.absolute("ws")), "directory");
        assert_eq!(outcome(&files, world.absolute("two/only.txt")), "2\n");
        for outside in
            ["out/s.txt", "out/none", "ws2/x", "", "ws/../out/s.txt", "ws/../ws/ok.txt", "out/../ws/ok.txt"]
        {
            assert_eq!(outcome(&files, world.absolute(outside)), "!outside_workspace", "{outside}");
        }
        for outside in ["/", "//", "/etc/passwd", "/.", "/.."] {
            assert_eq!(outcome(&files, outside), "!outside_workspace", "{outside}");
        }
    });
}

#[test]
fn canonical_paths_are_of_the_first_root_or_absolute() {
    both(|world| {
        world.write("two/only.txt", "2\n").link("ws/l", "sub/../sub/d.txt");
        let files = world.builder().root(world.path("two")).build().unwrap();
        let shown = |path: &str| files.resolve(path.as_bytes()).unwrap().unwrap().path().to_owned();
        assert_eq!(shown("./sub//d.txt"), "sub/d.txt");
        assert_eq!(shown("sub/../ok.txt"), "ok.txt");
        assert_eq!(shown("l"), "sub/d.txt");
        assert_eq!(shown("."), ".");
        assert_eq!(shown("sub/.."), ".");
        assert_eq!(shown(&world.absolute("ws/ok.txt")), "ok.txt");
        assert_eq!(shown(&world.absolute("two/only.txt")), world.absolute("two/only.txt"));
    });
}

#[test]
fn a_root_that_is_a_link_is_followed_once() {
    both(|world| {
        world.link("alias", "ws").link("ws/up", world.path("alias/ok.txt"));
        let files =
            LocalFileSystem::builder().root(world.path("alias")).force_walk(world.walk).build().unwrap();
        fs::remove_file(world.path("alias")).unwrap();
        world.link("alias", "out");
        assert_eq!(outcome(&files, "ok.txt"), "ok\n");
        assert_eq!(outcome(&files, "s.txt"), "none");
        assert_eq!(outcome(&files, world.absolute("alias/ok.txt")), "ok\n", "as the host spelled it");
        assert_eq!(outcome(&files, world.absolute("ws/ok.txt")), "ok\n", "and as it is");
        assert_eq!(outcome(&files, "up"), "ok\n");
    });
}

#[test]
fn a_removed_root_is_named() {
    both(|world| {
        let files = world.files();
        let resolved = files.resolve(b"ok.txt").unwrap().unwrap();
        fs::remove_dir_all(world.path("ws")).unwrap();
        for path in ["ok.txt", ".", "new"] {
            let error = files.resolve(path.as_bytes()).unwrap_err();
            assert_eq!(error.code(), ErrorCode::NotFound);
            assert!(error.message().contains("removed"), "{error}");
        }
        assert_eq!(files.open(&resolved).unwrap_err().code(), ErrorCode::NotFound);
        // Another directory under that name is another directory.
        world.write("ws/ok.txt", "other\n");
        assert_eq!(files.open(&resolved).unwrap_err().code(), ErrorCode::NotFound);
    });
}

#[test]
fn a_moved_root_stays_itself() {
    both(|world| {
        let files = world.files();
        fs::rename(world.path("ws"), world.path("moved")).unwrap();
        world.link("ws", "out");
        assert_eq!(outcome(&files, "ok.txt"), "ok\n");
        assert_eq!(outcome(&files, world.absolute("ws/s.txt")), "none");
    });
}

#[test]
fn a_token_is_good_for_its_own_file_system() {
    both(|world| {
        let other = LocalFileSystem::builder().root(world.path("out")).build().unwrap();
        let resolved = other.resolve(b"s.txt").unwrap().unwrap();
        assert_eq!(world.files().open(&resolved).unwrap_err().code(), ErrorCode::ResolutionChanged);
    });
}

#[test]
fn everything_is_in_the_root_of_the_system() {
    both(|world| {
        let files = LocalFileSystem::builder().root("/").force_walk(world.walk).build().unwrap();
        assert_eq!(outcome(&files, world.absolute("ws/ok.txt")), "ok\n");
        assert_eq!(outcome(&files, &world.absolute("ws/ok.txt")[1..]), "ok\n");
        assert_eq!(outcome(&files, "/../etc"), "!outside_workspace");
        assert_eq!(outcome(&files, "/."), "directory");
    });
}

#[test]
fn roots_may_lie_in_each_other() {
    both(|world| {
        world.link("ws/in", world.path("ws/sub/d.txt")).link("ws/sub/back", "../ok.txt");
        let files = LocalFileSystem::builder()
            .root(world.path("ws/sub"))
            .root(world.path("ws"))
            .force_walk(world.walk);
        let files = files.build().unwrap();
        assert_eq!(outcome(&files, "d.txt"), "deep\n");
        assert_eq!(outcome(&files, "back"), "ok\n");
        assert_eq!(outcome(&files, world.absolute("ws/in")), "deep\n");
        assert_eq!(outcome(&files, "../ok.txt"), "!outside_workspace");
        assert_eq!(files.resolve(world.absolute("ws/in").as_bytes()).unwrap().unwrap().path(), "d.txt");
    });
}

#[test]
fn the_home_directory_is_what_the_host_says() {
    both(|world| {
        assert_eq!(world.files().home(), None);
        assert_eq!(world.builder().home(Some("/h".into())).build().unwrap().home(), Some("/h"));
    });
}

#[test]
fn the_same_name_is_found_in_every_root() {
    both(|world| {
        world.write("more/deep/only.txt", "x");
        let files = world.builder().root(world.path("more")).build().unwrap();
        let pipeline = Pipeline::new(files);
        let error = pipeline.read("only.txt", &Request::default(), Cancel::new()).unwrap_err();
        assert_eq!(error.suggestions(), [world.absolute("more/deep/only.txt")]);
    });
}

fn read(files: LocalFileSystem, target: &str) -> Result<ReadOutput, ReadError> {
    let skills = EmbeddedResources::new().with("skills/ws/SKILL.md", "how\n");
    Pipeline::new(files).with_resources(Arc::new(skills)).read(target, &Request::default(), Cancel::new())
}

#[test]
fn a_message_names_the_path_asked_for_and_not_the_home_directory() {
    both(|world| {
        world.write("ws/home/a.txt", "1\n2\n3\n").link("ws/home/gone", "nowhere");
        let outside = || world.builder().home(Some(world.absolute("out"))).build().unwrap();
        let inside = || world.builder().home(Some(world.absolute("ws/home"))).build().unwrap();
        let error = read(outside(), "~/s.txt:3").unwrap_err();
        assert_eq!(
            (error.code(), error.message()),
            (ErrorCode::OutsideWorkspace, "'~/s.txt' leads out of the workspace. Use a path relative to it.")
        );
        let error = read(inside(), "~/gone").unwrap_err();
        assert_eq!(error.message(), "'~/gone' is a link to 'nowhere', which does not exist.");
        assert_eq!(read(inside(), "~/a.tx").unwrap_err().message().split(" not ").next(), Some("'~/a.tx'"));
        let output = read(inside(), "~/a.txt:1-1").unwrap();
        assert_eq!(
            (output.details.path.as_str(), output.details.resolved_path.as_str()),
            ("~/a.txt", "home/a.txt")
        );
        super::special::fifo(&world.path("ws/home/pipe"));
        assert!(read(inside(), "~/pipe").unwrap_err().message().starts_with("'~/pipe' is a FIFO"));
    });
}

#[test]
fn a_pointer_in_a_root_itself_lies_in_that_directory() {
    both(|world| {
        world.write("ws/SKILL.md.pointer", "builtin://skills/ws/SKILL.md\n");
        assert_eq!(read(world.files(), "SKILL.md").unwrap().to_text(), "how\n");
        world.write("out/SKILL.md.pointer", "builtin://skills/ws/SKILL.md\n");
        let files = world.builder().root(world.path("out")).build().unwrap();
        let error = read(files, &world.absolute("out/SKILL.md")).unwrap_err();
        assert_eq!(error.code(), ErrorCode::PointerRefused);
    });
}

#[test]
fn a_file_is_not_a_directory() {
    both(|world| {
        let error = read(world.files(), "ok.txt/").unwrap_err();
        assert_eq!(
            (error.code(), error.message()),
            (
                ErrorCode::NotFound,
                "'ok.txt/' not found: 'ok.txt' is a file, not a directory. Use ok.txt to read it."
            )
        );
        assert_eq!(error.suggestions(), ["ok.txt"]);
    });
}
