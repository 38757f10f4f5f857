//! The reference pages say what the code does.

use read_tool::ErrorCode;

const ERRORS: &str = include_str!("../../../../docs/errors.md");

/// The cells of the rows whose first cell is code.
fn rows(page: &str) -> impl Iterator<Item = Vec<&str>> {
    page.lines().filter(|line| line.starts_with("| `")).map(|line| line.split('|').map(str::trim).collect())
}

#[test]
fn every_error_code_is_explained_in_order() {
    let written: Vec<_> = rows(ERRORS)
        .map(|cells| {
            assert!(cells[3].len() > 10, "{} says when it comes", cells[1]);
            (cells[1].trim_matches('`').to_owned(), cells[2] == "yes")
        })
        .collect();
    let known: Vec<_> =
        ErrorCode::ALL.iter().map(|code| (code.as_str().to_owned(), code.is_correctable())).collect();
    assert_eq!(written, known);
}
