//! Odd paths: `..` in every position, slashes, NULs, lengths.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;

use super::{both, outcome};
use read_core::FileSystem;

#[test]
fn dotdot_in_every_position() {
    both(|world| {
        world.link("ws/r", ".").link("ws/deep", "sub/inner").write("ws/sub/inner/x", "x\n");
        let files = world.files();
        for (path, expected) in [
            ("sub/../ok.txt", "ok\n"),
            ("sub/..", "directory"),
            ("sub/../", "directory"),
            ("sub/./../sub/d.txt", "deep\n"),
            ("nowhere/../ok.txt", "none"),
            ("ok.txt/..", "none"),
            ("ok.txt/../ok.txt", "none"),
            ("..", "!outside_workspace"),
            ("../", "!outside_workspace"),
            ("../ws/ok.txt", "!outside_workspace"),
            ("../out/s.txt", "!outside_workspace"),
            ("../nowhere", "!outside_workspace"),
            ("./../ws/ok.txt", "!outside_workspace"),
            ("sub/../../ws/ok.txt", "!outside_workspace"),
            ("sub/../..", "!outside_workspace"),
            ("nowhere/../../ws/ok.txt", "!outside_workspace"),
            ("r/../ok.txt", "!outside_workspace"),
            ("r/../ws/ok.txt", "!outside_workspace"),
            // The parent of where a link led, as for the shell.
            ("deep/../d.txt", "deep\n"),
            ("deep/../ok.txt", "none"),
            ("...", "none"),
            (".. ", "none"),
            ("..\\out\\s.txt", "none"),
        ] {
            assert_eq!(outcome(&files, path), expected, "{path}");
        }
    });
}

#[test]
fn slashes_and_dots_around_names() {
    both(|world| {
        let files = world.files();
        for (path, expected) in [
            ("ok.txt", "ok\n"),
            (".//ok.txt", "ok\n"),
            ("sub//d.txt", "deep\n"),
            ("sub/./d.txt", "deep\n"),
            ("sub/", "directory"),
            ("sub//", "directory"),
            ("sub/.", "directory"),
            (".", "directory"),
            ("./", "directory"),
            ("ok.txt/", "none"),
            ("ok.txt//", "none"),
            ("ok.txt/.", "none"),
            ("ok.txt/x", "none"),
            ("OK.TXT", "none"),
            ("ok.txt.", "none"),
            ("ok.txt ", "none"),
            ("", "none"),
            ("nowhere", "none"),
            ("nowhere/x", "none"),
        ] {
            assert_eq!(outcome(&files, path), expected, "{path}");
        }
    });
}

#[test]
fn odd_names_are_names() {
    both(|world| {
        let names: [&[u8]; 14] = [
            b"-n",
            b"--root",
            b" lead",
            b"trail ",
            b"new\nline",
            b"tab\t",
            b"[br]",
            b"*",
            b"$HOME",
            b"~",
            b"a\\b",
            b"inv\xff",
            b"esc\x1b[31m",
            b"file:///etc",
        ];
        let files = world.files();
        for name in names {
            let path = world.path("ws").join(OsStr::from_bytes(name));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, name).unwrap();
            let resolved = files.resolve(name).unwrap().unwrap();
            let source = files.open(&resolved).unwrap();
            assert_eq!(source.to_bytes(100).unwrap(), name);
            assert_eq!(source.name(), name.rsplit(|byte| *byte == b'/').next().unwrap());
            assert!(!source.path().contains(['\n', '\t', '\x1b']), "{}", source.path());
        }
        assert_eq!(files.resolve(b"inv\xff").unwrap().unwrap().asked(), "inv\\xff");
    });
}

#[test]
fn what_cannot_exist_does_not() {
    both(|world| {
        let files = world.files();
        assert_eq!(outcome(&files, b"ok.txt\0"), "none");
        assert_eq!(outcome(&files, b"ok\0.txt"), "none");
        assert_eq!(outcome(&files, "x".repeat(256)), "none");
        assert_eq!(outcome(&files, "x".repeat(4_096)), "none");
        assert_eq!(outcome(&files, "x".repeat(100_000)), "none");
        assert_eq!(outcome(&files, format!("{}ok.txt", "./".repeat(2_100))), "none", "over 4,096 bytes");
        assert_eq!(outcome(&files, format!("{}ok.txt", "./".repeat(2_045))), "ok\n", "4,096 bytes");
        assert_eq!(outcome(&files, "sub/../".repeat(500) + "ok.txt"), "ok\n");
        assert_eq!(outcome(&files, "../".repeat(1_000)), "!outside_workspace");
    });
}

#[test]
fn a_path_longer_than_the_kernel_takes_at_once() {
    both(|world| {
        let name = "d".repeat(250);
        let mut here = world.path("ws");
        let handle = |path: &std::path::Path| fs::File::open(path).unwrap();
        // One level at a time: the whole would be too long to create by path.
        let mut at = handle(&here);
        for _ in 0..16 {
            rustix::fs::mkdirat(&at, &name, rustix::fs::Mode::from_raw_mode(0o755)).unwrap();
            at = rustix::fs::openat(&at, &name, rustix::fs::OFlags::RDONLY, rustix::fs::Mode::empty())
                .unwrap()
                .into();
            here.push(&name);
        }
        let flags = rustix::fs::OFlags::WRONLY | rustix::fs::OFlags::CREATE;
        let file = rustix::fs::openat(&at, "leaf", flags, rustix::fs::Mode::from_raw_mode(0o644)).unwrap();
        rustix::io::write(&file, b"far\n").unwrap();
        let files = world.files();
        let path = format!("{}leaf", format!("{name}/").repeat(16));
        assert!(path.len() > 4_000 && path.len() <= 4_096, "{}", path.len());
        assert_eq!(outcome(&files, &path), "far\n");
        assert_eq!(outcome(&files, path.replace("leaf", "none")), "none");
    });
}

#[test]
fn the_name_is_the_last_component_as_asked() {
    both(|world| {
        world.link("ws/plain.log", "ok.txt");
        let files = world.files();
        let name = |path: &str| {
            let source = files.open(&files.resolve(path.as_bytes()).unwrap().unwrap()).unwrap();
            (
                String::from_utf8_lossy(source.name()).into_owned(),
                source.path().to_owned(),
                source.is_contained(),
            )
        };
        assert_eq!(name("./plain.log"), ("plain.log".into(), "./plain.log".into(), true));
        assert_eq!(name("sub/"), ("sub".into(), "sub/".into(), true));
        assert_eq!(name("sub/.").0, "sub");
        assert_eq!(name("sub/..").0, ".");
        assert_eq!(name(".").0, ".");
    });
}

#[test]
fn a_path_in_another_unicode_form_opens_whole() {
    both(|world| {
        world.write("ws/cafe\u{301}/fe\u{301}.txt", "ok\n");
        let pipeline = read_core::Pipeline::new(world.files());
        let read =
            pipeline.read("caf\u{e9}/f\u{e9}.txt", &read_core::Request::default(), read_core::Cancel::new());
        assert!(read.unwrap().to_text().starts_with("ok\n\n[Opened '"));
    });
}
