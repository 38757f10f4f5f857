//! Spellings of a target that callers use beside the literal one: `@notes.txt`, `~/notes.txt`, `file:///home/me/notes.txt`.

use read_selector::{Excerpt, cuts};

use crate::error::{ErrorCode, ReadError};
use crate::filesystem::FileSystem;
use crate::limits::MAX_PATH;
use crate::names::{printed, shortened};

/// What a target may stand for.
pub(super) struct Spelling {
    pub(super) target: String,
    pub(super) home: Option<Home>,
}

/// The home directory that `~` stands for, as it is printed. The caller did not write it, and need not learn it.
pub(super) struct Home(String);

impl Home {
    /// A printed path in it, as the caller wrote it.
    pub(super) fn written(&self, path: &str) -> String {
        path.strip_prefix(&self.0).map_or_else(|| path.to_owned(), |rest| format!("~{rest}"))
    }

    /// An error about one of the paths that `target` may begin with.
    pub(super) fn hidden_in(&self, error: ReadError, target: &str) -> ReadError {
        cuts(target).filter(|cut| cut.path.len() <= MAX_PATH).fold(error, |error, cut| {
            let path = printed(cut.path.as_bytes());
            error.about(&path, &shortened(self.written(&path).as_bytes()))
        })
    }
}

/// Other spellings of a target that callers use, the most literal first.
pub(super) fn spellings(files: &dyn FileSystem, target: &str) -> Result<Vec<Spelling>, ReadError> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_signs_are_decoded() {
        assert_eq!(percent_decoded("/my%20file.txt%"), Some("/my file.txt%".to_owned()));
    }
}
