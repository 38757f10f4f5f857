//! Archives: the text members that bsdtar extracts, byte for byte.

use std::ffi::OsStr;
use std::path::Path;

use anyhow::Result;

use super::{Outcome, Tally, Tool, oracle};

/// Members of one archive that are compared.
const MEMBERS: usize = 60;

pub(super) fn compare(tool: &Tool, file: &Path, tally: &mut Tally) -> Result<()> {
    let shown = file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let theirs = oracle("bsdtar", &[OsStr::new("-tf"), file.as_os_str()])?;
    let ours = tool.read(file, "", &[])?;
    let names = match (&theirs, &ours) {
        (Some(names), Ok(_)) => names,
        (None, Ok(_)) => {
            tally.add("archives", Outcome::OnlyWeShow, &shown, "bsdtar stops in it");
            return Ok(());
        }
        (Some(_), Err(error)) => {
            tally.add("archives", Outcome::OnlyTheyShow, &shown, error);
            return Ok(());
        }
        (None, Err(_)) => {
            tally.add("archives", Outcome::BothRefuse, &shown, "");
            return Ok(());
        }
    };
    tally.add("archives", Outcome::Agree, &shown, "");
    let Ok(names) = std::str::from_utf8(names) else { return Ok(()) };
    // Names that bsdtar prints with escapes are no names to ask for.
    let plain = |name: &&str| !name.ends_with('/') && !name.contains('\\') && !name.is_empty();
    for name in names.lines().filter(plain).take(MEMBERS) {
        member(tool, file, name, &shown, tally)?;
    }
    Ok(())
}

fn member(tool: &Tool, file: &Path, name: &str, shown: &str, tally: &mut Tally) -> Result<()> {
    let arguments = [OsStr::new("-xOf"), file.as_os_str(), OsStr::new("--"), OsStr::new(name)];
    let theirs = oracle("bsdtar", &arguments)?;
    // Binary members have no text to be compared with, and are passed over.
    let inside = name.trim_start_matches("./").trim_start_matches('/');
    let ours = match tool.read(file, &format!(":{inside}:raw"), &[])? {
        Err(error) if error.contains("binary") => return Ok(()),
        ours => ours,
    };
    let what = format!("{shown}:{name}");
    match (theirs, ours) {
        (Some(theirs), Ok(ours)) if theirs == ours => tally.add("members", Outcome::Agree, &what, ""),
        // A link has no content for bsdtar; here it shows what it leads to.
        (Some(theirs), Ok(_)) if theirs.is_empty() => tally.add("members", Outcome::Agree, &what, ""),
        (Some(theirs), Ok(ours)) => {
            let why = format!("{} bytes, not {}", ours.len(), theirs.len());
            tally.add("members", Outcome::Differ, &what, &why);
        }
        (Some(theirs), Err(_)) if theirs.is_empty() => tally.add("members", Outcome::Agree, &what, ""),
        (Some(_), Err(error)) => tally.add("members", Outcome::OnlyTheyShow, &what, &error),
        (None, Ok(_)) => tally.add("members", Outcome::OnlyWeShow, &what, "bsdtar does not extract it"),
        (None, Err(_)) => tally.add("members", Outcome::BothRefuse, &what, ""),
    }
    Ok(())
}
