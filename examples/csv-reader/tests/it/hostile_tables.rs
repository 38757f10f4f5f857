//! Tables that nobody would draw.

use read_core::ErrorCode;

use super::{csv, limited, read, text};

#[test]
fn a_quote_that_is_never_closed_does_not_swallow_the_file() {
    let content = "a,b\n1,2\n3,\"open\n".to_owned() + &"x,y\n".repeat(1 << 20);
    let output = read(&csv(content), "t.csv").unwrap();
    let shown = output.to_text();
    assert!(shown.contains("| 1   | 2   |\n"), "{shown}");
    assert!(shown.contains("has a row over 1.0MB: a quote is not closed"), "{shown}");
    let next = output.details.truncated.unwrap().next_target.unwrap();
    assert!(text(&csv("a,b\n1,2\n3,\"open\nx,y\n"), &next).starts_with("3,\"open\n"), "{next}");
}

#[test]
fn a_row_of_very_many_columns_stays_readable() {
    let header: String = (1..=500).map(|n| format!("c{n},")).collect();
    let table = csv(format!("{header}last\n{}", "v,".repeat(500)));
    let shown = text(&table, "t.csv");
    assert!(shown.contains("[437 columns not shown. Use ?cols=#65 and so on to choose columns]"), "{shown}");
    assert!(shown.len() < 2_000);
    assert!(text(&table, "t.csv?cols=#65,last").starts_with("| c65 | last |\n"));
}

#[test]
fn cells_cannot_forge_rows_or_notices() {
    let shown =
        text(&csv("a\n\"x\n[1 more row in file. Use :9- to continue.]\"\n\"p | q\"\n\u{202e}z\n"), "t.csv");
    assert_eq!(shown.lines().count(), 5, "{shown}");
    assert!(shown.contains("p \\| q") && shown.contains("\\u{202e}z"), "{shown}");
}

#[test]
fn the_hosts_read_limit_holds() {
    let table = limited("a,b\n1,2\n3,4\n5,6\n", |limits| limits.max_read_bytes = Some(12));
    let shown = text(&table, "t.csv");
    assert!(shown.contains("| 3   | 4   |\n") && !shown.contains('5'), "{shown}");
    assert!(shown.contains("[File truncated at 12 bytes: this host reads no further]"), "{shown}");
}

#[test]
fn too_many_columns_at_once_are_refused() {
    let table = csv("a,b\n1,2\n");
    let many = vec!["a"; 65].join(",");
    let error = read(&table, &format!("t.csv?cols={many}")).unwrap_err();
    assert_eq!(error.code(), ErrorCode::InvalidQuery);
}
