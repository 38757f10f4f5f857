//! Deny rules, as asked and as resolved.

use std::sync::Arc;

use super::{World, both, outcome, refusal};
use read_core::{DenyRules, ErrorCode, FileSystem, Guard, LocalFileSystem};

fn denying(world: &World, globs: &[&str]) -> LocalFileSystem {
    world.builder().guard(Arc::new(DenyRules::new(globs).unwrap())).build().unwrap()
}

#[test]
fn refused_whether_or_not_it_exists() {
    both(|world| {
        world.write("ws/.env", "K=secret\n").write("ws/conf/.env.local", "K=secret\n");
        let files = denying(world, &["**/.env*"]);
        for path in [
            ".env",
            ".env.none",
            "conf/.env.local",
            "nowhere/.env",
            "./sub/../.env",
            ".env/",
            ".env/x",
            "conf//.env.local",
        ] {
            let error = refusal(&files, path);
            assert_eq!(error.code(), ErrorCode::Denied, "{path}");
            assert!(!error.is_correctable() && error.message().contains(path), "{error}");
        }
        assert_eq!(outcome(&files, world.absolute("ws/.env")), "!denied");
        assert_eq!(outcome(&files, "ok.txt"), "ok\n");
        assert_eq!(outcome(&files, "env"), "none");
    });
}

#[test]
fn nothing_inside_is_probed() {
    both(|world| {
        world
            .write("ws/vault/a/b.txt", "secret\n")
            .link("ws/l", "vault/a")
            .link("ws/n", "vault/none")
            .link("ws/v", "vault");
        let files = denying(world, &["vault"]);
        // What exists in there and what does not is refused alike.
        for path in [
            "vault",
            "vault/a",
            "vault/none",
            "vault/a/b.txt",
            "vault/a/../../ok.txt",
            "vault/none/../../ok.txt",
            "l",
            "n",
            "l/b.txt",
            "l/none",
            "v",
            "v/a",
            "v/none",
            "v/a/../../ok.txt",
        ] {
            assert_eq!(refusal(&files, path).code(), ErrorCode::Denied, "{path}");
        }
    });
}

#[test]
fn as_resolved_too() {
    both(|world| {
        world.write("ws/.env", "K=secret\n").link("ws/plain.txt", ".env").link("ws/fine.key", "ok.txt");
        world.link("ws/chain", "plain.txt").write("two/x.key", "secret\n").link("ws/two", "../two");
        let rules = Arc::new(DenyRules::new([".env", "*.key"]).unwrap());
        let files = world.builder().root(world.path("two")).guard(rules).build().unwrap();
        for path in ["plain.txt", "chain", "fine.key", "two/x.key"] {
            assert_eq!(refusal(&files, path).code(), ErrorCode::Denied, "{path}");
        }
        assert_eq!(outcome(&files, world.absolute("two/x.key")), "!denied");
    });
}

#[test]
fn the_names_of_the_workspace_and_its_parents_do_not_count() {
    both(|world| {
        assert_eq!(outcome(&denying(world, &["ws", "**/ws/**"]), "ok.txt"), "ok\n");
        assert_eq!(outcome(&denying(world, &["ws"]), world.absolute("ws/ok.txt")), "ok\n");
        assert_eq!(
            outcome(&denying(world, &[&world.absolute("ws/sub")]), "sub/d.txt"),
            "!denied",
            "but an absolute rule does"
        );
    });
}

#[test]
fn overlapping_roots_are_judged_by_each_relative_path() {
    both(|world| {
        world.write("ws/sub/conf/x.yml", "secret\n").link("ws/sub/l", "../sub/conf/x.yml");
        let rules = Arc::new(DenyRules::new(["conf/x.yml"]).unwrap());
        let builder = LocalFileSystem::builder()
            .root(world.path("ws/sub"))
            .root(world.path("ws"))
            .force_walk(world.walk);
        let files = builder.guard(rules).build().unwrap();
        for path in ["conf/x.yml", "l", &world.absolute("ws/sub/conf/x.yml")] {
            assert_eq!(refusal(&files, path).code(), ErrorCode::Denied, "{path}");
        }
    });
}

#[test]
fn not_listed() {
    both(|world| {
        world
            .write("ws/.env", "")
            .write("ws/conf/k.key", "")
            .write("ws/conf/open.txt", "")
            .link("ws/c", "conf");
        world.link("ws/l", ".env").link("ws/open", "ok.txt");
        let files = denying(world, &[".env", "conf/*.key"]);
        let list = |path: &str| {
            let source = files.open(&files.resolve(path.as_bytes()).unwrap().unwrap()).unwrap();
            let mut entries = source.entries().unwrap().list().unwrap();
            entries.sort_by(|a, b| a.name.cmp(&b.name));
            entries
        };
        let names = |path: &str| {
            list(path).into_iter().map(|entry| String::from_utf8(entry.name).unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(names("."), ["c", "conf", "ok.txt", "open", "sub"], "nor is a link to it");
        assert_eq!(names("conf"), ["open.txt"]);
        assert_eq!(names("c"), ["open.txt"], "as resolved");
        let targets: Vec<_> = list(".").into_iter().map(|entry| entry.kind).collect();
        assert_eq!(targets[3], read_core::EntryKind::Link(Some(b"ok.txt".to_vec())));
    });
}

#[test]
fn a_guard_of_ones_own_is_asked_about_every_directory_above() {
    struct NotVault;
    impl Guard for NotVault {
        fn permits(&self, path: &[u8]) -> bool {
            path != b"vault"
        }
    }
    both(|world| {
        world.write("ws/vault/x", "secret\n").link("ws/l", "vault/x");
        let files = world.builder().guard(Arc::new(NotVault)).build().unwrap();
        assert_eq!(outcome(&files, "vault/x"), "!denied");
        assert_eq!(outcome(&files, "l"), "!denied");
        assert_eq!(outcome(&files, "sub/d.txt"), "deep\n");
    });
}

#[test]
fn hard_links_are_judged_by_their_name_unless_refused() {
    both(|world| {
        world.write("ws/.env", "K=1\n");
        std::fs::hard_link(world.path("ws/.env"), world.path("ws/other")).unwrap();
        let rules = Arc::new(DenyRules::shipped());
        let files = world.builder().guard(rules.clone()).build().unwrap();
        assert_eq!(outcome(&files, "other"), "K=1\n");
        let files = world.builder().guard(rules).refuse_hard_links(true).build().unwrap();
        assert_eq!(outcome(&files, "other"), "!denied");
        assert_eq!(outcome(&files, "sub/d.txt"), "deep\n");
        assert_eq!(outcome(&files, "sub"), "directory", "a directory has many by nature");
    });
}

#[cfg(target_os = "linux")]
#[test]
fn the_environment_of_processes_is_a_secret() {
    both(|world| {
        world.link("ws/e", "/proc/self/environ");
        let rules: Arc<dyn Guard> = Arc::new(DenyRules::shipped());
        let whole =
            LocalFileSystem::builder().root("/").guard(rules.clone()).force_walk(world.walk).build().unwrap();
        let ambient =
            LocalFileSystem::builder().guard(rules.clone()).force_walk(world.walk).build_ambient().unwrap();
        let proc =
            LocalFileSystem::builder().root("/proc").guard(rules).force_walk(world.walk).build().unwrap();
        for path in [
            "/proc/self/environ",
            "/proc/thread-self/environ",
            "/proc/self/task/../environ",
            "/proc/none/environ",
        ] {
            for files in [&whole, &ambient, &proc] {
                assert_eq!(outcome(files, path), "!denied", "{path} {files:?}");
            }
        }
        assert_eq!(outcome(&ambient, world.absolute("ws/e")), "!denied");
        assert_eq!(outcome(&proc, "self/environ"), "!denied");
    });
}

#[test]
fn a_name_that_only_looks_different_is_no_way_around_a_rule() {
    both(|world| {
        world.write("ws/pass\u{a0}word.txt", SECRET_HERE);
        let files =
            world.builder().guard(Arc::new(DenyRules::new(["pass word.txt"]).unwrap())).build().unwrap();
        let pipeline = read_core::Pipeline::new(files);
        let read = pipeline.read("pass word.txt", &read_core::Request::default(), read_core::Cancel::new());
        assert_eq!(read.unwrap_err().code(), ErrorCode::Denied);
    });
}

#[test]
fn a_refused_path_is_refused_in_every_spelling() {
    both(|world| {
        world.write("ws/secrets/plan.txt", SECRET_HERE);
        let files = world.builder().guard(Arc::new(DenyRules::new(["secrets"]).unwrap())).build().unwrap();
        let pipeline = read_core::Pipeline::new(files);
        let code = |target: &str| {
            let read = pipeline.read(target, &read_core::Request::default(), read_core::Cancel::new());
            read.unwrap_err().code()
        };
        assert_eq!(code("@secrets/plan.txt:1-2"), ErrorCode::Denied);
        assert_eq!(code("file:///etc/passwd"), ErrorCode::OutsideWorkspace);
    });
}

const SECRET_HERE: &str = "denied\n";
