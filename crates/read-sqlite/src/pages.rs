//! The bytes of a database as one committed state shows them: the file, and pages that a log puts over it.

use std::collections::HashMap;
use std::io;

use read_core::Slice;

use crate::format::{self, PAGE_SIZE_AT, VERSIONS_AT};

/// A database file, readable at any position. It never changes while it is read, as far as the locks and checks of
/// [`Committed`](crate::committed::Committed) can see to that.
#[derive(Debug)]
pub(crate) struct Pages {
    file: Slice,
    overlay: Option<Overlay>,
}

/// Pages that stand in place of those in the file.
#[derive(Debug)]
pub(crate) struct Overlay {
    /// Bytes of a page.
    pub(crate) page_size: u32,
    /// Pages of the database in this state.
    pub(crate) count: u32,
    /// Where in `log` a page lies, by its number from 1.
    pub(crate) at: HashMap<u32, u64>,
    /// What the pages lie in.
    pub(crate) log: Slice,
}

impl Pages {
    pub(crate) fn new(file: Slice, overlay: Option<Overlay>) -> Self {
        Self { file, overlay }
    }

    /// The length of the database in bytes.
    pub(crate) fn len(&self) -> u64 {
        match &self.overlay {
            Some(overlay) => u64::from(overlay.count).saturating_mul(u64::from(overlay.page_size)),
            None => self.file.len(),
        }
    }

    /// Bytes of a page, as the header states it.
    pub(crate) fn page_size(&self) -> Option<u32> {
        let mut bytes = [0; 2];
        self.read(&mut bytes, PAGE_SIZE_AT).ok().filter(|n| *n == 2)?;
        format::page_size(bytes)
    }

    /// Whether all bytes lie in the file, so that neighbours can be read in one go.
    pub(crate) fn is_plain(&self) -> bool {
        self.overlay.is_none()
    }

    /// Reads at `offset` until `buf` is full or the end is reached; gives how many bytes there were.
    pub(crate) fn read(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let n = match &self.overlay {
            None => self.file.read_full_at(buf, offset)?,
            Some(overlay) => self.read_over(overlay, buf, offset)?,
        };
        // The log is part of this view already: SQLite must not look for it, nor for its shared memory.
        for at in VERSIONS_AT {
            let Some(index) = at.checked_sub(offset).and_then(|index| usize::try_from(index).ok()) else {
                continue;
            };
            if let Some(version) = buf.get_mut(..n).and_then(|read| read.get_mut(index))
                && *version == 2
            {
                *version = 1;
            }
        }
        Ok(n)
    }

    fn read_over(&self, overlay: &Overlay, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let size = u64::from(overlay.page_size);
        let room = usize::try_from(self.len().saturating_sub(offset)).unwrap_or(usize::MAX);
        let want = buf.len().min(room);
        let mut done = 0;
        while done < want {
            let position = offset.saturating_add(done as u64);
            let (number, within) = (position / size + 1, position % size);
            let end = usize::try_from(size - within).unwrap_or(usize::MAX).saturating_add(done).min(want);
            let Some(part) = buf.get_mut(done..end) else { break };
            let page = u32::try_from(number).ok().and_then(|number| overlay.at.get(&number));
            let n = match page {
                Some(at) => overlay.log.read_full_at(part, at.saturating_add(within))?,
                None => self.file.read_full_at(part, position)?,
            };
            // A page that neither has reads as zeros, as in a file with a hole.
            part.get_mut(n..).unwrap_or_default().fill(0);
            done = end;
        }
        Ok(done)
    }
}

#[cfg(test)]
impl Overlay {
    /// The numbers of the pages, with the first byte of each.
    pub(crate) fn first_bytes(&self) -> Vec<(u32, u8)> {
        let first = |(number, at): (&u32, &u64)| {
            let mut byte = [0];
            self.log.read_full_at(&mut byte, *at).unwrap();
            (*number, byte[0])
        };
        let mut pages: Vec<_> = self.at.iter().map(first).collect();
        pages.sort_unstable();
        pages
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages() -> Pages {
        let mut file = vec![b'a'; 1024];
        file[18..20].copy_from_slice(&[2, 2]);
        let log = Slice::from_bytes([vec![b'-'; 24], vec![b'b'; 512], vec![b'c'; 512]].concat());
        let overlay = Overlay { page_size: 512, count: 4, at: HashMap::from([(2, 24), (4, 536)]), log };
        Pages::new(Slice::from_bytes(file), Some(overlay))
    }

    #[test]
    fn a_read_across_pages_takes_each_from_its_place() {
        let pages = pages();
        assert_eq!(pages.len(), 2048);
        let mut buf = [0; 2048];
        assert_eq!(pages.read(&mut buf, 0).unwrap(), 2048);
        assert_eq!(
            (buf[0], buf[511], buf[512], buf[1023], buf[1024], buf[1536], buf[2047]),
            (b'a', b'a', b'b', b'b', 0, b'c', b'c')
        );
        assert_eq!(pages.read(&mut buf, 2040).unwrap(), 8);
        assert_eq!(pages.read(&mut buf, 4096).unwrap(), 0);
    }

    #[test]
    fn the_header_says_rollback_journal() {
        let mut buf = [0; 4];
        pages().read(&mut buf, 17).unwrap();
        assert_eq!(buf, [b'a', 1, 1, b'a']);
        let mut one = [0];
        pages().read(&mut one, 19).unwrap();
        assert_eq!(one, [1]);
    }
}
