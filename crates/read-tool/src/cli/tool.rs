//! From options to a tool.

use std::path::PathBuf;
use std::sync::Arc;

use super::options::ToolOptions;
use super::{home, progress};
use crate::{
    Guard, LocalFileSystem, LocalFileSystemBuilder, ReadError, ReadTool, ReadToolBuilder, Spool, skills,
};

/// Bytes that spools hold at one time (1 GiB).
const SPOOL_BOUND: u64 = 1 << 30;

/// The tool of one read.
pub(super) fn of_one_read(options: &ToolOptions) -> Result<ReadTool, ReadError> {
    let guard = options.guard(false)?;
    let files = files(options, &options.root, &guard);
    let files = if options.root.is_empty() { files.build_ambient()? } else { files.build()? };
    let mut tool = builder(options, guard, spool()).workspace(files);
    if let Some(progress) = progress::bar() {
        tool = tool.progress(progress);
    }
    tool.build()
}

/// The file system that the options name.
pub(super) fn files(
    options: &ToolOptions,
    roots: &[PathBuf],
    guard: &Arc<dyn Guard>,
) -> LocalFileSystemBuilder {
    let files = LocalFileSystem::builder()
        .symlinks(options.symlinks())
        .host_reads(options.host_reads)
        .guard(Arc::clone(guard))
        .home(home::directory().map(|home| home.to_string_lossy().into_owned()));
    roots.iter().fold(files, LocalFileSystemBuilder::root)
}

/// Everything of a tool but its workspace.
pub(super) fn builder(options: &ToolOptions, guard: Arc<dyn Guard>, spool: Spool) -> ReadToolBuilder {
    let takes_images = !options.no_image_input;
    ReadTool::builder()
        .guard(guard)
        .resources(skills())
        .limits(options.limits())
        .style(options.style())
        .image_input(move || takes_images)
        .spool(spool)
}

/// Where this process holds streams: unlinked files in the directory for temporary ones.
pub(super) fn spool() -> Spool {
    Spool::in_directory(std::env::temp_dir(), SPOOL_BOUND)
}
