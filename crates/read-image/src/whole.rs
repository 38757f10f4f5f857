//! A whole image in memory, which is read as any other and then given away, without a copy of it.

use std::io;
use std::sync::Arc;

use read_core::{ReadAt, Slice};

use crate::fault::Fault;

/// The bytes of an image.
pub(crate) struct Whole(Arc<Bytes>);

struct Bytes(Vec<u8>);

impl ReadAt for Bytes {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let rest = usize::try_from(offset).ok().and_then(|offset| self.0.get(offset..)).unwrap_or_default();
        io::Read::read(&mut &*rest, buf)
    }

    fn as_bytes(&self) -> Option<&[u8]> {
        Some(&self.0)
    }
}

impl Whole {
    /// Reads what a slice holds.
    pub(crate) fn of(slice: &Slice) -> Result<Self, Fault> {
        let mut bytes = vec![0; usize::try_from(slice.len()).unwrap_or_default()];
        let n = slice.read_full_at(&mut bytes, 0).map_err(Fault::Io)?;
        bytes.truncate(n);
        Ok(Self(Arc::new(Bytes(bytes))))
    }

    /// The bytes at any position.
    pub(crate) fn slice(&self) -> Slice {
        Slice::new(self.0.clone(), self.0.0.len() as u64)
    }

    /// The bytes themselves; copied only where a [`slice`](Self::slice) of them is still there.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        Arc::try_unwrap(self.0).map_or_else(|shared| shared.0.clone(), |bytes| bytes.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_is_given_away_uncopied() {
        let whole = Whole::of(&Slice::from_bytes(*b"bytes")).unwrap();
        let at = whole.0.0.as_ptr();
        let mut read = [0; 9];
        assert_eq!(whole.slice().read_full_at(&mut read, 1).unwrap(), 4);
        assert_eq!(&read[..4], b"ytes");
        let bytes = whole.into_bytes();
        assert_eq!((bytes.as_ptr(), bytes.as_slice()), (at, &b"bytes"[..]));
    }
}
