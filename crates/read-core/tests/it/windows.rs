//! A window is the same slice that a naive reader gives.

use proptest::prelude::*;
use read_core::{
    Body, Cancel, LineStyle, MemoryFileSystem, Noun, Pipeline, Registry, Request, Source, Stream,
};

use super::{file, limited, read, request};

/// The lines of a text as the contract defines them, without their ends.
fn naive_lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.split('\n').collect();
    if lines.last() == Some(&"") {
        lines.pop();
    }
    let last = lines.len();
    lines
        .into_iter()
        .enumerate()
        .map(|(at, line)| {
            let terminated = at + 1 < last || text.ends_with('\n');
            if terminated { line.strip_suffix('\r').unwrap_or(line) } else { line }
        })
        .collect()
}

fn texts() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just(String::new()),
        "[a-z]{0,8}",
        Just("é€😀".to_owned()),
        Just("a\rb".to_owned()),
        Just("x".repeat(300)),
        Just("\u{feff}".to_owned()),
    ];
    let end = prop_oneof![4 => Just("\n"), 2 => Just("\r\n"), 1 => Just("\r\r\n")];
    (proptest::collection::vec((line, end), 0..40), any::<bool>()).prop_map(|(lines, cut)| {
        let mut text: String = lines.iter().flat_map(|(line, end)| [line.as_str(), end]).collect();
        if cut {
            text.truncate(text.trim_end_matches(['\r', '\n']).len());
        }
        // A mark at the very start is not shown; that is another test's matter.
        text.trim_start_matches('\u{feff}').to_owned()
    })
}

/// What is shown of lines `first..=last`, without notices.
fn expected(text: &str, first: usize, last: usize, style: LineStyle) -> String {
    let lines = naive_lines(text);
    let mut out = String::new();
    for (number, line) in (1..).zip(&lines).skip(first - 1).take((last + 1).saturating_sub(first)) {
        match style {
            LineStyle::Numbered => out.push_str(&format!("{number:>4}\t")),
            LineStyle::Anchored => out.push_str(&format!("{number}:")),
            _ => {}
        }
        out.push_str(line);
        if number < lines.len() || text.ends_with('\n') {
            out.push('\n');
        }
    }
    out
}

fn body_and_shown(
    pipeline: &Pipeline,
    target: &str,
    request: &Request,
) -> (String, Option<Vec<[u64; 2]>>, Option<u64>) {
    let output = pipeline.read(target, request, Cancel::new()).unwrap();
    (output.to_text(), output.details.shown, output.details.total_lines)
}

proptest! {
    #[test]
    fn every_window_of_every_text(text in texts(), first in 1_usize..45, len in 0_usize..45, style in 0_usize..3) {
        let style = [LineStyle::Plain, LineStyle::Numbered, LineStyle::Anchored][style];
        let last = first + len;
        let total = naive_lines(&text).len();
        let request = request(|request| request.style = style);
        let stream = streamed(&text);
        for pipeline in [file(text.clone()), stream] {
            let (shown, ranges, lines) = body_and_shown(&pipeline, &format!("f.txt:{first}-{last}"), &request);
            prop_assert_eq!(lines, Some(total as u64));
            if total == 0 {
                prop_assert_eq!(shown, "[File is empty]");
                continue;
            }
            if first > total {
                let beyond = format!("Line {first} is beyond end of file");
                prop_assert!(shown.starts_with(&beyond));
                continue;
            }
            let body = expected(&text, first, last, style);
            prop_assert!(shown.starts_with(&body), "{:?} does not begin with {:?}", shown, body);
            let tail = &shown[body.len()..];
            let more = total.saturating_sub(last);
            if more > 0 {
                let lines = if more == 1 { "1 more line".to_owned() } else { format!("{more} more lines") };
                let notice = format!("[{lines} in file. Use :{}- to continue.]", last + 1);
                prop_assert!(tail.ends_with(&notice), "{:?}", tail);
            } else {
                prop_assert!(!tail.contains("more line"), "{:?}", tail);
            }
            prop_assert_eq!(ranges, Some(vec![[first as u64, last.min(total) as u64]]));
        }
    }

    #[test]
    fn every_list_of_windows(text in texts(), wanted in proptest::collection::vec((1_usize..40, 0_usize..6), 1..6)) {
        let total = naive_lines(&text).len();
        let selector: Vec<String> = wanted.iter().map(|(a, n)| format!("{a}-{}", a + n)).collect();
        let (shown, ranges, _) =
            body_and_shown(&file(text.clone()), &format!("f.txt:{}", selector.join(",")), &Request::default());
        let mut lines: Vec<usize> = wanted.iter().flat_map(|(a, n)| *a..=a + n).filter(|line| *line <= total).collect();
        lines.sort_unstable();
        lines.dedup();
        if lines.is_empty() {
            return Ok(());
        }
        let mut blocks: Vec<[u64; 2]> = Vec::new();
        for line in lines {
            match blocks.last_mut() {
                Some([_, last]) if *last + 1 == line as u64 => *last = line as u64,
                _ => blocks.push([line as u64, line as u64]),
            }
        }
        let mut body = String::new();
        for [first, last] in &blocks {
            if !body.is_empty() {
                body.push_str("\n…\n\n");
            }
            body.push_str(&expected(&text, *first as usize, *last as usize, LineStyle::Plain));
        }
        prop_assert!(shown.starts_with(&body), "{:?} does not begin with {:?}", shown, body);
        prop_assert_eq!(ranges, Some(blocks));
    }

    #[test]
    fn raw_windows_are_the_bytes(text in texts(), first in 1_usize..45, len in 0_usize..45) {
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let wanted: String = lines.iter().skip(first - 1).take(len + 1).copied().collect();
        let output = read(&file(text.clone()), &format!("f.txt:raw:{first}-{}", first + len)).unwrap();
        prop_assert_eq!(output.to_text(), wanted);
    }

    #[test]
    fn caps_cut_between_lines(text in texts(), max_lines in 1_u64..20, max_bytes in 1_u64..700) {
        let pipeline = limited(text.clone(), |limits| {
            limits.max_lines = Some(max_lines);
            limits.max_bytes = Some(max_bytes);
        });
        let output = read(&pipeline, "f.txt").unwrap();
        let shown = output.details.shown.clone().unwrap();
        let Some([first, last]) = shown.first().copied() else { return Ok(()) };
        prop_assert_eq!(first, 1);
        prop_assert!(last <= max_lines);
        let body = expected(&text, 1, last as usize, LineStyle::Plain);
        match output.details.truncated.as_ref().map(|truncated| truncated.by) {
            Some(read_core::TruncatedBy::Line) => {
                prop_assert_eq!(last, 1);
                prop_assert!(body.trim_end_matches('\n').len() as u64 > max_bytes);
            }
            by => {
                prop_assert!(output.to_text().starts_with(&body));
                let len = |body: &str| body.strip_suffix('\n').unwrap_or(body).len() as u64;
                prop_assert!(len(&body) <= max_bytes);
                // As many lines as fit, no fewer.
                let more = expected(&text, 1, last as usize + 1, LineStyle::Plain);
                prop_assert_eq!(by.is_some(), more.len() > body.len());
                prop_assert!(len(&more) > max_bytes || last == max_lines || by.is_none());
            }
        }
    }
}

/// A pipeline over the same text as a stream that gives a few bytes at a time.
fn streamed(text: &str) -> Pipeline {
    struct Streams(Vec<u8>);
    impl read_core::FileSystem for Streams {
        fn resolve(&self, path: &[u8]) -> Result<Option<read_core::Resolved>, read_core::ReadError> {
            Ok((path == b"f.txt").then(|| read_core::Resolved::new("f.txt", "f.txt", ())))
        }
        fn open(&self, _: &read_core::Resolved) -> Result<Source, read_core::ReadError> {
            let bytes = self.0.clone();
            let stream = Stream::view(move || Ok(Box::new(Trickle(std::io::Cursor::new(bytes.clone())))));
            Ok(Source::new("f.txt", "f.txt", Noun::File, Body::Stream(stream)))
        }
    }
    struct Trickle(std::io::Cursor<Vec<u8>>);
    impl std::io::Read for Trickle {
        fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
            let n = buf.len().min(7);
            self.0.read(buf.get_mut(..n).unwrap())
        }
    }
    Pipeline::new(Streams(text.as_bytes().to_vec())).with_registry(Registry::core())
}

/// Windows that cross blocks and pieces of the index, far beyond what a generated text has.
#[test]
fn windows_of_a_large_file_agree_with_a_naive_reader() {
    let text: String = (0..300_000_u32)
        .map(|n| match n % 7 {
            0 => "\n".to_owned(),
            1 => format!("line {n} é\r\n"),
            2 => "y".repeat((n % 90) as usize) + "\n",
            _ => format!("{n}\n"),
        })
        .collect();
    let total = naive_lines(&text).len();
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("f.txt"), &text).unwrap();
    let memory = Pipeline::new(MemoryFileSystem::new().with("f.txt", text.clone()));
    let disk = Pipeline::new(read_core::LocalFileSystem::builder().root(dir.path()).build().unwrap());
    // Twice, so that the second round goes through the index.
    for first in [1, 2, 9_999, 65_537, 150_000, total - 3, total, 1, 299_000, 40, 150_000] {
        let last = first + 20;
        let wanted = expected(&text, first, last, LineStyle::Plain);
        for pipeline in [&memory, &disk] {
            let shown = super::text(pipeline, &format!("f.txt:{first}-{last}"));
            assert!(shown.starts_with(&wanted), "from line {first}");
        }
    }
}
