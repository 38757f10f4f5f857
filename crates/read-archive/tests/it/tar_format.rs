//! What stands in tar headers means what the tools that write them mean.

use crate::make::{entry, gzipped, header, pax, sum, tar};
use crate::support::{one, pipeline, text};

/// Read from a file and from a stream alike.
fn both(bytes: &[u8], rest: &str) -> String {
    let from_file = one("a.tar", bytes, rest).unwrap();
    let from_stream = one("a.tgz", &gzipped(bytes), rest).unwrap().replace("a.tgz", "a.tar");
    assert_eq!(from_file, from_stream);
    from_file
}

#[test]
fn long_names_of_all_three_kinds() {
    let long = format!("d/{}.txt", "n".repeat(150));
    let gnu = [
        entry(b"././@LongLink", b'L', b"", format!("{long}\0").as_bytes()),
        entry(&long.as_bytes()[..100], b'0', b"", b"gnu\n"),
    ];
    assert_eq!(both(&tar(&gnu), &long), "gnu\n");
    let with_pax = [pax(b'x', &[("path", long.as_bytes())]), entry(b"short", b'0', b"", b"pax\n")];
    assert_eq!(both(&tar(&with_pax), &long), "pax\n");
    let mut ustar = entry(b"leaf.txt", b'0', b"", b"ustar\n");
    ustar[345..345 + 120].copy_from_slice(&[b'p'; 120]);
    sum(&mut ustar);
    assert_eq!(both(&tar(&[ustar]), &format!("{}/leaf.txt", "p".repeat(120))), "ustar\n");
}

#[test]
fn long_links_are_followed() {
    let long = format!("d/{}", "t".repeat(130));
    let target = [pax(b'x', &[("path", long.as_bytes())]), entry(b"t", b'0', b"", b"end\n")].concat();
    let gnu =
        [target.clone(), entry(b"././@LongLink", b'K', b"", long.as_bytes()), entry(b"l", b'2', b"cut", b"")];
    assert_eq!(both(&tar(&gnu), "l"), "end\n");
    let with_pax = [target, pax(b'x', &[("linkpath", long.as_bytes())]), entry(b"l", b'1', b"cut", b"")];
    assert_eq!(both(&tar(&with_pax), "l"), "end\n");
}

#[test]
fn a_pax_size_is_of_the_next_file_not_of_the_long_name_between() {
    let bytes = tar(&[
        pax(b'x', &[("size", b"6")]),
        entry(b"././@LongLink", b'L', b"", b"name\0"),
        header(b"cut", b'0', b"", 0, b"sized\n"),
        entry(b"next", b'0', b"", b"next\n"),
    ]);
    assert_eq!(both(&bytes, ""), "name (6B)\nnext (5B)\n");
    assert_eq!(both(&bytes, "name"), "sized\n");
}

#[test]
fn global_headers_hold_until_a_local_one_differs_and_are_no_members() {
    let bytes = tar(&[
        pax(b'g', &[("comment", b"0123456789abcdef"), ("mtime", b"1700000000")]),
        entry(b"a", b'0', b"", b"a\n"),
        pax(b'x', &[("path", b"b b")]),
        entry(b"b", b'0', b"", b"b\n"),
        entry(b"c", b'0', b"", b"c\n"),
    ]);
    assert_eq!(both(&bytes, ""), "a (2B)\nb b (2B)\nc (2B)\n");
    let read = crate::support::output(&pipeline(&[("a.tar", &bytes)]), "a.tar:c").unwrap();
    assert_eq!(read.details.member["modified"], "2023-11-14T22:13:20Z");
}

#[test]
fn volume_labels_are_passed_over() {
    let mut label = header(b"LABEL", b'V', b"", 0, b"");
    label[124..136].fill(0);
    sum(&mut label);
    assert_eq!(both(&tar(&[label, entry(b"a", b'0', b"", b"a\n")]), ""), "a (2B)\n");
}

#[test]
fn sizes_in_base_256() {
    let mut big = header(b"a", b'0', b"", 0, b"data\n");
    big[124..136].copy_from_slice(&[0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5]);
    sum(&mut big);
    assert_eq!(both(&tar(&[big, entry(b"b", b'0', b"", b"b\n")]), "a"), "data\n");
}

#[test]
fn archives_behind_archives_are_read_on() {
    let bytes =
        [tar(&[entry(b"a", b'0', b"", b"1\n")]), vec![0; 9_216], tar(&[entry(b"b", b'0', b"", b"2\n")])]
            .concat();
    assert_eq!(both(&bytes, ""), "a (2B)\nb (2B)\n");
    let trailed = [tar(&[entry(b"a", b'0', b"", b"1\n")]), b"not a header at all".repeat(100)].concat();
    assert_eq!(both(&trailed, ""), "a (2B)\n");
}

#[test]
fn kinds_are_shown() {
    let bytes = tar(&[
        entry(b"dir/", b'5', b"", b""),
        entry(b"old/", 0, b"", b""),
        entry(b"pipe", b'6', b"", b""),
        entry(b"tty", b'3', b"", b""),
        entry(b"strange", b'Z', b"", b"kept\n"),
    ]);
    assert_eq!(both(&bytes, ""), "dir/\nold/\npipe (FIFO)\nstrange (5B)\ntty (device)\n");
    assert_eq!(both(&bytes, "strange"), "kept\n");
    assert_eq!(one("a.tar", &bytes, "tty").unwrap_err().code(), read_core::ErrorCode::NotRegular);
}

const STORED: &[u8] = b"head\ntail\n";

/// What a sparse member reads as: five bytes, a hole to 1,000, five bytes, a hole to 1,100.
fn expanded() -> Vec<u8> {
    let mut bytes = b"head\n".to_vec();
    bytes.resize(1_000, 0);
    bytes.extend_from_slice(b"tail\n");
    bytes.resize(1_100, 0);
    bytes
}

fn sparse_members() -> Vec<(&'static str, Vec<u8>)> {
    let mut gnu = header(b"sp", b'S', b"", STORED.len() as u64, STORED);
    gnu[257..265].copy_from_slice(b"ustar  \0");
    let map: [(u64, u64); 3] = [(0, 5), (1_000, 5), (1_100, 0)];
    for (at, (offset, len)) in (386..).step_by(24).zip(map) {
        gnu[at..at + 12].copy_from_slice(format!("{offset:011o}\0").as_bytes());
        gnu[at + 12..at + 24].copy_from_slice(format!("{len:011o}\0").as_bytes());
    }
    gnu[483..495].copy_from_slice(format!("{:011o}\0", 1_100).as_bytes());
    sum(&mut gnu);
    let version = |records: &[(&str, &[u8])], data: &[u8]| {
        [pax(b'x', records), entry(b"GNUSparseFile.1/sp", b'0', b"", data)].concat()
    };
    let zero: &[(&str, &[u8])] = &[
        ("GNU.sparse.size", b"1100"),
        ("GNU.sparse.numblocks", b"2"),
        ("GNU.sparse.offset", b"0"),
        ("GNU.sparse.numbytes", b"5"),
        ("GNU.sparse.offset", b"1000"),
        ("GNU.sparse.numbytes", b"5"),
        ("path", b"sp"),
    ];
    let one: &[(&str, &[u8])] =
        &[("GNU.sparse.size", b"1100"), ("GNU.sparse.map", b"0,5,1000,5"), ("GNU.sparse.name", b"sp")];
    let two: &[(&str, &[u8])] = &[
        ("GNU.sparse.major", b"1"),
        ("GNU.sparse.minor", b"0"),
        ("GNU.sparse.name", b"sp"),
        ("GNU.sparse.realsize", b"1100"),
    ];
    let mut mapped = b"3\n0\n5\n1000\n5\n1100\n0\n".to_vec();
    mapped.resize(512, 0);
    mapped.extend_from_slice(STORED);
    vec![
        ("old GNU", gnu),
        ("0.0", version(zero, STORED)),
        ("0.1", version(one, STORED)),
        ("1.0", version(two, &mapped)),
    ]
}

#[test]
fn sparse_members_of_every_version_are_expanded() {
    for (version, member) in sparse_members() {
        let bytes = tar(&[member, entry(b"z", b'0', b"", b"after\n")]);
        assert_eq!(both(&bytes, ""), "sp (1.1KB)\nz (6B)\n", "{version}");
        let dump = both(&bytes, "sp:hex:@0+2000");
        let wanted = one("plain", &expanded(), "hex:@0+2000").unwrap();
        assert_eq!(dump, wanted, "{version}");
        assert_eq!(both(&bytes, "z"), "after\n", "{version}");
    }
}

#[test]
fn an_old_map_goes_on_in_further_blocks() {
    let mut stored = Vec::new();
    let mut wanted = vec![b'.'; 0];
    let mut map = Vec::new();
    for piece in 0..30_u64 {
        map.push((piece * 10, 4));
        stored.extend_from_slice(b"abc\n");
        wanted.extend_from_slice(b"abc\n");
        wanted.extend_from_slice(&[0; 6]);
    }
    let field = |block: &mut [u8], at: usize, (offset, len): (u64, u64)| {
        block[at..at + 12].copy_from_slice(format!("{offset:011o}\0").as_bytes());
        block[at + 12..at + 24].copy_from_slice(format!("{len:011o}\0").as_bytes());
    };
    let mut head = header(b"sp", b'S', b"", stored.len() as u64, b"");
    head[257..265].copy_from_slice(b"ustar  \0");
    head[345..500].fill(0);
    for (slot, piece) in map[..4].iter().enumerate() {
        field(&mut head, 386 + slot * 24, *piece);
    }
    head[482] = 1;
    head[483..495].copy_from_slice(format!("{:011o}\0", 300).as_bytes());
    sum(&mut head);
    for (number, pieces) in map[4..].chunks(21).enumerate() {
        let mut block = vec![0; 512];
        for (slot, piece) in pieces.iter().enumerate() {
            field(&mut block, slot * 24, *piece);
        }
        block[504] = u8::from(number == 0);
        head.extend_from_slice(&block);
    }
    stored.resize(stored.len().next_multiple_of(512), 0);
    head.extend_from_slice(&stored);
    let bytes = tar(&[head, entry(b"z", b'0', b"", b"after\n")]);
    assert_eq!(both(&bytes, "sp:hex:@0+300"), one("plain", &wanted, "hex:@0+300").unwrap());
    assert_eq!(both(&bytes, "z"), "after\n");
}

#[test]
fn a_sparse_map_that_lies_is_named() {
    let records: &[(&str, &[u8])] =
        &[("GNU.sparse.size", b"10"), ("GNU.sparse.map", b"5,5,0,5"), ("GNU.sparse.name", b"sp")];
    let bytes = tar(&[pax(b'x', records), entry(b"x", b'0', b"", STORED)]);
    assert!(text(&pipeline(&[("a.tar", &bytes)]), "a.tar").contains("its sparse map makes no sense"));
    assert_eq!(one("a.tar", &bytes, "sp").unwrap_err().code(), read_core::ErrorCode::Corrupt);
}

#[test]
fn records_that_make_no_sense_are_told() {
    let told = "are damaged: names, sizes and links may be wrong]";
    let broken = entry(b"PaxHeader", b'x', b"", b"99 path=a much longer name\n");
    let bytes = tar(&[broken.clone(), entry(b"short", b'0', b"", b"x\n"), entry(b"ok", b'0', b"", b"y\n")]);
    assert_eq!(both(&bytes, "short"), format!("x\n\n[The extended headers of 'short' {told}"));
    let bytes = tar(&[broken.clone(), entry(b"a", b'0', b"", b""), broken, entry(b"b", b'0', b"", b"")]);
    let listed = both(&bytes, "");
    assert!(
        listed.contains(&format!("[The extended headers of 'a' and 1 further member {told}")),
        "{listed}"
    );
    let global = entry(b"PaxHeader", b'g', b"", b"nonsense");
    let listed = both(&tar(&[global, entry(b"a", b'0', b"", b"")]), "");
    assert!(listed.contains("[A global extended header is damaged"), "{listed}");
}

#[test]
fn a_sparse_map_of_all_members_is_none() {
    let map: &[(&str, &[u8])] = &[("GNU.sparse.size", b"2000000"), ("GNU.sparse.map", b"0,1,9,1")];
    let bytes = tar(&[pax(b'g', map), entry(b"a", b'0', b"", b"x\n"), entry(b"b", b'0', b"", b"")]);
    assert_eq!(both(&bytes, ""), "a (2B)\nb (0B)\n");
    assert_eq!(both(&bytes, "a"), "x\n");
}

#[test]
fn maps_that_there_is_no_room_for_are_told() {
    // Each takes 4 MiB in the index.
    let map = (0..1 << 18).map(|piece| format!("{},1", piece * 2)).collect::<Vec<_>>().join(",");
    let records: &[(&str, &[u8])] = &[("GNU.sparse.size", b"900000"), ("GNU.sparse.map", map.as_bytes())];
    let header = pax(b'x', records);
    let pieces: Vec<Vec<u8>> = (0..10_u8)
        .flat_map(|number| [header.clone(), entry(&[b'a' + number], b'0', b"", &vec![b'.'; 1 << 18])])
        .collect();
    let bytes = tar(&pieces);
    let listed = one("a.tar", &bytes, "").unwrap();
    assert!(listed.starts_with("a (878.9KB)\n"), "{listed}");
    assert!(listed.contains("j [its sparse map is too long to be kept]"), "{listed}");
    assert_eq!(one("a.tar", &bytes, "j").unwrap_err().code(), read_core::ErrorCode::TooLarge);
    assert!(one("a.tar", &bytes, "a:hex:@0+4").unwrap().contains("2e 00 2e 00"));
}

#[cfg(feature = "encodings")]
#[test]
fn names_in_a_legacy_encoding_are_decoded_with_the_links_to_them() {
    // `中文文件名.txt` and `测试文档/说明.txt` in GBK.
    let names = [
        &b"\xd6\xd0\xce\xc4\xce\xc4\xbc\xfe\xc3\xfb.txt"[..],
        b"\xb2\xe2\xca\xd4\xce\xc4\xb5\xb5/\xcb\xb5\xc3\xf7.txt",
    ];
    let bytes = tar(&[
        entry(b"l", b'2', names[0], b""),
        entry(names[0], b'0', b"", b"one\n"),
        entry(names[1], b'0', b"", b"two\n"),
        entry(b"plain", b'0', b"", b""),
    ]);
    assert_eq!(both(&bytes, ""), "测试文档/\nl -> 中文文件名.txt\nplain (0B)\n中文文件名.txt (4B)\n");
    assert_eq!(both(&bytes, "中文文件名.txt"), "one\n");
    assert_eq!(both(&bytes, "测试文档/说明.txt"), "two\n");
    assert_eq!(both(&bytes, "l"), "one\n");
}
