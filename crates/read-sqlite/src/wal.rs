//! The write-ahead log: which pages its last commit puts over the file.
//! <https://www.sqlite.org/fileformat2.html#the_write_ahead_log>

use std::collections::HashMap;
use std::io::{self, Read};

use read_core::Slice;

use crate::pages::Overlay;
use crate::watch::Watch;

/// Bytes of the log's header.
const HEADER: usize = 32;
/// Bytes of the header of one frame.
const FRAME_HEADER: usize = 24;
/// The first four bytes; the last bit says that checksums are over big-endian words.
const MAGIC: u32 = 0x377f_0682;
/// The only version there has been.
const VERSION: u32 = 3_007_000;

/// A log as it stands.
#[derive(Debug)]
pub(crate) enum Wal {
    /// Nothing in it counts: it has no valid header, or no commit.
    Empty,
    /// It is of a kind that this code does not know.
    Unknown,
    /// Pages that were committed.
    Committed(Overlay),
}

/// How far a log was read, to see later whether it is still the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    /// The log's header, which changes when the log starts anew.
    header: [u8; HEADER],
    /// Where the frame after the last commit would begin.
    end: u64,
    /// What stood there.
    after: Vec<u8>,
}

/// How a log changed since a mark was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Since {
    /// Not at all.
    Same,
    /// Frames were added.
    Longer,
    /// It started anew: frames that were read may be overwritten.
    Anew,
}

impl Mark {
    /// Compares with the log as it is now.
    pub(crate) fn compare(&self, log: &Slice) -> io::Result<Since> {
        let mut header = [0; HEADER];
        log.read_full_at(&mut header, 0)?;
        if header != self.header {
            return Ok(Since::Anew);
        }
        Ok(if frame_header(log, self.end)? == self.after { Since::Same } else { Since::Longer })
    }
}

/// The header of the frame at `at`; shorter where the log ends.
fn frame_header(log: &Slice, at: u64) -> io::Result<Vec<u8>> {
    let mut header = vec![0; FRAME_HEADER];
    let n = log.read_full_at(&mut header, at)?;
    header.truncate(n);
    Ok(header)
}

/// Reads a log up to its last commit, and marks how far that is. Every frame is checked; the first that is wrong ends the
/// log, as for SQLite.
pub(crate) fn read(log: &Slice, watch: &Watch) -> io::Result<(Wal, Mark)> {
    let mut header = [0; HEADER];
    log.read_full_at(&mut header, 0)?;
    let mut end = HEADER as u64;
    let wal = frames(log, &header, &mut end, watch)?;
    let mark = Mark { header, end, after: frame_header(log, end)? };
    Ok((wal, mark))
}

/// Reads the frames; `end` becomes where the last commit ends.
fn frames(log: &Slice, header: &[u8; HEADER], end: &mut u64, watch: &Watch) -> io::Result<Wal> {
    let words: Vec<u32> = header.as_chunks::<4>().0.iter().map(|word| u32::from_be_bytes(*word)).collect();
    let &[magic, version, page_size, _, salt1, salt2, sum1, sum2] = words.as_slice() else {
        return Ok(Wal::Empty);
    };
    if magic & !1 != MAGIC || !page_size.is_power_of_two() || !(512..=65_536).contains(&page_size) {
        return Ok(Wal::Empty);
    }
    let mut sum = Sum { big_endian: magic & 1 == 1, at: (0, 0) };
    sum.add(header.get(..24).unwrap_or_default());
    if sum.at != (sum1, sum2) {
        return Ok(Wal::Empty);
    }
    if version != VERSION {
        return Ok(Wal::Unknown);
    }
    let mut frames = io::BufReader::with_capacity(256 << 10, log.sub(HEADER as u64, u64::MAX).reader());
    let mut frame = vec![0; FRAME_HEADER + page_size as usize];
    let mut position = HEADER as u64;
    let mut committed: HashMap<u32, u64> = HashMap::new();
    let mut pending = Vec::new();
    let mut count = 0;
    while frames.read_exact(&mut frame).is_ok() {
        if watch.must_stop() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        let Some((head, page)) = frame.split_at_checked(FRAME_HEADER) else { break };
        let words: Vec<u32> = head.as_chunks::<4>().0.iter().map(|word| u32::from_be_bytes(*word)).collect();
        let &[number, commit, frame_salt1, frame_salt2, sum1, sum2] = words.as_slice() else { break };
        if number == 0 || (frame_salt1, frame_salt2) != (salt1, salt2) {
            break;
        }
        sum.add(head.get(..8).unwrap_or_default());
        sum.add(page);
        if sum.at != (sum1, sum2) {
            break;
        }
        pending.push((number, position.saturating_add(FRAME_HEADER as u64)));
        position = position.saturating_add(frame.len() as u64);
        if commit != 0 {
            committed.extend(pending.drain(..));
            (count, *end) = (commit, position);
        }
    }
    if count == 0 {
        return Ok(Wal::Empty);
    }
    // Pages beyond the size of the last commit were cut off by it.
    committed.retain(|number, _| *number <= count);
    Ok(Wal::Committed(Overlay { page_size, count, at: committed, log: log.clone() }))
}

/// The log's running checksum.
struct Sum {
    big_endian: bool,
    at: (u32, u32),
}

impl Sum {
    fn add(&mut self, bytes: &[u8]) {
        let (mut a, mut b) = self.at;
        let word = |bytes: [u8; 4]| {
            if self.big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
        };
        for &[a0, a1, a2, a3, b0, b1, b2, b3] in bytes.as_chunks::<8>().0 {
            a = a.wrapping_add(word([a0, a1, a2, a3])).wrapping_add(b);
            b = b.wrapping_add(word([b0, b1, b2, b3])).wrapping_add(a);
        }
        self.at = (a, b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use read_core::Meter;
    use std::time::Duration;

    /// A log of pages of 512 bytes: (page, database size where the frame commits, fill).
    fn log(big_endian: bool, frames: &[(u32, u32, u8)]) -> Vec<u8> {
        let mut sum = Sum { big_endian, at: (0, 0) };
        let mut bytes: Vec<u8> = [MAGIC | u32::from(big_endian), VERSION, 512, 0, 11, 22]
            .into_iter()
            .flat_map(u32::to_be_bytes)
            .collect();
        sum.add(&bytes);
        bytes.extend([sum.at.0, sum.at.1].into_iter().flat_map(u32::to_be_bytes));
        for (number, commit, fill) in frames {
            let head: Vec<u8> = [*number, *commit].into_iter().flat_map(u32::to_be_bytes).collect();
            let page = [*fill; 512];
            sum.add(&head);
            sum.add(&page);
            bytes.extend(head);
            bytes.extend([11, 22, sum.at.0, sum.at.1].into_iter().flat_map(u32::to_be_bytes));
            bytes.extend(page);
        }
        bytes
    }

    fn parse(bytes: Vec<u8>) -> Wal {
        marked(bytes).0
    }

    fn marked(bytes: Vec<u8>) -> (Wal, Mark) {
        read(&Slice::from_bytes(bytes), &Watch::start(Meter::unbounded(), Duration::from_secs(60))).unwrap()
    }

    fn shown(wal: &Wal) -> Vec<(u32, u8)> {
        let Wal::Committed(overlay) = wal else { return Vec::new() };
        let mut pages: Vec<_> = overlay
            .at
            .iter()
            .map(|(number, at)| {
                let mut byte = [0];
                overlay.log.read_full_at(&mut byte, *at).unwrap();
                (*number, byte[0])
            })
            .collect();
        pages.sort_unstable();
        pages
    }

    #[test]
    fn the_last_commit_counts_and_what_follows_does_not() {
        for big_endian in [false, true] {
            let wal = parse(log(
                big_endian,
                &[(1, 0, b'a'), (2, 3, b'b'), (2, 0, b'c'), (3, 3, b'd'), (1, 0, b'e')],
            ));
            assert_eq!(shown(&wal), [(1, b'a'), (2, b'c'), (3, b'd')]);
        }
    }

    #[test]
    fn a_commit_that_shrinks_the_database_cuts_pages_off() {
        assert_eq!(shown(&parse(log(false, &[(5, 5, b'a'), (1, 2, b'b')]))), [(1, b'b')]);
    }

    #[test]
    fn a_wrong_byte_ends_the_log() {
        let whole = log(false, &[(1, 1, b'a'), (2, 2, b'b')]);
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x40;
            let pages = shown(&parse(bytes));
            let want: &[(u32, u8)] = if at < HEADER + FRAME_HEADER + 512 { &[] } else { &[(1, b'a')] };
            assert_eq!(pages, want, "byte {at}");
        }
        for len in 0..whole.len() {
            let pages = shown(&parse(whole[..len].to_vec()));
            assert_eq!(pages.len(), usize::from(len >= HEADER + FRAME_HEADER + 512), "length {len}");
        }
    }

    #[test]
    fn a_mark_tells_what_changed() {
        let bytes = log(false, &[(1, 1, b'a')]);
        let (_, mark) = marked(bytes.clone());
        assert_eq!(mark.compare(&Slice::from_bytes(bytes)).unwrap(), Since::Same);
        assert_eq!(
            mark.compare(&Slice::from_bytes(log(false, &[(1, 1, b'a'), (1, 1, b'b')]))).unwrap(),
            Since::Longer
        );
        assert_eq!(mark.compare(&Slice::from_bytes(log(true, &[(1, 1, b'a')]))).unwrap(), Since::Anew);
        assert_eq!(mark.compare(&Slice::from_bytes(Vec::new())).unwrap(), Since::Anew);
    }
}
