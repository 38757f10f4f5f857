//! The guide shows this example's own code: each block of it stands in the file that is named above it.

use std::fs;

/// Blocks that show code of a file: a comment names it.
fn blocks(guide: &str) -> Vec<(String, String)> {
    let mut blocks = Vec::new();
    let mut lines = guide.lines().peekable();
    let mut file = None;
    while let Some(line) = lines.next() {
        if let Some(named) = line.strip_prefix("<!-- ").and_then(|rest| rest.strip_suffix(" -->")) {
            file = Some(named.to_owned());
        } else if line.starts_with("```rust") || line.starts_with("```toml") {
            let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            blocks.push((file.take().unwrap_or_default(), body.join("\n")));
        }
    }
    blocks
}

#[test]
fn the_guide_is_in_step_with_the_code() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let guide = fs::read_to_string(format!("{root}/docs/writing-a-reader.md")).unwrap();
    let blocks = blocks(&guide);
    assert!(blocks.len() >= 8, "the guide has {} blocks of code", blocks.len());
    for (file, block) in blocks {
        assert!(!file.is_empty(), "no file is named above this block:\n{block}");
        let code =
            fs::read_to_string(format!("{root}/{file}")).unwrap_or_else(|error| panic!("{file}: {error}"));
        // `…` on a line of its own stands for code that is left out.
        let mut rest = code.as_str();
        for part in block.split("\n…\n") {
            let at = rest.find(part).unwrap_or_else(|| panic!("{file} has no such code (any more):\n{part}"));
            rest = rest.get(at + part.len()..).unwrap_or_default();
        }
    }
}
