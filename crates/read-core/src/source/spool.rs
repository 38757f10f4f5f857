//! Spools: streams that a reader must seek in, held in memory or in an unlinked temporary file, within bounds.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::slice::{ReadAt, Slice};

/// Bytes held in memory before a spool goes to a file (4 MiB).
const IN_MEMORY: u64 = 4 << 20;

/// Where streams are held that must be read at any position. Clones share one bound. What is held is let go when its
/// last slice is dropped.
#[derive(Clone, Debug)]
pub struct Spool {
    #[cfg(feature = "local-fs")]
    directory: Option<Arc<std::path::Path>>,
    bound: u64,
    held: Arc<AtomicU64>,
}

impl Spool {
    /// Spools in memory only, of `bound` bytes over all that is held at one time.
    pub fn in_memory(bound: u64) -> Self {
        Self {
            #[cfg(feature = "local-fs")]
            directory: None,
            bound,
            held: Arc::default(),
        }
    }

    /// Spools of more than 4 MiB as unlinked files of mode 0600 in `directory`, smaller ones in memory; of `bound` bytes
    /// over all that is held at one time.
    #[cfg(feature = "local-fs")]
    pub fn in_directory(directory: impl AsRef<std::path::Path>, bound: u64) -> Self {
        Self { directory: Some(directory.as_ref().into()), ..Self::in_memory(bound) }
    }

    /// Bytes held now.
    pub fn held(&self) -> u64 {
        self.held.load(Relaxed)
    }

    /// Bytes that can still be held.
    pub(crate) fn left(&self) -> u64 {
        self.bound.saturating_sub(self.held())
    }

    /// Holds all of `reader`; `None` when it is over `cap` or over what is left of the bound.
    pub fn hold(&self, reader: &mut dyn Read, cap: u64) -> io::Result<Option<Slice>> {
        let mut lease = Lease { held: Arc::clone(&self.held), bytes: 0 };
        let mut memory = Vec::new();
        reader.take(IN_MEMORY.min(cap).saturating_add(1)).read_to_end(&mut memory)?;
        let len = memory.len() as u64;
        if len > cap || !lease.extend(len, self.bound) {
            return Ok(None);
        }
        if len <= IN_MEMORY {
            return Ok(Some(Slice::new(Arc::new(HeldBytes { bytes: memory.into(), _lease: lease }), len)));
        }
        self.hold_long(memory, reader, cap, lease)
    }

    #[cfg(feature = "local-fs")]
    fn hold_long(
        &self,
        start: Vec<u8>,
        reader: &mut dyn Read,
        cap: u64,
        lease: Lease,
    ) -> io::Result<Option<Slice>> {
        match self.directory.as_deref().map(tempfile::tempfile_in) {
            Some(Ok(file)) => self.hold_in_file(file, &start, reader, cap, lease),
            // A full or read-only directory is no reason to fail while memory will do.
            Some(Err(_)) | None => self.hold_in_memory(start, reader, cap, lease),
        }
    }

    #[cfg(not(feature = "local-fs"))]
    fn hold_long(
        &self,
        start: Vec<u8>,
        reader: &mut dyn Read,
        cap: u64,
        lease: Lease,
    ) -> io::Result<Option<Slice>> {
        self.hold_in_memory(start, reader, cap, lease)
    }

    fn hold_in_memory(
        &self,
        start: Vec<u8>,
        reader: &mut dyn Read,
        cap: u64,
        mut lease: Lease,
    ) -> io::Result<Option<Slice>> {
        let mut bytes = start;
        let mut block = vec![0; 256 << 10];
        loop {
            let n = reader.read(&mut block)?;
            if n == 0 {
                break;
            }
            if bytes.len().saturating_add(n) as u64 > cap || !lease.extend(n as u64, self.bound) {
                return Ok(None);
            }
            bytes.extend_from_slice(block.get(..n).unwrap_or_default());
        }
        let len = bytes.len() as u64;
        Ok(Some(Slice::new(Arc::new(HeldBytes { bytes: bytes.into(), _lease: lease }), len)))
    }

    #[cfg(feature = "local-fs")]
    fn hold_in_file(
        &self,
        mut file: std::fs::File,
        start: &[u8],
        reader: &mut dyn Read,
        cap: u64,
        mut lease: Lease,
    ) -> io::Result<Option<Slice>> {
        use std::io::Write;
        file.write_all(start)?;
        let mut len = start.len() as u64;
        let mut block = vec![0; 256 << 10];
        loop {
            let n = reader.read(&mut block)?;
            if n == 0 {
                break;
            }
            len = len.saturating_add(n as u64);
            if len > cap || !lease.extend(n as u64, self.bound) {
                return Ok(None);
            }
            file.write_all(block.get(..n).unwrap_or_default())?;
        }
        Ok(Some(Slice::new(Arc::new(HeldFile { file, _lease: lease }), len)))
    }
}

/// A share of the bound, given back when dropped.
#[derive(Debug)]
struct Lease {
    held: Arc<AtomicU64>,
    bytes: u64,
}

impl Lease {
    fn extend(&mut self, bytes: u64, bound: u64) -> bool {
        let held = self.held.fetch_add(bytes, Relaxed).saturating_add(bytes);
        self.bytes = self.bytes.saturating_add(bytes);
        held <= bound
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.held.fetch_sub(self.bytes, Relaxed);
    }
}

struct HeldBytes {
    bytes: Arc<[u8]>,
    _lease: Lease,
}

impl ReadAt for HeldBytes {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        self.bytes.read_at(buf, offset)
    }

    fn as_bytes(&self) -> Option<&[u8]> {
        Some(&self.bytes)
    }
}

#[cfg(feature = "local-fs")]
struct HeldFile {
    file: std::fs::File,
    _lease: Lease,
}

#[cfg(feature = "local-fs")]
impl ReadAt for HeldFile {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        crate::filesystem::read_file_at(&self.file, buf, offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_shared_and_given_back() {
        let spool = Spool::in_memory(100);
        let first = spool.hold(&mut io::repeat(1).take(60), 1_000).unwrap().unwrap();
        assert_eq!(spool.held(), 60);
        assert!(spool.hold(&mut io::repeat(1).take(60), 1_000).unwrap().is_none());
        assert_eq!(spool.held(), 60);
        drop(first);
        assert_eq!(spool.held(), 0);
    }

    #[test]
    fn the_cap_is_exact() {
        let spool = Spool::in_memory(u64::MAX);
        assert!(spool.hold(&mut io::repeat(1).take(10), 10).unwrap().is_some());
        assert!(spool.hold(&mut io::repeat(1).take(11), 10).unwrap().is_none());
    }

    #[cfg(feature = "local-fs")]
    #[test]
    fn a_long_spool_lies_in_a_file_that_nobody_sees() {
        let dir = tempfile::tempdir().unwrap();
        let spool = Spool::in_directory(dir.path(), u64::MAX);
        let slice = spool.hold(&mut io::repeat(9).take(5 << 20), 1 << 30).unwrap().unwrap();
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
        let mut last = [0; 4];
        assert_eq!(slice.read_full_at(&mut last, (5 << 20) - 2).unwrap(), 2);
        assert_eq!(last, [9, 9, 0, 0]);
    }
}
