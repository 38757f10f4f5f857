//! Of a cut or damaged archive, what is readable is read, and the fault is told.

use read_core::ErrorCode;

use crate::make::{Member, Zip, entry, gzipped, tar, tar_of};
use crate::support::{code, one, output, pipeline, text};

#[test]
fn a_cut_tar_gives_what_precedes() {
    let whole = tar_of(&[("a", &b"one\n".repeat(300)), ("b", &b"two\n".repeat(300)), ("c", b"three\n")]);
    let cut = &whole[..512 + 1_536 + 512 + 700];
    let files = pipeline(&[("a.tar", cut)]);
    let listed = text(&files, "a.tar");
    assert_eq!(
        listed,
        "a (1.2KB)\nb (1.2KB) [cut]\n\n[a.tar is damaged or cut after 3.2KB; what precedes is shown]"
    );
    assert!(text(&files, "a.tar:a").starts_with("one\n"));
    let b = text(&files, "a.tar:b");
    assert!(
        b.starts_with("two\n")
            && b.ends_with("[a.tar is damaged or cut after 3.2KB; what precedes is shown]"),
        "{b}"
    );
    let error = output(&files, "a.tar:c").unwrap_err();
    assert_eq!(error.code(), ErrorCode::NotFound);
    assert!(error.message().contains("damaged or cut"), "{error}");
}

#[test]
fn a_cut_compressed_tar_gives_what_precedes() {
    let noise: Vec<u8> =
        (0..60_000_u32).flat_map(|n| format!("{:x}\n", n.wrapping_mul(2_654_435_761)).into_bytes()).collect();
    let whole = gzipped(&tar_of(&[("a", b"one\n"), ("b", &noise), ("c", b"three\n")]));
    let files = pipeline(&[("a.tgz", &whole[..whole.len() / 2])]);
    let listed = text(&files, "a.tgz");
    assert!(
        listed.starts_with("a (4B)\nb (") && listed.contains("[a.tgz is damaged or cut after"),
        "{listed}"
    );
    assert!(text(&files, "a.tgz:a").starts_with("one\n"));
    assert!(text(&files, "a.tgz:b:1-2").starts_with("0\n"));
    assert!(text(&files, "a.tgz:b:-1").contains("damaged or cut"));
    assert_eq!(code(&files, "a.tgz:c"), ErrorCode::NotFound);
}

#[test]
fn a_zip_without_its_directory_gives_the_members_that_are_there() {
    for descriptor in [false, true] {
        let members = ["a", "b", "c"]
            .map(|name| Member { descriptor, ..Member::deflated(name, &name.repeat(5_000).into_bytes()) });
        let bytes = Zip::of(members).bytes();
        let directory = bytes.windows(4).position(|four| four == b"PK\x01\x02").unwrap();
        let cut = &bytes[..directory - 5];
        let files = pipeline(&[("a.zip", cut)]);
        let listed = text(&files, "a.zip");
        assert!(
            listed.contains("a (4.9KB)\nb (4.9KB)\nc") && listed.contains("[a.zip is damaged or cut after"),
            "{listed}"
        );
        assert!(text(&files, "a.zip:b").starts_with("bbbb"), "{descriptor}");
        assert!(text(&files, "a.zip:c").starts_with("cccc"), "{descriptor}");
    }
}

#[test]
fn a_directory_that_breaks_off_gives_what_precedes() {
    let mut bytes = crate::make::zip(&[("a", b"1\n"), ("b", b"2\n")]);
    let directory = bytes.windows(4).position(|four| four == b"PK\x01\x02").unwrap();
    bytes[directory + 47] = b'X';
    let listed = one("a.zip", &bytes, "").unwrap();
    assert!(listed.starts_with("a (2B)\n\n[a.zip is damaged or cut after"), "{listed}");
}

#[test]
fn an_archive_that_makes_no_sense_from_its_start_is_corrupt() {
    let lost = tar(&[crate::make::header(b"PaxHeader", b'x', b"", u64::MAX >> 31, b"")]);
    assert_eq!(one("a.tar", &lost, "").unwrap_err().code(), ErrorCode::Corrupt);
    assert!(one("a.tar", &lost, "hex").is_ok());
    assert_eq!(
        one("a.zip", b"PK\x03\x04 and nothing more than this", "").unwrap_err().code(),
        ErrorCode::Corrupt
    );
}

#[test]
fn a_header_with_a_wrong_checksum_ends_a_tar() {
    let mut second = entry(b"b", b'0', b"", b"2\n");
    second[0] = b'x';
    let bytes = tar(&[entry(b"a", b'0', b"", b"1\n"), second]);
    let read = output(&pipeline(&[("a.tar", &bytes)]), "a.tar").unwrap();
    assert_eq!(read.to_text(), "a (2B)\n\n[a.tar is damaged or cut after 1.0KB; what precedes is shown]");
    assert!(read.details.notices.iter().any(|notice| notice.contains("no header stands where one should")));
}

#[test]
fn a_descriptor_is_found_wherever_it_lies() {
    // The searched blocks are 256 KiB long: the end of the member lies on, before and behind their seams.
    for len in (262_144 - 60..262_144 + 30).step_by(3) {
        let content: Vec<u8> =
            (0..len).map(|n: u32| b"PK\x07a"[(n.wrapping_mul(2_654_435_761) >> 30) as usize]).collect();
        let members = [
            Member { descriptor: true, ..Member::stored("a", &content) },
            Member { descriptor: true, ..Member::stored("b", b"next\n") },
        ];
        let bytes = Zip::of(members).bytes();
        let directory = bytes.windows(4).rposition(|four| four == b"PK\x07\x08").unwrap() + 16;
        for unsigned in [false, true] {
            let mut cut = bytes[..directory].to_vec();
            if unsigned {
                let descriptor = cut.windows(4).position(|four| four == b"PK\x07\x08").unwrap();
                cut.drain(descriptor..descriptor + 4);
            }
            let listed = one("a.zip", &cut, "").unwrap();
            assert!(listed.contains("b (5B)"), "{len} {unsigned}: {listed}");
            assert_eq!(one("a.zip", &cut, "b").unwrap().lines().next(), Some("next"));
        }
    }
}
