//! What a refusal says: always the path that was asked for, never where it would have led.

use rustix::fs::FileType;
use rustix::io::Errno;

use crate::error::{ErrorCode, ReadError};
use crate::names::shortened;

pub(super) fn outside(asked: &[u8]) -> ReadError {
    let message = format!("'{}' leads out of the workspace. Use a path relative to it.", shortened(asked));
    ReadError::new(ErrorCode::OutsideWorkspace, message)
}

pub(super) fn denied(asked: &[u8]) -> ReadError {
    ReadError::new(
        ErrorCode::Denied,
        format!("'{}' is denied by the rules of this workspace.", shortened(asked)),
    )
}

pub(super) fn hard_linked(asked: &[u8]) -> ReadError {
    let message = format!(
        "'{}' has more than one hard link, which the rules of this workspace deny.",
        shortened(asked)
    );
    ReadError::new(ErrorCode::Denied, message)
}

pub(super) fn link_refused(asked: &[u8]) -> ReadError {
    let message = format!(
        "'{}' is or leads through a symbolic link, which this workspace does not follow.",
        shortened(asked)
    );
    ReadError::new(ErrorCode::SymlinkRefused, message)
}

pub(super) fn too_many_links(asked: &[u8]) -> ReadError {
    let message = format!("'{}' not found: too many levels of symbolic links.", shortened(asked));
    ReadError::new(ErrorCode::NotFound, message)
}

pub(super) fn dangling(asked: &[u8], target: &[u8]) -> ReadError {
    let message =
        format!("'{}' is a link to '{}', which does not exist.", shortened(asked), shortened(target));
    ReadError::new(ErrorCode::NotFound, message)
}

pub(super) fn vanished(asked: &[u8]) -> ReadError {
    ReadError::new(
        ErrorCode::NotFound,
        format!("'{}' not found: it was removed meanwhile.", shortened(asked)),
    )
}

pub(super) fn root_is_gone(asked: &[u8]) -> ReadError {
    let message =
        format!("'{}' not found: the root directory of the workspace was removed.", shortened(asked));
    ReadError::new(ErrorCode::NotFound, message)
}

pub(super) fn changed(asked: &[u8]) -> ReadError {
    let message =
        format!("'{}' no longer leads to what was approved. Nothing was read; ask again.", shortened(asked));
    ReadError::new(ErrorCode::ResolutionChanged, message)
}

pub(super) fn foreign(asked: &str) -> ReadError {
    let asked = shortened(asked.as_bytes());
    let message = format!("'{asked}' was resolved by another file system. Nothing was read; ask again.");
    ReadError::new(ErrorCode::ResolutionChanged, message)
}

pub(super) fn not_regular(asked: &[u8], kind: FileType) -> ReadError {
    let message = format!("'{}' is a {}, not a regular file.", shortened(asked), described(kind));
    ReadError::new(ErrorCode::NotRegular, message)
}

/// What the operating system said about the path asked for.
pub(super) fn system(asked: &[u8], error: Errno) -> ReadError {
    let asked = shortened(asked);
    match error {
        Errno::NOENT | Errno::NOTDIR => ReadError::new(ErrorCode::NotFound, format!("'{asked}' not found.")),
        Errno::ACCESS | Errno::PERM => {
            ReadError::new(ErrorCode::Io, format!("'{asked}': permission denied."))
        }
        // A file under a lease of another program, which is asked for it by this very attempt.
        Errno::AGAIN => {
            ReadError::new(ErrorCode::Busy, format!("'{asked}' is held by another program. Read it again."))
        }
        _ => ReadError::new(ErrorCode::Io, format!("'{asked}': {error}.")),
    }
    .with_cause(std::io::Error::from(error))
}

/// The word for a kind in listings.
pub(super) fn word(kind: FileType) -> &'static str {
    match kind {
        FileType::Fifo => "FIFO",
        FileType::Socket => "socket",
        FileType::CharacterDevice => "character device",
        FileType::BlockDevice => "block device",
        FileType::RegularFile | FileType::Directory | FileType::Symlink | FileType::Unknown => "special file",
    }
}

fn described(kind: FileType) -> &'static str {
    if kind == FileType::Fifo { "FIFO (named pipe)" } else { word(kind) }
}
