//! Every byte of small archives flipped and cut: an answer or a typed error, never a panic.

use read_core::{ErrorCode, ReadError};

use crate::make::{Member, Zip, entry, gzipped, pax, tar};
use crate::support::{output, pipeline};

fn small_zip() -> Vec<u8> {
    let mut zip = Zip::of([
        Member {
            descriptor: true,
            ..Member::deflated("dir/a.txt", b"some text that is deflated, deflated, deflated\n")
        },
        Member::stored("b.txt", b"stored\n"),
        Member::symlink("link", "b.txt"),
        Member::stored(r"c\d", b""),
    ]);
    zip.comment = b"comment".to_vec();
    zip.bytes()
}

fn small_tar() -> Vec<u8> {
    let sparse: &[(&str, &[u8])] =
        &[("GNU.sparse.size", b"30"), ("GNU.sparse.map", b"0,5,20,3"), ("GNU.sparse.name", b"sp")];
    let bytes = tar(&[
        pax(b'g', &[("comment", b"c")]),
        entry(b"dir/a.txt", b'0', b"", b"text\n"),
        pax(b'x', sparse),
        entry(b"x", b'0', b"", b"head\nend"),
        entry(b"././@LongLink", b'L', b"", b"longer name\0"),
        entry(b"cut", b'0', b"", b"long\n"),
        entry(b"link", b'2', b"dir/a.txt", b""),
    ]);
    bytes[..bytes.len() - 512].to_vec()
}

/// Reads a listing and every member, and looks at what comes out.
fn exercise(name: &str, bytes: &[u8], members: &[&str]) {
    let files = pipeline(&[(name, bytes)]);
    let targets = members.iter().map(|member| format!("{name}:{member}"));
    for target in std::iter::once(name.to_owned()).chain(targets) {
        if let Err(error) = output(&files, &target) {
            check(&target, &error);
        }
    }
}

fn check(target: &str, error: &ReadError) {
    assert!(
        !matches!(error.code(), ErrorCode::ReaderFailed | ErrorCode::TimedOut | ErrorCode::Cancelled),
        "{target}: {error}"
    );
    assert!(!error.message().is_empty());
}

const ZIP_MEMBERS: &[&str] = &["dir/a.txt", "b.txt", "link", "dir", "c/d", "nothing", "B.TXT"];
const TAR_MEMBERS: &[&str] = &["dir/a.txt", "sp", "longer name", "link", "dir", "nothing"];

fn samples() -> [(&'static str, Vec<u8>, &'static [&'static str]); 4] {
    [
        ("a.zip", small_zip(), ZIP_MEMBERS),
        ("a.tar", small_tar(), TAR_MEMBERS),
        ("a.tgz", gzipped(&small_tar()), TAR_MEMBERS),
        ("a.gz", gzipped(b"one file\nof two lines\n"), &["1", "hex", "-1", "stat"]),
    ]
}

#[test]
fn every_byte_flipped() {
    for (name, bytes, members) in samples() {
        for at in 0..bytes.len() {
            // In a tar whole blocks are text or padding: every byte of headers, some of the rest.
            if bytes.len() > 2_000 && at % 512 > 170 && at % 512 < 500 && at % 11 != 0 {
                continue;
            }
            for flip in [0x01, 0xFE] {
                let mut changed = bytes.clone();
                changed[at] ^= flip;
                exercise(name, &changed, members);
            }
        }
    }
}

#[test]
fn cut_at_every_byte() {
    for (name, bytes, members) in samples() {
        let step = if bytes.len() > 2_000 { 3 } else { 1 };
        for len in (0..bytes.len()).step_by(step) {
            exercise(name, &bytes[..len], members);
        }
    }
}

#[test]
fn fields_that_are_full() {
    for (name, bytes, members) in samples() {
        for at in 0..bytes.len().saturating_sub(4) {
            if bytes.len() > 2_000 && at % 3 != 0 {
                continue;
            }
            let mut changed = bytes.clone();
            changed[at..at + 4].fill(0xFF);
            exercise(name, &changed, members);
        }
    }
}
