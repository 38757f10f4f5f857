//! The reference pages say what the code does.

use std::collections::BTreeSet;

use read_tool::{Details, ErrorCode, ImageDetails, LedgerLimits, Truncated, TruncatedBy};

const DETAILS: &str = include_str!("../../../../docs/details.md");
const LIMITS: &str = include_str!("../../../../docs/limits.md");
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

#[test]
fn every_key_of_the_details_is_explained() {
    let mut details = Details::default();
    details.truncated = Some(Truncated::new(TruncatedBy::ReadLimit, 1, None));
    details.image = Some(ImageDetails::new((1, 1), (1, 1)));
    details.member.insert("method", "deflate".to_owned());
    let json = serde_json::to_value(&details).unwrap();
    let mut known: BTreeSet<String> = json.as_object().unwrap().keys().cloned().collect();
    known.extend(json["truncated"].as_object().unwrap().keys().cloned());
    let written: BTreeSet<String> =
        rows(DETAILS).map(|cells| cells[1].trim_matches('`').to_owned()).collect();
    assert_eq!(written, known);
    let image = DETAILS.lines().find(|line| line.starts_with("| `image`")).unwrap();
    assert!(json["image"].as_object().unwrap().keys().all(|key| image.contains(&format!("`{key}`"))));
}

#[test]
fn the_limits_of_the_ledger_are_on_their_page() {
    let LedgerLimits { paths, whole_bytes, ranges, .. } = LedgerLimits::default();
    for (name, value) in [
        ("paths", paths.to_string()),
        ("whole_bytes", format!("{} MiB", whole_bytes >> 20)),
        ("ranges", ranges.to_string()),
    ] {
        let row = LIMITS.lines().find(|line| line.contains(&format!("| `{name}` |"))).unwrap();
        assert_eq!(row.split('|').nth(2).unwrap().trim().replace(',', ""), value, "{name}");
    }
}
