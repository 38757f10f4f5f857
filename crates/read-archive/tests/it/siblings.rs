//! Readers of members find the files beside them.

use std::io::Read;
use std::sync::Arc;

use read_core::{
    Answer, ErrorCode, Guard, Match, MemoryFileSystem, Outcome, Pipeline, Probe, ReadContext, ReadError,
    ReaderHelp, Source, Strength, TargetReader,
};

use crate::make::{Member, Zip, gzipped, tar_of};
use crate::support::{output, registry};

/// Answers with what lies beside a file that begins with `NEEDS`: its name is what follows in the file.
struct Beside;

impl TargetReader for Beside {
    fn name(&self) -> &'static str {
        "beside"
    }

    fn package(&self) -> &'static str {
        "tests"
    }

    fn help(&self) -> ReaderHelp {
        ReaderHelp::new("", "")
    }

    fn probe(&self, probe: &Probe<'_>) -> Option<Match> {
        probe.head().starts_with(b"NEEDS ").then_some(Match::new(Strength::Signature, "text/plain"))
    }

    fn read(&self, source: &Source, _: &str, _: &ReadContext<'_>) -> Result<Outcome, ReadError> {
        let mut text = String::new();
        source.reader().unwrap().read_to_string(&mut text).unwrap();
        let suffix = text.strip_prefix("NEEDS ").unwrap();
        Ok(Answer::text(match source.sibling(suffix)? {
            Some(side) => {
                let mut text = String::new();
                side.reader().unwrap().read_to_string(&mut text).unwrap();
                format!("{} {text}", side.path())
            }
            None => "none".to_owned(),
        })
        .into())
    }
}

/// Denies every `d-secret`.
struct NoSecrets;

impl Guard for NoSecrets {
    fn permits(&self, path: &[u8]) -> bool {
        !path.ends_with(b"d-secret")
    }
}

static BESIDE: Beside = Beside;

fn pipeline(name: &str, bytes: Vec<u8>) -> Pipeline {
    Pipeline::new(MemoryFileSystem::new().with(name, bytes)).with_registry(registry().with(&BESIDE))
}

fn archives(content: &[u8]) -> [(&'static str, Vec<u8>); 4] {
    let members: [(&str, &[u8]); 4] =
        [("x/d", content), ("x/d-log", b"log"), ("x/d-secret", b"key"), ("d-out", b"out")];
    let zip = |member: fn(&str, &[u8]) -> Member| {
        Zip::of(members.iter().map(|(name, content)| member(name, content))).bytes()
    };
    [
        ("a.zip", zip(|name, content| Member::stored(name, content))),
        ("b.zip", zip(|name, content| Member::deflated(name, content))),
        ("a.tar", tar_of(&members)),
        ("a.tgz", gzipped(&tar_of(&members))),
    ]
}

#[test]
fn what_lies_beside_a_member_is_found_and_nothing_else() {
    for (suffix, want) in [("-log", "x/d-log log"), ("-none", "none"), ("", "none"), ("/../../d-out", "none")]
    {
        for (name, bytes) in archives(format!("NEEDS {suffix}").as_bytes()) {
            let text = output(&pipeline(name, bytes), &format!("{name}:x/d")).unwrap().to_text();
            let want = if want == "none" { want.to_owned() } else { format!("{name}:{want}") };
            assert_eq!(text.trim_end(), want, "{name} {suffix}");
        }
    }
}

#[test]
fn what_rules_deny_is_denied_beside_a_member_too() {
    for (name, bytes) in archives(b"NEEDS -secret") {
        let pipeline = pipeline(name, bytes).with_guard(Arc::new(NoSecrets));
        let error = output(&pipeline, &format!("{name}:x/d")).unwrap_err();
        assert_eq!(error.code(), ErrorCode::Denied, "{name}: {error}");
    }
}

#[test]
fn what_stands_behind_the_end_of_a_search_is_found() {
    let long = vec![b'.'; 65 << 20];
    let tar =
        tar_of(&[("pad", &long), ("x/d", b"NEEDS -log"), ("pad2", b"x"), ("x/d-log", b"log"), ("x/e", b"")]);
    let text = output(&pipeline("a.tgz", gzipped(&tar)), "a.tgz:x/d").unwrap().to_text();
    assert!(text.starts_with("a.tgz:x/d-log log"), "{text}");
}
