//! Directories.

use read_core::{Cancel, ErrorCode, Limits, MemoryFileSystem, Pipeline};

use super::{read, request, text};

fn many(n: usize) -> Pipeline {
    let files = MemoryFileSystem::new();
    for n in 1..=n {
        files.insert(format!("d/n{n}"), "x");
    }
    Pipeline::new(files)
}

#[test]
fn directories_first_in_natural_order() {
    let files =
        MemoryFileSystem::new().with("d/n10", "x").with("d/n2", "xy").with("d/z/a", "").with("d/.dot", "");
    assert_eq!(text(&Pipeline::new(files), "d"), "z/\n.dot (0B)\nn2 (2B)\nn10 (1B)\n");
}

#[test]
fn windows_pick_entries() {
    let files = many(9);
    assert_eq!(
        text(&files, "d:2-3"),
        "n2 (1B)\nn3 (1B)\n\n[6 more entries in listing. Use :4- to continue.]"
    );
    assert_eq!(text(&files, "d:-2"), "n8 (1B)\nn9 (1B)\n");
    let request = request(|request| request.offset = Some(9));
    assert_eq!(files.read("d", &request, Cancel::new()).unwrap().to_text(), "n9 (1B)\n");
    assert!(text(&files, "d:50").starts_with("Entry 50 is beyond end of listing (9 entries total)."));
}

#[test]
fn a_long_listing_is_cut_and_followed() {
    let files = many(1_203);
    let output = read(&files, "d").unwrap();
    assert!(
        output
            .to_text()
            .ends_with("\nn500 (1B)\n\n[Showing entries 1-500 of 1203. Use offset=501 to continue.]")
    );
    assert_eq!(output.details.truncated.unwrap().next_target.as_deref(), Some("d:501-"));
    assert!(text(&files, "d:501-").ends_with("[Showing entries 501-1000 of 1203. Use :1001- to continue.]"));
    assert!(text(&files, "d:1001-").ends_with("n1203 (1B)\n"));
}

#[test]
fn odd_names_stay_on_a_line_and_read_back() {
    let files = MemoryFileSystem::new();
    for name in [
        &b"new\nline"[..],
        b"esc\x1b[31m",
        b"inv\xff",
        "bidi\u{202e}".as_bytes(),
        b"back\\slash",
        b"back\\n",
        b"[1 more line]",
    ] {
        files.insert([b"d/", name].concat(), format!("content of {name:?}\n"));
    }
    let files = Pipeline::new(files);
    let listing = text(&files, "d");
    assert_eq!(listing.lines().count(), 7, "{listing}");
    for line in listing.lines() {
        let name = line.rsplit_once(" (").unwrap().0;
        assert!(text(&files, &format!("d/{name}")).starts_with("content of"), "{name}");
    }
}

#[test]
fn an_empty_directory_and_a_host_without_listings() {
    let files = || MemoryFileSystem::new().with("d/x", "");
    assert_eq!(text(&Pipeline::new(MemoryFileSystem::new()), "."), "(empty directory)\n");
    let mut limits = Limits::default();
    limits.listings = false;
    let error = read(&Pipeline::new(files()).with_limits(limits), "d").unwrap_err();
    assert_eq!((error.code(), error.is_correctable()), (ErrorCode::IsDirectory, true));
}

#[test]
fn a_name_behind_the_wrong_separator_is_put_right() {
    let files = Pipeline::new(MemoryFileSystem::new().with("d/x.txt", "a\nb\n"));
    let error = read(&files, "d:x.txt:1-2").unwrap_err();
    assert_eq!(
        (error.code(), error.suggestions()),
        (ErrorCode::InvalidSelector, &["d/x.txt:1-2".to_owned()][..])
    );
    assert_eq!(read(&files, "d:raw").unwrap_err().code(), ErrorCode::InvalidSelector);
}

#[test]
fn a_tail_over_the_caps_keeps_its_end() {
    let shown = text(&many(1_203), "d:-600");
    assert!(shown.starts_with("n704 (1B)\n"));
    assert!(
        shown.ends_with(
            "n1203 (1B)\n\n[Showing entries 704-1203 of 1203. Use :604-703 for the entries before.]"
        )
    );
}

#[test]
fn lists_of_windows_are_told_apart() {
    let files = many(9);
    assert_eq!(text(&files, "d:1-2,5-5"), "n1 (1B)\nn2 (1B)\n\n…\n\nn5 (1B)\n");
    assert_eq!(
        text(&files, "d:1-1,50-60"),
        "n1 (1B)\n[Range 50-60 is beyond end of listing (9 entries total); skipped]\n"
    );
}

#[test]
fn a_cap_within_several_windows_counts_what_is_shown() {
    let output = read(&many(1_203), "d:1-400,600-800").unwrap();
    assert!(
        output
            .to_text()
            .ends_with("[Output truncated: showing 500 of 601 selected entries. Use :700-800 to continue.]")
    );
    assert_eq!(output.details.shown, Some(vec![[1, 400], [600, 699]]));
    assert_eq!(output.details.truncated.unwrap().next_target.as_deref(), Some("d:700-800"));
}

#[test]
fn an_unknown_encoding_is_an_error_whatever_is_read() {
    let request = request(|request| request.encoding = Some("klingon".into()));
    for target in ["d", "d/n1:hex", "d/n1"] {
        let error = many(1).read(target, &request, Cancel::new()).unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidArguments, "{target}");
    }
}

#[test]
fn a_host_without_listings_offers_no_names() {
    let mut limits = Limits::default();
    limits.listings = false;
    let error = read(&many(3).with_limits(limits), "d/n4").unwrap_err();
    assert_eq!((error.code(), error.suggestions().len()), (ErrorCode::NotFound, 0));
}
