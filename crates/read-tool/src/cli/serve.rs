//! The command `mcp`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use super::exit::{NOT_READ, USAGE};
use super::options::{OfferOptions, ServeOptions, ToolOptions};
use super::{print, tool};
use crate::mcp::{Narrowed, Server, same_directory};
use crate::{ErrorCode, ReadError, ReadTool, Spool};

/// Serves until the input ends or a signal comes.
pub(super) fn serve(options: ServeOptions) -> ExitCode {
    let server = match server(options) {
        Ok(server) => server,
        Err(error) => {
            print::say(error.message());
            return ExitCode::from(USAGE);
        }
    };
    match server.log(print::say).serve_stdio() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            print::say(&error.to_string());
            ExitCode::from(NOT_READ)
        }
    }
}

fn server(options: ServeOptions) -> Result<Server, ReadError> {
    let ServeOptions { tool: options, offer: OfferOptions { tool_name, structured } } = options;
    let roots = if options.root.is_empty() { vec![current_directory()?] } else { options.root.clone() };
    let guard = options.guard(true)?;
    // One bound for all spools, however often the client's roots change.
    let spool = tool::spool();
    let build = move |workspace: Narrowed| build(&options, workspace, spool.clone());
    let tool =
        build(Narrowed { roots: roots.clone(), guard: Arc::clone(&guard), files_guard: Arc::clone(&guard) })?;
    let server = Server::new(tool).structured(structured).client_roots(roots, guard, build);
    Ok(match tool_name {
        Some(name) => server.named(name),
        None => server,
    })
}

fn build(options: &ToolOptions, workspace: Narrowed, spool: Spool) -> Result<ReadTool, ReadError> {
    let files = tool::files(options, &workspace.roots, &workspace.files_guard).build()?;
    tool::builder(options, workspace.guard, spool).workspace(files).build()
}

/// The current directory, where it is one that a person may mean by "this project".
fn current_directory() -> Result<PathBuf, ReadError> {
    let refused = |what: String| {
        ReadError::new(
            ErrorCode::InvalidArguments,
            format!("{what}: say which directory to serve, with --root DIR"),
        )
    };
    let current = std::env::current_dir()
        .map_err(|error| refused(format!("there is no current directory ({error})")))?;
    match too_wide(&current, super::home::directory().as_deref()) {
        Some(what) => Err(refused(format!("the current directory is {what}"))),
        None => Ok(current),
    }
}

/// Directories that hold people's homes.
const HOMES: [&str; 3] = ["/home", "/Users", "/var/home"];

/// What makes a directory too wide to be served unasked.
fn too_wide(directory: &Path, home: Option<&Path>) -> Option<&'static str> {
    let holds_homes = |directory: &Path| HOMES.iter().any(|homes| directory == Path::new(homes));
    if directory.parent().is_none() {
        return Some("/");
    }
    if holds_homes(directory) {
        return Some("where the home directories are");
    }
    let is_a_home = directory == Path::new("/root")
        || directory.parent().is_some_and(holds_homes)
        || home.is_some_and(|home| home == directory || same_directory(home, directory));
    is_a_home.then_some("a home directory")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn homes_and_the_root_of_all_are_too_wide() {
        let home = Some(Path::new("/srv/people/ann"));
        for (directory, wide) in [
            ("/", true),
            ("/root", true),
            ("/home", true),
            ("/home/ann", true),
            ("/Users/ann", true),
            ("/srv/people/ann", true),
            ("/home/ann/project", false),
            ("/srv/people", false),
        ] {
            assert_eq!(too_wide(Path::new(directory), home).is_some(), wide, "{directory}");
        }
    }

    #[test]
    fn a_link_to_a_home_is_that_home() {
        let dir = tempfile::tempdir().unwrap();
        let (home, link) = (dir.path().join("home"), dir.path().join("link"));
        std::fs::create_dir(&home).unwrap();
        std::os::unix::fs::symlink(&home, &link).unwrap();
        assert!(too_wide(&home.canonicalize().unwrap(), Some(&link)).is_some());
        assert!(too_wide(dir.path(), Some(&link)).is_none());
    }
}
