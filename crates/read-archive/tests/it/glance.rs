//! The first member that is read of a zip is found without an index, and the answer is the one that the index gives.

use std::sync::Arc;

use proptest::prelude::*;
use read_core::{Guard, Pipeline, ReadError, ReadOutput};

use crate::make::{Member, Zip, crc};
use crate::support::{output, pipeline};

/// Denies every path with a `b` at its end.
struct NoB;

impl Guard for NoB {
    fn permits(&self, path: &[u8]) -> bool {
        !path.ends_with(b"b")
    }
}

fn said(result: Result<ReadOutput, ReadError>) -> String {
    match result {
        Ok(output) => format!("{}\n{:?}", output.to_text(), output.details),
        Err(error) => {
            format!("{} {} {:?}", error.code().as_str(), error.message(), error.suggestions())
        }
    }
}

/// Reads a target of a zip as the first thing that is read of it, and once its index is known.
fn both(bytes: &[u8], rest: &str, is_guarded: bool) -> (String, String) {
    let tool = || -> Pipeline {
        let pipeline = pipeline(&[("a.zip", bytes)]);
        if is_guarded { pipeline.with_guard(Arc::new(NoB)) } else { pipeline }
    };
    let target = format!("a.zip:{rest}");
    let first = said(output(&tool(), &target));
    let indexed = tool();
    let _ = output(&indexed, "a.zip");
    (first, said(output(&indexed, &target)))
}

/// The Unicode path field.
fn unicode_path(stored: &[u8], path: &str) -> Vec<u8> {
    let value = [&[1][..], &crc(stored).to_le_bytes(), path.as_bytes()].concat();
    [&0x7075_u16.to_le_bytes()[..], &u16::try_from(value.len()).unwrap().to_le_bytes(), &value].concat()
}

/// Names that mean little paths: literally, cleaned, in other case, forms and encodings.
fn name() -> impl Strategy<Value = Vec<u8>> {
    let part = || {
        prop_oneof![
            8 => prop_oneof!["a", "b", "ab", "ü", "A", "a.db", "a.db-wal", "a:1", "a:b", "x:2-3", "raw", "a?q"],
            1 => prop_oneof![r"a\\b", r"a\\\\n", "\\.", "\\.\\.", "", "C:", "~"],
        ]
        .prop_map(String::into_bytes)
    };
    let legacy =
        prop_oneof![Just(b"\x81".to_vec()), Just(b"a/\x84b".to_vec()), Just(b"\xd3\xc8\\a".to_vec())];
    let plain = proptest::collection::vec(part(), 1..4).prop_map(|parts| parts.join(&b'/'));
    prop_oneof![12 => plain, 1 => legacy]
}

fn member() -> impl Strategy<Value = Member> {
    let kind =
        prop_oneof![10 => Just(0), 1 => Just(1), 1 => Just(2), 1 => Just(3), 1 => Just(4), 1 => Just(5)];
    (name(), name(), kind, any::<bool>(), "[a-c\n]{0,12}").prop_map(
        |(name, other, kind, deflate, content)| {
            let content = content.as_bytes();
            let member =
                if deflate { Member::deflated(&name, content) } else { Member::stored(&name, content) };
            let text = String::from_utf8_lossy(&other).into_owned();
            match kind {
                1 => Member { made_by: 0x0314, attributes: 0o120_777 << 16, ..Member::stored(&name, &other) },
                2 => Member { name: [name.as_slice(), b"/"].concat(), ..member },
                3 => Member { extra: unicode_path(&name, &text), ..member },
                4 => Member { flags: 1 << 11, ..member },
                5 => Member { made_by: 0x0314, attributes: 0o010_644 << 16, ..member },
                _ => member,
            }
        },
    )
}

/// What is wrong with an archive now and then.
fn harmed(mut bytes: Vec<u8>, harm: u16) -> Vec<u8> {
    let find = |bytes: &[u8], signature: &[u8]| bytes.windows(4).rposition(|four| four == signature);
    match harm {
        // An extra field that is cut, a member that runs past the end, a record that is none, a count that is too large.
        0 => {
            if let Some(at) = find(&bytes, b"PK\x01\x02") {
                bytes[at + 30] = bytes[at + 28];
                bytes[at + 28] = 0;
            }
        }
        1 => {
            if let Some(at) = find(&bytes, b"PK\x01\x02") {
                bytes[at + 23] = 0x70;
            }
        }
        2 => {
            if let Some(at) = find(&bytes, b"PK\x01\x02") {
                bytes[at] = b'Q';
            }
        }
        3 => {
            if let Some(at) = find(&bytes, b"PK\x05\x06") {
                bytes[at + 10] += 1;
            }
        }
        4 => bytes.truncate(bytes.len().saturating_sub(30)),
        _ => {}
    }
    bytes
}

/// What follows a member in a target.
fn tail() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => Just(String::new()),
        3 => prop_oneof![":1", ":2-3", ":raw", ":hex", ":@0\\+2", ":", "/", ":1:raw", ":none", "x", ":x:1"],
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn a_first_read_says_what_one_by_the_index_says(
        members in proptest::collection::vec(member(), 0..8),
        pick in any::<proptest::sample::Index>(),
        other in name(),
        own in proptest::bool::weighted(0.8),
        tail in tail(),
        harm in 0_u16..40,
        is_guarded in proptest::bool::weighted(0.2),
    ) {
        let chosen = if own && !members.is_empty() { members[pick.index(members.len())].name.clone() } else { other };
        let rest = format!("{}{tail}", String::from_utf8_lossy(&chosen));
        let bytes = harmed(Zip::of(members).bytes(), harm);
        let (first, indexed) = both(&bytes, &rest, is_guarded);
        prop_assert_eq!(first, indexed, "{}", rest);
    }
}

#[test]
fn many_members_are_glanced_over_across_blocks() {
    let members =
        (0..3_000).map(|number| Member::deflated(format!("dir-{number}/file-{number}.txt"), b"x\n"));
    let mut zip = Zip::of(members);
    zip.members.push(Member::deflated("dir-7/file-7.txt", b"twice\n"));
    let bytes = zip.bytes();
    for rest in ["dir-0/file-0.txt", "dir-7/file-7.txt", "dir-2999/file-2999.txt:1", "dir-1500", "dir-2/none"]
    {
        let (first, indexed) = both(&bytes, rest, false);
        assert_eq!(first, indexed, "{rest}");
    }
}

#[test]
fn a_tool_that_stays_answers_alike_each_time() {
    let bytes = Zip::of([Member::deflated("a", b"1\n2\n"), Member::stored("b", b"b\n")]).bytes();
    let files = pipeline(&[("a.zip", &bytes)]);
    for _ in 0..3 {
        assert_eq!(output(&files, "a.zip:a:2").unwrap().to_text(), "2\n");
        assert_eq!(output(&files, "a.zip:b").unwrap().to_text(), "b\n");
    }
}
