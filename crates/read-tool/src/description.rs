//! The tool's description for a model, put together from what this build can read.

use std::fmt::Write;

use read_core::{Limits, Registry, TargetReader, size};

/// What a model is told about the tool. Nothing in it speaks of a reader that is not in `registry`.
pub(crate) fn describe(registry: &Registry, limits: &Limits, anchors: bool) -> String {
    let readers = in_order(registry, limits);
    let mut text = String::from(
        "Reads a file or directory, or part of one, and says what it left out. `path` is a path; a colon and what you \
         want of it may follow. A name that exists as it is written comes first.\n\nReads ",
    );
    let reads: Vec<_> = readers.iter().map(|reader| reader.help().reads).collect();
    text.push_str(&reads.join("; "));
    text.push_str(".\n\n");
    for line in readers.iter().flat_map(|reader| reader.help().targets.lines()) {
        text.push_str(line);
        text.push('\n');
    }
    text.push('\n');
    if let Some(caps) = caps(limits) {
        let _ = write!(text, "At most {caps} are shown. ");
    }
    text.push_str(
        "Bracketed lines at the end are notices of the tool: what was left out, and the next call, as in `[Showing lines \
         1-2000 of 9000. Use offset=2001 to continue.]`. `offset` and `limit` pick lines or entries as a selector does; a \
         selector in the path beats them.",
    );
    if anchors {
        text.push_str(" `hashline` anchors lines for edits: `[path#TAG]`, then `N:text`.");
    }
    text.push_str(
        "\nAn error says what is wrong and what to call instead; a wrong name gets near ones. A refusal (`denied`) is \
         final: other spellings are refused too.",
    );
    text
}

/// The readers that have something to say: what nearly every call is about comes first.
fn in_order(registry: &Registry, limits: &Limits) -> Vec<&'static dyn TargetReader> {
    let mut readers: Vec<_> = registry
        .iter()
        .filter(|reader| !reader.help().reads.is_empty())
        .filter(|reader| limits.listings || reader.name() != "directory")
        .collect();
    readers.sort_by_key(|reader| (reader.name() != "text", reader.name() != "directory"));
    readers
}

fn caps(limits: &Limits) -> Option<String> {
    let lines = limits.max_lines.map(|lines| format!("{lines} lines"));
    let bytes = limits.max_bytes.map(size);
    match (lines, bytes) {
        (Some(lines), Some(bytes)) => Some(format!("{lines} or {bytes}")),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_mirrors_the_limits() {
        let mut limits = Limits::default();
        let text = describe(&Registry::core(), &limits, false);
        assert!(text.contains("At most 2000 lines or 50.0KB are shown."), "{text}");
        assert!(text.contains("directories, as listings") && !text.contains("hashline"), "{text}");
        limits.max_lines = None;
        limits.max_bytes = None;
        limits.listings = false;
        let text = describe(&Registry::core(), &limits, true);
        assert!(!text.contains("At most") && !text.contains("directories"), "{text}");
        assert!(text.contains("`hashline`"), "{text}");
    }
}
