//! Windows of bytes and dumps.

use read_core::ErrorCode;

use super::{file, limited, read, text};

#[test]
fn bytes_of_a_file() {
    let file = file("hello world\n");
    assert_eq!(text(&file, "f.txt:@6+5"), "world\n\n[1 more byte in file. Use :@11+1 to continue.]");
    assert_eq!(text(&file, "f.txt:@6-10"), "world\n\n[1 more byte in file. Use :@11+1 to continue.]");
    assert_eq!(text(&file, "f.txt:@6"), "world\n");
    assert_eq!(text(&file, "f.txt:@0+4"), "hell\n\n[8 more bytes in file. Use :@4+4 to continue.]");
    assert_eq!(text(&file, "f.txt:@99"), "Byte 99 is beyond end of file (12 bytes).");
    assert_eq!(read(&file, "f.txt:@6+5").unwrap().details.shown_bytes, Some([6, 11]));
}

#[test]
fn a_window_is_cut_inwards_and_one_inside_a_character_gives_it() {
    assert!(text(&file("aé€😀z"), "f.txt:@2+7").starts_with("€\n\n["));
    assert!(text(&file("éé"), "f.txt:@1+1").starts_with("é\n\n[2 more bytes"));
}

#[test]
fn a_capped_window_goes_on_to_the_callers_end() {
    let pipeline = limited("x".repeat(1_000), |limits| limits.max_bytes = Some(100));
    assert!(
        text(&pipeline, "f.txt:@10+500").ends_with("[890 more bytes in file. Use :@110+400 to continue.]")
    );
    assert!(text(&pipeline, "f.txt:@10").ends_with("[890 more bytes in file. Use :@110+890 to continue.]"));
}

#[test]
fn wide_characters_are_not_torn() {
    let bytes: Vec<u8> = "\u{feff}a😀b".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let file = file(bytes);
    // Offset 5 lies within the pair of units that makes the emoji.
    assert!(text(&file, "f.txt:@6+4").starts_with('b'), "{}", text(&file, "f.txt:@6+4"));
    assert!(text(&file, "f.txt:@4+2").starts_with("😀"));
}

#[test]
fn dumps_as_hexdump_prints_them() {
    let file = file(b"AB\0\x01");
    assert_eq!(
        text(&file, "f.txt:hex"),
        "00000000  41 42 00 01                                       |AB..|\n00000004\n"
    );
    assert_eq!(
        text(&file, "f.txt:hex:@1+2"),
        "00000001  42 00                                             |B.|\n00000003\n\n[1 more byte in file. Use :hex:@3+1 to continue.]"
    );
    assert_eq!(text(&file, "f.txt:HEX:@9"), "Byte 9 is beyond end of file (4 bytes).");
}

#[test]
fn a_dump_without_a_length_is_four_kilobytes() {
    let output = read(&file(vec![7_u8; 10_000]), "f.txt:hex").unwrap();
    assert_eq!(output.details.shown_bytes, Some([0, 4_096]));
    assert!(
        output.to_text().ends_with("[5904 more bytes in file. Use :hex:@4096+4096 to continue.]"),
        "{}",
        output.to_text()
    );
}

#[test]
fn dumps_agree_with_hexdump() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("f.txt");
    let content: Vec<u8> = (0..3_000_u32).map(|n| if n % 640 < 300 { (n * 7) as u8 } else { 0 }).collect();
    std::fs::write(&path, &content).unwrap();
    for (offset, len) in [(0, 3_000), (5, 100), (301, 900), (2_990, 10)] {
        let run = std::process::Command::new("hexdump")
            .args(["-C", "-s", &offset.to_string(), "-n", &len.to_string()])
            .arg(&path)
            .output();
        let Ok(run) = run else {
            eprintln!("skipped: hexdump is not installed");
            return;
        };
        let shown = text(&file(content.clone()), &format!("f.txt:hex:@{offset}+{len}"));
        let dump = shown.split("\n\n[").next().unwrap().trim_end();
        assert_eq!(dump, String::from_utf8_lossy(&run.stdout).trim_end(), "{offset}+{len}");
    }
}

#[test]
fn bytes_of_a_binary_are_offered_as_a_dump() {
    let error = read(&file([0_u8, 1, 2, 3].repeat(100)), "f.txt:@0+4").unwrap_err();
    assert_eq!(error.code(), ErrorCode::UnsupportedContent);
    assert!(error.message().contains(":hex"));
}

#[test]
fn windows_of_wide_text_are_in_step_with_the_file() {
    let text_of = |width: usize| -> Vec<u8> {
        let text = "\u{feff}Hello, wörld 😀\nsecond line\n";
        match width {
            2 => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            _ => text.chars().flat_map(|c| u32::from(c).to_be_bytes()).collect(),
        }
    };
    for width in [2, 4] {
        let content = text_of(width);
        let file = file(content.clone());
        for offset in width..content.len() - 12 {
            let output = read(&file, &format!("f.txt:@{offset}+12")).unwrap();
            let shown = output.to_text();
            let body = shown.split("\n\n[").next().unwrap();
            assert!(
                !output.details.lossy && "Hello, wörld 😀\nsecond line\n".contains(body),
                "{width} {offset}: {body:?}"
            );
        }
    }
}

#[test]
fn the_read_limit_is_told_in_windows_and_dumps() {
    let notice = "[File truncated at 6 bytes: this host reads no further]";
    for target in ["f.txt:@0+100", "f.txt:@50", "f.txt:hex", "f.txt:stat"] {
        let pipeline = limited("1\n2\n3\n4\n5\n6\n", |limits| limits.max_read_bytes = Some(6));
        assert!(text(&pipeline, target).contains(notice), "{target}: {}", text(&pipeline, target));
    }
    // A character that the limit cuts is no fault of the text.
    let pipeline = limited("aéé", |limits| limits.max_read_bytes = Some(4));
    let output = read(&pipeline, "f.txt").unwrap();
    assert!(
        output.to_text().starts_with("aé\n\n[File truncated") && !output.details.lossy,
        "{}",
        output.to_text()
    );
}
