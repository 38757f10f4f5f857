//! From a target to a path that exists: the longest literal prefix wins, at every level.

mod suggest;

use read_selector::{cuts, head};

use crate::error::{ErrorCode, ReadError};
use crate::filesystem::{FileSystem, Resolved};
use crate::limits::{MAX_PATH, MAX_TARGET};
use crate::meter::Meter;
use crate::names::{decoded, printed};
use crate::output::{Notice, Rank};

/// A target whose path exists.
#[derive(Clone, Debug)]
pub struct Resolution {
    /// What the path leads to.
    pub resolved: Resolved,
    /// What follows it in the target, without its first colon.
    pub rest: String,
    /// How it was found.
    pub notices: Vec<Notice>,
}

/// Finds the longest prefix of `target` that exists as a literal path. When none does, a leading `file://`, `@` or `~/` is
/// understood, then a name that differs in its Unicode form only; then it is an error with near names.
pub(crate) fn resolve(files: &dyn FileSystem, target: &str, meter: &Meter) -> Result<Resolution, ReadError> {
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
        return Ok(found);
    }
    for spelled in spellings(files, target)? {
        if let Some(found) = literal(files, &spelled)? {
            return Ok(found);
        }
    }
    if let Some(found) = suggest::unicode_twin(files, target)? {
        return Ok(found);
    }
    Err(not_found(files, target, meter))
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
            return Ok(Some(Resolution { resolved, rest: cut.rest.to_owned(), notices }));
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
        let path = rest.strip_prefix("localhost").filter(|path| path.starts_with('/')).unwrap_or(rest);
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
fn not_found(files: &dyn FileSystem, target: &str, meter: &Meter) -> ReadError {
    let path = head(target);
    let path = if path.is_empty() { target } else { path };
    if let Err(error) = files.resolve(path.as_bytes()) {
        return error;
    }
    // The head is a guess: `missing.db:users:42` is about `missing.db`.
    if let Some(error) = cuts(path).filter(|cut| cut.path.len() <= MAX_PATH).find_map(|cut| {
        files.resolve(cut.path.as_bytes()).err().filter(|error| error.code() == ErrorCode::Io)
    }) {
        return error;
    }
    let name = crate::names::shortened(path.as_bytes());
    let near = suggest::near_names(files, path, meter);
    let mut message = format!("'{name}' not found.");
    match near.as_slice() {
        [] => message.push_str(" Check the path, or list its directory."),
        [first, rest @ ..] => {
            message.push_str(" Did you mean ");
            message.push_str(first);
            for (at, one) in rest.iter().enumerate() {
                message.push_str(if at + 1 == rest.len() { " or " } else { ", " });
                message.push_str(one);
            }
            message.push('?');
        }
    }
    ReadError::new(ErrorCode::NotFound, message).with_suggestions(near)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MemoryFileSystem;

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

    fn resolved(target: &str) -> Result<(String, String), ReadError> {
        resolve(&files(), target, &Meter::unbounded())
            .map(|found| (found.resolved.path().to_owned(), found.rest))
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
        let found = resolve(&files(), "test:1-2", &Meter::unbounded()).unwrap();
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
