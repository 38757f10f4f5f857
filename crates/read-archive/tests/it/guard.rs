//! Rules meet paths in archives under every name.

use std::sync::Arc;

use read_core::{ErrorCode, Guard, MemoryFileSystem, Pipeline};

use crate::make::{entry, gzipped, tar, zip};
use crate::support::{code, output, registry, text};

/// Denies every path whose last part is `.env` or `secret`.
struct NoSecrets;

impl Guard for NoSecrets {
    fn permits(&self, path: &[u8]) -> bool {
        !path.split(|byte| *byte == b'/').any(|part| part == b".env" || part == b"secret")
    }
}

fn guarded(name: &str, bytes: &[u8]) -> Pipeline {
    let files = MemoryFileSystem::new().with(name, bytes);
    Pipeline::new(files).with_registry(registry()).with_guard(Arc::new(NoSecrets))
}

#[test]
fn denied_members_are_neither_read_nor_listed_nor_suggested() {
    let files = guarded("a.zip", &zip(&[("conf/.env", b"KEY"), ("conf/env", b"ok\n"), ("secret", b"")]));
    assert_eq!(code(&files, "a.zip:conf/.env"), ErrorCode::Denied);
    assert_eq!(code(&files, "a.zip:secret:1-5"), ErrorCode::Denied);
    assert_eq!(code(&files, "a.zip:nowhere/.env"), ErrorCode::Denied, "whether or not it exists");
    assert_eq!(text(&files, "a.zip"), "conf/\n");
    assert_eq!(text(&files, "a.zip:conf"), "env (3B)\n");
    assert!(output(&files, "a.zip:secre").unwrap_err().suggestions().is_empty());
}

#[test]
fn bytes_of_a_container_are_denied_where_rules_are() {
    for (name, bytes) in
        [("a.zip", zip(&[("a", b"")])), ("a.tgz", gzipped(&tar(&[entry(b"a", b'0', b"", b"")])))]
    {
        let files = guarded(name, &bytes);
        assert_eq!(code(&files, &format!("{name}:hex")), ErrorCode::Denied);
        assert_eq!(code(&files, &format!("{name}:@0+10")), ErrorCode::Denied);
    }
}

#[test]
fn both_ends_of_a_link_are_asked_about() {
    let bytes = tar(&[
        entry(b"secret", b'0', b"", b"KEY"),
        entry(b"innocent", b'2', b"secret", b""),
        entry(b"open", b'0', b"", b"ok\n"),
        entry(b".env", b'2', b"open", b""),
    ]);
    let files = guarded("a.tar", &bytes);
    assert_eq!(code(&files, "a.tar:innocent"), ErrorCode::Denied);
    assert_eq!(code(&files, "a.tar:.env"), ErrorCode::Denied);
    assert_eq!(text(&files, "a.tar:open"), "ok\n");
}

#[test]
fn the_name_inside_gzip_is_asked_about() {
    assert_eq!(code(&guarded(".env.gz", &gzipped(b"KEY=1\n")), ".env.gz"), ErrorCode::Denied);
    let mut named = gzipped(b"KEY=1\n");
    named[3] = 8;
    named.splice(10..10, *b"secret\0");
    assert_eq!(code(&guarded("x.gz", &named), "x.gz"), ErrorCode::Denied);
    assert_eq!(text(&guarded("y.gz", &gzipped(b"ok\n")), "y.gz"), "ok\n");
}
