//! A host's rules, as they go on to mean what they meant where a client's roots have narrowed the workspace.

use std::sync::Arc;

use read_core::Guard;

use super::directory::below;

/// Whether the rules permit a path and every directory above it.
pub(super) fn permits_within(rules: &dyn Guard, path: &[u8]) -> bool {
    let ends =
        path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at).chain([path.len()]);
    ends.filter_map(|end| path.get(..end)).filter(|path| !path.is_empty()).all(|path| rules.permits(path))
}

/// A host's rules for a file system over narrowed roots. It asks about each path twice, relative to the root that it lies in and
/// by its place on the disk; only the place tells which root that is, and what the host's rules mean there.
pub(super) struct Located {
    pub(super) rules: Arc<dyn Guard>,
    /// The host's roots, as names from `/`.
    pub(super) roots: Vec<Vec<u8>>,
}

impl Located {
    fn permits_in_roots(&self, names: &[u8]) -> bool {
        self.roots.iter().filter_map(|root| below(names, root)).all(|path| permits_within(&*self.rules, path))
    }
}

impl Guard for Located {
    fn permits(&self, path: &[u8]) -> bool {
        path.strip_prefix(b"/").is_none_or(|names| self.rules.permits(path) && self.permits_in_roots(names))
    }

    fn permits_absolute(&self, path: &[u8]) -> bool {
        self.rules.permits_absolute(path)
            && path.strip_prefix(b"/").is_none_or(|names| self.permits_in_roots(names))
    }

    fn has_rules(&self) -> bool {
        self.rules.has_rules()
    }
}

/// A host's rules for a tool over narrowed roots. A relative path is of the first of them, or of a member alone: it is judged as
/// both.
pub(super) struct Rebased {
    pub(super) located: Arc<Located>,
    /// Where the first of the narrowed roots lies in the host's.
    pub(super) prefixes: Vec<Vec<u8>>,
}

impl Guard for Rebased {
    fn permits(&self, path: &[u8]) -> bool {
        let rules = &self.located.rules;
        let behind = |prefix: &Vec<u8>| rules.permits(&[prefix, &b"/"[..], path].concat());
        match path.strip_prefix(b"/") {
            Some(_) => self.located.permits(path),
            None => rules.permits(path) && self.prefixes.iter().all(behind),
        }
    }

    fn permits_absolute(&self, path: &[u8]) -> bool {
        self.located.permits_absolute(path)
    }

    fn has_rules(&self) -> bool {
        self.located.has_rules()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_mean_what_they_meant_before() {
        let rules = ["/proj/private/**", "proj/keys", "*.pem"].map(str::to_owned);
        let located = Arc::new(Located {
            rules: Arc::new(crate::DenyRules::new(rules).unwrap()),
            roots: vec![b"code".to_vec()],
        });
        let guard = Rebased { located: Arc::clone(&located), prefixes: vec![b"proj".to_vec()] };
        assert!(guard.permits(b"src/a.rs"));
        assert!(!guard.permits(b"keys"), "a rule on proj/keys");
        assert!(!guard.permits(b"a.zip/b.pem") && !guard.permits(b"proj/keys"), "members alone");
        for guard in [&guard as &dyn Guard, &*located] {
            assert!(!guard.permits(b"/code/proj/keys") && guard.permits(b"/other/proj/x"));
            assert!(!guard.permits_absolute(b"/code/proj/keys/a"));
            assert!(
                guard.permits_absolute(b"/code/lib/proj/keys"),
                "a rule on another directory's proj/keys"
            );
            assert!(!guard.permits_absolute(b"/code/lib/a.pem") && guard.has_rules());
        }
        assert!(located.permits(b"keys"), "relative to which root it is not told");
    }
}
