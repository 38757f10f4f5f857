//! FIFOs, sockets and devices are refused at once; `/proc` files have content.

use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::Command;

use super::{World, both, outcome, refusal};
use read_core::{ErrorCode, FileSystem, LocalFileSystem};

/// Makes a named pipe.
pub(crate) fn fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

fn ambient(world: &World) -> LocalFileSystem {
    LocalFileSystem::builder().force_walk(world.walk).build_ambient().unwrap()
}

#[test]
fn fifos_and_sockets_are_refused_at_once() {
    both(|world| {
        fifo(&world.path("ws/live.pipe"));
        let _listener = UnixListener::bind(world.path("ws/x.sock")).unwrap();
        world.link("ws/alias.log", "live.pipe");
        let files = world.files();
        for (path, word) in [("live.pipe", "FIFO"), ("alias.log", "FIFO"), ("x.sock", "socket")] {
            let error = refusal(&files, path);
            assert_eq!(error.code(), ErrorCode::NotRegular);
            assert!(error.message().contains(word) && error.message().contains("regular file"), "{error}");
            assert_eq!(
                outcome(&ambient(world), world.path("ws").join(path).to_str().unwrap()),
                "!not_regular"
            );
        }
    });
}

#[test]
fn devices_are_refused() {
    both(|world| {
        let host = world.builder().host_reads(true).build().unwrap();
        for path in ["/dev/null", "/dev/zero", "/dev/tty"] {
            if Path::new(path).exists() {
                assert_eq!(outcome(&host, path), "!not_regular", "{path}");
                assert_eq!(outcome(&ambient(world), path), "!not_regular", "{path}");
            }
        }
    });
}

#[cfg(target_os = "linux")]
#[test]
fn files_of_size_zero_with_content_are_streams() {
    both(|world| {
        let files = LocalFileSystem::builder().root("/proc").force_walk(world.walk).build().unwrap();
        let source = files.open(&files.resolve(b"self/status").unwrap().unwrap()).unwrap();
        assert!(matches!(source.body(), read_core::Body::Stream(_)) && source.length().is_none());
        for _ in 0..2 {
            let text = String::from_utf8(source.to_bytes(1 << 20).unwrap()).unwrap();
            assert!(text.starts_with("Name:") && text.contains("Pid:"));
        }
        assert!(outcome(&ambient(world), "/proc/self/mounts").contains("proc"));
        let maps = outcome(&ambient(world), "/proc/self/maps");
        assert!(maps.lines().count() > 10 && maps.ends_with('\n'), "more than one piece");

        // An error in mid-read is an error, not an empty file.
        let memory = files.open(&files.resolve(b"self/mem").unwrap().unwrap()).unwrap();
        assert_eq!(memory.to_bytes(100).unwrap_err().code(), ErrorCode::Io);
    });
}

#[test]
fn an_empty_file_is_empty() {
    both(|world| {
        world.write("ws/empty", "");
        let files = world.files();
        let source = files.open(&files.resolve(b"empty").unwrap().unwrap()).unwrap();
        assert_eq!((source.length(), source.slice().map(read_core::Slice::is_empty)), (Some(0), Some(true)));
    });
}

#[test]
fn a_large_file_is_read_at_any_position() {
    both(|world| {
        let file = std::fs::File::create(world.path("ws/sparse")).unwrap();
        file.set_len(5 << 30).unwrap();
        std::os::unix::fs::FileExt::write_at(&file, b"end", (5 << 30) - 3).unwrap();
        let files = world.files();
        let source = files.open(&files.resolve(b"sparse").unwrap().unwrap()).unwrap();
        assert_eq!(source.length(), Some(5 << 30));
        let mut tail = [0; 8];
        let slice = source.slice().unwrap();
        assert_eq!(slice.read_full_at(&mut tail, (5 << 30) - 4).unwrap(), 4);
        assert_eq!(&tail[..4], b"\0end");
        assert!(slice.at().as_file().is_some());
    });
}
