//! Whatever is read lies inside the roots, for random trees and paths.

use std::collections::HashSet;
use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;

use proptest::prelude::*;
use read_core::{FileSystem, LocalFileSystem, SymlinkPolicy};

/// Names short and few, so that paths and links often hit something.
const NAMES: [&str; 7] = ["a", "b", "c", "..", ".", "ws", "out"];

fn path(parts: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    proptest::collection::vec(proptest::sample::select(&NAMES[..]), parts).prop_map(|parts| parts.join("/"))
}

#[derive(Clone, Debug)]
enum Made {
    Directory(String),
    File(String),
    /// Where, to what, and whether the target is absolute (from the top of the world).
    Link(String, String, bool),
}

fn made() -> impl Strategy<Value = Made> {
    let place = || {
        (proptest::sample::select(&["ws", "two", "out"][..]), path(1..4))
            .prop_map(|(top, path)| format!("{top}/{path}"))
    };
    prop_oneof![
        2 => place().prop_map(Made::Directory),
        2 => place().prop_map(Made::File),
        3 => (place(), path(1..6), any::<bool>()).prop_map(|(at, to, absolute)| Made::Link(at, to, absolute)),
    ]
}

/// Makes what can be made; what cannot is left out.
fn make(top: &Path, made: &[Made]) {
    for one in made {
        let _ = match one {
            Made::Directory(path) => fs::create_dir(top.join(path)),
            Made::File(path) => {
                // Not through a link: every file is made where its path says.
                match fs::symlink_metadata(top.join(path)) {
                    Ok(_) => continue,
                    Err(_) => fs::write(top.join(path), path),
                }
            }
            Made::Link(path, target, true) => symlink(top.join(target), top.join(path)),
            Made::Link(path, target, false) => symlink(target, top.join(path)),
        };
    }
}

/// Device and inode of every file and directory below, links not followed.
fn inside(directory: &Path, found: &mut HashSet<(u64, u64)>) {
    let metadata = fs::metadata(directory).unwrap();
    found.insert((metadata.dev(), metadata.ino()));
    for entry in fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        let metadata = entry.metadata().unwrap();
        if metadata.is_dir() {
            inside(&entry.path(), found);
        } else if metadata.is_file() {
            found.insert((metadata.dev(), metadata.ino()));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn whatever_opens_lies_inside(
        tree in proptest::collection::vec(made(), 0..25),
        asked in proptest::collection::vec((path(1..7), any::<bool>(), any::<bool>()), 1..25),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        for name in ["ws", "two", "out"] {
            fs::create_dir(top.join(name)).unwrap();
        }
        make(&top, &tree);
        let mut allowed = HashSet::new();
        inside(&top.join("ws"), &mut allowed);
        inside(&top.join("two"), &mut allowed);
        for policy in [SymlinkPolicy::Follow, SymlinkPolicy::NoFinal, SymlinkPolicy::None] {
            let [kernel, walk] = [false, true].map(|walk| {
                let builder = LocalFileSystem::builder().root(top.join("ws")).root(top.join("two"));
                builder.symlinks(policy).force_walk(walk).build().unwrap()
            });
            for (path, absolute, slash) in &asked {
                let mut path = if *absolute { format!("{}/ws/{path}", top.display()) } else { path.clone() };
                if *slash {
                    path.push('/');
                }
                let real = if *absolute { Path::new(&path).to_path_buf() } else { top.join("ws").join(&path) };
                let told = [&kernel, &walk].map(|files| match files.resolve(path.as_bytes()) {
                    Ok(None) => Ok("none".to_owned()),
                    Err(error) => Ok(format!("{} {error}", error.code().as_str())),
                    Ok(Some(resolved)) => {
                        let source = files.open(&resolved).unwrap();
                        // The kernel, left alone with the path, must find the very same file.
                        let really = fs::metadata(&real).unwrap();
                        prop_assert!(allowed.contains(&(really.dev(), really.ino())), "{path} opens what is outside");
                        prop_assert_eq!(source.is_dir(), really.is_dir());
                        if let Some(file) = source.slice().and_then(|slice| slice.at().as_file()) {
                            let opened = file.metadata().unwrap();
                            prop_assert_eq!((opened.dev(), opened.ino()), (really.dev(), really.ino()));
                        }
                        Ok(resolved.path().to_owned())
                    }
                });
                let [by_kernel, by_walk] = told;
                prop_assert_eq!(by_kernel?, by_walk?, "{} under {:?}", path, policy);
                // Nothing that exists, by a path that never leaves, is called absent.
                if policy == SymlinkPolicy::Follow && matches!(kernel.resolve(path.as_bytes()), Ok(None)) {
                    prop_assert!(fs::symlink_metadata(&real).is_err(), "{path} exists");
                }
            }
        }
    }
}
