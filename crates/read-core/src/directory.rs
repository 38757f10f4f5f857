//! Directories: a listing of what they hold, on disk and in archives alike.

use std::cmp::Reverse;

use crate::context::ReadContext;
use crate::error::{ErrorCode, ReadError};
use crate::listing::Listing;
use crate::names::{natural_order, printed, shortened, size};
use crate::reader::{Answer, Match, Outcome, Probe, ReaderHelp, Strength, TargetReader};
use crate::registry::Reader;
use crate::source::{Entry, EntryKind, Noun, Source};
use crate::text::stat;
use crate::view::{Asked, View, Window};

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
        ReaderHelp::new(
            "directories, as listings",
            "\
src                   the entries of a directory
src:50-60             some of them, also :-20",
        )
    }

    fn probe(&self, probe: &Probe<'_>) -> Option<Match> {
        probe.is_dir().then_some(Match::new(Strength::Fallback, "inode/directory"))
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
            Asked::of(rest, cx.request(), source.path()).map_err(|error| misread(error, source, rest, cx))?;
        if asked.view == View::Stat {
            return Ok(stat::read(source, &asked, cx)?.into());
        }
        match Window::of_asked(asked) {
            Some(window) => Ok(list(source, &window, cx)?.into()),
            None => Err(ReadError::new(
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
fn misread(error: ReadError, source: &Source, rest: &str, cx: &ReadContext<'_>) -> ReadError {
    let first = rest.split(':').next().unwrap_or_default();
    let names_an_entry =
        entries(source, cx).is_ok_and(|entries| entries.iter().any(|entry| entry.name == first.as_bytes()));
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

fn list(source: &Source, window: &Window, cx: &ReadContext<'_>) -> Result<Answer, ReadError> {
    let entries = entries(source, cx)?;
    let listing = Listing::new(source.path(), entries.len() as u64, window)
        .empty(format!("(empty {})\n", source.noun()))
        .media_type("inode/directory");
    listing.write(cx, |number| {
        let at = usize::try_from(number.saturating_sub(1)).unwrap_or(usize::MAX);
        Ok(entries.get(at).map(line).unwrap_or_default())
    })
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
