//! A host's rules about what may be read.

mod all_of;
#[cfg(feature = "deny-rules")]
mod deny;
#[cfg(feature = "deny-rules")]
mod shipped;

pub use all_of::AllOf;
#[cfg(feature = "deny-rules")]
pub use deny::DenyRules;

/// Decides which paths may be read. Dispatch asks it at every descent, listings before they show an entry, and
/// suggestions before they name one.
pub trait Guard: Send + Sync {
    /// Whether `path` may be read: a workspace path with `/`, or a member's path, alone and behind its container's
    /// (`a.zip/conf/.env`). A path that may not be read is refused whether or not it exists.
    fn permits(&self, path: &[u8]) -> bool;

    /// Whether a file of the workspace may be read by its absolute path. Only rules that are anchored at `/` are asked:
    /// what a workspace's own parents are called is no matter of its rules. Permits everything, unless overridden.
    fn permits_absolute(&self, path: &[u8]) -> bool {
        let _ = path;
        true
    }

    /// Whether any rule is set at all. Where one is, the raw bytes of containers of paths are not shown.
    fn has_rules(&self) -> bool {
        true
    }
}

/// Permits everything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unguarded;

impl Guard for Unguarded {
    fn permits(&self, _: &[u8]) -> bool {
        true
    }

    fn has_rules(&self) -> bool {
        false
    }
}
