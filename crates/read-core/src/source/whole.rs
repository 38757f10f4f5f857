//! Sources held whole, within bounds.

use std::io::Read;

use super::{Body, Slice, Source, Spool};
use crate::error::{ErrorCode, ReadError};
use crate::names::size;

impl Source {
    /// Its bytes at any position: itself when it is a slice, else held in a spool, up to `cap` bytes.
    pub fn to_seekable(&self, cap: u64, spool: &Spool) -> Result<Slice, ReadError> {
        match &self.body {
            Body::Slice(slice) => Ok(slice.clone()),
            Body::Dir(_) => Err(self.has_no_bytes()),
            Body::Stream(_) => {
                let mut reader = self.reader().map_err(|error| ReadError::io(&self.path, error))?;
                let held = spool.hold(&mut reader, cap).map_err(|error| ReadError::io(&self.path, error))?;
                held.ok_or_else(|| self.too_large(cap))
            }
        }
    }

    /// All its bytes, at most `cap`.
    pub fn to_bytes(&self, cap: u64) -> Result<Vec<u8>, ReadError> {
        if self.slice().is_some_and(|slice| slice.len() > cap) {
            return Err(self.too_large(cap));
        }
        let mut bytes = Vec::new();
        let mut reader = self.reader().map_err(|error| ReadError::io(&self.path, error))?;
        reader
            .by_ref()
            .take(cap.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(|error| ReadError::io(&self.path, error))?;
        if bytes.len() as u64 > cap {
            return Err(self.too_large(cap));
        }
        Ok(bytes)
    }

    fn has_no_bytes(&self) -> ReadError {
        let message = format!(
            "'{}' is {}: it has entries, and no bytes of its own.",
            self.path,
            self.noun.with_article()
        );
        ReadError::new(ErrorCode::IsDirectory, message)
    }

    pub(crate) fn too_large(&self, cap: u64) -> ReadError {
        ReadError::new(
            ErrorCode::TooLarge,
            format!(
                "'{}' must be held whole to be read, and is over {}. Use :@0+4096 or :hex for its bytes.",
                self.path,
                size(cap)
            ),
        )
    }
}
