//! A read that is decoded and resolved, and waits for a gate's word.

use std::sync::Arc;

use read_core::{Request, Resolution};

/// What a read needs, for a host's permission gate.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Requirement {
    /// The kind of access: `filesystem.read`.
    pub action: &'static str,
    /// The canonical path: relative to the workspace, absolute for a host read.
    pub path: String,
    /// Whether the path lies in the workspace.
    pub contained: bool,
}

/// A prepared read. It runs once, on the tool that made it, and executes what was resolved here: the arguments are not
/// looked at again.
#[derive(Debug)]
pub struct PreparedRead {
    pub(crate) resolution: Resolution,
    pub(crate) request: Request,
    pub(crate) requirements: Vec<Requirement>,
    pub(crate) maker: Arc<()>,
}

impl PreparedRead {
    /// What the read needs.
    pub fn requirements(&self) -> &[Requirement] {
        &self.requirements
    }

    /// One line for a log: the path, escaped, and never what follows it in the target.
    pub fn audit_summary(&self) -> String {
        format!("read {}", self.resolution.path())
    }
}
