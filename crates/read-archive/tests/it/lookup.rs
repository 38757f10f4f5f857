//! Names are looked up literally first, then as somebody may have meant them.

use read_core::ErrorCode;

use crate::make::{Member, Zip, gzipped, tar_of, zip};
use crate::support::{code, one, output, pipeline, text};

#[test]
fn the_longest_member_name_wins_over_a_selector() {
    let members: &[(&str, &[u8])] = &[
        ("x", b"1\n2\n"),
        ("x:1-2", b"literal\n"),
        ("10-20", b"a name\n"),
        ("hex", b"not bytes\n"),
        ("a:b", b"ab\n"),
    ];
    for (name, bytes) in
        [("a.zip", zip(members)), ("a.tar", tar_of(members)), ("a.gz", gzipped(&tar_of(members)))]
    {
        assert_eq!(one(name, &bytes, "x:1-2").unwrap(), "literal\n");
        assert_eq!(one(name, &bytes, "x:2-2").unwrap(), "2\n");
        assert_eq!(one(name, &bytes, "10-20").unwrap(), "a name\n");
        assert_eq!(one(name, &bytes, "a:b:1").unwrap(), "ab\n");
    }
    assert_eq!(one("a.zip", &zip(members), "hex").unwrap(), "not bytes\n");
}

#[test]
fn case_is_forgiven_where_only_one_name_fits() {
    let bytes = zip(&[("Dir/Read.me", b"one\n"), ("b", b""), ("B", b"")]);
    let read = one("a.zip", &bytes, "dir/READ.ME:1").unwrap();
    assert_eq!(read, "one\n\n[Opened 'Dir/Read.me': no file is named exactly 'dir/READ.ME']");
    assert_eq!(
        one("a.zip", &bytes, "DIR").unwrap(),
        "Read.me (4B)\n\n[Opened 'Dir': no file is named exactly 'DIR']"
    );
    assert_eq!(one("a.zip", &bytes, "b").unwrap(), "[File is empty]".replace("File", "Archive entry"));
    let two = zip(&[("aB", b""), ("Ab", b"")]);
    assert_eq!(one("a.zip", &two, "ab").unwrap_err().code(), ErrorCode::NotFound);
}

#[test]
fn what_is_not_there_gives_near_names_as_targets() {
    let bytes = zip(&[("src/main.rs", b""), ("src/lib.rs", b""), ("docs/guide.md", b"")]);
    let files = pipeline(&[("a.zip", &bytes)]);
    let error = output(&files, "a.zip:src/mian.rs:5").unwrap_err();
    assert_eq!(
        (error.code(), error.suggestions()),
        (ErrorCode::NotFound, &["a.zip:src/main.rs".to_owned()][..])
    );
    assert!(error.message().starts_with("'src/mian.rs' not found inside archive"), "{error}");
    assert_eq!(output(&files, "a.zip:guide.md").unwrap_err().suggestions(), ["a.zip:docs/guide.md"]);
    assert_eq!(text(&files, "a.zip:docs/guide.md"), "[Archive entry is empty]");
}

#[test]
fn a_path_that_climbs_is_not_found() {
    let bytes = zip(&[("f.txt", b"x\n"), ("dir/g.txt", b"")]);
    for rest in ["dir/../f.txt", "../a.zip", "dir/../../f.txt", "..\\f.txt", ".."] {
        assert_eq!(one("a.zip", &bytes, rest).unwrap_err().code(), ErrorCode::NotFound, "{rest}");
    }
}

#[test]
fn of_members_that_share_a_name_the_last_is_read() {
    let members: &[(&str, &[u8])] = &[("x", b"old\n"), ("y", b"other\n"), ("x", b"new\n")];
    for (name, bytes) in
        [("a.zip", zip(members)), ("a.tar", tar_of(members)), ("a.tgz", gzipped(&tar_of(members)))]
    {
        let files = pipeline(&[(name, &bytes)]);
        let read = output(&files, &format!("{name}:x")).unwrap();
        assert_eq!(read.to_text(), "new\n");
        assert_eq!(read.details.notices, ["2 members share this name; the last is shown"]);
        assert_eq!(text(&files, name), "x (4B) [the last of 2 of this name]\ny (6B)\n");
    }
}

#[test]
fn a_target_of_nothing_but_colons_is_answered() {
    let bytes = zip(&[("a", b"")]);
    let files = pipeline(&[("a.zip", &bytes)]);
    assert_eq!(code(&files, &format!("a.zip:{}", ":".repeat(60_000))), ErrorCode::NotFound);
}

#[test]
fn a_very_long_name_is_found() {
    let long = "n".repeat(20_000);
    let bytes = Zip::of([Member::stored(&long, b"here\n")]).bytes();
    assert_eq!(one("a.zip", &bytes, &format!("{long}:1")).unwrap(), "here\n");
}

#[test]
fn a_name_that_also_reads_as_a_selector_says_how_to_read_the_other() {
    let members: &[(&str, &[u8])] = &[
        ("b.txt", b"1\n2\n"),
        ("b.txt:2", b"two\n"),
        ("b.txt:raw", b"raw\n"),
        ("1-5", b"range\n"),
        ("hex", b"h\n"),
        ("@0+3", b"at\n"),
        ("c:2", b"alone\n"),
    ];
    let bytes = zip(members);
    let files = pipeline(&[("n.zip", &bytes)]);
    for (rest, content, other) in [
        ("b.txt:2", "two\n", "To read lines of 'n.zip:b.txt' instead, use offset and limit with that path"),
        ("b.txt:raw", "raw\n", "To read the bytes of 'n.zip:b.txt' instead, use :RAW with that path"),
        ("1-5", "range\n", "To read entries of 'n.zip' instead, use offset and limit with that path"),
        ("hex", "h\n", "To read a dump of 'n.zip' instead, use :HEX with that path"),
        ("@0+3", "at\n", "To read the bytes of 'n.zip' instead, use :@0-2 with that path"),
    ] {
        let read = output(&files, &format!("n.zip:{rest}")).unwrap();
        assert_eq!(read.to_text(), content);
        assert_eq!(
            read.details.notices,
            [format!("'n.zip:{rest}' is the name of an archive entry. {other}")]
        );
    }
    assert!(text(&files, "n.zip:HEX").starts_with("00000000  50 4b"));
    assert_eq!(text(&files, "n.zip:b.txt:RAW"), "1\n2\n");
    // Nothing else is named so far.
    assert_eq!(output(&files, "n.zip:c:2").unwrap().details.notices, Vec::<String>::new());
}

#[test]
fn a_question_mark_in_place_of_a_colon_is_no_query_of_an_archive() {
    let bytes = zip(&[("dir/long.txt", b"x\n")]);
    let error = output(&pipeline(&[("n.zip", &bytes)]), "n.zip?dir/long.txt").unwrap_err();
    assert_eq!(error.suggestions(), ["n.zip:dir/long.txt"]);
}
