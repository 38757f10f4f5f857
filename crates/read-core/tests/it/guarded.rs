//! Rules hold over any store of files, whoever gives them.

use std::sync::Arc;

use read_core::{
    Body, Entries, Entry, EntryKind, ErrorCode, FileSystem, Guard, Guarded, MemoryFileSystem, Noun, Pipeline,
    ReadError, Resolved, Source,
};

use super::{read, text};

/// Denies `.env` everywhere, and the directory `vault` with all that is in it.
struct Rules;

impl Guard for Rules {
    fn permits(&self, path: &[u8]) -> bool {
        path != b"vault" && path.rsplit(|byte| *byte == b'/').next() != Some(b".env")
    }
}

fn files() -> MemoryFileSystem {
    MemoryFileSystem::new()
        .with(".env", "KEY=1\n")
        .with("env", "no secret\n")
        .with("d/.env", "KEY=2\n")
        .with("d/x.txt", "x\n")
        .with("vault/deep/key.txt", "KEY=3\n")
}

/// The ways in which a host may give rules.
fn pipelines() -> [Pipeline; 3] {
    [
        Pipeline::new(Guarded::new(files(), Arc::new(Rules))),
        Pipeline::new(files()).with_guard(Arc::new(Rules)),
        Pipeline::new(Guarded::new(files(), Arc::new(Rules))).with_guard(Arc::new(Rules)),
    ]
}

#[test]
fn what_is_denied_is_not_opened_whether_or_not_it_exists() {
    for pipeline in pipelines() {
        for target in [
            ".env",
            "./d/.env:1-1",
            "d//.env",
            "none/.env",
            "vault",
            "vault/deep/key.txt",
            "vault/none",
            "@.env",
        ] {
            let error = read(&pipeline, target).unwrap_err();
            assert_eq!(error.code(), ErrorCode::Denied, "{target}: {error}");
        }
        assert_eq!(text(&pipeline, "d/x.txt"), "x\n");
    }
}

#[test]
fn what_is_denied_is_not_listed_and_not_offered() {
    for pipeline in pipelines() {
        assert_eq!(text(&pipeline, "."), "d/\nenv (10B)\n");
        assert_eq!(text(&pipeline, "d"), "x.txt (2B)\n");
        assert_eq!(
            text(&pipeline, "d:stat").lines().find(|line| line.starts_with("entries")),
            Some("entries: 1")
        );
        assert_eq!(read(&pipeline, "env.").unwrap_err().suggestions(), ["env"]);
        assert!(read(&pipeline, "key.txt").unwrap_err().suggestions().is_empty(), "nor elsewhere");
        let error = read(&pipeline, "d:.env").unwrap_err();
        assert_eq!((error.code(), error.suggestions().len()), (ErrorCode::InvalidSelector, 0), "{error}");
    }
}

/// A store in which one name leads to another, as a link does.
struct Linked(MemoryFileSystem);

impl FileSystem for Linked {
    fn resolve(&self, path: &[u8]) -> Result<Option<Resolved>, ReadError> {
        if path == b"innocent.txt" {
            return Ok(Some(Resolved::new("innocent.txt", "d/.env", ())));
        }
        self.0.resolve(path)
    }

    fn open(&self, resolved: &Resolved) -> Result<Source, ReadError> {
        self.0.open(resolved)
    }
}

#[test]
fn a_path_is_judged_as_it_is_resolved_too() {
    let pipeline = Pipeline::new(Guarded::new(Linked(files()), Arc::new(Rules)));
    assert_eq!(read(&pipeline, "innocent.txt").unwrap_err().code(), ErrorCode::Denied);
    let resolved = Resolved::new("innocent.txt", "d/.env", ());
    let error = Guarded::new(files(), Arc::new(Rules)).open(&resolved).unwrap_err();
    assert_eq!(error.code(), ErrorCode::Denied, "nor when it was resolved by somebody else");
}

/// A store of one file with side files, which asks nobody.
struct Beside;

impl FileSystem for Beside {
    fn resolve(&self, path: &[u8]) -> Result<Option<Resolved>, ReadError> {
        let path = String::from_utf8_lossy(path).into_owned();
        Ok(matches!(&*path, "." | "d/a").then(|| Resolved::new(path.clone(), path.clone(), ())))
    }

    fn open(&self, resolved: &Resolved) -> Result<Source, ReadError> {
        struct One;
        impl Entries for One {
            fn list(&self) -> Result<Vec<Entry>, ReadError> {
                Ok(vec![Entry::new("a", EntryKind::File(None))])
            }
        }
        if resolved.path() == "." {
            return Ok(Source::new(".", ".", Noun::Directory, Body::Dir(Arc::new(One))));
        }
        let file = |name: &str| Source::from_bytes(name, name, Noun::File, name.as_bytes());
        Ok(file("d/a").with_siblings(move |suffix| Ok(Some(file(&format!("d/a{suffix}"))))))
    }
}

#[test]
fn side_files_are_judged() {
    struct NoSecret;
    impl Guard for NoSecret {
        fn permits(&self, path: &[u8]) -> bool {
            path != b"d/a-secret"
        }
    }
    let files = Guarded::new(Beside, Arc::new(NoSecret));
    let source = files.open(&files.resolve(b"d/a").unwrap().unwrap()).unwrap();
    assert_eq!(source.sibling("-wal").unwrap().unwrap().path(), "d/a-wal");
    assert_eq!(source.sibling("-secret").unwrap_err().code(), ErrorCode::Denied);
    assert_eq!(text(&Pipeline::new(files), "."), "a\n");
}
