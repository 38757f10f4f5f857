//! Windows, caps, and the calls that go on.

use read_core::{
    Body, Cancel, ErrorCode, FileSystem, Limits, MemoryFileSystem, Pipeline, ReadError, Registry, Request,
    Resolved, Source, Stream, TruncatedBy,
};

use std::io::Cursor;

use super::{csv, limited, read, rows, text};

#[test]
fn the_cap_on_rows() {
    let output = read(&csv(rows(3_000)), "t.csv").unwrap();
    assert!(
        output
            .to_text()
            .ends_with("| 2000 | row 2000 |\n\n[Showing rows 1-2000 of 3000. Use offset=2001 to continue.]")
    );
    let few = limited(rows(100), |limits| limits.max_lines = Some(10));
    let output = read(&few, "t.csv:1-50").unwrap();
    assert!(output.to_text().ends_with("\n\n[Showing rows 1-10 of 100. Use :11-50 to continue.]"));
    let truncated = output.details.truncated.unwrap();
    assert_eq!(
        (truncated.by, truncated.next, truncated.next_target.as_deref()),
        (TruncatedBy::Rows, 11, Some("t.csv:11-50"))
    );
    assert_eq!((output.details.total_lines, output.details.shown), (Some(100), Some(vec![[1, 10]])));
}

#[test]
fn the_cap_on_bytes() {
    let small = limited(rows(100), |limits| limits.max_bytes = Some(300));
    let shown = text(&small, "t.csv");
    let (table, notice) = shown.split_once("\n\n[").unwrap();
    assert!(table.len() < 300 && table.len() > 250, "{}", table.len());
    assert!(notice.contains("of 100 (300B limit). Use offset="), "{notice}");
}

#[test]
fn tails_keep_their_end() {
    assert!(text(&csv(rows(30)), "t.csv:-2").ends_with("| 29  | row 29 |\n| 30  | row 30 |\n"));
    let few = limited(rows(100), |limits| limits.max_lines = Some(3));
    assert!(
        text(&few, "t.csv:-5").ends_with("[Showing rows 98-100 of 100. Use :96-97 for the rows before.]")
    );
    assert!(text(&csv(rows(2)), "t.csv:-50").ends_with("| 2   | row 2 |\n"));
}

#[test]
fn several_windows() {
    let table = csv(rows(9));
    assert_eq!(
        text(&table, "t.csv:1-1,8-8,50-60"),
        "| id  | name  |\n| --- | ----- |\n| 1   | row 1 |\n\n…\n\n| 8   | row 8 |\n\n[Range 50-60 is beyond end of file (9 rows total); skipped]"
    );
    let few = limited(rows(9), |limits| limits.max_lines = Some(2));
    assert!(
        text(&few, "t.csv:1-1,4-6")
            .ends_with("[Output truncated: showing 2 of 4 selected rows. Use :5-6 to continue.]")
    );
}

#[test]
fn beyond_the_end() {
    let table = csv(rows(5));
    assert_eq!(
        text(&table, "t.csv:50"),
        "Row 50 is beyond end of file (5 rows total). Use :1 to read from the start, or :5 to read the last row."
    );
    let mut request = Request::default();
    request.offset = Some(50);
    let error = table.read("t.csv", &request, Cancel::new()).unwrap_err();
    assert_eq!(error.code(), ErrorCode::InvalidArguments);
    assert_eq!(error.message(), "Offset 50 is beyond end of file (5 rows total). Use offset=1 to 5.");
    request.limit = Some(2);
    request.offset = Some(2);
    let shown = table.read("t.csv", &request, Cancel::new()).unwrap().to_text();
    assert!(shown.ends_with("[2 more rows in file. Use offset=4 to continue.]"), "{shown}");
}

#[test]
fn what_lies_far_behind_a_window_is_not_counted() {
    let far = limited(rows(20_000), |limits| limits.count_beyond = 1_000);
    let shown = text(&far, "t.csv:1-2");
    assert!(shown.contains("KB more in file. Use :3- to continue.]"), "{shown}");
}

/// Files that come out of a decoder.
struct Decoded(MemoryFileSystem);

impl FileSystem for Decoded {
    fn resolve(&self, path: &[u8]) -> Result<Option<Resolved>, ReadError> {
        self.0.resolve(path)
    }

    fn open(&self, resolved: &Resolved) -> Result<Source, ReadError> {
        let source = self.0.open(resolved)?;
        let bytes = source.to_bytes(u64::MAX)?;
        let open = Stream::decoded(move || Ok(Box::new(Cursor::new(bytes.clone()))));
        Ok(source.content(source.name(), Body::Stream(open)))
    }
}

#[test]
fn a_budget_that_ends_while_counting_costs_the_count_alone() {
    let files = Decoded(MemoryFileSystem::new().with("t.csv", rows(100_000)));
    let mut limits = Limits::default();
    (limits.budget_base, limits.budget_factor) = (400 << 10, 0);
    let pipeline =
        Pipeline::new(files).with_registry(Registry::core().with(csv_reader::READER)).with_limits(limits);
    let output = read(&pipeline, "t.csv:1-2").unwrap();
    let shown = output.to_text();
    assert!(shown.starts_with("| id  | name  |\n| --- | ----- |\n| 1   | row 1 |\n"), "{shown}");
    assert!(shown.contains("were not counted: the read ran out of time or budget]\n"), "{shown}");
    assert!(shown.contains("[At least ") && shown.ends_with(" Use :3- to continue.]"), "{shown}");
    assert_eq!((output.details.total_lines, output.details.shown), (None, Some(vec![[1, 2]])));
    // Where the page itself cannot be had, that is an error.
    assert_eq!(read(&pipeline, "t.csv:90000-").unwrap_err().code(), ErrorCode::TooLarge);
}
