//! The disk, confined to the roots of the workspace.
//!
//! A [`LocalFileSystem`] holds its roots as open directories. Paths are walked from those handles and never handed to
//! the operating system as a whole string that somebody else could re-point in between: on Linux `openat2` refuses to
//! leave the handle or to follow a link; where it is missing, and for the links that the policy allows, the path is
//! walked one component at a time, no link ever followed by the kernel. What was resolved is opened by its canonical
//! path, again without following anything, and what was opened is looked at through its own handle.
//!
//! [`LocalFileSystem::ambient`] is the same without a workspace, for a command line: paths mean what the shell means,
//! and deny rules and the regular-file check still hold.
//!
//! It needs a Unix system; on others this module holds nothing and a host brings its own
//! [`FileSystem`](crate::FileSystem).
//!
//! # Promises
//!
//! Each is kept by tests in `tests/confinement`, which run once with `openat2` and once without.
//!
//! | promise | tests |
//! | --- | --- |
//! | each root is an existing directory when built | `roots::a_root_must_be_an_existing_directory` |
//! | a relative path is of the first root, absolute ones lie in any | `roots::a_relative_path_is_of_the_first_root`, `roots::absolute_paths_lie_in_a_root` |
//! | `..` never leaves a root, even if it would come back | `paths::dotdot_in_every_position` |
//! | a link that ends in any root is fine under `follow` | `links::a_link_that_ends_in_any_root_is_followed` |
//! | a link that leaves all roots is `outside_workspace` under each policy, its target not named | `links::a_link_that_leaves_is_outside_under_each_policy` |
//! | `no-final` and `none` refuse links | `links::policies_refuse_links` |
//! | links that lead on for ever, or nowhere, are named errors | `links::loops_end`, `links::a_dangling_link_names_its_target` |
//! | magic links of `/proc` lead nowhere from a workspace | `links::magic_links_do_not_lead_out` |
//! | host reads widen absolute paths alone, and are marked | `host::absolute_paths_may_lead_outside`, `host::relative_paths_are_never_widened` |
//! | denied means refused, not listed and not probed, as asked and as resolved | `deny::refused_whether_or_not_it_exists`, `deny::nothing_inside_is_probed`, `deny::as_resolved_too`, `deny::not_listed` |
//! | a component swapped after preparation is `resolution_changed` | `change::a_component_swapped_for_a_link`, `change::another_kind_of_file` |
//! | a regular file replaced by another is no change | `change::a_replaced_file_is_read` |
//! | no byte from outside, whoever swaps what while reads run | `race::a_swapped_directory_never_leads_out`, `race::a_swapped_file_never_leads_out`, `property::whatever_opens_lies_inside` |
//! | FIFOs, sockets and devices are refused at once, without being opened | `special::fifos_and_sockets_are_refused_at_once`, `special::devices_are_refused` |
//! | files of size 0 with content are streams | `special::files_of_size_zero_with_content_are_streams` |
//! | permission denied is never "not found" | `permission::a_locked_file_says_so` (needs a user who is not root) |
//! | a root that vanishes or moves while in use is no surprise | `roots::a_removed_root_is_named`, `roots::a_moved_root_stays_itself` |

use std::fs::File;
use std::io;

#[cfg(unix)]
mod ambient;
#[cfg(unix)]
mod beneath;
#[cfg(unix)]
mod builder;
#[cfg(unix)]
mod directory;
#[cfg(unix)]
mod file;
#[cfg(unix)]
mod judge;
#[cfg(unix)]
mod open;
#[cfg(unix)]
mod place;
#[cfg(unix)]
mod refusal;
#[cfg(unix)]
mod resolve;
#[cfg(unix)]
mod roots;
#[cfg(unix)]
mod walk;

#[cfg(unix)]
pub use builder::{LocalFileSystem, LocalFileSystemBuilder, SymlinkPolicy};

/// Reads at a position without moving a cursor that anybody relies on.
#[cfg(unix)]
pub(crate) fn read_file_at(file: &File, buf: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, buf, offset)
}

/// Reads at a position without moving a cursor that anybody relies on.
#[cfg(windows)]
pub(crate) fn read_file_at(file: &File, buf: &mut [u8], offset: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, buf, offset)
}

/// Reads at a position without moving a cursor that anybody relies on.
#[cfg(not(any(unix, windows)))]
pub(crate) fn read_file_at(_: &File, _: &mut [u8], _: u64) -> io::Result<usize> {
    Err(io::ErrorKind::Unsupported.into())
}
