//! What the guard is asked about a place.

use super::disk::Disk;
use super::place::{Base, Place, absolute, below, prefixes};

impl Disk {
    /// Whether the guard permits a place, taken alone.
    pub(super) fn permits(&self, place: &Place) -> bool {
        self.judge(place, |path| self.guard.permits(path))
    }

    /// Whether the guard permits a place and every directory above it, up to the workspace.
    pub(super) fn permits_within(&self, place: &Place) -> bool {
        self.judge(place, |path| match path.strip_prefix(b"/") {
            Some(names) => prefixes(names).all(|prefix| self.guard.permits(&absolute(prefix))),
            None => prefixes(path).all(|prefix| self.guard.permits(prefix)),
        })
    }

    /// Asks about each path that a rule may mean the place by: relative to each root that holds it; without a
    /// workspace, relative to the current directory where it lies below that; else absolute.
    fn judge(&self, place: &Place, permits: impl Fn(&[u8]) -> bool) -> bool {
        if !self.guarded {
            return true;
        }
        let names = self.roots.names_from_slash(place);
        // The workspace itself has no name that a rule could mean.
        let permits = |path: &[u8]| path.is_empty() || permits(path);
        let by_name = match place.base {
            Base::Root(_) => permits(&place.names) && self.roots.relative_to_each(&names).all(permits),
            Base::Slash => match self.below_current(&names) {
                Some(names) => permits(names),
                None => permits(&absolute(&names)),
            },
        };
        by_name && self.guard.permits_absolute(&absolute(&names))
    }

    /// What follows the current directory in names from `/`, where there is no workspace.
    pub(super) fn below_current<'a>(&self, names: &'a [u8]) -> Option<&'a [u8]> {
        below(names, self.current.as_ref()?.path.as_deref()?)
    }

    /// A place as it is printed: relative to the first root or, without a workspace, to the current directory, where it
    /// lies in there; else absolute.
    pub(super) fn shown(&self, place: &Place) -> Vec<u8> {
        let names = self.roots.names_from_slash(place);
        let relative = match place.base {
            Base::Root(0) => Some(&*place.names),
            Base::Root(_) => self.roots.get(0).and_then(|root| below(&names, root.path())),
            Base::Slash => self.below_current(&names),
        };
        match relative {
            Some([]) => b".".to_vec(),
            Some(names) => names.to_vec(),
            None => absolute(&names),
        }
    }
}
