//! Containers in containers, to the depth that the host allows.

use read_core::{ErrorCode, Limits};

use crate::make::{Member, Zip, gzipped, tar_of, zip};
use crate::support::{code, one, pipeline, text};

#[test]
fn any_container_in_any_other() {
    let deep = tar_of(&[("c/d.txt", b"1\n2\n3\n")]);
    let stored = Zip::of([Member::stored("in.zip", &zip(&[("b.tar.gz", &gzipped(&deep))]))]).bytes();
    assert_eq!(
        one("a.zip", &stored, "in.zip:b.tar.gz:c/d.txt:2-2").unwrap(),
        "2\n\n[1 more line in archive entry. Use :3- to continue.]"
    );
    let compressed = zip(&[("in.zip", &zip(&[("x.txt", b"inner\n")]))]);
    assert_eq!(one("a.zip", &compressed, "in.zip").unwrap(), "x.txt (6B)\n");
    assert_eq!(one("a.zip", &compressed, "in.zip:x.txt").unwrap(), "inner\n");
    let tarred = gzipped(&tar_of(&[("in.zip", &zip(&[("x.txt", b"inner\n")]))]));
    assert_eq!(one("a.tgz", &tarred, "in.zip:x.txt").unwrap(), "inner\n");
    assert_eq!(one("a.gz.gz", &gzipped(&gzipped(b"twice\n")), "").unwrap(), "twice\n");
}

#[test]
fn no_drive_stands_behind_a_container() {
    let outer = zip(&[("a", &zip(&[("b.txt", b"inner\n")]))]);
    assert_eq!(one("x.zip", &outer, "a:/b.txt").unwrap(), "inner\n");
}

#[test]
fn eight_levels_and_no_more() {
    let nested = |levels: usize| {
        (0..levels).fold(b"deep\n".to_vec(), |inner, _| Zip::of([Member::stored("i", &inner)]).bytes())
    };
    let target = |levels: usize| vec!["i"; levels].join(":");
    assert_eq!(one("a.zip", &nested(8), &target(8)).unwrap(), "deep\n");
    assert_eq!(one("a.zip", &nested(9), &target(9)).unwrap_err().code(), ErrorCode::TooLarge);
}

#[test]
fn a_zip_that_must_be_held_whole_has_a_limit() {
    let noise: Vec<u8> = (0..40_000_u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    let outer = zip(&[("in.zip", &Zip::of([Member::stored("noise", &noise)]).bytes())]);
    let mut limits = Limits::default();
    limits.max_buffered = 100_000;
    let files = pipeline(&[("a.zip", &outer)]).with_limits(limits);
    assert_eq!(code(&files, "a.zip:in.zip"), ErrorCode::TooLarge);
    let files = pipeline(&[("a.zip", &outer)]);
    assert_eq!(text(&files, "a.zip:in.zip"), "noise (156.3KB)\n");
}
