//! What every archive gives: its members, whatever format they are stored in.

use std::sync::Arc;

use read_core::{ErrorCode, Meter, Notice, Noun, ReadContext, ReadError, Source, shortened};

use crate::damage::Damage;
use crate::tree::Tree;

/// An archive whose members are known.
pub(crate) trait Archive: Send + Sync {
    /// Its members.
    fn tree(&self) -> &Tree;

    /// The size of a member, where it is known.
    fn size(&self, number: u32) -> Option<u64>;

    /// What a listing says about a member: why it cannot be read, say.
    fn remark(&self, number: u32) -> Option<String>;

    /// Where a link leads.
    fn link(&self, number: u32) -> Result<Vec<u8>, ReadError>;

    /// A member as a source, under `path`.
    fn open(&self, source: &Source, number: u32, path: &[u8]) -> Result<Source, ReadError>;

    /// Where the archive stops making sense.
    fn damage(&self) -> Option<&Damage>;

    /// What else is odd about the archive.
    fn notices(&self) -> Vec<Notice>;

    /// The same archive with all its members, where the search for one of them ended early; `None` where it did not.
    fn searched_whole(&self, source: &Source, meter: &Meter) -> Result<Option<Arc<dyn Archive>>, ReadError> {
        let _ = (source, meter);
        Ok(None)
    }
}

/// Whether the host's rules let a path in the archive be named, alone and behind what it lies in.
pub(crate) fn permits(source: &Source, path: &[u8], cx: &ReadContext<'_>) -> bool {
    !cx.guard().has_rules() || cx.permits(&source.member(path, Noun::ArchiveEntry, source.body().clone()))
}

/// The error about a path that they do not, for whoever has no context to ask any more, too.
pub(crate) fn denied(source: &Source, path: &[u8]) -> ReadError {
    let message = format!("'{}:{}' is denied by this host's rules.", source.path(), shortened(path));
    ReadError::new(ErrorCode::Denied, message)
}
