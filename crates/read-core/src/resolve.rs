//! From a target to a path that exists: the longest literal prefix wins, at every level.

mod missing;
pub(crate) mod pointer;
mod spelling;
mod suggest;
mod twin;

use read_selector::{cuts, head};

use crate::error::{ErrorCode, ReadError};
use crate::filesystem::{FileSystem, Resolved};
use crate::limits::{MAX_PATH, MAX_TARGET};
use crate::meter::Meter;
use crate::names::{decoded, printed};
use crate::output::{Notice, Rank};
use crate::resolution::{Origin, Resolution};
use crate::resources::{self, Resources, SCHEME};
use spelling::{Spelling, spellings};

/// Finds what a target names: an embedded resource; the longest prefix that exists as a literal path; then, with a leading
/// `file://`, `@` or `~/` understood; then a name that differs in its Unicode form only; then what a pointer file stands
/// for. Otherwise it is an error, with near names where `offers` are allowed.
pub(crate) fn resolve(
    files: &dyn FileSystem,
    resources: &dyn Resources,
    target: &str,
    offers: bool,
    meter: &Meter,
) -> Result<Resolution, ReadError> {
    if target.len() <= MAX_TARGET && target.starts_with(SCHEME) {
        let (embedded, rest) = resources::find(resources, target)?;
        return Ok(Resolution::of(Origin::Resource(embedded), rest));
    }
    if let Some(found) = file(files, target)? {
        return Ok(found);
    }
    if let Some(followed) = pointer::follow(files, resources, target)? {
        return Ok(followed);
    }
    Err(missing::not_found(files, target, offers, meter))
}

/// The file or directory that a target names.
fn file(files: &dyn FileSystem, target: &str) -> Result<Option<Resolution>, ReadError> {
    if target.is_empty() {
        return Err(ReadError::new(
            ErrorCode::InvalidArguments,
            "path: it is empty. Send the path of a file or directory.",
        ));
    }
    if target.len() > MAX_TARGET {
        return Err(ReadError::new(
            ErrorCode::InvalidArguments,
            "path: it is longer than 64 KiB. Send a shorter target.",
        ));
    }
    if let Some(found) = literal(files, target)? {
        return Ok(Some(found));
    }
    for Spelling { target: spelled, home } in spellings(files, target)? {
        let found = literal(files, &spelled).map_err(|error| match &home {
            Some(home) => home.hidden_in(error, &spelled),
            None => error,
        })?;
        if let Some(mut found) = found {
            found.written = home.zip(found.resolved()).map(|(home, resolved)| home.written(resolved.asked()));
            return Ok(Some(found));
        }
    }
    twin::find(files, target)
}

/// The longest prefix that exists under exactly this name, or under the name that a listing prints so.
fn literal(files: &dyn FileSystem, target: &str) -> Result<Option<Resolution>, ReadError> {
    for cut in cuts(target).filter(|cut| cut.path.len() <= MAX_PATH) {
        let found = match candidate(files, cut.path.as_bytes())? {
            Some(found) => Some(found),
            None => match decoded(cut.path) {
                Some(name) => candidate(files, &name)?,
                None => None,
            },
        };
        if let Some(resolved) = found {
            let notices = if cut.rest.is_empty() { also_a_selector(files, target)? } else { Vec::new() };
            let mut resolution = Resolution::of(Origin::File(resolved), cut.rest);
            resolution.notices = notices;
            return Ok(Some(resolution));
        }
    }
    Ok(None)
}

/// One candidate, judged alone: what leaves the workspace, is denied or cannot be looked up counts as not there. What
/// exists but leads nowhere is the answer.
fn candidate(files: &dyn FileSystem, path: &[u8]) -> Result<Option<Resolved>, ReadError> {
    match files.resolve(path) {
        Ok(found) => Ok(found),
        Err(error) => match error.code() {
            ErrorCode::OutsideWorkspace | ErrorCode::Denied | ErrorCode::Io => Ok(None),
            _ => Err(error),
        },
    }
}

/// Says, in the details, how to get the other reading of a name that also reads as path and selector.
fn also_a_selector(files: &dyn FileSystem, target: &str) -> Result<Vec<Notice>, ReadError> {
    let path = head(target);
    if path.is_empty() || path.len() == target.len() || candidate(files, path.as_bytes())?.is_none() {
        return Ok(Vec::new());
    }
    let (name, path) = (printed(target.as_bytes()), printed(path.as_bytes()));
    Ok(vec![Notice::detail(
        Rank::Opened,
        format!(
            "'{name}' is the name of a file. To read lines of '{path}' instead, use offset and limit with that path"
        ),
    )])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EmbeddedResources, MemoryFileSystem};

    fn files() -> MemoryFileSystem {
        MemoryFileSystem::new()
            .with("test", "x")
            .with("test:1-2", "literal")
            .with("data.db", "db")
            .with("new\nline", "n")
            .with("my file.txt", "s")
            .with("README.md", "r")
            .with("src/main.rs", "m")
    }

    fn named(target: &str) -> Result<Resolution, ReadError> {
        resolve(&files(), &EmbeddedResources::new(), target, true, &Meter::unbounded())
    }

    fn resolved(target: &str) -> Result<(String, String), ReadError> {
        named(target).map(|found| (found.path(), found.rest))
    }

    fn found(target: &str) -> (String, String) {
        resolved(target).unwrap()
    }

    fn pair(path: &str, rest: &str) -> (String, String) {
        (path.to_owned(), rest.to_owned())
    }

    #[test]
    fn the_longest_literal_path_wins() {
        assert_eq!(found("test:1-2"), pair("test:1-2", ""));
        assert_eq!(found("test:1-2:2"), pair("test:1-2", "2"));
        assert_eq!(found("test:3"), pair("test", "3"));
        assert_eq!(found("data.db?q=SELECT '/../x'"), pair("data.db", "?q=SELECT '/../x'"));
        assert_eq!(found("data.db:users?limit=5"), pair("data.db", "users?limit=5"));
    }

    #[test]
    fn the_other_reading_of_a_literal_name_is_told_in_the_details() {
        let found = named("test:1-2").unwrap();
        assert!(found.notices[0].text().contains("offset and limit"));
        assert!(!found.notices[0].is_in_text());
    }

    #[test]
    fn what_a_listing_prints_can_be_read() {
        assert_eq!(found("new\\nline"), pair("new\\nline", ""));
    }

    #[test]
    fn other_spellings() {
        assert_eq!(found("@README.md:3"), pair("README.md", "3"));
        assert_eq!(
            resolved("https://example.org/x").unwrap_err().message(),
            "URLs are not read: https. Send the path of a file or directory."
        );
    }

    #[test]
    fn near_names_are_offered() {
        let error = resolved("REDME.md:1-5").unwrap_err();
        assert_eq!((error.code(), error.suggestions()), (ErrorCode::NotFound, &["README.md".to_owned()][..]));
        assert_eq!(resolved("lib/main.rs").unwrap_err().suggestions(), ["src/main.rs"]);
        assert_eq!(resolved("readme.MD").unwrap_err().suggestions(), ["README.md"]);
        assert!(resolved("../x").unwrap_err().suggestions().is_empty());
    }

    #[test]
    fn a_file_taken_for_a_directory_says_so() {
        struct Strict(MemoryFileSystem);
        // As on disk: a slash at the end means a directory.
        impl FileSystem for Strict {
            fn resolve(&self, path: &[u8]) -> Result<Option<Resolved>, ReadError> {
                let Some(found) = self.0.resolve(path)? else { return Ok(None) };
                Ok(Some(found).filter(|_| !path.ends_with(b"/") || path == b"src/"))
            }
            fn open(&self, resolved: &Resolved) -> Result<crate::Source, ReadError> {
                self.0.open(resolved)
            }
        }
        let files = Strict(files());
        for (path, message) in [
            (
                "README.md/",
                "'README.md/' not found: 'README.md' is a file, not a directory. Use README.md to read it.",
            ),
            (
                "src/main.rs/fn/a:3",
                "'src/main.rs/fn/a' not found: 'src/main.rs' is a file, not a directory. If it is an archive, name what lies in it behind a colon: src/main.rs:fn/a",
            ),
            ("-", "'-' not found. Standard input is not read: send the path of a file or directory."),
        ] {
            let error =
                resolve(&files, &EmbeddedResources::new(), path, true, &Meter::unbounded()).err().unwrap();
            assert_eq!((error.code(), error.message()), (ErrorCode::NotFound, message));
        }
    }

    #[test]
    fn messages_have_an_end_whatever_name_they_are_about() {
        let long = "z".repeat(60_000);
        for target in
            [format!("builtin://{long}"), format!("{}://x", "http".repeat(1_000)), format!("../{long}"), long]
        {
            let error = resolve(&files(), &EmbeddedResources::new(), &target, true, &Meter::unbounded());
            let error = error.err().unwrap();
            assert!(error.message().len() < 1_300, "{} bytes", error.message().len());
        }
    }

    #[test]
    fn empty_and_endless_targets() {
        assert_eq!(resolved("").unwrap_err().code(), ErrorCode::InvalidArguments);
        assert_eq!(resolved(&"x".repeat(65_537)).unwrap_err().code(), ErrorCode::InvalidArguments);
        assert_eq!(resolved(&":".repeat(65_536)).unwrap_err().code(), ErrorCode::NotFound);
    }
}
