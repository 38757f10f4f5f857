//! From a target to a path that exists: the longest literal prefix wins, at every level.

pub(crate) mod pointer;
mod suggest;
mod twin;

use read_selector::{cuts, head};

use crate::error::{ErrorCode, ReadError};
use crate::filesystem::{FileSystem, Resolved};
use crate::limits::{MAX_PATH, MAX_TARGET};
use crate::meter::Meter;
use crate::names::{decoded, printed};
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
    for spelled in spellings(files, target)? {
        if let Some(found) = literal(files, &spelled)? {
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
            return Ok(Some(Found { resolved, rest: cut.rest.to_owned(), notices, exact: true }));
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

/// Other spellings of a target that callers use, the most literal first.
fn spellings(files: &dyn FileSystem, target: &str) -> Result<Vec<String>, ReadError> {
    let mut spellings = Vec::new();
    if let Some(rest) = target.strip_prefix('@').filter(|rest| !rest.is_empty()) {
        spellings.push(rest.to_owned());
    }
    if let (Some(rest), Some(home)) = (target.strip_prefix("~/"), files.home()) {
        spellings.push(format!("{}/{rest}", home.trim_end_matches('/')));
    }
    if let Some((scheme, rest)) = scheme(target) {
        if !scheme.eq_ignore_ascii_case("file") {
            return Err(ReadError::new(
                ErrorCode::InvalidArguments,
                format!("URLs are not read: {scheme}. Send the path of a file or directory."),
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
        spellings.extend(percent_decoded(path));
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
    let spelled = spellings(files, target).unwrap_or_default();
    let spelled = spelled.iter().map(|target| head(target));
    if let Some(error) =
        [path].into_iter().chain(spelled).find_map(|path| files.resolve(path.as_bytes()).err())
    {
        return error;
    }
    // The head is a guess: `missing.db:users:42` is about `missing.db`.
    let candidates = cuts(path).filter(|cut| cut.path.len() <= MAX_PATH);
    let failure =
        |path: &str| files.resolve(path.as_bytes()).err().filter(|error| error.code() == ErrorCode::Io);
    if let Some(error) = candidates.map(|cut| cut.path).find_map(failure) {
        return error;
    }
    let name = crate::names::shortened(path.as_bytes());
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
    fn empty_and_endless_targets() {
        assert_eq!(resolved("").unwrap_err().code(), ErrorCode::InvalidArguments);
        assert_eq!(resolved(&"x".repeat(65_537)).unwrap_err().code(), ErrorCode::InvalidArguments);
        assert_eq!(resolved(&":".repeat(65_536)).unwrap_err().code(), ErrorCode::NotFound);
    }
}
