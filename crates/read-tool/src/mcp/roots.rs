//! The roots that a client names: they narrow the host's workspace, and never widen it.

mod directory;
mod rules;
mod uri;

use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::Arc;

use read_core::{ErrorCode, Guard, ReadError, shortened};

use super::watch::watched;
use crate::ReadTool;
#[cfg(feature = "cli")]
pub(crate) use directory::same_directory;
use directory::{absolute, below, canonical, intersection};
use rules::{Located, Rebased, permits_within};

/// What is left of a workspace after a client has named its roots, for the host to build a tool over.
#[derive(Clone)]
pub struct Narrowed {
    /// The roots, at least one. Relative paths are of the first.
    pub roots: Vec<PathBuf>,
    /// The host's rules, which go on meaning paths as they lie in the host's own roots: for the tool.
    pub guard: Arc<dyn Guard>,
    /// The same rules for the file system, which asks about every path by its place on the disk, too.
    pub files_guard: Arc<dyn Guard>,
}

impl fmt::Debug for Narrowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Narrowed").field("roots", &self.roots).finish_non_exhaustive()
    }
}

type Build = dyn Fn(Narrowed) -> Result<ReadTool, ReadError> + Send + Sync;

/// A workspace that can be narrowed.
pub(super) struct Workspace {
    roots: Vec<PathBuf>,
    guard: Arc<dyn Guard>,
    build: Box<Build>,
}

impl fmt::Debug for Workspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workspace").field("roots", &self.roots).finish_non_exhaustive()
    }
}

/// What a client's roots leave of a workspace.
#[derive(Debug)]
pub(super) enum Remaining {
    /// All of it.
    Whole,
    /// A part of it.
    Part(Arc<ReadTool>),
}

impl Workspace {
    pub(super) fn new(
        roots: Vec<PathBuf>,
        guard: Arc<dyn Guard>,
        build: impl Fn(Narrowed) -> Result<ReadTool, ReadError> + Send + Sync + 'static,
    ) -> Self {
        Self { roots, guard, build: Box::new(build) }
    }

    /// What the roots with these URIs leave of the workspace. Those that are no directory are left out, each after a word
    /// about it.
    ///
    /// # Errors
    ///
    /// `outside_workspace` when they leave nothing.
    pub(super) fn narrowed(&self, uris: &[String], left_out: &dyn Fn(&str)) -> Result<Remaining, ReadError> {
        let ours: Vec<_> = self.roots.iter().filter_map(|root| canonical(root)).collect();
        let their = |uri: &String| {
            let path = uri::path(uri).and_then(|path| canonical(&path));
            if path.is_none() {
                left_out(uri);
            }
            path
        };
        let theirs: Vec<_> = uris.iter().filter_map(their).collect();
        let common = intersection(&ours, &theirs);
        if ours.iter().all(|root| common.contains(root)) && !ours.is_empty() {
            return Ok(Remaining::Whole);
        }
        let inside = |path: &[u8]| -> Vec<Vec<u8>> {
            ours.iter().filter_map(|root| below(path, root).map(<[u8]>::to_vec)).collect()
        };
        let common: Vec<(Vec<u8>, Vec<Vec<u8>>)> = common
            .into_iter()
            .map(|path| {
                let inside = inside(&path);
                (path, inside)
            })
            // A root that the host denies stays denied.
            .filter(|(_, inside)| inside.iter().all(|path| permits_within(&*self.guard, path)))
            .collect();
        if common.is_empty() {
            return Err(nothing_left(uris));
        }
        let roots =
            common.iter().map(|(path, _)| PathBuf::from(OsStr::from_bytes(&absolute(path)))).collect();
        // Relative paths are of the first root.
        let first = common.into_iter().next().map(|(_, inside)| inside).unwrap_or_default();
        let prefixes = first.into_iter().filter(|path| !path.is_empty()).collect();
        let located = Arc::new(Located { rules: Arc::clone(&self.guard), roots: ours });
        let guard = Arc::new(Rebased { located: Arc::clone(&located), prefixes });
        let narrowed = Narrowed { roots, guard, files_guard: located };
        (self.build)(narrowed).map(|tool| Remaining::Part(Arc::new(watched(tool))))
    }
}

fn nothing_left(uris: &[String]) -> ReadError {
    let named: Vec<_> = uris.iter().take(3).map(|uri| shortened(uri.as_bytes())).collect();
    let named = match uris.len() {
        0 => "none".to_owned(),
        1..=3 => named.join(", "),
        more => format!("{} and {} more", named.join(", "), more - 3),
    };
    ReadError::new(
        ErrorCode::OutsideWorkspace,
        format!(
            "The client's roots ({named}) and this server's workspace have no directory in common: nothing can be read \
             until the client opens a directory of the workspace, or the server is started over another one."
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_common_is_said() {
        let error = nothing_left(&["file:///a".into(), "file:///b".into()]);
        assert_eq!(error.code(), ErrorCode::OutsideWorkspace);
        assert!(error.message().starts_with("The client's roots (file:///a, file:///b) and"), "{error}");
        assert!(nothing_left(&[]).message().contains("(none)"));
    }
}
