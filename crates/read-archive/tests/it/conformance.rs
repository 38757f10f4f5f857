//! The readers do what every reader must.

use read_archive::{GZIP, TAR, ZIP};
use read_core::conformance::Suite;

use crate::make::{entry, gzipped, tar, zip};

const FILES: &[(&str, &[u8])] =
    &[("dir/notes.txt", b"one\ntwo\nthree\n"), ("dir/more.txt", b"four\n"), ("top.txt", b"five\nsix\n")];

fn tarred() -> Vec<u8> {
    let mut pieces: Vec<_> =
        FILES.iter().map(|(name, content)| entry(name.as_bytes(), b'0', b"", content)).collect();
    pieces.push(entry(b"link", b'2', b"top.txt", b""));
    tar(&pieces)
}

#[test]
fn zip_conforms() {
    Suite::new(ZIP)
        .sample("a.zip", zip(FILES))
        .target("a.zip")
        .target("a.zip:1-1")
        .target("a.zip:dir")
        .target("a.zip:dir/notes.txt")
        .target("a.zip:dir/notes.txt:2-3")
        .run();
}

#[test]
fn tar_conforms() {
    Suite::new(TAR)
        .sample("a.tar", tarred())
        .target("a.tar")
        .target("a.tar:dir/notes.txt:2-3")
        .target("a.tar:link")
        .steps(128)
        .run();
}

#[test]
fn gzip_conforms() {
    Suite::new(GZIP)
        .with_reader(TAR)
        .sample("notes.txt.gz", gzipped(b"one\ntwo\nthree\n"))
        .sample("a.tar.gz", gzipped(&tarred()))
        .target("notes.txt.gz")
        .target("notes.txt.gz:2-3")
        .target("a.tar.gz:dir/notes.txt:-1")
        .steps(256)
        .run();
}
