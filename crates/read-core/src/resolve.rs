//! From a target to a path that exists: the longest literal prefix wins, at every level.

pub(crate) mod pointer;
mod suggest;
mod twin;

use read_selector::{Excerpt, cuts, head};

use crate::error::{ErrorCode, ReadError};
use crate::filesystem::{FileSystem, Resolved};
use crate::limits::{MAX_PATH, MAX_TARGET};
use crate::meter::Meter;
use crate::names::{decoded, printed, shortened};
use crate::output::{Notice, Rank};
use crate::resources::{self, Resources, SCHEME};

/// A path of the file system that a target names.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// What the path leads to.
    pub(crate) resolved: Resolved,
    /// What follows it in the target, without its first colon.
    pub(crate) rest: String,
    /// How it was found.
    pub(crate) notices: Vec<Notice>,
    /// Whether it is the very name that was asked for.
    pub(crate) exact: bool,
    /// How the caller wrote the path, where that stands for another that is nobody's to see: `~/notes.txt`.
    pub(crate) written: Option<String>,
}

/// What a target names.
pub(crate) enum Named {
    File(Found),
    Resource { found: resources::Found, pointer: Option<Resolved> },
}

/// Finds what a target names: an embedded resource; the longest prefix that exists as a literal path; then, with a leading
/// `file://`, `@` or `~/` understood; then a name that differs in its Unicode form only; then what a pointer file stands
/// for. Otherwise it is an error, with near names where `offers` are allowed.
pub(crate) fn resolve(
    files: &dyn FileSystem,
    resources: &dyn Resources,
    target: &str,
    offers: bool,
    meter: &Meter,
) -> Result<Named, ReadError> {
    if target.len() <= MAX_TARGET && target.starts_with(SCHEME) {
        return Ok(Named::Resource { found: resources::find(resources, target)?, pointer: None });
    }
    if let Some(found) = file(files, target)? {
        return Ok(Named::File(found));
    }
    if let Some(followed) = pointer::follow(files, resources, target)? {
        let found = resources::find(resources, &followed.target)?;
        return Ok(Named::Resource { found, pointer: Some(followed.pointer) });
    }
    Err(not_found(files, target, offers, meter))
}

/// The file or directory that a target names.
fn file(files: &dyn FileSystem, target: &str) -> Result<Option<Found>, ReadError> {
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
            found.written = home.map(|home| home.written(found.resolved.asked()));
            return Ok(Some(found));
        }
    }
    twin::find(files, target)
}

/// The longest prefix that exists under exactly this name, or under the name that a listing prints so.
fn literal(files: &dyn FileSystem, target: &str) -> Result<Option<Found>, ReadError> {
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
            return Ok(Some(Found {
                resolved,
                rest: cut.rest.to_owned(),
                notices,
                exact: true,
                written: None,
            }));
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

/// What a target may stand for.
struct Spelling {
    target: String,
    home: Option<Home>,
}

/// The home directory that `~` stands for, as it is printed. The caller did not write it, and need not learn it.
struct Home(String);

impl Home {
    /// A printed path in it, as the caller wrote it.
    fn written(&self, path: &str) -> String {
        path.strip_prefix(&self.0).map_or_else(|| path.to_owned(), |rest| format!("~{rest}"))
    }

    /// An error about one of the paths that `target` may begin with.
    fn hidden_in(&self, error: ReadError, target: &str) -> ReadError {
        cuts(target).filter(|cut| cut.path.len() <= MAX_PATH).fold(error, |error, cut| {
            let path = printed(cut.path.as_bytes());
            error.about(&path, &shortened(self.written(&path).as_bytes()))
        })
    }
}

/// Other spellings of a target that callers use, the most literal first.
fn spellings(files: &dyn FileSystem, target: &str) -> Result<Vec<Spelling>, ReadError> {
    let plain = |target: String| Spelling { target, home: None };
    let mut spellings = Vec::new();
    if let Some(rest) = target.strip_prefix('@').filter(|rest| !rest.is_empty()) {
        spellings.push(plain(rest.to_owned()));
    }
    if let (Some(rest), Some(home)) = (target.strip_prefix("~/"), files.home()) {
        let home = home.trim_end_matches('/');
        let target = format!("{home}/{rest}");
        spellings.push(Spelling { target, home: Some(Home(printed(home.as_bytes()).into_owned())) });
    }
    if let Some((scheme, rest)) = scheme(target) {
        if !scheme.eq_ignore_ascii_case("file") {
            return Err(ReadError::new(
                ErrorCode::InvalidArguments,
                format!("URLs are not read: {}. Send the path of a file or directory.", Excerpt::new(scheme)),
            ));
        }
        let path = match rest.split_once('/') {
            Some((host, _)) if host.eq_ignore_ascii_case("localhost") => {
                rest.get(host.len()..).unwrap_or(rest)
            }
            _ => rest,
        };
        if !path.starts_with('/') {
            return Err(ReadError::new(
                ErrorCode::InvalidArguments,
                "URLs are not read: file URLs of other hosts. Send the path of a file or directory.",
            ));
        }
        spellings.extend(percent_decoded(path).map(plain));
    }
    Ok(spellings)
}

/// The scheme of a URL, and what follows `://`.
fn scheme(target: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = target.split_once("://")?;
    let mut letters = scheme.chars();
    let valid = letters.next().is_some_and(|c| c.is_ascii_alphabetic())
        && letters.all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    valid.then_some((scheme, rest))
}

/// `path` with its `%20` decoded; `None` where that gives no text.
fn percent_decoded(path: &str) -> Option<String> {
    let mut out = Vec::with_capacity(path.len());
    let mut bytes = path.bytes();
    while let Some(byte) = bytes.next() {
        let mut ahead = bytes.clone();
        let digits = (byte == b'%').then(|| Some([ahead.next()?, ahead.next()?])).flatten();
        let value = digits.and_then(|digits| {
            let [high, low] = digits.map(|digit| char::from(digit).to_digit(16));
            u8::try_from(high? * 16 + low?).ok()
        });
        match value {
            Some(value) => {
                out.push(value);
                bytes = ahead;
            }
            None => out.push(byte),
        }
    }
    String::from_utf8(out).ok()
}

/// The error about a target of which no prefix exists.
fn not_found(files: &dyn FileSystem, target: &str, offers: bool, meter: &Meter) -> ReadError {
    let path = match head(target) {
        "" => target,
        path => path,
    };
    // The policy's word on any spelling of it comes first: what is refused is not "not found".
    if let Err(error) = files.resolve(path.as_bytes()) {
        return error;
    }
    for Spelling { target, home } in spellings(files, target).unwrap_or_default() {
        if let Err(error) = files.resolve(head(&target).as_bytes()) {
            return match home {
                Some(home) => home.hidden_in(error, &target),
                None => error,
            };
        }
    }
    // The head is a guess: `missing.db:users:42` is about `missing.db`.
    let candidates = cuts(path).filter(|cut| cut.path.len() <= MAX_PATH);
    let failure =
        |path: &str| files.resolve(path.as_bytes()).err().filter(|error| error.code() == ErrorCode::Io);
    if let Some(error) = candidates.map(|cut| cut.path).find_map(failure) {
        return error;
    }
    let name = shortened(path.as_bytes());
    if path == "-" {
        let message = "'-' not found. Standard input is not read: send the path of a file or directory.";
        return ReadError::new(ErrorCode::NotFound, message);
    }
    if let Some(error) = through_a_file(files, path) {
        return error;
    }
    let near = if offers { suggest::near_names(files, path, meter) } else { Vec::new() };
    let mut message = format!("'{name}' not found.");
    match near.as_slice() {
        [] => message.push_str(" Check the path, or list its directory."),
        [first, rest @ ..] => {
            message.push_str(" Did you mean '");
            message.push_str(first);
            for (at, one) in rest.iter().enumerate() {
                message.push_str(if at + 1 == rest.len() { "' or '" } else { "', '" });
                message.push_str(one);
            }
            message.push_str("'?");
        }
    }
    ReadError::new(ErrorCode::NotFound, message).with_suggestions(near)
}

/// The error about a path that takes a file for a directory: `notes.txt/`, `a.zip/member`.
fn through_a_file(files: &dyn FileSystem, path: &str) -> Option<ReadError> {
    let is_there = |path: &str| {
        path.len() <= MAX_PATH
            && matches!(files.resolve(path.as_bytes()), Ok(Some(found)) if found.is_contained())
    };
    let ends = path.match_indices('/').map(|(at, _)| at).filter(|at| *at > 0);
    let file = ends
        .filter_map(|end| path.get(..end))
        .find(|file| !file.ends_with('/') && is_there(file) && !is_there(&format!("{file}/")))?;
    let rest = path.get(file.len()..).unwrap_or_default().trim_matches('/');
    let (name, shown) = (shortened(path.as_bytes()), shortened(file.as_bytes()));
    let call = if rest.is_empty() {
        format!("Use {shown} to read it.")
    } else {
        format!(
            "If it is an archive, name what lies in it behind a colon: {shown}:{}",
            shortened(rest.as_bytes())
        )
    };
    let message = format!("'{name}' not found: '{shown}' is a file, not a directory. {call}");
    Some(
        ReadError::new(ErrorCode::NotFound, message)
            .with_suggestions([printed(file.as_bytes()).into_owned()]),
    )
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

    fn named(target: &str) -> Result<Found, ReadError> {
        match resolve(&files(), &EmbeddedResources::new(), target, true, &Meter::unbounded())? {
            Named::File(found) => Ok(found),
            Named::Resource { .. } => panic!("{target} is a file"),
        }
    }

    fn resolved(target: &str) -> Result<(String, String), ReadError> {
        named(target).map(|found| (found.resolved.path().to_owned(), found.rest))
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
        assert_eq!(percent_decoded("/my%20file.txt%"), Some("/my file.txt%".to_owned()));
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
