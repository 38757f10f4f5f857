//! Takes a gzip stream up again at a mark.
//!
//! A mark says after which byte a block ended, not after which of its bits: the decoder does not tell. There are eight
//! possibilities; each is tried, and the one that gives the bytes that followed is right. The decoder starts at whole
//! bytes, so it is given empty blocks of just the length that puts the rest in its place.

use std::io::{self, Read};
use std::sync::Arc;

use flate2::Crc;
use zlib_rs::{Inflate, InflateFlush, Status};

use super::inflate::{GzipReader, Input};
use super::marks::{Mark, Marks, PROOF};

/// Opens the compressed file at one of its bytes.
type Open<'a> = dyn Fn(u64) -> io::Result<Box<dyn Read + Send>> + 'a;

/// A reader that begins at the last mark at or before the decoded byte `offset`; `None` where there is none.
pub(super) fn nearest(
    marks: &Arc<Marks>,
    offset: u64,
    open: &Open<'_>,
    target: &Arc<str>,
) -> io::Result<Option<GzipReader>> {
    let Some(mark) = marks.before(offset) else { return Ok(None) };
    for left in 0..8 {
        let mut input = Input::new(open(mark.input)?, mark.input);
        if let Some((inflate, ready)) = begin(&mark, left, &mut input)? {
            let reader = GzipReader::resumed(
                input,
                inflate,
                ready,
                mark.output,
                Arc::clone(marks),
                Arc::clone(target),
            );
            return Ok(Some(reader));
        }
    }
    Ok(None)
}

/// A decoder behind a mark, when `left` bits of the byte before it belong to the next block, and what it gave as proof.
fn begin(mark: &Mark, left: u32, input: &mut Input) -> io::Result<Option<(Inflate, Vec<u8>)>> {
    let mut inflate = Inflate::new(false, 15);
    if inflate.set_dictionary(&mark.window).is_err() {
        return Ok(None);
    }
    let padding = padding(left, mark.last);
    if !padding.is_empty() {
        let before = inflate.total_in();
        let status = inflate.decompress(&padding, &mut [0; 1], InflateFlush::NoFlush);
        let taken = inflate.total_in().saturating_sub(before);
        if !matches!(status, Ok(Status::Ok | Status::BufError))
            || taken != padding.len() as u64
            || inflate.total_out() > 0
        {
            return Ok(None);
        }
    }
    let mut ready = vec![0; PROOF];
    let mut done = 0;
    while let Some(room) = ready.get_mut(done..).filter(|room| !room.is_empty()) {
        let available = input.available()?;
        if available.is_empty() {
            return Ok(None);
        }
        let (before_in, before_out) = (inflate.total_in(), inflate.total_out());
        let status = inflate.decompress(available, room, InflateFlush::NoFlush);
        let consumed = usize::try_from(inflate.total_in().saturating_sub(before_in)).unwrap_or(0);
        let produced = usize::try_from(inflate.total_out().saturating_sub(before_out)).unwrap_or(0);
        input.consume(consumed);
        done += produced;
        let goes_on = matches!(status, Ok(Status::Ok | Status::BufError)) && consumed + produced > 0;
        if !goes_on && done < PROOF {
            return Ok(None);
        }
    }
    let mut crc = Crc::new();
    crc.update(&ready);
    Ok((crc.sum() == mark.proof).then_some((inflate, ready)))
}

/// Empty blocks that end `left` bits before the end of a byte, and those bits, the last ones of `last`.
fn padding(left: u32, last: u8) -> Vec<u8> {
    if left == 0 {
        return Vec::new();
    }
    let mut bits = Bits::default();
    let wanted = 8 - left;
    if wanted % 2 == 1 {
        odd_block(&mut bits);
    }
    while bits.len % 8 != wanted {
        // Not the last, fixed codes, end of block: ten bits.
        bits.put(0b0_10, 3);
        bits.put(0, 7);
    }
    bits.put(u32::from(last) >> wanted, left);
    bits.bytes
}

/// An empty block with codes of its own, of 97 bits (RFC 1951, section 3.2.7).
fn odd_block(bits: &mut Bits) {
    // Not the last, own codes; 257 literal codes, one distance code, eighteen lengths of length codes.
    bits.put(0b100, 3);
    bits.put(0, 5);
    bits.put(0, 5);
    bits.put(18 - 4, 4);
    // Lengths for 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1: of these 18 has one bit, 1 and 17 have two.
    for length in [0, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2] {
        bits.put(length, 3);
    }
    // Codes stand with their first bit first: 18 is 0, 1 is 10, 17 is 11. Zeros for 256 literals: 138, 108 and 10 of them.
    bits.put(0, 1);
    bits.put(138 - 11, 7);
    bits.put(0, 1);
    bits.put(108 - 11, 7);
    bits.put(0b11, 2);
    bits.put(10 - 3, 3);
    // One bit for the end of the block, one for the distance; then the end.
    bits.put(0b01, 2);
    bits.put(0b01, 2);
    bits.put(0, 1);
}

/// Bits, the lowest of each byte first.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    len: u32,
}

impl Bits {
    fn put(&mut self, value: u32, count: u32) {
        for bit in 0..count {
            if self.len.is_multiple_of(8) {
                self.bytes.push(0);
            }
            if let Some(byte) = self.bytes.last_mut() {
                *byte |= u8::from(value >> bit & 1 == 1) << (self.len % 8);
            }
            self.len += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn from(bytes: &[u8], at: u64) -> Vec<u8> {
        bytes[usize::try_from(at).unwrap()..].to_vec()
    }

    /// Lines that compress, but not into nothing.
    fn lines(count: u32) -> Vec<u8> {
        let mut text = Vec::new();
        let mut state = 1_u32;
        for number in 0..count {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            writeln!(
                text,
                "{number} {:x} {}",
                state >> 7,
                ["ok", "failed", "retried"][(state >> 20) as usize % 3]
            )
            .unwrap();
        }
        text
    }

    fn gzip(bytes: &[u8], level: u32) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(level));
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn padding_has_its_length() {
        for left in 1..8 {
            let bytes = padding(left, 0xFF);
            let mut inflate = Inflate::new(false, 15);
            // The bits of the last byte that would begin a block are all set: an error, and not before.
            assert_eq!(bytes.last().unwrap() >> (8 - left), 0xFF >> (8 - left), "{left}");
            let status = inflate.decompress(&bytes, &mut [0; 1], InflateFlush::NoFlush);
            assert_eq!(inflate.total_out(), 0, "{left}: {status:?}");
        }
    }

    #[test]
    fn a_stream_is_taken_up_at_every_mark() {
        let text = lines(600_000);
        for level in [0, 1, 2, 6, 9] {
            let half = text.len() / 2;
            let file = [gzip(&text[..half], level), gzip(&text[half..], level)].concat();
            let marks = Arc::<Marks>::default();
            let target: Arc<str> = "t".into();
            let mut all = Vec::new();
            GzipReader::new(Box::new(io::Cursor::new(file.clone())), Arc::clone(&marks), Arc::clone(&target))
                .read_to_end(&mut all)
                .unwrap();
            assert!(all == text);
            let open = |at: u64| Ok(Box::new(io::Cursor::new(from(&file, at))) as Box<dyn Read + Send>);
            let mut met = 0;
            let mut offset = text.len() as u64;
            while let Some(mark) = marks.before(offset) {
                let mut reader = nearest(&marks, offset, &open, &target).unwrap().expect("the mark is good");
                assert_eq!(reader.position(), mark.output);
                let mut rest = Vec::new();
                reader.read_to_end(&mut rest).unwrap();
                assert!(rest == from(&text, mark.output), "level {level}, mark at {}", mark.output);
                met += 1;
                offset = mark.output - 1;
            }
            // At level 1 this encoder writes one block and no more: there is nowhere to begin but at the start.
            assert!(level == 1 || met >= text.len() / (3 << 20), "{met} marks at level {level}");
        }
    }
}
