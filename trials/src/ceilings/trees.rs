//! Plain files and folders that are too large, too many or no files at all.

use std::fs::File;
use std::io::Write;
#[cfg(unix)]
use std::os::unix::fs::FileExt;
use std::path::Path;

use anyhow::Result;

/// Folders within folders.
pub(super) const DEPTH: usize = 1_000;

/// 100 GB that take no room on the disk; with a line end near the end, or with none.
#[cfg(unix)]
fn sparse(path: &Path, line_end: bool) -> Result<()> {
    const SIZE: u64 = 100_000_000_000;
    let file = File::create(path)?;
    file.set_len(SIZE)?;
    // Text at the start, so that it is taken for text.
    file.write_all_at(&b"text ".repeat(20_000), 0)?;
    if line_end {
        file.write_all_at(b"\nthe end", SIZE - 8)?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn sparse(path: &Path, _: bool) -> Result<()> {
    Ok(File::create(path)?.set_len(0)?)
}

pub(super) fn hole(path: &Path) -> Result<()> {
    sparse(path, false)
}

pub(super) fn hole_with_line(path: &Path) -> Result<()> {
    sparse(path, true)
}

pub(super) fn one_line(path: &Path) -> Result<()> {
    let mut file = File::create(path)?;
    let block = b"x".repeat(1 << 20);
    for _ in 0..1_024 {
        file.write_all(&block)?;
    }
    Ok(())
}

pub(super) fn many_entries(path: &Path) -> Result<()> {
    std::fs::create_dir(path)?;
    for index in 0..100_000 {
        File::create(path.join(format!("entry-{index}")))?;
    }
    Ok(())
}

#[cfg(unix)]
pub(super) fn fifo(path: &Path) -> Result<()> {
    Ok(nix::unistd::mkfifo(path, nix::sys::stat::Mode::S_IRWXU)?)
}

#[cfg(not(unix))]
pub(super) fn fifo(path: &Path) -> Result<()> {
    Ok(drop(File::create(path)?))
}

#[cfg(unix)]
pub(super) fn zero(path: &Path) -> Result<()> {
    Ok(std::os::unix::fs::symlink("/dev/zero", path)?)
}

#[cfg(not(unix))]
pub(super) fn zero(path: &Path) -> Result<()> {
    Ok(drop(File::create(path)?))
}

pub(super) fn deep(path: &Path) -> Result<()> {
    let bottom = path.join("d/".repeat(DEPTH));
    std::fs::create_dir_all(&bottom)?;
    Ok(std::fs::write(bottom.join("bottom.txt"), "bottom\n")?)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn holes_take_no_room() {
        use std::os::unix::fs::MetadataExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("hole");
        sparse(&path, true).unwrap();
        let facts = std::fs::metadata(path).unwrap();
        assert!(facts.len() == 100_000_000_000 && facts.blocks() < 10_000);
    }
}
