//! Somebody swaps a component for a link to the outside, over and over, while reads run: no byte from outside may ever
//! be read, and whatever is answered instead is one of the expected refusals.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use std::time::{Duration, Instant};

use super::{SECRET, World, both};
use read_core::{ErrorCode, FileSystem, LocalFileSystem, SymlinkPolicy};

/// How long each race runs at least.
const RACE: Duration = Duration::from_millis(600);

/// When a race is given up in which not everything happened: on a machine so busy that one side never runs.
const LIMIT: Duration = Duration::from_secs(60);

/// Exchanges two paths, or renames one over the other in turn where there is no exchange.
fn swap(a: &Path, b: &Path) {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        if renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE).is_ok() {
            return;
        }
    }
    let spare = a.with_extension("spare");
    for (from, to) in [(a, &*spare), (b, a), (&spare, b)] {
        std::fs::rename(from, to).unwrap();
    }
}

/// Reads `path` while `a` and `b` change places, until the honest file was read and, where the race `refuses`, was refused.
fn race(files: &LocalFileSystem, path: &str, a: &Path, b: &Path, refuses: bool) {
    let done = AtomicBool::new(false);
    let (read, refused) = (AtomicU32::new(0), AtomicU32::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Relaxed) {
                swap(a, b);
            }
        });
        let reader = || {
            let start = Instant::now();
            let happened = || read.load(Relaxed) > 0 && (refused.load(Relaxed) > 0 || !refuses);
            while start.elapsed() < RACE || !happened() && start.elapsed() < LIMIT {
                match super::read(files, path.as_bytes()) {
                    Ok(Some(text)) => {
                        assert_eq!(text, "honest\n");
                        read.fetch_add(1, Relaxed);
                    }
                    Ok(None) => {}
                    Err(error) => {
                        let expected = [
                            ErrorCode::OutsideWorkspace,
                            ErrorCode::ResolutionChanged,
                            ErrorCode::SymlinkRefused,
                            ErrorCode::NotFound,
                        ];
                        assert!(expected.contains(&error.code()), "{error:?}");
                        assert!(
                            !["out/", "../", "evil"].iter().any(|told| error.message().contains(told)),
                            "{error}"
                        );
                        refused.fetch_add(1, Relaxed);
                    }
                }
            }
        };
        let readers = [scope.spawn(reader), scope.spawn(reader)];
        let results = readers.map(std::thread::ScopedJoinHandle::join);
        done.store(true, Relaxed);
        for result in results {
            result.unwrap();
        }
    });
    let (read, refused) = (read.into_inner(), refused.into_inner());
    assert!(read > 0 && (refused > 0 || !refuses), "the race was run: {read} reads, {refused} refusals");
}

fn under_each_policy(world: &World, path: &str, a: &str, b: &str) {
    for policy in [SymlinkPolicy::Follow, SymlinkPolicy::None] {
        let files = world.builder().symlinks(policy).build().unwrap();
        race(&files, path, &world.path(a), &world.path(b), true);
    }
}

#[test]
fn a_swapped_directory_never_leads_out() {
    both(|world| {
        world.write("ws/a/b/x.txt", "honest\n").write("out/b/x.txt", SECRET).link("ws/evil", "../out");
        under_each_policy(world, "a/b/x.txt", "ws/a", "ws/evil");
    });
}

#[test]
fn a_swapped_file_never_leads_out() {
    both(|world| {
        world.write("ws/a/x.txt", "honest\n").link("ws/a/evil", world.path("out/s.txt"));
        under_each_policy(world, "a/x.txt", "ws/a/x.txt", "ws/a/evil");
    });
}

#[test]
fn a_directory_moved_out_and_back_never_takes_dotdot_along() {
    both(|world| {
        world
            .write("ws/a/b/c/x", "x")
            .write("ws/x.txt", "honest\n")
            .write("out/x.txt", SECRET)
            .write("out/b/none", "");
        world.write("x.txt", SECRET).link("ws/l", "a/b/../../x.txt");
        let files = world.files();
        race(&files, "a/b/../../x.txt", &world.path("ws/a/b"), &world.path("out/b"), false);
        race(&files, "l", &world.path("ws/a/b"), &world.path("out/b"), false);
    });
}

#[test]
fn a_link_pointed_in_and_out_never_leads_out() {
    both(|world| {
        world
            .write("ws/a/x.txt", "honest\n")
            .write("out/x.txt", SECRET)
            .link("ws/l", "a")
            .link("ws/evil", "../out");
        let files = world.files();
        race(&files, "l/x.txt", &world.path("ws/l"), &world.path("ws/evil"), true);
    });
}

#[test]
fn a_side_file_is_raced_in_vain() {
    both(|world| {
        world.write("ws/ok.txt-wal", "honest\n").link("ws/evil", "../out/s.txt");
        let files = world.files();
        let (side, evil) = (world.path("ws/ok.txt-wal"), world.path("ws/evil"));
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Relaxed) {
                    swap(&side, &evil);
                }
            });
            let result = scope.spawn(|| {
                let source = files.open(&files.resolve(b"ok.txt").unwrap().unwrap()).unwrap();
                let end = Instant::now() + RACE;
                while Instant::now() < end {
                    if let Ok(Some(side)) = source.sibling("-wal") {
                        assert_eq!(side.to_bytes(100).unwrap(), b"honest\n");
                    }
                }
            });
            let result = result.join();
            done.store(true, Relaxed);
            result.unwrap();
        });
    });
}
