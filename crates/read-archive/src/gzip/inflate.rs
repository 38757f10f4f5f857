//! The decoded bytes of a gzip file: all its members, one after the other.

use std::io::{self, Read};
use std::sync::Arc;

use flate2::Crc;
use read_core::{ErrorCode, ReadError};
use zlib_rs::{Inflate, InflateFlush, Status};

use super::header::Header;
use super::marks::{Mark, Marks, PROOF, WINDOW};
use crate::damage::of_format;

/// Bytes of compressed data read at a time (128 KiB).
const BLOCK: usize = 128 << 10;

/// History that is gathered before a mark is set; the mark keeps the last 32 KiB of it.
const HISTORY: usize = 4 * WINDOW;

/// What is done about bytes behind the last member that are no member, and no padding with zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trailing {
    /// They end the content with an error, which whoever shows content as far as it goes tells.
    Told,
    /// They are left out, for a reader that must have its whole content or fails.
    LeftOut,
}

/// Decodes a gzip file from its first member on, or from a mark.
pub(super) struct GzipReader {
    input: Input,
    inflate: Inflate,
    part: Part,
    /// Decoded bytes so far, over all members.
    position: u64,
    /// Decoded bytes of this member, and their checksum; `None` when it was taken up in its middle.
    member: Option<(u64, Crc)>,
    /// Bytes that are decoded already.
    ready: io::Cursor<Vec<u8>>,
    recorder: Recorder,
    trailing: Trailing,
    target: Arc<str>,
}

/// What comes next in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Header {
        first: bool,
    },
    Blocks,
    /// Nothing can be decoded any more. What was decoded before was given.
    Damage(String),
    Trailer,
    End,
}

impl GzipReader {
    pub(super) fn new(from: Box<dyn Read + Send>, marks: Arc<Marks>, target: Arc<str>) -> Self {
        Self::with_state(
            Input::new(from, 0),
            Inflate::new(false, 15),
            Part::Header { first: true },
            0,
            marks,
            target,
        )
    }

    /// A reader that goes on between two blocks: `inflate` is ready for what `from` gives, `ready` is what it gave already,
    /// `position` decoded bytes stand before that.
    pub(super) fn resumed(
        from: Input,
        inflate: Inflate,
        ready: Vec<u8>,
        position: u64,
        marks: Arc<Marks>,
        target: Arc<str>,
    ) -> Self {
        let ready = io::Cursor::new(ready);
        Self { ready, member: None, ..Self::with_state(from, inflate, Part::Blocks, position, marks, target) }
    }

    fn with_state(
        input: Input,
        inflate: Inflate,
        part: Part,
        position: u64,
        marks: Arc<Marks>,
        target: Arc<str>,
    ) -> Self {
        let recorder = Recorder::new(marks);
        Self {
            input,
            inflate,
            part,
            position,
            member: Some((0, Crc::new())),
            ready: io::Cursor::default(),
            recorder,
            trailing: Trailing::Told,
            target,
        }
    }

    /// The same with what is done about bytes behind the last member.
    pub(super) fn with_trailing(mut self, trailing: Trailing) -> Self {
        self.trailing = trailing;
        self
    }

    /// Decoded bytes that were given so far.
    pub(super) fn position(&self) -> u64 {
        self.position
    }

    /// Decodes some bytes of the member that is open; 0 when it has ended.
    fn blocks(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            let available = self.input.available()?;
            if available.is_empty() {
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "its data is cut"));
            }
            let boundary = self.recorder.wants_boundary();
            let flush = if boundary { InflateFlush::Block } else { InflateFlush::NoFlush };
            let (before_in, before_out) = (self.inflate.total_in(), self.inflate.total_out());
            let len = available.len();
            let status = self.inflate.decompress(available, buf, flush);
            let count = |now: u64, before: u64| usize::try_from(now.saturating_sub(before)).unwrap_or(0);
            let consumed = count(self.inflate.total_in(), before_in);
            let produced = count(self.inflate.total_out(), before_out).min(buf.len());
            self.input.consume(consumed);
            let given = buf.get(..produced).unwrap_or_default();
            if let Some((size, crc)) = &mut self.member {
                *size = size.wrapping_add(produced as u64);
                crc.update(given);
            }
            self.position = self.position.saturating_add(produced as u64);
            self.recorder.decoded(given, self.position);
            let Ok(status) = status else {
                // Where some was decoded before the fault, its name is lost, and the state that is left is named.
                let named = self.inflate.error_message().filter(|reason| !reason.contains("bad state"));
                let reason = format!("its data is corrupt ({})", named.unwrap_or("invalid data"));
                self.part = Part::Damage(reason);
                return Ok(produced);
            };
            if status == Status::StreamEnd {
                self.recorder.member_ended();
                self.part = Part::Trailer;
                return Ok(produced);
            }
            // Neither side is at its end: it stopped where a block ends, because it was asked to.
            if boundary && consumed < len && produced < buf.len() {
                self.recorder.boundary(self.position, self.input.offset, self.input.last);
            } else if consumed == 0 && produced == 0 {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "its data is corrupt (no progress)"));
            }
            if produced > 0 {
                return Ok(produced);
            }
        }
    }

    fn trailer(&mut self) -> io::Result<()> {
        let mut trailer = [0; 8];
        self.input.read_exact(&mut trailer).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => io::Error::new(error.kind(), "its checksum is cut off"),
            _ => error,
        })?;
        let [a, b, c, d, len @ ..] = trailer;
        if let Some((size, crc)) = &self.member {
            if crc.sum() != u32::from_le_bytes([a, b, c, d]) {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "its checksum is not that of its content",
                ));
            }
            if *size & 0xFFFF_FFFF != u64::from(u32::from_le_bytes(len)) {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "its length is not what its trailer says",
                ));
            }
        }
        self.part = Part::Header { first: false };
        Ok(())
    }

    fn header(&mut self, first: bool) -> io::Result<()> {
        if !first && self.input.skip_zeros()? {
            self.part = Part::End;
            return Ok(());
        }
        let reason = match Header::read(&mut self.input) {
            Ok(Some(_)) => {
                self.inflate.reset(false);
                self.member = Some((0, Crc::new()));
                self.part = Part::Blocks;
                return Ok(());
            }
            Ok(None) if first => "it does not begin as gzip does".to_owned(),
            Ok(None) => "what follows its last member is no gzip".to_owned(),
            Err(error) => {
                let error = of_format(error)?;
                if first {
                    return Err(error);
                }
                if error.kind() == io::ErrorKind::UnexpectedEof {
                    "a further member is cut in its header".to_owned()
                } else {
                    format!("a further member is damaged: {error}")
                }
            }
        };
        self.part = Part::End;
        if first || self.trailing == Trailing::Told {
            return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
        }
        Ok(())
    }

    /// A fault before any content is an error of its own; later ones end what precedes them.
    fn told(&self, error: io::Error) -> io::Error {
        if self.position > 0 {
            return error;
        }
        let error = match of_format(error) {
            Ok(error) => error,
            Err(error) => return error,
        };
        let reason = if error.kind() == io::ErrorKind::UnexpectedEof {
            "its data is cut".to_owned()
        } else {
            error.to_string()
        };
        io::Error::other(ReadError::new(
            ErrorCode::Corrupt,
            format!("'{}' is damaged: {reason}.", self.target),
        ))
    }

    fn step(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            match &self.part {
                Part::Header { first } => self.header(*first)?,
                Part::Damage(reason) => {
                    return Err(io::Error::new(io::ErrorKind::InvalidData, reason.clone()));
                }
                Part::Blocks => match self.blocks(buf)? {
                    0 => {}
                    n => return Ok(n),
                },
                Part::Trailer => self.trailer()?,
                Part::End => return Ok(0),
            }
        }
    }
}

impl Read for GzipReader {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if buf.is_empty() {
            return Ok(0);
        }
        let ready = self.ready.read(buf)?;
        if ready > 0 {
            self.position = self.position.saturating_add(ready as u64);
            return Ok(ready);
        }
        self.step(buf).map_err(|error| self.told(error))
    }
}

/// Compressed bytes, and where in the file they stand.
pub(super) struct Input {
    from: Box<dyn Read + Send>,
    block: Vec<u8>,
    at: usize,
    end: usize,
    /// Bytes before the next one.
    offset: u64,
    /// The byte before the next one.
    last: u8,
}

impl Input {
    pub(super) fn new(from: Box<dyn Read + Send>, offset: u64) -> Self {
        Self { from, block: vec![0; BLOCK], at: 0, end: 0, offset, last: 0 }
    }

    /// The bytes at hand; empty at the end of the file.
    pub(super) fn available(&mut self) -> io::Result<&[u8]> {
        while self.at >= self.end {
            match self.from.read(&mut self.block) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
                Ok(n) => {
                    (self.at, self.end) = (0, n);
                    break;
                }
            }
        }
        Ok(self.block.get(self.at..self.end).unwrap_or_default())
    }

    /// Passes over zeros; true at the end of the file.
    fn skip_zeros(&mut self) -> io::Result<bool> {
        loop {
            let available = self.available()?;
            let zeros = available.iter().take_while(|byte| **byte == 0).count();
            match (available.len(), zeros) {
                (0, _) => return Ok(true),
                (_, 0) => return Ok(false),
                _ => self.consume(zeros),
            }
        }
    }

    pub(super) fn consume(&mut self, n: usize) {
        if n > 0 {
            let next = self.at.saturating_add(n);
            self.last = next.checked_sub(1).and_then(|at| self.block.get(at)).copied().unwrap_or(0);
            self.at = next.min(self.end);
            self.offset = self.offset.saturating_add(n as u64);
        }
    }
}

impl Read for Input {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let mut available = self.available()?;
        let n = available.read(buf)?;
        self.consume(n);
        Ok(n)
    }
}

/// Sets marks while a stream is decoded.
struct Recorder {
    marks: Arc<Marks>,
    wanted_from: u64,
    /// The last bytes, gathered once a mark is due.
    history: Vec<u8>,
    /// A mark whose proof is not complete, and the bytes that it still takes.
    pending: Option<(Mark, Crc, usize)>,
}

impl Recorder {
    fn new(marks: Arc<Marks>) -> Self {
        Self { wanted_from: marks.wanted_from(), marks, history: Vec::new(), pending: None }
    }

    /// Whether the next end of a block should be told.
    fn wants_boundary(&self) -> bool {
        self.pending.is_none() && self.history.len() >= WINDOW
    }

    /// Takes note of decoded bytes, which end at `position`.
    fn decoded(&mut self, bytes: &[u8], position: u64) {
        if let Some((mark, crc, left)) = &mut self.pending {
            let proof = bytes.get(..(*left).min(bytes.len())).unwrap_or_default();
            crc.update(proof);
            *left -= proof.len();
            if *left == 0 {
                mark.proof = crc.sum();
                if let Some((mark, _, _)) = self.pending.take() {
                    self.marks.add(mark);
                }
                self.wanted_from = self.marks.wanted_from();
            }
            return;
        }
        if position < self.wanted_from {
            return;
        }
        let excess = self.history.len().saturating_add(bytes.len()).saturating_sub(HISTORY);
        if excess > 0 {
            self.history.drain(..excess.min(self.history.len()));
        }
        let tail = bytes.get(bytes.len().saturating_sub(HISTORY)..).unwrap_or_default();
        self.history.extend_from_slice(tail);
    }

    /// Notes that a block has ended here.
    fn boundary(&mut self, output: u64, input: u64, last: u8) {
        let window = self.history.get(self.history.len().saturating_sub(WINDOW)..).unwrap_or_default().into();
        self.history.clear();
        self.pending = Some((Mark { output, input, last, window, proof: 0 }, Crc::new(), PROOF));
    }

    /// Drops what was gathered: a mark, its history and its proof all lie in one member.
    fn member_ended(&mut self) {
        self.pending = None;
        self.history.clear();
    }
}
