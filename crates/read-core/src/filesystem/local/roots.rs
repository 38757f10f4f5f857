//! The roots of a workspace: directories held open.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{CWD, Mode, OFlags, openat};

use super::beneath::DIRECTORY;
use super::place::{Base, Place, below, cleaned_from_slash, parts};
use crate::error::{ErrorCode, ReadError};
use crate::names::printed;

/// A root: where it was when it was opened, and the handle that stays with it wherever it goes.
#[derive(Debug)]
pub(super) struct Root {
    handle: OwnedFd,
    /// Joined names of its canonical path from `/`.
    path: Vec<u8>,
    /// The same as the host spelled it, where that differs.
    spelled: Option<Vec<u8>>,
}

impl Root {
    /// Opens an existing directory.
    pub(super) fn open(path: &Path) -> Result<Self, ReadError> {
        let shown = printed(path.as_os_str().as_bytes()).into_owned();
        let refused =
            |what: String| ReadError::new(ErrorCode::InvalidArguments, format!("The root '{shown}' {what}."));
        let canonical = path.canonicalize().map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => refused("does not exist".into()).with_cause(error),
            _ => refused(format!("cannot be opened: {error}")).with_cause(error),
        })?;
        let handle = openat(CWD, &canonical, DIRECTORY, Mode::empty()).map_err(|error| match error {
            rustix::io::Errno::NOTDIR => refused("is not a directory".into()),
            _ => refused(format!("cannot be opened: {error}")),
        })?;
        let spelled = std::path::absolute(path).ok().and_then(|path| {
            let path = path.as_os_str().as_bytes();
            // What `..` behind a link means is not to be told from the spelling.
            parts(path).all(|part| part != b"..").then(|| cleaned_from_slash(path))
        });
        let path = cleaned_from_slash(canonical.as_os_str().as_bytes());
        Ok(Self { handle, spelled: spelled.filter(|spelled| *spelled != path), path })
    }

    /// Its canonical path from `/` when it was opened, as joined names.
    pub(super) fn path(&self) -> &[u8] {
        &self.path
    }

    /// Whether the directory was removed.
    pub(super) fn is_gone(&self) -> bool {
        rustix::fs::fstat(&self.handle).is_ok_and(|stat| stat.st_nlink == 0)
    }
}

impl AsFd for Root {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.handle.as_fd()
    }
}

/// All roots, in the host's order.
#[derive(Debug, Default)]
pub(super) struct Roots(pub(super) Vec<Root>);

impl Roots {
    pub(super) fn get(&self, number: usize) -> Option<&Root> {
        self.0.get(number)
    }

    /// The first root that the absolute `path` spells, and the rest of the path as it is written. A `..` before the root
    /// is complete leads past it.
    pub(super) fn spelled<'a>(&self, path: &'a [u8]) -> Option<(usize, &'a [u8])> {
        self.0.iter().enumerate().find_map(|(number, root)| {
            let spellings = [Some(&root.path), root.spelled.as_ref()];
            let rest = spellings.into_iter().flatten().find_map(|spelling| after(path, spelling))?;
            Some((number, rest))
        })
    }

    /// The place of `names` from `/`: in the first root that holds them, else outside. Canonical paths only.
    pub(super) fn place_of(&self, names: Vec<u8>) -> Place {
        let inside = self.0.iter().enumerate();
        let mut inside = inside.filter_map(|(number, root)| Some((number, below(&names, &root.path)?)));
        match inside.next() {
            Some((number, rest)) => Place::new(Base::Root(number), rest),
            None => Place::new(Base::Slash, names),
        }
    }

    /// The absolute path of a place, as joined names.
    pub(super) fn names_from_slash(&self, place: &Place) -> Vec<u8> {
        match place.base {
            Base::Slash => place.names.clone(),
            Base::Root(number) => {
                let root = self.get(number).map(Root::path).unwrap_or_default();
                super::beneath::joined(root, &place.names)
            }
        }
    }

    /// The paths of a place relative to each root that holds it: roots may lie in each other.
    pub(super) fn relative_to_each<'a>(
        &'a self,
        names_from_slash: &'a [u8],
    ) -> impl Iterator<Item = &'a [u8]> {
        self.0.iter().filter_map(|root| below(names_from_slash, &root.path))
    }
}

/// What follows the directory `names` in the absolute `path`, as it is written.
fn after<'a>(path: &'a [u8], names: &[u8]) -> Option<&'a [u8]> {
    let mut rest = path;
    for name in parts(names) {
        rest = skip_slashes_and_dots(rest);
        rest = rest.strip_prefix(name)?;
        if !matches!(rest.first(), None | Some(b'/')) {
            return None;
        }
    }
    Some(rest)
}

fn skip_slashes_and_dots(mut path: &[u8]) -> &[u8] {
    loop {
        path = match path {
            [b'/', rest @ ..] => rest,
            [b'.', rest @ ..] if matches!(rest.first(), None | Some(b'/')) => rest,
            _ => return path,
        };
    }
}

/// Opens `/`, where paths outside the workspace begin.
pub(super) fn slash() -> rustix::io::Result<OwnedFd> {
    openat(CWD, "/", DIRECTORY, Mode::empty())
}

/// Opens the current directory.
pub(super) fn current() -> rustix::io::Result<OwnedFd> {
    openat(CWD, ".", DIRECTORY.difference(OFlags::NOFOLLOW), Mode::empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_spelled_by_whole_names() {
        for (path, rest) in [
            (&b"/a/b"[..], Some(&b""[..])),
            (b"/a/b/", Some(b"/")),
            (b"/a/b/c", Some(b"/c")),
            (b"//a/./b/../c", Some(b"/../c")),
            (b"/a/bc", None),
            (b"/a", None),
            (b"/x/../a/b", None),
            (b"/a/../a/b", None),
        ] {
            assert_eq!(after(path, b"a/b"), rest, "{}", path.escape_ascii());
        }
        assert_eq!(after(b"/x", b""), Some(&b"/x"[..]));
    }
}
