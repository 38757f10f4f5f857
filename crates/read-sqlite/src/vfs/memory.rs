//! Temporary files in memory, within a bound.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Bytes by which a temporary file grows.
const CHUNK: usize = 64 << 10;

/// What the temporary files of one connection may hold together.
#[derive(Clone, Debug)]
pub(super) struct Allowance(Arc<(AtomicU64, AtomicBool)>);

impl Allowance {
    pub(super) fn new(bytes: u64) -> Self {
        Self(Arc::new((AtomicU64::new(bytes), AtomicBool::new(false))))
    }

    fn take(&self) -> bool {
        let taken = self.0.0.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(CHUNK as u64)).is_ok();
        if !taken {
            self.0.1.store(true, Relaxed);
        }
        taken
    }

    fn give_back(&self, chunks: usize) {
        self.0.0.fetch_add((chunks as u64).saturating_mul(CHUNK as u64), Relaxed);
    }

    pub(super) fn was_exceeded(&self) -> bool {
        self.0.1.load(Relaxed)
    }
}

/// One temporary file.
#[derive(Debug)]
pub(super) struct MemoryFile {
    chunks: Vec<Box<[u8]>>,
    len: u64,
    allowance: Allowance,
}

/// The allowance is used up.
#[derive(Debug)]
pub(super) struct Full;

impl MemoryFile {
    pub(super) fn new(allowance: Allowance) -> Self {
        Self { chunks: Vec::new(), len: 0, allowance }
    }

    pub(super) fn len(&self) -> u64 {
        self.len
    }

    /// Reads at `offset`; gives how many bytes there were.
    pub(super) fn read(&self, buf: &mut [u8], offset: u64) -> usize {
        let room = usize::try_from(self.len.saturating_sub(offset)).unwrap_or(usize::MAX);
        let want = buf.len().min(room);
        let mut done = 0;
        while done < want {
            let (chunk, within) = place(offset.saturating_add(done as u64));
            let Some(from) = self.chunks.get(chunk).and_then(|chunk| chunk.get(within..)) else { break };
            let n = from.len().min(want - done);
            if let (Some(to), Some(from)) = (buf.get_mut(done..done + n), from.get(..n)) {
                to.copy_from_slice(from);
            }
            done += n;
        }
        done
    }

    /// Writes at `offset`; what lies between the end and there reads as zeros.
    pub(super) fn write(&mut self, data: &[u8], offset: u64) -> Result<(), Full> {
        let end = offset.saturating_add(data.len() as u64);
        while (self.chunks.len() as u64).saturating_mul(CHUNK as u64) < end {
            if !self.allowance.take() {
                return Err(Full);
            }
            self.chunks.push(vec![0; CHUNK].into());
        }
        let mut done = 0;
        while let Some(rest) = data.get(done..).filter(|rest| !rest.is_empty()) {
            let (chunk, within) = place(offset.saturating_add(done as u64));
            let Some(to) = self.chunks.get_mut(chunk).and_then(|chunk| chunk.get_mut(within..)) else {
                return Err(Full);
            };
            let n = to.len().min(rest.len());
            if let (Some(to), Some(from)) = (to.get_mut(..n), rest.get(..n)) {
                to.copy_from_slice(from);
            }
            done += n;
        }
        self.len = self.len.max(end);
        Ok(())
    }

    /// Cuts the file at `len`; it never grows by this.
    pub(super) fn truncate(&mut self, len: u64) {
        if len >= self.len {
            return;
        }
        let keep = usize::try_from(len.div_ceil(CHUNK as u64)).unwrap_or(usize::MAX).min(self.chunks.len());
        self.allowance.give_back(self.chunks.len() - keep);
        self.chunks.truncate(keep);
        let (_, within) = place(len);
        if within > 0
            && let Some(last) = self.chunks.last_mut()
        {
            last.get_mut(within..).unwrap_or_default().fill(0);
        }
        self.len = len;
    }
}

impl Drop for MemoryFile {
    fn drop(&mut self) {
        self.allowance.give_back(self.chunks.len());
    }
}

/// The chunk that holds `offset`, and where in it.
fn place(offset: u64) -> (usize, usize) {
    let chunk = usize::try_from(offset / CHUNK as u64).unwrap_or(usize::MAX);
    (chunk, usize::try_from(offset % CHUNK as u64).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_reads_back_what_was_written_over_chunks() {
        let mut file = MemoryFile::new(Allowance::new(1 << 20));
        let data: Vec<u8> = (0..200_000_u32).map(|n| n.to_le_bytes()[0]).collect();
        file.write(&data, 1_000).unwrap();
        assert_eq!(file.len(), 201_000);
        let mut back = vec![9; 200_100];
        assert_eq!(file.read(&mut back, 900), 200_100);
        assert!(back[..100].iter().all(|byte| *byte == 0));
        assert_eq!(back[100..], data[..]);
        file.truncate(70_000);
        file.write(&[1], 80_000).unwrap();
        assert_eq!(file.read(&mut back, 75_000), 5_001);
        assert!(back[..5_000].iter().all(|byte| *byte == 0), "what was cut off does not come back");
    }

    #[test]
    fn the_allowance_is_shared_and_given_back() {
        let allowance = Allowance::new(3 * CHUNK as u64);
        let mut first = MemoryFile::new(allowance.clone());
        first.write(&[1], 2 * CHUNK as u64 - 1).unwrap();
        let mut second = MemoryFile::new(allowance.clone());
        assert!(second.write(&[1], 2 * CHUNK as u64).is_err());
        assert!(allowance.was_exceeded());
        drop(first);
        second.write(&[1], 2 * CHUNK as u64).unwrap();
    }
}
