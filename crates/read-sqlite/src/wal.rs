//! The write-ahead log: which pages its last commit puts over the file.
//! <https://www.sqlite.org/fileformat2.html#the_write_ahead_log>

use std::collections::HashMap;
use std::io::{self, Read};

use read_core::{Slice, SliceReader};

use crate::format::{is_page_size, words};
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

/// How far a log was read, to see later whether anything was committed since.
///
/// What follows the last commit is no part of it: frames of a transaction that is not finished may be there already, and
/// may be written over, until the frame that commits it makes them count.
#[derive(Clone, Debug)]
pub(crate) struct Mark {
    /// The log's header, which changes when the log starts anew.
    header: [u8; HEADER],
    after: After,
}

/// What may follow what was read.
#[derive(Clone, Debug)]
enum After {
    /// Nothing that counts, as long as the header is the same: it is not valid.
    Nothing,
    /// Something that this code does not know.
    Unknown,
    /// Frames from here on.
    Frames(Position),
}

/// How a log changed since a mark was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Since {
    /// Nothing was committed.
    Same,
    /// Transactions were committed, or may have been; the frames that were read are as they were.
    Longer,
    /// It started anew: frames that were read may be overwritten.
    Anew,
}

impl Mark {
    /// Compares with the log as it is now.
    pub(crate) fn compare(&self, log: &Slice, watch: &Watch) -> io::Result<Since> {
        let since = match &self.after {
            After::Nothing => Since::Same,
            After::Unknown => Since::Longer,
            After::Frames(position) => {
                let mut frames = Frames::new(log, *position, watch);
                loop {
                    match frames.next()? {
                        Some(frame) if frame.commit != 0 => break Since::Longer,
                        Some(_) => {}
                        None => break Since::Same,
                    }
                }
            }
        };
        // The header comes last: a log that starts anew writes it before any frame is written over.
        let mut header = [0; HEADER];
        log.read_full_at(&mut header, 0)?;
        Ok(if header == self.header { since } else { Since::Anew })
    }
}

/// Reads a log up to its last commit, and marks how far that is. Every frame is checked; the first that is wrong ends the
/// log, as for SQLite.
pub(crate) fn read(log: &Slice, watch: &Watch) -> io::Result<(Wal, Mark)> {
    let mut header = [0; HEADER];
    log.read_full_at(&mut header, 0)?;
    let (wal, after) = match Start::of(&header) {
        Start::Invalid => (Wal::Empty, After::Nothing),
        Start::Unknown => (Wal::Unknown, After::Unknown),
        Start::Frames(start) => {
            let (overlay, end) = committed(log, start, watch)?;
            (overlay.map_or(Wal::Empty, Wal::Committed), After::Frames(end))
        }
    };
    Ok((wal, Mark { header, after }))
}

/// The pages up to the last commit, and where that ends.
fn committed(log: &Slice, start: Position, watch: &Watch) -> io::Result<(Option<Overlay>, Position)> {
    let mut end = start;
    let mut at: HashMap<u32, u64> = HashMap::new();
    let mut pending = Vec::new();
    let mut count = 0;
    let mut frames = Frames::new(log, start, watch);
    while let Some(frame) = frames.next()? {
        pending.push((frame.number, frame.page_at));
        if frame.commit != 0 {
            at.extend(pending.drain(..));
            (count, end) = (frame.commit, frames.position);
        }
    }
    // Pages beyond the size of the last commit were cut off by it.
    at.retain(|number, _| *number <= count);
    let overlay = (count != 0).then(|| Overlay { page_size: start.page_size, count, at, log: log.clone() });
    Ok((overlay, end))
}

/// What a header says.
enum Start {
    Invalid,
    Unknown,
    Frames(Position),
}

impl Start {
    fn of(header: &[u8; HEADER]) -> Self {
        let Some([magic, version, page_size, _, salt1, salt2, sum1, sum2]) = words(header) else {
            return Self::Invalid;
        };
        if magic & !1 != MAGIC || !is_page_size(page_size) {
            return Self::Invalid;
        }
        let mut sum = Sum { big_endian: magic & 1 == 1, at: (0, 0) };
        sum.add(header.get(..24).unwrap_or_default());
        if sum.at != (sum1, sum2) {
            return Self::Invalid;
        }
        if version != VERSION {
            return Self::Unknown;
        }
        Self::Frames(Position { page_size, salts: (salt1, salt2), sum, at: HEADER as u64 })
    }
}

/// A place between two frames of a log, and what a frame there must fit.
#[derive(Clone, Copy, Debug)]
struct Position {
    page_size: u32,
    salts: (u32, u32),
    sum: Sum,
    at: u64,
}

/// A valid frame.
struct Frame {
    number: u32,
    /// The pages of the database after this frame's transaction, where it is the last of one; else 0.
    commit: u32,
    /// Where its page lies.
    page_at: u64,
}

/// The valid frames from a position on.
struct Frames<'a> {
    position: Position,
    input: io::BufReader<SliceReader>,
    frame: Vec<u8>,
    watch: &'a Watch,
}

impl<'a> Frames<'a> {
    fn new(log: &Slice, position: Position, watch: &'a Watch) -> Self {
        let left = log.len().saturating_sub(position.at);
        let frame_size = FRAME_HEADER + position.page_size as usize;
        // Most often nothing follows: no large buffer for that.
        let capacity = usize::try_from(left).unwrap_or(usize::MAX).clamp(frame_size, 256 << 10);
        Self {
            position,
            input: io::BufReader::with_capacity(capacity, log.sub(position.at, u64::MAX).reader()),
            frame: vec![0; frame_size],
            watch,
        }
    }

    /// The next frame; `None` where none is, or none that is valid.
    fn next(&mut self) -> io::Result<Option<Frame>> {
        if self.watch.must_stop() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        match self.input.read_exact(&mut self.frame) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            Err(error) => return Err(error),
        }
        let Some((head, page)) = self.frame.split_at_checked(FRAME_HEADER) else { return Ok(None) };
        let Some([number, commit, salt1, salt2, sum1, sum2]) = words(head) else { return Ok(None) };
        if number == 0 || (salt1, salt2) != self.position.salts {
            return Ok(None);
        }
        let mut sum = self.position.sum;
        sum.add(head.get(..8).unwrap_or_default());
        sum.add(page);
        if sum.at != (sum1, sum2) {
            return Ok(None);
        }
        let page_at = self.position.at.saturating_add(FRAME_HEADER as u64);
        self.position.sum = sum;
        self.position.at = self.position.at.saturating_add(self.frame.len() as u64);
        Ok(Some(Frame { number, commit, page_at }))
    }
}

/// The log's running checksum.
#[derive(Clone, Copy, Debug)]
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
        read(&Slice::from_bytes(bytes), &watch()).unwrap()
    }

    fn watch() -> Watch {
        Watch::start(Meter::unbounded(), Duration::from_secs(60))
    }

    fn shown(wal: &Wal) -> Vec<(u32, u8)> {
        let Wal::Committed(overlay) = wal else { return Vec::new() };
        overlay.first_bytes()
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
    fn a_mark_tells_what_was_committed_since() {
        let since = |then: &[u8], now: Vec<u8>| {
            let (_, mark) = marked(then.to_vec());
            mark.compare(&Slice::from_bytes(now), &watch()).unwrap()
        };
        let bytes = log(false, &[(1, 1, b'a')]);
        assert_eq!(since(&bytes, bytes.clone()), Since::Same);
        assert_eq!(since(&bytes, log(false, &[(1, 1, b'a'), (1, 1, b'b')])), Since::Longer);
        assert_eq!(since(&bytes, log(true, &[(1, 1, b'a')])), Since::Anew);
        assert_eq!(since(&bytes, Vec::new()), Since::Anew);
        assert_eq!(since(&[], Vec::new()), Since::Same);
        assert_eq!(since(&[], bytes.clone()), Since::Anew);
        assert_eq!(since(&log(false, &[]), bytes), Since::Longer);
    }

    #[test]
    fn frames_that_were_pending_when_the_mark_was_made_are_seen_when_they_are_committed() {
        let whole = log(false, &[(1, 1, b'a'), (1, 0, b'b'), (2, 2, b'c')]);
        let frame = FRAME_HEADER + 512;
        // Cut everywhere within the second transaction, its commit not there yet.
        for len in (HEADER + frame..HEADER + 3 * frame).step_by(5) {
            let (wal, mark) = marked(whole[..len].to_vec());
            assert_eq!(shown(&wal), [(1, b'a')]);
            let compare = |now: &[u8]| mark.compare(&Slice::from_bytes(now.to_vec()), &watch()).unwrap();
            assert_eq!(compare(&whole[..len]), Since::Same);
            assert_eq!(
                compare(&whole[..HEADER + 2 * frame]),
                Since::Same,
                "nothing is committed by more of them"
            );
            assert_eq!(compare(&whole), Since::Longer, "{len}");
        }
    }
}
