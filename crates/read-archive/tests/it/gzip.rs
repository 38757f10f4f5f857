//! Gzip around one file is as if it were not there.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::write::DeflateEncoder;
use read_core::{
    Answer, ErrorCode, Match, MemoryFileSystem, Outcome, Pipeline, Probe, ReadContext, ReadError, ReaderHelp,
    Source, Strength, TargetReader,
};

use crate::make::{Member, Zip, gzipped, tar_of, zip};
use crate::support::{code, one, output, pipeline, registry, text};

/// A stranger's reader, which counts bytes as far as they come and says what ended them, or needs all of them.
struct Counter {
    tells: bool,
}

impl TargetReader for Counter {
    fn name(&self) -> &'static str {
        "counter"
    }

    fn package(&self) -> &'static str {
        "tests"
    }

    fn help(&self) -> ReaderHelp {
        ReaderHelp::new("", "")
    }

    fn tells_damage(&self) -> bool {
        self.tells
    }

    fn probe(&self, probe: &Probe<'_>) -> Option<Match> {
        let is_mine = probe.head().starts_with(b"COUNT");
        is_mine.then_some(Match::new(Strength::Signature, "text/plain"))
    }

    fn read(&self, source: &Source, _: &str, _: &ReadContext<'_>) -> Result<Outcome, ReadError> {
        let mut bytes = Vec::new();
        let end = source.reader().unwrap().read_to_end(&mut bytes);
        let end = end.map_or_else(|error| error.to_string(), |_| "the end".to_owned());
        Ok(Answer::text(format!("{} bytes, then {end}", bytes.len())).into())
    }
}

static TELLING: Counter = Counter { tells: true };
static WANTING: Counter = Counter { tells: false };

#[test]
fn what_follows_the_last_member_is_for_readers_that_tell_it() {
    let bytes = [gzipped(b"COUNT me"), b"something else".to_vec()].concat();
    for (reader, end) in [(&TELLING, "what follows its last member is no gzip"), (&WANTING, "the end")] {
        let files = MemoryFileSystem::new().with("a.gz", bytes.clone());
        let pipeline = Pipeline::new(files).with_registry(registry().with(reader));
        assert_eq!(text(&pipeline, "a.gz").trim_end(), format!("8 bytes, then {end}"));
    }
}

#[test]
fn what_was_decoded_before_damage_is_given() {
    let pipeline = |name: &str, bytes: Vec<u8>| {
        let files = MemoryFileSystem::new().with(name, bytes);
        Pipeline::new(files).with_registry(registry().with(&TELLING))
    };
    let given = |read: &str| -> usize {
        let (given, end) = read.split_once(" bytes, then ").unwrap();
        assert!(end.contains("its data is corrupt"), "{read}");
        given.parse().unwrap()
    };
    for sound in [6, 100, 600, 1_000, 5_000, 9_000, 20_000, 66_000, 300_000] {
        let content: Vec<u8> = b"COUNT ".iter().copied().cycle().take(sound).collect();
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(&content).unwrap();
        encoder.flush().unwrap();
        let data = [encoder.get_ref().as_slice(), &[0xff; 40]].concat();
        let header = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
        let gzip = [&header[..], &data].concat();
        assert_eq!(given(&text(&pipeline("a.gz", gzip), "a.gz")), sound);
        let size = u32::try_from(sound).unwrap() + 1_000;
        let member = Member { data, size, ..Member::deflated("m", b"") };
        let archive = pipeline("a.zip", Zip::of([member]).bytes());
        // The decoder of zip keeps what it decoded in the call that failed: its calls are small at first.
        if sound >= 100 {
            let given = given(&text(&archive, "a.zip:m"));
            assert!(given <= sound && sound - given <= (sound / 8).max(32), "{given} of {sound}");
        }
    }
}

fn lines(count: u32) -> Vec<u8> {
    (1..=count).flat_map(|n| format!("line {n}\n").into_bytes()).collect()
}

#[test]
fn every_selector_is_of_what_is_inside() {
    let bytes = gzipped(&lines(500));
    for name in ["log.gz", "noname"] {
        let read = |rest: &str| one(name, &bytes, rest).unwrap();
        assert_eq!(read("499-"), "line 499\nline 500\n");
        assert_eq!(read("-1"), "line 500\n");
        assert!(read("hex:@0+8").starts_with("00000000  6c 69 6e 65 20 31 0a 6c"));
        assert!(read("@0+6").starts_with("line 1\n"));
        assert!(read("stat").contains("lines: 500"));
    }
    assert!(one("e.gz", &gzipped(b""), "").unwrap().contains("is empty"));
}

#[test]
fn bytes_of_a_gzipped_archive_are_the_files_own() {
    let bytes = gzipped(&tar_of(&[("f", b"x\n")]));
    let files = pipeline(&[("a.tar.gz", &bytes)]);
    assert!(text(&files, "a.tar.gz:hex:@0+4").starts_with("00000000  1f 8b 08 "));
    assert_eq!(text(&files, "a.tar.gz"), "f (2B)\n");
}

#[test]
fn all_members_of_a_file_are_read_padding_between_them_or_not() {
    let mut bytes = [gzipped(b"one\n"), gzipped(b""), gzipped(b"two\n")].concat();
    assert_eq!(one("a.gz", &bytes, "").unwrap(), "one\ntwo\n");
    bytes.extend_from_slice(&[0; 600]);
    assert_eq!(one("a.gz", &bytes, "").unwrap(), "one\ntwo\n");
    bytes.extend_from_slice(&gzipped(b"three\n"));
    assert_eq!(one("a.gz", &bytes, "").unwrap(), "one\ntwo\nthree\n");
}

#[test]
fn what_follows_the_last_member_and_is_none_is_told() {
    let second = gzipped(b"two\n");
    let flipped = |at: usize, bit: u8| {
        let mut bytes = second.clone();
        bytes[at] ^= bit;
        bytes
    };
    for (behind, reason) in [
        (b"garbage\n".to_vec(), "what follows its last member is no gzip"),
        ([&[0; 600][..], b"x"].concat(), "what follows its last member is no gzip"),
        (flipped(0, 1), "what follows its last member is no gzip"),
        (flipped(1, 0x80), "what follows its last member is no gzip"),
        (flipped(2, 1), "a further member is damaged"),
        (flipped(3, 0x80), "a further member is damaged"),
        (second[..7].to_vec(), "a further member is cut in its header"),
    ] {
        let bytes = [gzipped(b"one\n"), behind].concat();
        let read = one("a.gz", &bytes, "").unwrap();
        assert!(read.starts_with("one\n\n[Damage: "), "{reason}: {read}");
        assert!(
            read.ends_with("\n[a.gz is damaged or cut after 4B; what precedes is shown]"),
            "{reason}: {read}"
        );
        assert!(read.contains(reason), "{reason}: {read}");
        for rest in ["@0+100", "hex"] {
            let read = one("a.gz", &bytes, rest).unwrap();
            assert!(read.contains("one") && read.contains(reason), "{rest}: {read}");
        }
    }
}

#[test]
fn what_must_be_whole_is_read_in_spite_of_what_follows_it() {
    let bytes = [gzipped(&zip(&[("f", b"x\n")])), b"garbage".to_vec()].concat();
    assert_eq!(one("a.zip.gz", &bytes, "f").unwrap(), "x\n");
    let bytes = [gzipped(&tar_of(&[("f", b"x\n")])), b"garbage".to_vec()].concat();
    let listed = one("a.tar.gz", &bytes, "").unwrap();
    assert!(listed.starts_with("f (2B)\n\n[a.tar.gz is damaged or cut after"), "{listed}");
}

#[test]
fn facts_of_a_gzipped_archive_are_the_files_own() {
    let bytes = gzipped(&tar_of(&[("f", b"x\n")]));
    let facts = one("a.tar.gz", &bytes, "stat").unwrap();
    assert!(facts.contains(&format!("size: {}B ({0} bytes)", bytes.len())), "{facts}");
    assert!(facts.contains("media type: application/gzip") && facts.contains("reader: gzip"), "{facts}");
    let facts = one("l.gz", &gzipped(&lines(500)), "stat").unwrap();
    assert!(facts.contains("media type: text/plain") && facts.contains("(4392 bytes)"), "{facts}");
}

#[test]
fn headers_with_every_field_are_read() {
    let plain = gzipped(b"text\n");
    let mut bytes =
        b"\x1f\x8b\x08\x1f\x78\x56\x34\x12\x00\x03\x03\x00abcname.csv\0comment\0\xaa\xbb".to_vec();
    bytes.extend_from_slice(&plain[10..]);
    let read = output(&pipeline(&[("x.gz", &bytes)]), "x.gz").unwrap();
    assert_eq!(read.to_text(), "text\n");
    assert_eq!(read.details.member["modified"], "1979-09-05T22:51:36Z");
}

#[test]
fn a_wrong_checksum_or_length_is_named() {
    let good = gzipped(&lines(100));
    for at in [good.len() - 6, good.len() - 2] {
        let mut bytes = good.clone();
        bytes[at] ^= 1;
        let read = one("a.gz", &bytes, "").unwrap();
        assert!(read.contains("line 100\n"), "{read}");
        assert!(read.contains("[a.gz is damaged or cut after"), "{read}");
        assert!(read.contains("checksum") || read.contains("length"), "{read}");
        assert_eq!(one("a.gz", &bytes, "1-2").unwrap().lines().next(), Some("line 1"));
    }
}

#[test]
fn a_cut_stream_shows_what_precedes_the_cut() {
    let bytes = gzipped(&lines(200_000));
    let cut = &bytes[..bytes.len() / 2];
    assert!(one("l.gz", cut, "1-2").unwrap().starts_with("line 1\nline 2\n"));
    let whole = one("l.gz", cut, "-1").unwrap();
    assert!(whole.contains("is damaged or cut after"), "{whole}");
    assert_eq!(code(&pipeline(&[("l.gz", &bytes[..9])]), "l.gz"), ErrorCode::Corrupt);
}
