//! Compressed archives are decoded forward as far as needed, and taken up again where that is known.

use std::fmt::Write;

use crate::make::{entry, gzipped, tar};
use crate::support::{output, pipeline, text};

fn content(seed: u32, bytes: usize) -> Vec<u8> {
    let mut state = seed;
    let mut out = String::new();
    while out.len() < bytes {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        writeln!(out, "{seed} {:x}", state >> 4).unwrap();
    }
    out.into_bytes()
}

fn large() -> (Vec<Vec<u8>>, Vec<u8>) {
    let contents: Vec<_> = (0..36).map(|n| content(n, 2 << 20)).collect();
    let mut pieces: Vec<_> =
        (0..).zip(&contents).map(|(n, bytes)| entry(format!("m{n}").as_bytes(), b'0', b"", bytes)).collect();
    pieces.push(entry(b"m0", b'0', b"", b"later\n"));
    pieces.push(entry(b"m34", b'0', b"", b"later\n"));
    (contents, gzipped(&tar(&pieces)))
}

#[test]
fn a_long_archive_is_searched_to_the_first_match_a_short_one_whole() {
    let (contents, bytes) = large();
    let files = pipeline(&[("l.tgz", &bytes)]);
    let first = |n: usize| {
        String::from_utf8_lossy(contents[n].split_inclusive(|byte| *byte == b'\n').next().unwrap())
            .into_owned()
    };
    // The first match lies behind 64 MiB: the stream goes on from there, and nothing behind it is looked at.
    let read = output(&files, "l.tgz:m34:1-1").unwrap().to_text();
    assert!(read.starts_with(&first(34)), "{read}");
    assert!(read.contains("archive was not searched for a later 'm34'"), "{read}");
    let read = output(&files, "l.tgz:m3:1-1").unwrap().to_text();
    assert!(read.starts_with(&first(3)), "{read}");
    // A listing needs the whole, and from then on the last one is known.
    assert!(text(&files, "l.tgz").contains("m0 (6B) [the last of 2 of this name]"));
    assert_eq!(text(&files, "l.tgz:m34"), "later\n");
    assert_eq!(text(&files, "l.tgz:m0"), "later\n");
}

#[test]
fn every_member_is_read_whole_in_any_order() {
    let (contents, bytes) = large();
    let files = pipeline(&[("l.tgz", &bytes)]);
    for n in [35, 1, 20, 7, 33, 2] {
        let read = output(&files, &format!("l.tgz:m{n}:-2")).unwrap().to_text();
        let tail: Vec<_> = contents[n].split_inclusive(|byte| *byte == b'\n').collect();
        let tail = [tail[tail.len() - 2], tail[tail.len() - 1]].concat();
        assert!(read.starts_with(&*String::from_utf8_lossy(&tail)), "m{n}: {read}");
    }
}

#[test]
fn a_link_in_a_stream_leads_to_what_stands_behind_it() {
    let bytes = gzipped(&tar(&[
        entry(b"l", b'2', b"z", b""),
        entry(b"pad", b'0', b"", &content(1, 1 << 20)),
        entry(b"z", b'0', b"", b"end\n"),
    ]));
    assert_eq!(text(&pipeline(&[("a.tgz", &bytes)]), "a.tgz:l"), "end\n");
}
