//! Names are decoded once, cleaned, and can be read back as they are printed.

use crate::make::{Member, Zip, crc, entry, tar, zip};
use crate::support::{one, pipeline, text};

/// Every member that a listing shows can be read by the name that it prints.
fn read_back(name: &str, bytes: &[u8]) -> Vec<String> {
    let files = pipeline(&[(name, bytes)]);
    let mut read = Vec::new();
    let mut queue = vec![String::new()];
    while let Some(directory) = queue.pop() {
        let target = if directory.is_empty() { name.to_owned() } else { format!("{name}:{directory}") };
        for line in text(&files, &target).lines().take_while(|line| !line.is_empty()) {
            let path = |leaf: &str| {
                if directory.is_empty() { leaf.to_owned() } else { format!("{directory}/{leaf}") }
            };
            if let Some(leaf) = line.strip_suffix('/') {
                queue.push(path(leaf));
            } else {
                let (leaf, _) = line.rsplit_once(" (").unwrap();
                read.push(text(&files, &format!("{name}:{}", path(leaf))));
            }
        }
    }
    read
}

#[test]
fn backslashes_of_windows_tools_are_separators() {
    let bytes =
        Zip::of([Member::stored(r"dir\sub\a.txt", b"inside\n"), Member::stored(r"dir\", b"")]).bytes();
    assert_eq!(one("a.zip", &bytes, "").unwrap(), "dir/\n");
    assert_eq!(one("a.zip", &bytes, "dir/sub/a.txt").unwrap(), "inside\n");
    assert_eq!(one("a.zip", &bytes, r"dir\sub\a.txt").unwrap(), "inside\n");
    assert_eq!(one("a.zip", &bytes, r"dir\sub").unwrap(), "a.txt (7B)\n");
}

#[test]
fn flagged_valid_and_unmarked_names() {
    let names: [(&[u8], u16, &str); 4] = [
        ("flagged-é".as_bytes(), 1 << 11, "flagged-é"),
        ("valid-é".as_bytes(), 0, "valid-é"),
        (b"r\x81ck.txt", 0, "rück.txt"),
        (b"plain", 0, "plain"),
    ];
    let members = names.map(|(name, flags, _)| Member { flags, ..Member::stored(name, name) });
    let bytes = Zip::of(members).bytes();
    for (_, _, shown) in names {
        assert!(one("a.zip", &bytes, "").unwrap().contains(&format!("{shown} (")), "{shown}");
        assert!(one("a.zip", &bytes, shown).is_ok(), "{shown}");
    }
}

#[cfg(feature = "encodings")]
#[test]
fn double_byte_names_stay_whole() {
    let gbk =
        [&b"mod/\xd3\xc8\xc0\xef\xb5\xc4\xea\x8e\xd6\\.txt"[..], b"\xd0\xc2\xbd\xa8\xce\xc4\xb1\xbe.txt"];
    let bytes = Zip::of(gbk.map(|name| Member::stored(name, b"body\n"))).bytes();
    assert_eq!(one("a.zip", &bytes, "").unwrap(), "mod/\n新建文本.txt (5B)\n");
    assert_eq!(one("a.zip", &bytes, "mod/尤里的陰謀.txt").unwrap(), "body\n");
    // Two characters are too little to tell by, but enough to see that the second byte separates nothing.
    let short = Zip::of([Member::stored(b"\x83\\\x95\\.txt", b"body\n")]).bytes();
    assert_eq!(read_back("a.zip", &short), ["body\n"]);
    assert_eq!(one("a.zip", &short, "").unwrap().matches(".txt").count(), 1);
}

#[test]
fn the_unicode_path_counts_while_its_checksum_does() {
    let raw = b"b\x84r.txt";
    let field = |sum: u32| {
        let path = "bär — ok.txt".as_bytes();
        let len = u16::try_from(path.len() + 5).unwrap();
        [&0x7075_u16.to_le_bytes()[..], &len.to_le_bytes(), &[1], &sum.to_le_bytes(), path].concat()
    };
    let zip_with = |sum| Zip::of([Member { extra: field(sum), ..Member::stored(raw, b"x\n") }]).bytes();
    assert_eq!(one("a.zip", &zip_with(crc(raw)), "").unwrap(), "bär — ok.txt (2B)\n");
    assert_eq!(one("a.zip", &zip_with(crc(raw) ^ 1), "").unwrap(), "bär.txt (2B)\n");
}

#[test]
fn names_that_lead_outside_are_listed_cleaned_with_what_they_are() {
    for name in ["../../evil", "/evil", "C:\\evil", "..\\evil", "//host/evil", "./x/../../evil"] {
        let zipped = zip(&[(name, b"body\n"), ("ok", b"")]);
        let tarred = tar(&[entry(name.as_bytes(), b'0', b"", b"body\n"), entry(b"ok", b'0', b"", b"")]);
        for (archive, bytes) in [("a.zip", zipped), ("a.tar", tarred)] {
            let files = pipeline(&[(archive, &bytes)]);
            let directory = match name {
                "//host/evil" => Some("host"),
                "./x/../../evil" => Some("x"),
                _ => None,
            };
            let target =
                directory.map_or_else(|| archive.to_owned(), |directory| format!("{archive}:{directory}"));
            let listed = text(&files, &target);
            assert!(listed.contains(&format!("evil (5B) [named {name}]")), "{archive} {name}: {listed}");
            let member = directory.map_or_else(|| "evil".to_owned(), |directory| format!("{directory}/evil"));
            assert_eq!(text(&files, &format!("{archive}:{member}")), "body\n");
        }
    }
}

#[test]
fn a_cleaned_name_never_takes_the_place_of_a_true_one() {
    let bytes = zip(&[("conf", b"true\n"), ("../conf", b"false\n")]);
    assert_eq!(one("a.zip", &bytes, "conf").unwrap(), "true\n");
}

#[test]
fn names_that_lead_nowhere_are_counted() {
    let bytes = zip(&[("..", b"x"), ("/", b""), ("ok", b"")]);
    let listed = one("a.zip", &bytes, "").unwrap();
    assert_eq!(listed, "ok (0B)\n\n[1 member is left out: the name leads nowhere in the archive]");
}

#[test]
fn control_and_bidirectional_characters_are_escaped_and_read_back() {
    let names =
        ["new\nline", "tab\there", "esc\x1b[31m", "bidi\u{202e}txt.exe", "back\\n", "nul\0l", "[notice]"];
    let members: Vec<_> = names.iter().map(|name| Member::stored(name, name.as_bytes())).collect();
    let bytes = Zip::of(members).bytes();
    let listed = one("a.zip", &bytes, "").unwrap();
    assert!(
        listed.contains("new\\nline (8B)\n")
            && listed.contains("bidi\\u{202e}txt.exe")
            && !listed.contains('\x1b'),
        "{listed}"
    );
    for name in ["new\\nline", "esc\\x1b[31m", "bidi\\u{202e}txt.exe", "nul\\x00l", "[notice]"] {
        assert!(one("a.zip", &bytes, name).is_ok(), "{name}");
    }
}

#[test]
fn bytes_that_are_no_text_are_read_back_from_a_tar() {
    let bytes = tar(&[entry(b"caf\xe9/\xff\x5c.txt", b'0', b"", b"x\n")]);
    assert_eq!(one("a.tar", &bytes, "").unwrap(), "caf\\xe9/\n");
    assert_eq!(read_back("a.tar", &bytes), ["x\n"]);
}

#[test]
fn a_file_and_a_directory_of_one_name_are_both_reached() {
    let bytes = zip(&[("a", b"file\n"), ("a/b", b"inside\n")]);
    assert_eq!(one("z.zip", &bytes, "").unwrap(), "a/\na (5B)\n");
    assert_eq!(one("z.zip", &bytes, "a").unwrap(), "file\n");
    assert_eq!(one("z.zip", &bytes, "a/").unwrap(), "b (7B)\n");
    assert_eq!(one("z.zip", &bytes, "a/b").unwrap(), "inside\n");
}
