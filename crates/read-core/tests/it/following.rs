//! Following the notices from the first page to the end gives the file back.

use proptest::prelude::*;
use read_core::{Pipeline, Request};

use super::{limited, read};

/// Reads page after page by the call that each one names; gives what was shown, line ends made plain.
fn follow(pipeline: &Pipeline, target: &str) -> String {
    let mut all = String::new();
    let mut next = target.to_owned();
    for _ in 0..10_000 {
        let output = read(pipeline, &next).unwrap_or_else(|error| panic!("{next}: {error}"));
        let shown = output.to_text();
        let notices: usize =
            output.details.notices.iter().map(|notice| format!("[{notice}]").len() + 1).sum();
        let body = if notices == 0 {
            shown.as_str()
        } else {
            shown[..(shown.len() + 1).saturating_sub(notices)].strip_suffix('\n').unwrap_or("")
        };
        let Some(call) = output.details.notices.last().and_then(|notice| notice.split("Use ").nth(1)) else {
            all.push_str(body);
            return all;
        };
        let call = call.split(" to continue").next().unwrap();
        if call.starts_with(":@") && body.ends_with('\n') && !output.details.shown_bytes.is_some_and(|_| true)
        {
            // The newline between a cut line and its notice is not the file's.
            all.push_str(body.strip_suffix('\n').unwrap());
        } else {
            all.push_str(body);
        }
        next = match call.strip_prefix("offset=") {
            Some(line) => format!("{target}:{line}-"),
            None => format!("{target}{call}"),
        };
    }
    panic!("{target}: no end");
}

#[test]
fn several_real_files_come_back_whole() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    for name in ["Cargo.lock", "crates/read-core/src/text/sheet.rs", "crates/read-core/src/resolve.rs"] {
        let content = std::fs::read_to_string(format!("{root}/{name}")).unwrap();
        for (lines, bytes) in [(7, 50_000), (2_000, 333), (50, 4_096)] {
            let pipeline = limited(content.clone(), |limits| {
                limits.max_lines = Some(lines);
                limits.max_bytes = Some(bytes);
            });
            assert_eq!(follow(&pipeline, "f.txt"), content, "{name} by {lines} lines, {bytes} bytes");
        }
    }
}

proptest! {
    #[test]
    fn byte_windows_follow_each_other(text in "[aé€😀\n]{1,200}", cap in 1_u64..40) {
        let pipeline = limited(text.clone(), |limits| limits.max_bytes = Some(cap));
        let mut all = String::new();
        let mut at = 0;
        while at < text.len() as u64 {
            let output = read(&pipeline, &format!("f.txt:@{at}+{cap}")).unwrap();
            let [first, next] = output.details.shown_bytes.unwrap();
            prop_assert_eq!(first, at);
            prop_assert!(next > at);
            all.push_str(&text[at as usize..next as usize]);
            let shown = output.to_text();
            prop_assert!(shown.starts_with(&text[at as usize..next as usize]), "{:?} at {}", shown, at);
            at = next;
        }
        prop_assert_eq!(all, text);
    }
}

#[test]
fn one_endless_line_is_followed_to_its_end() {
    let content = "0123456789é".repeat(5_000);
    let pipeline = limited(content.clone(), |limits| limits.max_bytes = Some(1_000));
    let mut all = String::new();
    let mut next = "f.txt".to_owned();
    loop {
        let output = pipeline.read(&next, &Request::default(), read_core::Cancel::new()).unwrap();
        let shown = output.to_text();
        all.push_str(shown.split("\n\n[").next().unwrap());
        match output.details.truncated {
            Some(truncated) => next = truncated.next_target.unwrap(),
            None => match output.details.notices.last().and_then(|notice| notice.split("Use ").nth(1)) {
                Some(call) => next = format!("f.txt{}", call.split(" to continue").next().unwrap()),
                None => break,
            },
        }
    }
    assert_eq!(all, content);
}
