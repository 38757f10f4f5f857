//! The disk as a file system.

use std::fmt;
use std::sync::Arc;

use super::builder::LocalFileSystemBuilder;
use super::disk::Disk;
use super::{open, refusal};
use crate::error::ReadError;
use crate::filesystem::{FileSystem, Resolved};
use crate::guard::Guard;
use crate::names::printed;
use crate::source::Source;

/// The disk, confined to one or more roots.
///
/// Roots are held as open directories, and paths are walked from those handles. On Linux `openat2` refuses to leave the
/// handle or to follow a link; where it is missing, and for the links that the policy allows, a path is walked one
/// component at a time, no link ever followed by the kernel. What was resolved is opened by its canonical path, again
/// without following anything, and what was opened is looked at through its own handle.
///
/// Absolute paths that a caller writes are matched with a root's canonical path and with the path that the host gave;
/// a `..` before the root is complete does not count as lying in it. `..` means the parent of the directory that was
/// reached, as for the shell, and must in addition never climb above the root as the path is written.
///
/// The canonical path of a [`Resolved`] is relative to the first root for what lies in it, and absolute for other roots
/// and host reads; without a workspace it is relative to the current directory for what lies below it.
///
/// A further root inside another is judged by deny rules under both of its relative paths.
///
/// ```
/// use std::sync::Arc;
///
/// use read_core::{FileSystem, LocalFileSystem, SymlinkPolicy};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let dir = tempfile::tempdir()?;
/// # std::fs::write(dir.path().join("notes.txt"), "hello\n")?;
/// let files = LocalFileSystem::builder().root(dir.path()).symlinks(SymlinkPolicy::NoFinal).build()?;
/// let resolved = files.resolve(b"./notes.txt")?.ok_or("not there")?;
/// assert_eq!(resolved.path(), "notes.txt");
/// assert_eq!(files.open(&resolved)?.to_bytes(1 << 20)?, b"hello\n");
/// assert!(files.resolve(b"../notes.txt").is_err());
/// # Ok(())
/// # }
/// ```
///
/// # Promises
///
/// Each is kept by tests in `tests/confinement` of this crate, which run once with `openat2` and once without.
///
/// | promise | tests |
/// | --- | --- |
/// | each root is an existing directory when built | `roots::a_root_must_be_an_existing_directory` |
/// | a relative path is of the first root, absolute ones lie in any | `roots::a_relative_path_is_of_the_first_root`, `roots::absolute_paths_lie_in_a_root` |
/// | `..` never leaves a root, even if it would come back | `paths::dotdot_in_every_position` |
/// | a link that ends in any root is fine under `follow` | `links::a_link_that_ends_in_any_root_is_followed` |
/// | a link that leaves all roots is `outside_workspace` under each policy, its target not named | `links::a_link_that_leaves_is_outside_under_each_policy` |
/// | `no-final` and `none` refuse links | `links::policies_refuse_links` |
/// | links that lead on for ever, or nowhere, are named errors | `links::loops_end`, `links::a_dangling_link_names_its_target` |
/// | magic links of `/proc` lead nowhere from a workspace | `links::magic_links_do_not_lead_out` |
/// | host reads widen absolute paths alone, and are marked | `host::absolute_paths_may_lead_outside`, `host::relative_paths_are_never_widened` |
/// | denied means refused, not listed and not probed, as asked and as resolved | `deny::refused_whether_or_not_it_exists`, `deny::nothing_inside_is_probed`, `deny::as_resolved_too`, `deny::not_listed` |
/// | a component swapped after preparation is `resolution_changed` | `change::a_component_swapped_for_a_link`, `change::another_kind_of_file` |
/// | a regular file replaced by another is no change | `change::a_replaced_file_is_read` |
/// | no byte from outside, whoever swaps what while reads run | `race::a_swapped_directory_never_leads_out`, `race::a_swapped_file_never_leads_out`, `property::whatever_opens_lies_inside` |
/// | FIFOs, sockets and devices are refused at once, without being opened | `special::fifos_and_sockets_are_refused_at_once`, `special::devices_are_refused` |
/// | files of size 0 with content are streams | `special::files_of_size_zero_with_content_are_streams` |
/// | permission denied is never "not found" | `permission::a_locked_file_says_so` (needs a user who is not root) |
/// | a root that vanishes or moves while in use is no surprise | `roots::a_removed_root_is_named`, `roots::a_moved_root_stays_itself` |
#[derive(Clone)]
pub struct LocalFileSystem {
    disk: Arc<Disk>,
    home: Option<Arc<str>>,
}

impl fmt::Debug for LocalFileSystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalFileSystem")
            .field("roots", &self.disk.roots)
            .field("symlinks", &self.disk.symlinks)
            .field("host_reads", &self.disk.host_reads)
            .field("ambient", &self.disk.current.is_some())
            .finish_non_exhaustive()
    }
}

impl LocalFileSystem {
    pub(super) fn new(disk: Disk, home: Option<String>) -> Self {
        Self { disk: Arc::new(disk), home: home.map(Into::into) }
    }

    /// Sets one up: name at least one [root](LocalFileSystemBuilder::root).
    pub fn builder() -> LocalFileSystemBuilder {
        LocalFileSystemBuilder::default()
    }

    /// No workspace: paths mean what the shell means, relative to what is now the current directory. What `guard`
    /// refuses is refused all the same, as asked and as resolved; FIFOs, sockets and devices are; and nothing blocks.
    pub fn ambient(guard: Arc<dyn Guard>) -> Result<Self, ReadError> {
        Self::builder().guard(guard).build_ambient()
    }
}

impl FileSystem for LocalFileSystem {
    fn resolve(&self, path: &[u8]) -> Result<Option<Resolved>, ReadError> {
        let Some(found) = self.disk.find(path)? else { return Ok(None) };
        let asked = printed(path).into_owned();
        let shown = printed(&found.shown).into_owned();
        let contained = found.contained;
        let directory = self.disk.directory(&found.spot);
        let token = open::Token { disk: Arc::clone(&self.disk), asked: path.to_vec(), found };
        let resolved = Resolved::new(asked, shown, token).with_name(path);
        let resolved = match directory {
            Some(name) => resolved.in_directory(name),
            None => resolved,
        };
        Ok(Some(if contained { resolved } else { resolved.outside() }))
    }

    fn open(&self, resolved: &Resolved) -> Result<Source, ReadError> {
        match resolved.token::<open::Token>() {
            Some(token) if Arc::ptr_eq(&token.disk, &self.disk) => token.open(resolved.is_contained()),
            _ => Err(refusal::foreign(resolved.asked())),
        }
    }

    fn roots(&self) -> Vec<Vec<u8>> {
        let further = self.disk.roots.0.iter().skip(1).map(|root| [b"/", root.path()].concat());
        [b".".to_vec()].into_iter().chain(further).collect()
    }

    fn home(&self) -> Option<&str> {
        self.home.as_deref()
    }

    fn guard(&self) -> Arc<dyn Guard> {
        Arc::clone(&self.disk.guard)
    }
}
