//! What stands in zip records means what the format says.

use read_core::ErrorCode;

use crate::make::{Member, Zip, zip};
use crate::support::{code, one, output, pipeline, text};

#[test]
fn descriptors_comments_and_what_precedes_are_no_obstacle() {
    let members = || {
        [
            Member { descriptor: true, ..Member::deflated("a.txt", b"aaaa\n") },
            Member { descriptor: true, ..Member::stored("b.txt", b"bb\n") },
        ]
    };
    let mut zip = Zip::of(members());
    zip.comment = b"PK\x05\x06 a comment that looks like an end".to_vec();
    for (prepended, adjusted) in
        [(Vec::new(), false), (b"#!/bin/sh\nexit\n".to_vec(), false), (b"MZ\x90\0\x03\0".to_vec(), true)]
    {
        (zip.prepended, zip.adjusted) = (prepended, adjusted);
        let bytes = zip.bytes();
        assert_eq!(one("a.exe", &bytes, "").unwrap(), "a.txt (5B)\nb.txt (3B)\n");
        assert_eq!(one("a.exe", &bytes, "a.txt").unwrap(), "aaaa\n");
        assert_eq!(one("a.exe", &bytes, "b.txt").unwrap(), "bb\n");
    }
}

#[test]
fn what_follows_an_archive_is_no_obstacle() {
    let mut bytes = zip(&[("a", b"x\n")]);
    bytes.extend_from_slice(b"trailing garbage");
    assert_eq!(one("a.zip", &bytes, "a").unwrap(), "x\n");
}

#[test]
fn zip64_sizes_and_offsets() {
    let mut extra = vec![1, 0, 16, 0];
    extra.extend_from_slice(&5_u64.to_le_bytes());
    extra.extend_from_slice(&5_u64.to_le_bytes());
    let member = Member { extra, ..Member::stored("a.txt", b"four\n") };
    let mut bytes = Zip::of([Member::stored("first", b""), member]).bytes();
    // Both records say "see zip64": local header and central record hold the sizes at these places.
    let directory = bytes.windows(4).position(|four| four == b"PK\x01\x02").unwrap();
    let second = directory + 46 + 5;
    bytes[second + 20..second + 28].fill(0xFF);
    assert_eq!(one("a.zip", &bytes, "").unwrap(), "a.txt (5B)\nfirst (0B)\n");
    assert_eq!(one("a.zip", &bytes, "a.txt").unwrap(), "four\n");
}

#[test]
fn a_zip64_end_record_is_used() {
    let plain = zip(&[("a.txt", b"x\n")]);
    let end = plain.len() - 22;
    let field = |at: usize| u64::from(u32::from_le_bytes(plain[end + at..end + at + 4].try_into().unwrap()));
    let mut record = b"PK\x06\x06".to_vec();
    record.extend_from_slice(&44_u64.to_le_bytes());
    record.extend_from_slice(&[45, 0, 45, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    for value in [1, 1, field(12), field(16)] {
        record.extend_from_slice(&value.to_le_bytes());
    }
    let mut locator = b"PK\x06\x07\0\0\0\0".to_vec();
    locator.extend_from_slice(&(end as u64).to_le_bytes());
    locator.extend_from_slice(&1_u32.to_le_bytes());
    let mut last = plain[end..].to_vec();
    last[8..20].fill(0xFF);
    let bytes = [&plain[..end], &record, &locator, &last].concat();
    assert_eq!(one("a.zip", &bytes, "a.txt").unwrap(), "x\n");
    let behind = [b"#!/bin/sh\n", bytes.as_slice()].concat();
    assert_eq!(one("a.zip", &behind, "a.txt").unwrap(), "x\n");
}

#[test]
fn encrypted_and_unknown_methods_are_listed_and_named() {
    let bytes = Zip::of([
        Member { flags: 1, ..Member::stored("secret", b"0123456789ab") },
        Member { method: 99, flags: 1, ..Member::stored("aes", b"x") },
        Member { method: 97, ..Member::stored("odd", b"x") },
        Member::stored("ok", b"fine\n"),
    ])
    .bytes();
    let files = pipeline(&[("a.zip", &bytes)]);
    let listed = text(&files, "a.zip");
    assert!(
        listed.contains("secret (12B) [encrypted]\n") && listed.contains("aes (1B) [encrypted]\n"),
        "{listed}"
    );
    assert!(listed.contains("odd (1B) [compressed with WavPack, which is not read]\n"), "{listed}");
    assert_eq!(code(&files, "a.zip:secret"), ErrorCode::Encrypted);
    assert_eq!(code(&files, "a.zip:aes"), ErrorCode::Encrypted);
    assert_eq!(code(&files, "a.zip:odd"), ErrorCode::UnsupportedContent);
    assert_eq!(text(&files, "a.zip:ok"), "fine\n");
}

#[cfg(not(feature = "zip-bzip2"))]
#[test]
fn a_method_that_another_build_reads_names_its_feature() {
    let bytes = Zip::of([Member { method: 12, ..Member::stored("a", b"x") }]).bytes();
    let error = one("a.zip", &bytes, "a").unwrap_err();
    assert!(error.message().contains("BZIP2") && error.message().contains("zip-bzip2"), "{error}");
}

#[test]
fn a_size_that_lies_is_named_and_counted() {
    let long = b"line\n".repeat(100_000);
    let lying = Member { size: 100, ..Member::deflated("a", &long) };
    let read = one("a.zip", &Zip::of([lying]).bytes(), "a").unwrap();
    assert!(read.starts_with("line\n") && read.contains("is damaged or cut after 100B"), "{read}");
    assert!(read.contains("longer than the archive says"), "{read}");
    let short = Member { size: 1_000, ..Member::deflated("a", b"line\n") };
    let read = one("a.zip", &Zip::of([short]).bytes(), "a").unwrap();
    assert!(read.contains("line\n") && read.contains("shorter than the archive says"), "{read}");
    let stored = Member { size: 4, crc: crate::make::crc(b"line"), ..Member::stored("a", b"line\nmore\n") };
    let read = one("a.zip", &Zip::of([stored]).bytes(), "a").unwrap();
    assert!(read.starts_with("line\n") && read.contains("has two sizes, 4B and 10B"), "{read}");
}

#[test]
fn a_wrong_checksum_is_named() {
    for member in [Member::deflated("a", b"content\n"), Member::stored("a", b"content\n")] {
        let crc = member.crc ^ 1;
        let read = one("a.zip", &Zip::of([Member { crc, ..member }]).bytes(), "a").unwrap();
        assert!(read.starts_with("content\n"), "{read}");
        assert!(read.to_lowercase().contains("checksum"), "{read}");
    }
}

#[test]
fn a_second_directory_is_told() {
    let other = zip(&[("other", b"")]);
    let bytes = [other.clone(), zip(&[("mine", b"")])].concat();
    assert_eq!(
        one("a.zip", &bytes, "").unwrap(),
        "mine (0B)\n\n[The archive holds a second central directory; the last one is shown]"
    );
    let holds = Zip::of([Member::stored("in.zip", &other)]).bytes();
    assert!(!one("a.zip", &holds, "").unwrap().contains("second"), "a stored zip is a member");
}

#[test]
fn overlapping_members_are_read_one_at_a_time() {
    let mut bytes = zip(&[("a", b"same\n"), ("b", b"same\n")]);
    let directory = bytes.windows(4).position(|four| four == b"PK\x01\x02").unwrap();
    let second = directory + 46 + 1;
    bytes[second + 42..second + 46].fill(0);
    let files = pipeline(&[("a.zip", &bytes)]);
    assert_eq!(text(&files, "a.zip:b"), "same\n\n[The local header of a.zip:b names it 'a']");
    assert_eq!(output(&files, "a.zip:a").unwrap().to_text(), "same\n");
}

#[test]
fn a_part_of_a_split_archive_says_so() {
    let mut bytes = zip(&[("a", b"x\n")]);
    let end = bytes.len() - 22;
    bytes[end + 4] = 1;
    bytes[..4].copy_from_slice(b"\0\0\0\0");
    let error = one("a.zip", &bytes, "a").unwrap_err();
    assert!(error.message().contains("another volume"), "{error}");
    let listed = one("a.zip", &bytes, "").unwrap();
    assert!(
        listed.ends_with(
            "[The archive is the last part of a split one: what lies in other parts cannot be read]"
        )
    );
}

#[test]
fn a_member_with_two_names_says_so() {
    let mut bytes = zip(&[("asked", b"x\n"), ("dir\\same", b"y\n")]);
    let second = bytes.windows(4).rposition(|four| four == b"PK\x03\x04").unwrap();
    bytes[30..35].copy_from_slice(b"other");
    bytes[second + 33] = b'/';
    let files = pipeline(&[("a.zip", &bytes)]);
    assert_eq!(text(&files, "a.zip:asked"), "x\n\n[The local header of a.zip:asked names it 'other']");
    // Tools disagree about separators.
    assert_eq!(text(&files, "a.zip:dir/same"), "y\n");
}

#[test]
fn a_directory_by_its_mode_alone_keeps_its_content() {
    let directory =
        Member { made_by: 0x0314, attributes: 0o040_755 << 16, ..Member::stored("full", b"kept\n") };
    let empty =
        Member { data: Vec::new(), size: 0, ..Member { name: b"empty".to_vec(), ..directory.clone() } };
    let bytes = Zip::of([directory, empty]).bytes();
    assert_eq!(one("a.zip", &bytes, "").unwrap(), "empty/\nfull (5B)\n");
    assert_eq!(one("a.zip", &bytes, "full").unwrap(), "kept\n");
}

#[test]
fn extra_fields_that_make_no_sense_are_told() {
    let told = "are damaged: sizes, names and times may be wrong]";
    let cut = Member { extra: vec![0x55, 0x54, 9, 0, 1], ..Member::stored("a", b"x\n") };
    let read = one("a.zip", &Zip::of([cut.clone()]).bytes(), "a").unwrap();
    assert_eq!(read, format!("x\n\n[The extra fields of 'a' {told}"));
    let padded = Member { extra: vec![0, 0, 0], ..Member::stored("p", b"y\n") };
    let listed = one("a.zip", &Zip::of([padded, cut.clone(), cut]).bytes(), "").unwrap();
    assert!(listed.ends_with(&format!("[The extra fields of 'a' and 1 further member {told}")), "{listed}");
}

#[test]
fn a_member_that_runs_past_the_end_says_so() {
    let mut bytes = zip(&[("a", b""), ("ok", b"y\n")]);
    // `a` is stored, and its sizes are a lie.
    let directory = bytes.windows(4).position(|four| four == b"PK\x01\x02").unwrap();
    bytes[directory + 10..directory + 12].fill(0);
    bytes[directory + 20..directory + 28].copy_from_slice(&[0, 0, 1, 0, 0, 0, 1, 0]);
    let cut = "[The data of 'a' is cut: it runs past the end of the archive]";
    assert_eq!(one("a.zip", &bytes, "").unwrap(), format!("a (64.0KB) [cut]\nok (2B)\n\n{cut}"));
    assert_eq!(one("a.zip", &bytes, "ok").unwrap(), format!("y\n\n{cut}"));
    let read = one("a.zip", &bytes, "a:hex").unwrap();
    assert!(read.contains("[a.zip:a is damaged or cut after "), "{read}");
}
