//! Links are followed inside the archive, a few hops, and never out of it.

use read_core::ErrorCode;

use crate::make::{Member, Zip, entry, gzipped, tar};
use crate::support::{code, one, pipeline, text};

fn link(name: &str, target: &str) -> Vec<u8> {
    entry(name.as_bytes(), b'2', target.as_bytes(), b"")
}

fn file(name: &str, content: &str) -> Vec<u8> {
    entry(name.as_bytes(), b'0', b"", content.as_bytes())
}

fn linked() -> Vec<u8> {
    tar(&[
        link("first", "dir/b"),
        file("dir/a.txt", "one\ntwo\n"),
        link("dir/b", "a.txt"),
        link("alias", "./dir"),
        link("deep/up", "../dir/a.txt"),
        entry(b"hard", b'1', b"dir/a.txt", b""),
        link("out", "../../etc/passwd"),
        link("root", "/etc/passwd"),
        link("gone", "nowhere"),
        link("x", "y"),
        link("y", "x"),
    ])
}

#[test]
fn links_lead_to_members_and_directories() {
    for (name, bytes) in [("a.tar", linked()), ("a.tgz", gzipped(&linked()))] {
        for rest in ["first", "dir/b", "alias/a.txt", "alias/b", "deep/up", "hard"] {
            assert_eq!(one(name, &bytes, &format!("{rest}:2-2")).unwrap(), "two\n", "{name}:{rest}");
        }
        assert_eq!(one(name, &bytes, "alias").unwrap(), "a.txt (8B)\nb -> a.txt\n");
    }
}

#[test]
fn what_leaves_or_loops_is_refused_by_name() {
    let bytes = linked();
    for (rest, target) in [("out", "../../etc/passwd"), ("root", "/etc/passwd")] {
        let error = one("a.tar", &bytes, rest).unwrap_err();
        assert_eq!(error.code(), ErrorCode::SymlinkRefused);
        assert!(error.message().contains(rest) && error.message().contains(target), "{error}");
    }
    assert_eq!(one("a.tar", &bytes, "x").unwrap_err().code(), ErrorCode::SymlinkRefused);
    assert_eq!(one("a.tar", &bytes, "gone").unwrap_err().code(), ErrorCode::NotFound);
}

#[test]
fn sixteen_hops_and_no_more() {
    let chain = |hops: usize| {
        let mut pieces = vec![file("l0", "end\n")];
        pieces.extend((1..=hops).map(|hop| link(&format!("l{hop}"), &format!("l{}", hop - 1))));
        tar(&pieces)
    };
    assert_eq!(one("a.tar", &chain(16), "l16").unwrap(), "end\n");
    assert_eq!(one("a.tar", &chain(17), "l17").unwrap_err().code(), ErrorCode::SymlinkRefused);
}

#[test]
fn a_listing_shows_where_links_lead() {
    let bytes = linked();
    let listed = text(&pipeline(&[("a.tar", &bytes)]), "a.tar");
    for line in ["first -> dir/b\n", "root -> /etc/passwd\n", "hard [a hard link to dir/a.txt]\n"] {
        assert!(listed.contains(line), "{listed}");
    }
}

#[test]
fn zips_have_links_too() {
    let target =
        Member { method: 8, data: crate::make::deflated(b"../d/f"), ..Member::symlink("l/b", "../d/f") };
    let bytes = Zip::of([
        Member::stored("d/f", b"one\n"),
        Member::symlink("a", "d/f"),
        target,
        Member::symlink("c", "/etc/passwd"),
    ])
    .bytes();
    let files = pipeline(&[("a.zip", &bytes)]);
    assert_eq!(text(&files, "a.zip"), "d/\nl/\na -> d/f\nc -> /etc/passwd\n");
    assert_eq!(text(&files, "a.zip:a"), "one\n");
    assert_eq!(text(&files, "a.zip:l/b"), "one\n");
    assert_eq!(code(&files, "a.zip:c"), ErrorCode::SymlinkRefused);
}

#[test]
fn what_is_missing_behind_a_link_is_not_the_link() {
    for (name, bytes) in [("a.tar", linked()), ("a.tgz", gzipped(&linked()))] {
        let error = one(name, &bytes, "alias/a.tx").unwrap_err();
        assert_eq!(error.code(), ErrorCode::NotFound);
        assert!(error.message().starts_with("'alias/a.tx' not found inside archive"), "{error}");
        assert_eq!(error.suggestions(), [format!("{name}:dir/a.txt")]);
        let error = one(name, &bytes, "alias/none/at/all").unwrap_err();
        assert!(error.message().starts_with("'alias/none/at/all' not found"), "{error}");
        let error = one(name, &bytes, "gone/x").unwrap_err();
        assert!(error.message().contains("is a link to"), "{error}");
    }
}
