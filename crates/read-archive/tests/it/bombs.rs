//! Small archives that become large: an answer, in little memory.

use std::io::Write;

use read_core::{ErrorCode, Limits};

use crate::make::{Member, Zip, gzipped, pax, tar, zip};
use crate::support::{code, one, output, pipeline, text};

fn zeros(bytes: usize) -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
    let block = vec![0; 1 << 20];
    (0..bytes >> 20).for_each(|_| encoder.write_all(&block).unwrap());
    encoder.finish().unwrap()
}

fn lines(bytes: usize) -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
    let block = vec![b'\n'; 1 << 20];
    (0..bytes >> 20).for_each(|_| encoder.write_all(&block).unwrap());
    encoder.finish().unwrap()
}

#[test]
fn a_flat_bomb_is_windowed_or_stopped() {
    let member = Member { data: lines(512 << 20), size: 512 << 20, ..Member::deflated("l.txt", b"") };
    let bytes = Zip::of([member]).bytes();
    let mut limits = Limits::default();
    (limits.budget_base, limits.budget_factor) = (8 << 20, 8);
    let files = pipeline(&[("b.zip", &bytes)]).with_limits(limits);
    assert_eq!(text(&files, "b.zip"), "l.txt (512.0MB)\n");
    assert!(text(&files, "b.zip:l.txt:1-2").starts_with("\n\n"));
    assert_eq!(code(&files, "b.zip:l.txt:-1"), ErrorCode::TooLarge, "the budget ends it");
    let facts = text(&files, "b.zip:l.txt:stat");
    assert!(facts.contains("size: 512.0MB") && facts.contains("lines: at least "), "{facts}");
    assert!(facts.contains("reader: text"), "{facts}");
}

#[test]
fn zeros_are_binary_at_once() {
    let member = Member { data: zeros(1 << 30), size: 1 << 30, ..Member::deflated("z", b"") };
    assert_eq!(
        one("b.zip", &Zip::of([member]).bytes(), "z").unwrap(),
        "[Cannot read binary archive entry 'z' (1.0GB)]"
    );
}

#[test]
fn a_nested_bomb_is_refused_by_what_must_be_held() {
    let inner =
        Zip::of([Member { data: zeros(256 << 20), size: 256 << 20, ..Member::stored("z", b"") }]).bytes();
    let middle = Zip::of([Member::stored("i.zip", &inner)]).bytes();
    let files = pipeline(&[("b.zip", &middle)]);
    assert!(text(&files, "b.zip:i.zip").starts_with("z ("));
    let honest =
        Member { data: zeros(256 << 20), size: 256 << 20, ..Member::deflated("i.zip", b"PK\x03\x04") };
    assert!(
        output(&pipeline(&[("b.zip", &Zip::of([honest]).bytes())]), "b.zip:i.zip").is_ok(),
        "zeros are no zip"
    );
}

#[test]
fn a_million_empty_members_are_listed() {
    let members: Vec<_> = (0..60_000).map(|n| Member::stored(format!("d{}/m{n}", n % 7), b"")).collect();
    let files = pipeline(&[("m.zip", &Zip::of(members).bytes())]);
    assert_eq!(text(&files, "m.zip"), "d0/\nd1/\nd2/\nd3/\nd4/\nd5/\nd6/\n");
    assert!(text(&files, "m.zip:d3:1-2").starts_with("m3 (0B)\nm10 (0B)\n"));
    assert_eq!(code(&files, "m.zip:d3/nope"), ErrorCode::NotFound);
}

#[test]
fn a_sparse_member_may_claim_anything() {
    let records: &[(&str, &[u8])] =
        &[("GNU.sparse.size", b"9000000000000000000"), ("GNU.sparse.map", b""), ("GNU.sparse.name", b"sp")];
    let bytes = tar(&[pax(b'x', records), crate::make::entry(b"x", b'0', b"", b"")]);
    assert!(
        text(&pipeline(&[("a.tar", &bytes)]), "a.tar:sp")
            .starts_with("[Cannot read binary archive entry 'sp' (7.8EB)]")
    );
    assert!(
        one("a.tgz", &gzipped(&bytes), "sp").unwrap().starts_with("[Cannot read binary archive entry 'sp'")
    );
}

#[test]
fn sizes_that_lie_allocate_nothing() {
    let huge = [
        crate::make::header(b"a", b'0', b"", 0o77_777_777_777, b"x\n"),
        crate::make::header(b"././@LongLink", b'L', b"", 0o77_777_777_777, b"x"),
        crate::make::header(b"p", b'x', b"", 8 << 20, b"x"),
    ];
    for header in huge {
        let result =
            one("a.tar", &tar(&[crate::make::entry(b"ok", b'0', b"", b"fine\n"), header]), "ok").unwrap();
        assert!(result.starts_with("fine\n") && result.contains("damaged or cut"), "{result}");
    }
}

#[test]
fn the_budget_is_of_all_layers() {
    let text = b"0123456789\n".repeat(200_000);
    let bytes = gzipped(&gzipped(&gzipped(&text)));
    let mut limits = Limits::default();
    (limits.budget_base, limits.budget_factor) = (100_000, 0);
    let files = pipeline(&[("t.gz", &bytes)]).with_limits(limits);
    assert_eq!(code(&files, "t.gz:-1"), ErrorCode::TooLarge);
    assert!(zip(&[]).len() == 22);
}

#[test]
fn names_that_nobody_can_tell_apart_take_no_square_of_their_length() {
    let names: Vec<String> = (0..300).map(|n| format!("{}{n}", "n".repeat(3_000))).collect();
    let members: Vec<_> = names.iter().map(|name| Member::stored(name, b"")).collect();
    let files = pipeline(&[("n.zip", &Zip::of(members).bytes())]);
    let error = output(&files, &format!("n.zip:{}x", "n".repeat(3_000))).unwrap_err();
    assert_eq!((error.code(), error.suggestions().len()), (ErrorCode::NotFound, 0));
}

#[test]
fn a_search_for_the_end_of_a_member_meets_many_signatures() {
    // A cut zip whose member has no size, with data that might be signatures everywhere.
    let header = Member { descriptor: true, ..Member::stored("f", b"") };
    let whole = Zip::of([header]).bytes();
    let member = whole.windows(4).position(|four| four == b"PK\x07\x08").unwrap();
    for noise in [&b"PK"[..], b"PK\x03\x04", b"PK\x07\x08", b"PK\x01\x02"] {
        let bytes = [&whole[..member], &noise.repeat(400_000)].concat();
        let listed = one("a.zip", &bytes, "").unwrap();
        assert!(listed.starts_with("f [cut]\n"), "{listed}");
    }
}
