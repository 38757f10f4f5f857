//! A container lists and hands on members, whatever it is called.

use read_core::ErrorCode;

use crate::make::{gzipped, tar_of, zip};
use crate::support::{code, one, output, pipeline, text};

const FILES: &[(&str, &[u8])] =
    &[("f.txt", b"a\nb\nc\n"), ("dir/d.txt", b"deep\n"), ("dir/n10", b""), ("dir/n2", b"")];

fn containers() -> [(&'static str, Vec<u8>); 3] {
    [("a.zip", zip(FILES)), ("a.tar", tar_of(FILES)), ("a.tgz", gzipped(&tar_of(FILES)))]
}

#[test]
fn the_root_and_directories_are_listed_with_sizes_in_natural_order() {
    for (name, bytes) in containers() {
        let pipeline = pipeline(&[(name, &bytes)]);
        assert_eq!(text(&pipeline, name), "dir/\nf.txt (6B)\n", "{name}");
        for rest in ["dir", "dir/", "./dir", "/dir"] {
            assert_eq!(
                text(&pipeline, &format!("{name}:{rest}")),
                "d.txt (5B)\nn2 (0B)\nn10 (0B)\n",
                "{name}:{rest}"
            );
        }
    }
}

#[test]
fn a_member_takes_every_selector() {
    for (name, bytes) in containers() {
        let pipeline = pipeline(&[(name, &bytes)]);
        let read = |rest: &str| text(&pipeline, &format!("{name}:{rest}"));
        assert_eq!(read("f.txt"), "a\nb\nc\n");
        assert_eq!(read("f.txt:2-3"), "b\nc\n");
        assert_eq!(read("f.txt:-1"), "c\n");
        assert_eq!(read("f.txt:raw"), "a\nb\nc\n");
        assert_eq!(
            read("f.txt:@2+1"),
            "b\n[3 more bytes in archive entry. Use :@3+1 to continue.]".replacen('\n', "\n\n", 1)
        );
        assert!(read("f.txt:hex").starts_with("00000000  61 0a 62 0a 63 0a"));
        assert!(read("f.txt:50").contains("Line 50 is beyond end of archive entry (3 lines total)."));
        assert!(read("f.txt:1-1").contains("[2 more lines in archive entry. Use :2- to continue.]"));
    }
}

#[test]
fn selectors_of_the_root_pick_entries_and_bytes_are_of_the_file() {
    for (name, bytes) in containers() {
        let pipeline = pipeline(&[(name, &bytes)]);
        assert_eq!(text(&pipeline, &format!("{name}:2-2")), "f.txt (6B)\n");
        assert_eq!(text(&pipeline, &format!("{name}:-1")), "f.txt (6B)\n");
        let first = bytes[..4].iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ");
        assert!(text(&pipeline, &format!("{name}:hex:@0+4")).contains(&first), "{name}");
        assert!(text(&pipeline, &format!("{name}:stat")).contains("reader: "), "{name}");
        let error = output(&pipeline, &format!("{name}:raw")).unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidSelector);
        assert!(error.message().contains(":hex") && error.message().contains("NAME"), "{error}");
        assert_eq!(code(&pipeline, &format!("{name}:5-2")), ErrorCode::InvalidSelector);
    }
}

#[test]
fn content_decides_not_the_name() {
    for (_, bytes) in containers() {
        for name in ["data.bin", "noextension", "x.jar", "x.docx"] {
            assert_eq!(
                one(name, &bytes, "f.txt:1-1").unwrap(),
                "a\n\n[2 more lines in archive entry. Use :2- to continue.]"
            );
        }
    }
    assert_eq!(one("a.zip", b"only text\n", "").unwrap(), "only text\n");
}

#[test]
fn a_binary_member_is_an_answer() {
    let binary: Vec<u8> = b"\x7fELF\x02\x01\x01\0".iter().copied().cycle().take(3_000).collect();
    let members: &[(&str, &[u8])] = &[("lib/b.so", &binary)];
    for (name, bytes) in
        [("a.zip", zip(members)), ("a.tar", tar_of(members)), ("a.tgz", gzipped(&tar_of(members)))]
    {
        assert_eq!(
            one(name, &bytes, "lib/b.so").unwrap(),
            "[Cannot read binary archive entry 'lib/b.so' (2.9KB)]"
        );
        assert!(one(name, &bytes, "lib/b.so:hex").unwrap().starts_with("00000000  7f 45 4c 46"));
        assert_eq!(one(name, &bytes, "lib/b.so:raw").unwrap_err().code(), ErrorCode::UnsupportedContent);
    }
}

#[test]
fn an_empty_archive_and_one_of_directories_alone() {
    assert_eq!(one("e.zip", &zip(&[]), "").unwrap(), "(empty archive directory)\n");
    assert_eq!(one("e.tar", &[0; 10_240], "").unwrap(), "(empty archive directory)\n");
    let directories = zip(&[("a/", b""), ("a/b/", b""), ("c/", b"")]);
    assert_eq!(one("d.zip", &directories, "").unwrap(), "a/\nc/\n");
    assert_eq!(one("d.zip", &directories, "a/b").unwrap(), "(empty archive directory)\n");
}

#[test]
fn details_tell_of_the_member() {
    let zipped = zip(FILES);
    let zipped = pipeline(&[("a.zip", &zipped)]);
    let details = output(&zipped, "a.zip:f.txt").unwrap().details;
    assert_eq!(details.member["method"], "deflate");
    assert_eq!(details.member["modified"], "2024-02-29T12:34:56");
    assert_eq!(details.member["compressed_size"], "8");
    assert_eq!((details.size_bytes, details.path.as_str()), (Some(6), "a.zip:f.txt"));
    let tarred = tar_of(FILES);
    let details = output(&pipeline(&[("a.tar", &tarred)]), "a.tar:f.txt").unwrap().details;
    assert_eq!(details.member["modified"], "2023-11-14T17:48:32Z");
}

#[test]
fn windows_of_bytes_count_what_is_left_where_that_is_known() {
    let text = "0123456789\n".repeat(20_000);
    let members: &[(&str, &[u8])] = &[("f", text.as_bytes())];
    for (name, bytes) in
        [("a.zip", zip(members)), ("a.tar", tar_of(members)), ("a.tgz", gzipped(&tar_of(members)))]
    {
        let read = |rest: &str| one(name, &bytes, rest).unwrap();
        let more = "[219989 more bytes in archive entry. Use :@11+11 to continue.]";
        assert_eq!(read("f:@0+11"), format!("0123456789\n\n{more}"), "{name}");
        let more = "[219984 more bytes in archive entry. Use :hex:@16+16 to continue.]";
        assert!(read("f:hex:@0+16").ends_with(more), "{name}");
        assert_eq!(read("f:@219989+11"), "0123456789\n", "{name}");
    }
    // Nobody says how long this one is.
    let more = "[More bytes in file. Use :@11+11 to continue.]";
    assert_eq!(one("f.gz", &gzipped(text.as_bytes()), "@0+11").unwrap(), format!("0123456789\n\n{more}"));
}
