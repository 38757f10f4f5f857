//! Counting the lines of a file on several cores: threads take its blocks in turn, and what they find is put in order again.

use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{self, Receiver};
use std::thread;

use super::blocks::BLOCK;
use super::index::SPACING;
use super::newline::Newline;
use crate::meter::Meter;
use crate::source::Slice;

/// Bytes of a piece: at the end of each the index of lines may want an entry.
#[expect(clippy::cast_possible_truncation, reason = "64 KiB")]
const PIECE: usize = SPACING as usize;

const PIECES: usize = BLOCK.div_ceil(PIECE);

/// Blocks that one thread may be ahead of another (16 MiB): one that is held up does not make the others fill the memory.
const AHEAD: usize = 64;

/// What was counted in a piece of the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) bytes: usize,
    /// Lines that end in it.
    pub(super) lines: u64,
    /// Bytes behind the last of their ends.
    pub(super) open: usize,
}

type Block = io::Result<[Piece; PIECES]>;

/// Whole blocks of a file, one behind the other.
#[derive(Debug)]
pub(super) struct Stretch {
    slice: Slice,
    meter: Option<Meter>,
    newline: Newline,
    blocks: u64,
}

/// Which block is next, for all who count.
#[derive(Default)]
struct Turns {
    next: AtomicU64,
    /// Whether nobody wants to know more.
    over: AtomicBool,
}

impl Stretch {
    /// The first `blocks` blocks of `slice`, which begins at a unit of the encoding.
    pub(super) fn new(slice: &Slice, newline: Newline, blocks: u64) -> Self {
        let (slice, meter) = slice.detached();
        Self { slice, meter, newline, blocks }
    }

    /// Its length in bytes.
    pub(super) fn len(&self) -> u64 {
        self.blocks.saturating_mul(BLOCK as u64)
    }

    /// Counts on `threads` threads, this one among them. `take` is given the pieces in order, in this thread, until it breaks;
    /// so is the meter. Ends early where the file has become shorter.
    pub(super) fn count(&self, threads: usize, take: impl FnMut(Piece) -> ControlFlow<()>) -> io::Result<()> {
        let turns = Turns::default();
        thread::scope(|scope| {
            // Gone when this ends, however it does: then nobody waits to hand something on.
            let (sender, others) = mpsc::sync_channel(AHEAD);
            for _ in 1..threads {
                let (sender, turns) = (sender.clone(), &turns);
                let work = move || {
                    let mut buffer = Vec::new();
                    while let Some(counted) = self.turn(turns, &mut buffer) {
                        if sender.send(counted).is_err() {
                            break;
                        }
                    }
                };
                // Where there are no more threads, those that are there do the work.
                if thread::Builder::new().name("read: lines".into()).spawn_scoped(scope, work).is_err() {
                    break;
                }
            }
            drop(sender);
            let counted = self.in_order(&turns, &others, take);
            turns.over.store(true, Relaxed);
            counted
        })
    }

    fn in_order(
        &self,
        turns: &Turns,
        others: &Receiver<(u64, Block)>,
        mut take: impl FnMut(Piece) -> ControlFlow<()>,
    ) -> io::Result<()> {
        let mut buffer = Vec::new();
        let mut waiting = BTreeMap::new();
        for expected in 0..self.blocks {
            let block = loop {
                waiting.extend(others.try_iter());
                if let Some(block) = waiting.remove(&expected) {
                    break block?;
                }
                let turn = if waiting.len() < AHEAD { self.turn(turns, &mut buffer) } else { None };
                if let Some((nth, block)) = turn {
                    waiting.insert(nth, block);
                } else if let Ok((nth, block)) = others.recv() {
                    waiting.insert(nth, block);
                } else {
                    // Nobody has it.
                    return Ok(());
                }
            };
            if self.hand_on(&block, &mut take).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn hand_on(&self, block: &[Piece], mut take: impl FnMut(Piece) -> ControlFlow<()>) -> ControlFlow<()> {
        let bytes: usize = block.iter().map(|piece| piece.bytes).sum();
        if let Some(meter) = &self.meter {
            meter.consume(bytes as u64);
        }
        block.iter().filter(|piece| piece.bytes > 0).try_for_each(|piece| take(*piece))?;
        if bytes < BLOCK { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Takes the next block, and counts in it.
    fn turn(&self, turns: &Turns, buffer: &mut Vec<u8>) -> Option<(u64, Block)> {
        if turns.over.load(Relaxed) {
            return None;
        }
        let nth = turns.next.fetch_add(1, Relaxed);
        if nth >= self.blocks {
            return None;
        }
        let block = self.block(nth, buffer);
        if block.is_err() {
            // What was taken before comes in order; what would follow is not wanted.
            turns.over.store(true, Relaxed);
        }
        Some((nth, block))
    }

    fn block(&self, nth: u64, buffer: &mut Vec<u8>) -> Block {
        if let Some(meter) = &self.meter {
            meter.check()?;
        }
        buffer.resize(BLOCK, 0);
        let bytes = self.slice.read_full_at(buffer, nth * BLOCK as u64)?;
        let mut pieces = [Piece::default(); PIECES];
        for (piece, bytes) in pieces.iter_mut().zip(buffer.get(..bytes).unwrap_or_default().chunks(PIECE)) {
            let (lines, end) = self.newline.take(bytes, u64::MAX);
            *piece = Piece { bytes: bytes.len(), lines, open: bytes.len() - end };
        }
        Ok(pieces)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::meter::{Bounds, Cancel};

    /// Five blocks and a bit, with lines of every length up to some.
    fn text() -> Vec<u8> {
        let mut text = Vec::new();
        for length in (0..2_000).cycle() {
            text.extend(std::iter::repeat_n(b'x', length * length % 1_777));
            text.push(b'\n');
            if text.len() > 5 * BLOCK + 100 {
                return text;
            }
        }
        text
    }

    fn pieces(text: &[u8], blocks: u64, threads: usize, most: usize) -> Vec<Piece> {
        let stretch = Stretch::new(&Slice::from_bytes(text), Newline::BYTE, blocks);
        let mut pieces = Vec::new();
        let take = |piece| {
            pieces.push(piece);
            if pieces.len() < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        stretch.count(threads, take).unwrap();
        pieces
    }

    fn naive(text: &[u8]) -> Vec<Piece> {
        let piece = |bytes: &[u8]| Piece {
            bytes: bytes.len(),
            lines: bytes.split(|byte| *byte == b'\n').count() as u64 - 1,
            open: bytes.iter().rev().take_while(|byte| **byte != b'\n').count(),
        };
        text.chunks(PIECE).map(piece).collect()
    }

    #[test]
    fn pieces_come_in_order_whoever_counted_them() {
        let text = text();
        for threads in 1..=8 {
            assert_eq!(pieces(&text, 5, threads, usize::MAX), naive(&text[..5 * BLOCK]), "{threads}");
        }
    }

    #[test]
    fn it_ends_where_the_file_does_and_where_enough_is_known() {
        let text = text();
        for threads in [1, 3] {
            assert_eq!(pieces(&text, 9, threads, usize::MAX), naive(&text));
            assert_eq!(pieces(&text, 5, threads, 6), naive(&text)[..6]);
        }
        assert_eq!(pieces(b"", 2, 2, usize::MAX), []);
    }

    #[test]
    fn a_text_without_line_ends_is_open_all_along() {
        let pieces = pieces(&vec![b'x'; BLOCK], 1, 2, usize::MAX);
        assert_eq!(pieces, [Piece { bytes: PIECE, lines: 0, open: PIECE }; PIECES]);
    }

    /// A file that can be read up to some offset; counts the reads.
    struct Failing(u64, AtomicU64);

    impl crate::ReadAt for Failing {
        fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
            self.1.fetch_add(1, Relaxed);
            if offset >= self.0 {
                return Err(io::ErrorKind::Other.into());
            }
            buf.fill(b'\n');
            Ok(buf.len())
        }
    }

    #[test]
    fn a_failure_ends_it_behind_what_precedes() {
        const SOUND: u64 = 20;
        for threads in [1, 2, 5] {
            let file = Arc::new(Failing(SOUND * BLOCK as u64, AtomicU64::new(0)));
            let slice = Slice::new(Arc::clone(&file) as Arc<dyn crate::ReadAt>, u64::MAX);
            let mut taken = 0;
            let result = Stretch::new(&slice, Newline::BYTE, 1 << 40).count(threads, |piece| {
                taken += piece.bytes as u64;
                ControlFlow::Continue(())
            });
            assert!(result.is_err());
            assert_eq!(taken, file.0, "{threads}");
            assert!(file.1.load(Relaxed) <= SOUND + threads as u64, "nobody goes on behind a failure");
        }
    }

    #[test]
    fn a_panic_of_whoever_takes_leaves_nobody_waiting() {
        let file = Arc::new(Failing(u64::MAX, AtomicU64::new(0)));
        let slice = Slice::new(file as Arc<dyn crate::ReadAt>, u64::MAX);
        let stretch = Stretch::new(&slice, Newline::BYTE, 1 << 40);
        let count = || stretch.count(4, |_| panic!("on the first piece"));
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(count)).is_err());
    }

    #[derive(Default)]
    struct Seen(AtomicU64);

    impl crate::Progress for Seen {
        fn advanced(&self, done: u64, _: Option<u64>) {
            self.0.store(done, Relaxed);
        }
    }

    #[test]
    fn the_meter_stops_it_and_is_told_of_what_was_taken() {
        let (cancel, seen) = (Cancel::new(), Arc::new(Seen::default()));
        let bounds = Bounds {
            cancel: cancel.clone(),
            progress: Some(Arc::clone(&seen) as Arc<dyn crate::Progress>),
            ..Bounds::default()
        };
        let mut slice = Slice::from_bytes(text());
        slice.attach(Meter::start(bounds));
        let mut taken = 0;
        let result = Stretch::new(&slice, Newline::BYTE, 5).count(1, |piece| {
            taken += piece.bytes;
            cancel.cancel();
            ControlFlow::Continue(())
        });
        assert!(result.is_err());
        assert_eq!(taken, BLOCK);
        assert_eq!(seen.0.load(Relaxed), BLOCK as u64);
    }
}
