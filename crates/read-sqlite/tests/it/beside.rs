//! Logs and journals of databases that lie in a container, or that a link leads to.

use std::fs;
use std::sync::Arc;

use crate::bench::{Bench, PATIENT, memory, rows};
use crate::journal::crashed;
use crate::wal::with_log;
use read_core::{
    Body, Cancel, ErrorCode, Guard, LocalFileSystem, Match, Noun, Outcome, Pipeline, Probe, ReadContext,
    ReadError, ReaderHelp, Registry, Request, Slice, Source, Stream, Strength, TargetReader,
};

/// A container of a database `d.db` and what lies beside it, one behind the other; in `STREAM`s nothing can be sought.
struct Capsule;

impl TargetReader for Capsule {
    fn name(&self) -> &'static str {
        "capsule"
    }

    fn package(&self) -> &'static str {
        "tests"
    }

    fn help(&self) -> ReaderHelp {
        ReaderHelp::new("", "")
    }

    fn probe(&self, probe: &Probe<'_>) -> Option<Match> {
        let is_it = [b"SLICES", b"STREAM"].iter().any(|magic| probe.head().starts_with(*magic));
        is_it.then_some(Match::new(Strength::Signature, "application/x-capsule"))
    }

    fn read(&self, source: &Source, rest: &str, _: &ReadContext<'_>) -> Result<Outcome, ReadError> {
        let whole = source.slice().unwrap().clone();
        let mut head = [0; 38];
        whole.read_full_at(&mut head, 0).unwrap();
        let number = |at: usize| u64::from_le_bytes(head[at..at + 8].try_into().unwrap());
        let (database, suffix, side) = (number(6), number(14), number(22));
        let in_order = head.starts_with(b"STREAM");
        let body = move |part: Slice| {
            if in_order {
                Body::Stream(Stream::decoded(move || Ok(Box::new(part.reader()))))
            } else {
                Body::Slice(part)
            }
        };
        let inner = source.member(b"d.db", Noun::ArchiveEntry, body(whole.sub(38, database)));
        let outer = source.clone();
        let inner = inner.with_siblings(move |asked| {
            let has = if suffix == 0 { "-wal" } else { "-journal" };
            let side = whole.sub(38 + database, side);
            Ok((asked == has).then(|| outer.member(b"d.db-side", Noun::ArchiveEntry, body(side))))
        });
        Ok(Outcome::descend(inner, rest.strip_prefix("d.db:").unwrap_or_default()))
    }
}

static CAPSULE: Capsule = Capsule;

fn capsule(bench: &Bench, magic: &str, suffix: &str) -> Pipeline {
    let database = fs::read(bench.path("d.db")).unwrap();
    let side = fs::read(bench.path(&format!("d.db{suffix}"))).unwrap();
    let mut bytes = magic.as_bytes().to_vec();
    for number in [database.len(), usize::from(suffix == "-journal"), side.len(), 0] {
        bytes.extend((number as u64).to_le_bytes());
    }
    bytes.extend(database);
    bytes.extend(side);
    memory([("c", bytes)]).with_registry(Registry::core().with(&PATIENT).with(&CAPSULE))
}

fn read(pipeline: &Pipeline, target: &str) -> String {
    pipeline.read(target, &Request::default(), Cancel::new()).unwrap().to_text()
}

#[test]
fn a_log_in_a_container_is_applied() {
    let Some(bench) = with_log() else { return };
    for magic in ["SLICES", "STREAM"] {
        let text = read(&capsule(&bench, magic, "-wal"), "c:d.db:t");
        assert_eq!(rows(&text), ["| 1 |", "| 2 |", "| 3 |", "| 4 |"], "{magic}");
    }
}

#[test]
fn a_hot_journal_in_a_container_is_taken_back() {
    let Some(bench) = crashed("DELETE") else { return };
    for magic in ["SLICES", "STREAM"] {
        let text = read(&capsule(&bench, magic, "-journal"), "c:d.db:t?where=v LIKE 'new %'");
        assert_eq!(rows(&text), [""; 0], "{magic}: {text}");
    }
}

#[test]
fn a_journal_that_is_denied_is_no_reason_to_show_what_was_not_committed() {
    let Some(bench) = crashed("DELETE") else { return };
    let error = denying(&bench, "-journal").read("d.db:t", &Request::default(), Cancel::new()).unwrap_err();
    assert_eq!(error.code(), ErrorCode::Denied);
    assert!(error.to_string().contains("its -journal file is denied by this host's rules"), "{error}");
    // A log that is denied leaves a state without the latest changes.
    let Some(bench) = with_log() else { return };
    let text = read(&denying(&bench, "-wal"), "d.db:t");
    assert!(
        text.contains("[The database's -wal file may not be read; recent changes may be missing]"),
        "{text}"
    );
}

/// Denies every path that ends so.
struct Denies(&'static str);

impl Guard for Denies {
    fn permits(&self, path: &[u8]) -> bool {
        !path.ends_with(self.0.as_bytes())
    }
}

fn denying(bench: &Bench, end: &'static str) -> Pipeline {
    let files = LocalFileSystem::builder().root(bench.path("")).guard(Arc::new(Denies(end))).build().unwrap();
    Pipeline::new(files).with_registry(Registry::core().with(&PATIENT))
}

#[cfg(unix)]
#[test]
fn side_files_of_a_link_are_those_of_the_file_it_leads_to() {
    for bench in [with_log(), crashed("DELETE")] {
        let Some(bench) = bench else { return };
        fs::create_dir(bench.path("links")).unwrap();
        std::os::unix::fs::symlink("../d.db", bench.path("links/l.db")).unwrap();
        // What lies beside the link is of nothing.
        fs::write(bench.path("links/l.db-wal"), "not a log").unwrap();
        fs::write(bench.path("links/l.db-journal"), "not a journal").unwrap();
        let count = "?q=SELECT count(*) FROM t";
        let read = |target: String| bench.read_unchecked(&target, &Request::default()).unwrap().to_text();
        assert_eq!(read(format!("links/l.db{count}")), read(format!("d.db{count}")));
    }
}
