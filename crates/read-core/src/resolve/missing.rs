//! The error about a target that names nothing: the policy's word, a file taken for a directory, near names.

use read_selector::{cuts, head};

use super::spelling::{Spelling, spellings};
use super::suggest;
use crate::error::{ErrorCode, ReadError};
use crate::filesystem::FileSystem;
use crate::limits::MAX_PATH;
use crate::meter::Meter;
use crate::names::{printed, shortened};

/// The error about a target of which no prefix exists.
pub(super) fn not_found(files: &dyn FileSystem, target: &str, offers: bool, meter: &Meter) -> ReadError {
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
