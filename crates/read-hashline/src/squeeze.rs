//! Takes the blanks at line ends out of settled text, in bulk.

use crate::blanks::{ends_a_line, split_leading, split_trailing};

/// How much is looked at before it is handed on: small enough to stay in the first-level cache.
pub(crate) const BLOCK: usize = 16 * 1024;

const WINDOW: usize = 64;

/// Whether some blank stands before a line feed. Written so that it compiles to vector instructions: most texts
/// have none, and this is then all that is done to them.
pub(crate) fn has_trailing_blanks(bytes: &[u8]) -> bool {
    let next = bytes.get(1..).unwrap_or_default();
    bytes.iter().zip(next).fold(0, |found, (byte, next)| found | ends_a_line(*byte, *next)) != 0
}

/// Room to close up one block.
#[derive(Debug, Clone, Default)]
pub(crate) struct Squeezer {
    room: Vec<u8>,
    used: usize,
}

impl Squeezer {
    /// Hands on `bytes`, which do not end in a blank, without the blanks before line feeds.
    pub(crate) fn emit(&mut self, mut bytes: &[u8], mut push: impl FnMut(&[u8])) {
        while !bytes.is_empty() {
            let block = bytes.get(..BLOCK).unwrap_or(bytes);
            // A block ends behind a byte that is no blank, so that no run of blanks is cut.
            let block = split_trailing(block).0;
            if block.is_empty() {
                let (run, rest) = split_leading(bytes);
                if rest.first() != Some(&b'\n') {
                    push(run);
                }
                bytes = rest;
                continue;
            }
            if has_trailing_blanks(block) {
                push(self.squeeze(block));
            } else {
                push(block);
            }
            bytes = bytes.get(block.len()..).unwrap_or_default();
        }
    }

    /// One block, which neither ends in a blank nor is longer than [`BLOCK`], without its blanks before line feeds.
    fn squeeze(&mut self, block: &[u8]) -> &[u8] {
        self.room.resize(BLOCK + WINDOW, 0);
        self.used = 0;
        let mut start = 0;
        let mut base = 0;
        while let (Some(bytes), Some(next)) = (window(block, base), window(block, base + 1)) {
            let mut ends = ends_in_blanks(bytes, next);
            while ends != 0 {
                let end = base + ends.trailing_zeros() as usize;
                self.keep(block, start, end);
                start = end + 1;
                ends &= ends - 1;
            }
            base += WINDOW;
        }
        let tail = block.get(base..).unwrap_or_default();
        for (end, (byte, next)) in (base..).zip(tail.iter().zip(tail.iter().skip(1))) {
            if ends_a_line(*byte, *next) != 0 {
                self.keep(block, start, end);
                start = end + 1;
            }
        }
        self.keep(block, start, block.len());
        self.room.get(..self.used).unwrap_or_default()
    }

    /// Keeps the bytes of `block` from `start` to `end`, without the blanks at their end. Most are few: then a whole
    /// window is copied, at a fixed cost, and the next bytes go over what was too much.
    #[inline]
    fn keep(&mut self, block: &[u8], start: usize, end: usize) {
        let kept = split_trailing(block.get(start..end).unwrap_or_default()).0;
        let room = self.room.get_mut(self.used..).unwrap_or_default();
        if kept.len() <= WINDOW
            && let (Some(bytes), Some(room)) = (window(block, start), room.first_chunk_mut())
        {
            *room = *bytes;
        } else if let Some(room) = room.get_mut(..kept.len()) {
            room.copy_from_slice(kept);
        }
        self.used += kept.len();
    }
}

#[inline]
fn window(block: &[u8], base: usize) -> Option<&[u8; WINDOW]> {
    block.get(base..)?.first_chunk()
}

/// A bit for each byte of a window: whether it is a blank before a line feed. `next` is the window one further.
#[inline]
fn ends_in_blanks(bytes: &[u8; WINDOW], next: &[u8; WINDOW]) -> u64 {
    let mut flags = [0_u8; WINDOW];
    for ((flag, byte), next) in flags.iter_mut().zip(bytes).zip(next) {
        *flag = ends_a_line(*byte, *next);
    }
    let words = flags.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word));
    if words.clone().fold(0, |any, word| any | word) == 0 {
        return 0;
    }
    // The product moves the lowest bits of eight bytes into the top byte, in order.
    words
        .zip((0..WINDOW).step_by(8))
        .fold(0, |mask, (word, shift)| mask | (word.wrapping_mul(0x0102_0408_1020_4080) >> 56) << shift)
}
