//! Limits: what stops a read, and what it says then.

use std::io::Read;
use std::time::Duration;

use read_core::{
    Body, Cancel, ErrorCode, FileSystem, Limits, Noun, Pipeline, ReadError, Request, Resolved, Source, Stream,
};

use super::{limited, numbers, read, text};

/// One endless file.
struct Endless {
    decoded: bool,
}

impl FileSystem for Endless {
    fn resolve(&self, path: &[u8]) -> Result<Option<Resolved>, ReadError> {
        Ok((path == b"f.txt").then(|| Resolved::new("f.txt", "f.txt", ())))
    }

    fn open(&self, _: &Resolved) -> Result<Source, ReadError> {
        let recipe = || Ok(Box::new(Lines) as Box<dyn Read + Send>);
        let stream = if self.decoded { Stream::decoded(recipe) } else { Stream::view(recipe) };
        Ok(Source::new("f.txt", "f.txt", Noun::File, Body::Stream(stream)))
    }
}

struct Lines;

impl Read for Lines {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        buf.fill(b'x');
        buf.iter_mut().step_by(50).for_each(|byte| *byte = b'\n');
        Ok(buf.len())
    }
}

fn endless(decoded: bool, change: impl FnOnce(&mut Limits)) -> Pipeline {
    let mut limits = Limits::default();
    change(&mut limits);
    Pipeline::new(Endless { decoded }).with_limits(limits)
}

#[test]
fn a_window_of_an_endless_stream() {
    let pipeline = endless(false, |limits| limits.count_beyond = 1 << 20);
    let shown = text(&pipeline, "f.txt:2-3");
    assert!(shown.contains("[At least "), "{shown}");
}

#[test]
fn the_budget_costs_the_count_but_not_the_page() {
    let pipeline = endless(true, |limits| limits.budget_base = 10 << 20);
    let shown = text(&pipeline, "f.txt");
    let notice = shown.rsplit("\n\n").next().unwrap();
    assert!(notice.starts_with("[Showing lines 1-") && notice.contains(" of at least "), "{notice}");
    let error = read(&pipeline, "f.txt:90000000").unwrap_err();
    assert_eq!((error.code(), error.is_correctable()), (ErrorCode::TooLarge, true));
    assert!(error.message().contains("earlier window"));
}

#[test]
fn the_deadline_is_an_error_that_can_be_mended() {
    let pipeline = endless(false, |limits| limits.timeout = Some(Duration::from_millis(50)));
    let error = read(&pipeline, "f.txt:9000000000").unwrap_err();
    assert_eq!((error.code(), error.is_correctable()), (ErrorCode::TimedOut, true));
}

#[test]
fn a_cancelled_read_is_no_partial_answer() {
    let pipeline = endless(false, |limits| limits.timeout = None);
    let cancel = Cancel::new();
    let switch = cancel.clone();
    let error = std::thread::scope(|scope| {
        let read = scope.spawn(|| pipeline.read("f.txt:9000000000", &Request::default(), cancel));
        std::thread::sleep(Duration::from_millis(20));
        switch.cancel();
        read.join().unwrap().unwrap_err()
    });
    assert_eq!(error.code(), ErrorCode::Cancelled);
}

#[test]
fn the_host_reads_no_further() {
    let pipeline = limited(numbers(100_000), |limits| {
        limits.max_read_bytes = Some(1_000);
        (limits.max_lines, limits.max_bytes) = (None, None);
    });
    let output = read(&pipeline, "f.txt").unwrap();
    assert!(output.to_text().ends_with("\n\n[File truncated at 1000 bytes: this host reads no further]"));
    assert_eq!(output.details.total_lines, Some(277));
    assert_eq!(output.details.truncated.unwrap().next, 1_000);
    // Tails and totals are of what remains.
    assert!(text(&pipeline, "f.txt:-1").starts_with("277\n"));
    assert!(text(&pipeline, "f.txt:@2000").starts_with("Byte 2000 is beyond end of file (1000 bytes)."));
}

#[test]
fn one_line_without_end_costs_no_memory() {
    struct OneLine;
    impl FileSystem for OneLine {
        fn resolve(&self, path: &[u8]) -> Result<Option<Resolved>, ReadError> {
            Ok((path == b"f.txt").then(|| Resolved::new("f.txt", "f.txt", ())))
        }
        fn open(&self, _: &Resolved) -> Result<Source, ReadError> {
            let stream = Stream::view(|| Ok(Box::new(std::io::repeat(b'x').take(300 << 20))));
            Ok(Source::new("f.txt", "f.txt", Noun::File, Body::Stream(stream)))
        }
    }
    let pipeline = Pipeline::new(OneLine);
    assert!(
        text(&pipeline, "f.txt")
            .ends_with("[Line 1 is 300.0MB; showing its first 50.0KB. Use :@51200+51200 to continue.]")
    );
    assert!(text(&pipeline, "f.txt:1-1").contains("[Line 1 is over 16."));
}

/// A directory that counts how often it is listed.
#[test]
fn a_missing_name_full_of_colons_lists_its_directory_once() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    struct Counting(Arc<AtomicUsize>);
    impl read_core::Entries for Counting {
        fn list(&self) -> Result<Vec<read_core::Entry>, ReadError> {
            self.0.fetch_add(1, Ordering::Relaxed);
            Ok(vec![read_core::Entry::new("b.txt", read_core::EntryKind::File(Some(1)))])
        }
    }
    struct OneDirectory(Arc<AtomicUsize>);
    impl FileSystem for OneDirectory {
        fn resolve(&self, path: &[u8]) -> Result<Option<Resolved>, ReadError> {
            Ok((path == b"." || path == b"b.txt").then(|| Resolved::new(".", ".", ())))
        }
        fn open(&self, _: &Resolved) -> Result<Source, ReadError> {
            Ok(Source::new(".", ".", Noun::Directory, Body::Dir(Arc::new(Counting(Arc::clone(&self.0))))))
        }
    }
    let listed = Arc::new(AtomicUsize::new(0));
    let error =
        read(&Pipeline::new(OneDirectory(Arc::clone(&listed))), &format!("{}c.txt", "a:".repeat(2_000)))
            .unwrap_err();
    assert_eq!(error.code(), ErrorCode::NotFound);
    assert!(listed.load(Ordering::Relaxed) <= 2, "{}", listed.load(Ordering::Relaxed));
}
