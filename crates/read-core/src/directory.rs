//! Directories: a listing of what they hold, on disk and in archives alike.

use std::cmp::Reverse;

use read_selector::{LineRanges, Lines};

use crate::context::ReadContext;
use crate::error::{ErrorCode, ReadError};
use crate::names::{count, natural_order, printed, shortened, size};
use crate::output::{Block, Details, Notice, Rank, Text, Truncated, TruncatedBy};
use crate::reader::{Answer, Match, Outcome, Probe, ReaderHelp, Strength, TargetReader};
use crate::registry::Reader;
use crate::source::{Entry, EntryKind, Noun, Source};
use crate::text::stat;
use crate::view::{Asked, View, Worded, next_call, next_range};

/// Lists directories.
pub(crate) static DIRECTORY: Reader = &DirectoryReader;

struct DirectoryReader;

impl TargetReader for DirectoryReader {
    fn name(&self) -> &'static str {
        "directory"
    }

    fn package(&self) -> &'static str {
        env!("CARGO_PKG_NAME")
    }

    fn help(&self) -> ReaderHelp {
        ReaderHelp {
            reads: "directories, as listings",
            targets: "\
src                   the entries of a directory
src:50-60             some of them, also :-20",
        }
    }

    fn probe(&self, probe: &Probe<'_>) -> Option<Match> {
        probe.is_dir().then_some(Match { strength: Strength::Fallback, media_type: "inode/directory" })
    }

    fn read(&self, source: &Source, rest: &str, cx: &ReadContext<'_>) -> Result<Outcome, ReadError> {
        if !cx.limits().listings {
            return Err(ReadError::new(
                ErrorCode::IsDirectory,
                format!(
                    "'{}' is {}, and this host lists none. Name a file in it.",
                    source.path(),
                    what(source)
                ),
            ));
        }
        let asked =
            Asked::of(rest, cx.request(), source.path()).map_err(|error| misread(error, source, rest))?;
        match &asked.view {
            View::Lines { lines, raw: false } => Ok(list(source, lines, &asked, cx)?.into()),
            View::Stat => Ok(stat::read(source, &asked, cx)?.into()),
            View::Lines { .. } | View::Bytes(_) | View::Hex(_) => Err(ReadError::new(
                ErrorCode::InvalidSelector,
                format!(
                    "'{path}' is {what}: ':{rest}' is not a selector for it. Use :1-50 or :-50 for some of its entries, :stat, or name a file in it.",
                    path = source.path(),
                    what = what(source),
                    rest = read_selector::Excerpt::new(rest)
                ),
            )),
        }
    }
}

/// What messages say that a source with entries is.
fn what(source: &Source) -> &'static str {
    // The root of an archive is the archive.
    let is_root = source.noun() == Noun::ArchiveDirectory && source.entry_name().is_empty();
    if is_root { "an archive" } else { source.noun().with_article() }
}

/// A tail that is no selector is most likely a name in the directory, behind the wrong separator.
fn misread(error: ReadError, source: &Source, rest: &str) -> ReadError {
    let first = rest.split(':').next().unwrap_or_default();
    let names_an_entry = source
        .entries()
        .and_then(|entries| entries.list().ok())
        .is_some_and(|entries| entries.iter().any(|entry| entry.name == first.as_bytes()));
    if !names_an_entry {
        return error;
    }
    let target = format!("{}/{}", source.path().trim_end_matches('/'), printed(rest.as_bytes()));
    ReadError::new(
        ErrorCode::InvalidSelector,
        format!("'{}' is {}. Use {target} to read in it.", source.path(), what(source)),
    )
    .with_suggestions([target])
}

fn list(source: &Source, lines: &Lines, asked: &Asked, cx: &ReadContext<'_>) -> Result<Answer, ReadError> {
    let entries = entries(source, cx)?;
    let total = entries.len() as u64;
    let mut page = Page {
        separate_next: false,
        text: String::new(),
        shown: Vec::new(),
        truncated: None,
        notices: asked.notices.clone(),
    };
    if total == 0 {
        page.text = format!("(empty {})\n", source.noun());
        return Ok(page.answer(total));
    }
    let wanted = match lines {
        Lines::All => &LineRanges::all(),
        Lines::Ranges(ranges) => ranges,
        Lines::Tail(n) => {
            page.list_tail(&entries, n.get(), source, cx);
            return Ok(page.answer(total));
        }
    };
    if wanted.first().start() > total {
        return beyond_end(page, source, wanted.first().start(), total, asked.worded);
    }
    let max_entries = cx.limits().max_entries.unwrap_or(u64::MAX);
    let max_bytes = cx.limits().max_bytes.unwrap_or(u64::MAX);
    for range in wanted {
        page.separate_next = !page.text.is_empty();
        let last = range.end().unwrap_or(total).min(total);
        let mut number = range.start();
        while number <= last {
            cx.meter().check()?;
            let Some(entry) = usize::try_from(number - 1).ok().and_then(|at| entries.get(at)) else { break };
            let line = line(entry);
            let by = if page.count() >= max_entries {
                Some(TruncatedBy::Entries)
            } else if !page.text.is_empty() && (page.text.len() + line.len()) as u64 > max_bytes {
                Some(TruncatedBy::Bytes)
            } else {
                None
            };
            if let Some(by) = by {
                page.cut(by, number, wanted, total, source, asked.worded);
                return Ok(page.answer(total));
            }
            page.push(number, &line);
            number += 1;
        }
    }
    for range in wanted.iter().filter(|range| range.start() > total) {
        let text =
            format!("Range {range} is beyond end of listing ({} total); skipped", count(total, "entry"));
        page.text.push('[');
        page.text.push_str(&text);
        page.text.push_str("]\n");
        page.notices.push(Notice::detail(Rank::LeftOut, text));
    }
    // The caller's own window ends before the listing does: say so, as for lines.
    let last = wanted.last().end().map_or(total, |end| end.min(total));
    if last < total && wanted.is_single().is_some() {
        let call = next_call(asked.worded, last + 1, None);
        page.go_on(format!("{} in listing. Use {call} to continue.", count(total - last, "more entry")));
    }
    Ok(page.answer(total))
}

/// The entries that may be seen, directories first, in natural order.
fn entries(source: &Source, cx: &ReadContext<'_>) -> Result<Vec<Entry>, ReadError> {
    let mut entries = source.entries().map_or_else(|| Ok(Vec::new()), |entries| entries.list())?;
    if cx.guard().has_rules() {
        let visible = Visible::of(source, cx);
        entries.retain(|entry| visible.permits(&entry.name));
    }
    entries.sort_by(|a, b| {
        Reverse(a.is_dir()).cmp(&Reverse(b.is_dir())).then_with(|| natural_order(&a.name, &b.name))
    });
    Ok(entries)
}

/// Asks the guard about names in one directory.
struct Visible<'a> {
    cx: &'a ReadContext<'a>,
    directories: Vec<Vec<u8>>,
}

impl<'a> Visible<'a> {
    fn of(source: &Source, cx: &'a ReadContext<'a>) -> Self {
        Self { cx, directories: source.guarded_paths(cx.resolved_path()) }
    }

    fn permits(&self, name: &[u8]) -> bool {
        self.directories.iter().all(|directory| {
            let mut path = directory.clone();
            if !path.is_empty() && !path.ends_with(b"/") {
                path.push(b'/');
            }
            path.extend_from_slice(name);
            self.cx.guard().permits(&path)
        })
    }
}

/// One line of a listing.
fn line(entry: &Entry) -> String {
    let name = shortened(&entry.name);
    let mut line = match &entry.kind {
        EntryKind::Directory => format!("{name}/"),
        EntryKind::File(Some(bytes)) => format!("{name} ({})", size(*bytes)),
        EntryKind::File(None) => name.into_owned(),
        EntryKind::Link(Some(target)) => format!("{name} -> {}", shortened(target)),
        EntryKind::Link(None) => format!("{name} -> (outside the workspace)"),
        EntryKind::Special(word) => format!("{name} ({word})"),
    };
    if let Some(remark) = &entry.remark {
        line.push_str(" [");
        line.push_str(&shortened(remark.as_bytes()));
        line.push(']');
    }
    line.push('\n');
    line
}

fn beyond_end(
    mut page: Page,
    source: &Source,
    first: u64,
    total: u64,
    worded: Worded,
) -> Result<Answer, ReadError> {
    let entries = count(total, "entry");
    if worded == Worded::Arguments {
        return Err(ReadError::new(
            ErrorCode::InvalidArguments,
            format!("Offset {first} is beyond end of listing ({entries} total). Use offset=1 to {total}."),
        ));
    }
    page.text = format!(
        "Entry {first} is beyond end of listing ({entries} total). Use :1 to list from the start, or :{total} for the last entry."
    );
    page.notices.push(Notice::detail(Rank::LeftOut, page.text.clone()));
    let _ = source;
    Ok(page.answer(total))
}

/// A listing, as far as it is written.
struct Page {
    text: String,
    /// Whether a separator stands before the next entry: it begins another block.
    separate_next: bool,
    shown: Vec<[u64; 2]>,
    truncated: Option<Truncated>,
    notices: Vec<Notice>,
}

impl Page {
    fn count(&self) -> u64 {
        self.shown.iter().map(|[first, last]| last - first + 1).sum()
    }

    fn push(&mut self, number: u64, line: &str) {
        if std::mem::take(&mut self.separate_next) {
            self.text.push_str("\n…\n\n");
        }
        self.text.push_str(line);
        match self.shown.last_mut() {
            Some([_, last]) if *last + 1 == number => *last = number,
            _ => self.shown.push([number, number]),
        }
    }

    /// Lists the last `n` entries, or as many of them as the caps allow, from the end.
    fn list_tail(&mut self, entries: &[Entry], n: u64, source: &Source, cx: &ReadContext<'_>) {
        let total = entries.len() as u64;
        let max = n.min(cx.limits().max_entries.unwrap_or(u64::MAX));
        let mut room = cx.limits().max_bytes.unwrap_or(u64::MAX);
        let mut lines = Vec::new();
        for entry in entries.iter().rev().take(usize::try_from(max).unwrap_or(usize::MAX)) {
            let line = line(entry);
            if line.len() as u64 > room && !lines.is_empty() {
                break;
            }
            room = room.saturating_sub(line.len() as u64);
            lines.push(line);
        }
        let first = total - lines.len() as u64 + 1;
        for (number, line) in (first..).zip(lines.iter().rev()) {
            self.push(number, line);
        }
        let asked_first = total.saturating_sub(n) + 1;
        if first > asked_first {
            let before = format!("{asked_first}-{}", first - 1);
            let by = if lines.len() as u64 >= max { TruncatedBy::Entries } else { TruncatedBy::Bytes };
            let next_target = Some(format!("{}:{before}", source.path()));
            self.truncated = Some(Truncated { by, next: asked_first, next_target });
            self.go_on(format!(
                "Showing entries {first}-{total} of {total}. Use :{before} for the entries before."
            ));
        }
    }

    fn go_on(&mut self, notice: String) {
        self.notices.push(Notice::new(Rank::Continue, notice));
    }

    /// Notes that a cap ended the listing before entry `next`.
    fn cut(
        &mut self,
        by: TruncatedBy,
        next: u64,
        wanted: &LineRanges,
        total: u64,
        source: &Source,
        worded: Worded,
    ) {
        let (selector, notice) = if let Some(range) = wanted.is_single() {
            let call = next_call(worded, next, range.end());
            let (first, last) = (range.start(), next - 1);
            let notice = format!("Showing entries {first}-{last} of {total}. Use {call} to continue.");
            (next_range(next, range.end()), notice)
        } else {
            let left = wanted.from_line(next).map_or_else(String::new, |left| left.to_string());
            let (shown, selected) = (self.count(), wanted.line_count_within(total));
            let notice = format!(
                "Output truncated: showing {shown} of {selected} selected entries. Use :{left} to continue."
            );
            (left, notice)
        };
        self.truncated =
            Some(Truncated { by, next, next_target: Some(format!("{}:{selector}", source.path())) });
        self.go_on(notice);
    }

    fn answer(self, total: u64) -> Answer {
        let details = Details {
            media_type: Some("inode/directory".to_owned()),
            total_lines: Some(total),
            shown: Some(self.shown),
            truncated: self.truncated,
            ..Details::default()
        };
        Answer { blocks: vec![Block::Text(Text::Shown(self.text))], details, notices: self.notices }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{Body, Noun, Source};
    use std::sync::Arc;

    struct Nothing;

    impl crate::Entries for Nothing {
        fn list(&self) -> Result<Vec<Entry>, ReadError> {
            Ok(Vec::new())
        }
    }

    #[test]
    fn messages_say_what_is_listed() {
        let body = || Body::Dir(Arc::new(Nothing));
        let archive = Source::from_bytes("z", "z", Noun::File, &b""[..]);
        for (source, word) in [
            (Source::new("d", "d", Noun::Directory, body()), "a directory"),
            (archive.member(b"", Noun::ArchiveDirectory, body()), "an archive"),
            (archive.member(b"d/", Noun::ArchiveDirectory, body()), "an archive directory"),
        ] {
            assert_eq!(what(&source), word);
        }
    }
}
