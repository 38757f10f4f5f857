//! What a table looks like, and which files are one.

use read_core::{Cancel, ErrorCode, LineStyle, Request};

use super::{csv, pipeline, read, rows, text};

#[test]
fn quotes_line_ends_and_ragged_rows() {
    let shown = text(&csv("\u{feff}id,note\r\n1,\"a, \"\"b\"\"\nc\"\r\n\r\n2\r\n3,x,y"), "t.csv");
    assert_eq!(
        shown,
        "| id  | note      |     |\n| --- | --------- | --- |\n| 1   | a, \"b\"\\nc |     |\n| 2   |           |     |\n| 3   | x         | y   |\n\n[2 rows have more or fewer fields than the header]"
    );
}

#[test]
fn delimiters_are_found() {
    assert_eq!(
        text(&pipeline("t.tsv", "a\tb\n1,5\t2\n"), "t.tsv"),
        "| a   | b   |\n| --- | --- |\n| 1,5 | 2   |\n"
    );
    let shown = text(&csv("preis;menge\n1,5;2\n2,5;3\n"), "t.csv:1-1");
    assert!(shown.starts_with("| preis | menge |\n"), "{shown}");
    assert!(shown.contains("[Columns split at ';']\n[1 more row in file. Use :2- to continue.]"), "{shown}");
}

#[test]
fn columns_are_chosen() {
    let table = csv("id,first name,born\n1,Ada,1815\n2,Alan,1912\n");
    assert_eq!(
        text(&table, "t.csv?cols=born,id"),
        "| born | id  |\n| ---- | --- |\n| 1815 | 1   |\n| 1912 | 2   |\n"
    );
    let shown = text(&table, "t.csv:1-1?cols=first name");
    assert!(shown.ends_with("[1 more row in file. Use :2-?cols=first name to continue.]"), "{shown}");
    assert!(text(&table, "t.csv:2-?cols=first name").contains("| Alan       |"));
    let error = read(&table, "t.csv?cols=age").unwrap_err();
    assert_eq!(error.code(), ErrorCode::InvalidQuery);
    assert!(error.message().contains("Use some of: id, first name, born"), "{error}");
}

#[test]
fn rows_are_numbered_when_the_caller_wants_numbers() {
    let mut request = Request::default();
    request.style = LineStyle::Numbered;
    let output = csv(rows(3)).read("t.csv:2-3", &request, Cancel::new()).unwrap();
    assert_eq!(
        output.to_text(),
        "| row | id  | name  |\n| --- | --- | ----- |\n| 2   | 2   | row 2 |\n| 3   | 3   | row 3 |\n"
    );
}

#[test]
fn what_is_of_the_text_is_cores() {
    let table = csv(rows(3));
    assert_eq!(text(&table, "t.csv:raw:2-2"), "1,row 1\n");
    assert!(text(&table, "t.csv:hex:@0+4").starts_with("00000000  69 64 2c 6e"));
    let facts = text(&table, "t.csv:stat");
    assert!(facts.contains("media type: text/csv\nencoding: UTF-8\n"), "{facts}");
    assert!(facts.contains("\nlines: 4\n") && facts.ends_with("\nreader: csv\n"), "{facts}");
    assert_eq!(text(&table, "t.csv:@0+7"), "id,name\n\n[25 more bytes in file. Use :@7+7 to continue.]");
    let mut anchored = Request::default();
    anchored.style = LineStyle::Anchored;
    let output = table.read("t.csv", &anchored, Cancel::new()).unwrap();
    assert!(output.to_text().starts_with("1:id,name\n2:1,row 1\n"));
}

#[test]
fn what_is_no_table_is_text() {
    for (content, shown) in [
        (&b""[..], "[File is empty]"),
        (b"\n\n", "\n\n"),
        (b"caf\xe9 cr\xe8me br\xfbl\xe9e\n", "Decoded from"),
    ] {
        let output = read(&csv(content), "t.csv").unwrap();
        assert_eq!(output.details.reader, "text");
        assert!(output.to_text().contains(shown), "{}", output.to_text());
    }
    assert_eq!(
        text(&csv("a,b\n"), "t.csv"),
        "| a   | b   |\n| --- | --- |\n\n[File has a header and no rows]"
    );
    for target in ["t.csv:0", "t.csv:5-2", "t.csv:name", "t.csv:raw:raw"] {
        assert_eq!(read(&csv(rows(3)), target).unwrap_err().code(), ErrorCode::InvalidSelector, "{target}");
    }
}
