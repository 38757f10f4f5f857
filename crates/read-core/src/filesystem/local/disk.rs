//! What the file system and its sources share: the roots, and the policy that holds in them.

use std::os::fd::OwnedFd;
use std::sync::Arc;

use super::beneath::Beneath;
use super::builder::SymlinkPolicy;
use super::roots::Roots;
use crate::guard::Guard;

/// What [`LocalFileSystem`](super::LocalFileSystem) is made of; its sources share it.
pub(super) struct Disk {
    pub(super) roots: Roots,
    pub(super) beneath: Beneath,
    pub(super) symlinks: SymlinkPolicy,
    pub(super) host_reads: bool,
    pub(super) guard: Arc<dyn Guard>,
    /// Whether the guard has rules at all.
    pub(super) guarded: bool,
    pub(super) refuse_hard_links: bool,
    /// The current directory, where there is no workspace.
    pub(super) current: Option<Current>,
}

/// The directory that relative paths mean without a workspace.
pub(super) struct Current {
    pub(super) handle: OwnedFd,
    /// Joined names of its canonical path from `/`; `None` where it has none any more.
    pub(super) path: Option<Vec<u8>>,
}
