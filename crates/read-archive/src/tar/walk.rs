//! The walk from header to header.

use std::borrow::Cow;
use std::io::{self, Read};

use read_core::{Meter, ReadError, StreamFault, size};

use super::header::{BLOCK, Header};
use super::index::{Form, Index, Record};
use super::input::Input;
use super::pax::{Pax, SparseRecords, number};
use super::sparse::{Map, Segment};
use crate::damage::Damage;
use crate::limits::{MAX_EXTENDED, MAX_SEGMENTS, MAX_ZEROS};
use crate::names::{Backslash, Cleaned, clean};
use crate::tree::{Kind, Span, Special};

/// A walk over an archive.
pub(super) struct Walk<'a> {
    input: Input,
    index: Index,
    path: &'a str,
    meter: &'a Meter,
    /// Bytes of data, padding included, before the next header.
    ahead: u64,
    zeros: u64,
    next: Next,
}

/// What was said of the next member.
#[derive(Default)]
struct Next {
    name: Option<Vec<u8>>,
    link: Option<Vec<u8>>,
    pax: Pax,
    is_said: bool,
    is_misread: bool,
}

/// Why a walk ends.
enum End {
    /// There is nothing more.
    Whole,
    /// The archive makes no sense from here on.
    Damage(Damage),
    /// The read is stopped.
    Error(ReadError),
}

type Step<T> = Result<T, End>;

impl<'a> Walk<'a> {
    /// A walk that goes on where `index` ends; `path` names the archive in errors.
    pub(super) fn new(input: Input, index: Index, path: &'a str, meter: &'a Meter) -> Self {
        Self { input, index, path, meter, ahead: 0, zeros: 0, next: Next::default() }
    }

    pub(super) fn index(&self) -> &Index {
        &self.index
    }

    /// Where the data of a member ends.
    pub(super) fn end_of(&self, number: u32) -> u64 {
        self.index.record(number).map_or(0, |record| record.data.saturating_add(record.stored))
    }

    /// The index as far as the walk went.
    pub(super) fn stop(mut self) -> Result<Index, ReadError> {
        self.index.walked_to = self.input.position().saturating_add(self.ahead);
        self.index.seal()?;
        Ok(self.index)
    }

    /// The same when the walk stands at the data of its last member, and the stream there.
    pub(super) fn stop_at(self, number: u32) -> Result<(Index, Option<Box<dyn Read + Send>>), ReadError> {
        let at_data = self.index.record(number).is_some_and(|record| record.data == self.input.position());
        let (position, ahead) = (self.input.position(), self.ahead);
        let mut index = self.index;
        index.walked_to = position.saturating_add(ahead);
        index.seal()?;
        Ok((index, self.input.into_stream().filter(|_| at_data)))
    }

    /// The next member; `None` at the end of the archive, or where it makes no sense any more.
    pub(super) fn next_member(&mut self) -> Result<Option<u32>, ReadError> {
        loop {
            self.meter.check()?;
            match self.step() {
                Ok(Some(number)) => return Ok(Some(number)),
                Ok(None) => {}
                Err(End::Error(error)) => return Err(error),
                Err(End::Whole) => break,
                Err(End::Damage(damage)) => {
                    self.index.damage = Some(damage);
                    break;
                }
            }
        }
        self.index.complete = true;
        self.ahead = 0;
        Ok(None)
    }

    fn step(&mut self) -> Step<Option<u32>> {
        let ahead = std::mem::take(&mut self.ahead);
        let at = self.input.position();
        let passed = self.input.skip(ahead).map_err(|error| self.fault(error))?;
        if passed < ahead {
            // The padding of the last member is nobody's loss.
            let lost = self
                .index
                .last()
                .is_some_and(|last| at.saturating_add(passed) < last.data.saturating_add(last.stored));
            return Err(if lost {
                damage(self.input.position(), "the data of a member is cut")
            } else {
                End::Whole
            });
        }
        let start = self.input.position();
        let block = match self.input.block().map_err(|error| self.fault(error))? {
            Ok(block) => block,
            Err(0) if self.next.is_said => {
                return Err(damage(start, "the member that was announced is missing"));
            }
            Err(0) => return Err(End::Whole),
            Err(_) if self.zeros > 0 => return Err(End::Whole),
            Err(_) => return Err(damage(start, "a header is cut")),
        };
        if block.iter().all(|byte| *byte == 0) {
            self.zeros = self.zeros.saturating_add(BLOCK as u64);
            return if self.zeros > MAX_ZEROS { Err(End::Whole) } else { Ok(None) };
        }
        let Some(header) = Header::of(&block) else {
            // What follows the end of an archive is whatever it is.
            return Err(if self.zeros > 0 {
                End::Whole
            } else {
                damage(start, "no header stands where one should")
            });
        };
        self.zeros = 0;
        self.take(header, start)
    }

    /// Takes one header: of a member, or of what is said about the next.
    fn take(&mut self, header: Header<'_>, start: u64) -> Step<Option<u32>> {
        match header.kind() {
            b'L' => {
                self.next.name = Some(self.text(header, start)?);
                self.next.is_said = true;
            }
            b'K' => {
                self.next.link = Some(self.text(header, start)?);
                self.next.is_said = true;
            }
            b'x' | b'X' => {
                let records = self.extended(header, start)?;
                self.next.is_misread |= !self.next.pax.read(&records);
                self.next.is_said = true;
            }
            b'g' => {
                let records = self.extended(header, start)?;
                if !self.index.global.read(&records) {
                    self.index.note_misread_global();
                }
                // A map of all members makes no sense: none has the same pieces as another.
                self.index.global.sparse = SparseRecords::default();
            }
            // A volume's label; old GNU lists of names; Solaris's access control lists.
            b'V' | b'N' | b'A' => self.ahead = padded(header.size().unwrap_or(0)),
            _ => return self.member(header, start).map(Some),
        }
        Ok(None)
    }

    fn member(&mut self, header: Header<'_>, start: u64) -> Step<u32> {
        let Next { name, link, mut pax, is_misread, .. } = std::mem::take(&mut self.next);
        let kind = header.kind();
        let has_data = !matches!(kind, b'1'..=b'6');
        let size = pax.size.or(self.index.global.size).or_else(|| header.size());
        let mut stored = match (has_data, size) {
            (false, _) => 0,
            (true, Some(stored)) => stored,
            (true, None) => return Err(damage(start, "the size of a member is no number")),
        };
        self.ahead = padded(stored);
        let form = match kind {
            b'S' => self.old_sparse(header)?,
            b'M' => Form::Continued,
            _ if pax.sparse.is_sparse => self.pax_sparse(&mut pax.sparse, &mut stored)?,
            _ => Form::Plain,
        };
        let global = &self.index.global;
        let name = pax.sparse.name.or(pax.path).or(name).map(Cow::Owned);
        let name = name.unwrap_or_else(|| global.path.clone().map_or_else(|| header.path(), Cow::Owned));
        let link = pax.link.or(link).map(Cow::Owned);
        let link = link.unwrap_or_else(|| global.link.clone().map_or_else(|| header.link(), Cow::Owned));
        let modified = pax.modified.or(global.modified).unwrap_or_else(|| header.modified());
        let cleaned = clean(&name, Backslash::Separates);
        let kind = match kind {
            b'1' => Kind::Hardlink,
            b'2' => Kind::Symlink,
            b'3' | b'4' => Kind::Special(Special::Device),
            b'5' | b'D' => Kind::Directory,
            b'6' => Kind::Special(Special::Fifo),
            _ if cleaned.directory => Kind::Directory,
            _ => Kind::File,
        };
        let record = Record { data: self.input.position(), stored, modified, link: Span::default(), form };
        self.add(&name, &cleaned, kind, is_misread, record, &link).map_err(End::Error)
    }

    /// Adds a member to the index.
    fn add(
        &mut self,
        name: &[u8],
        cleaned: &Cleaned<'_>,
        kind: Kind,
        is_misread: bool,
        mut record: Record,
        link: &[u8],
    ) -> Result<u32, ReadError> {
        if std::str::from_utf8(name).is_err() {
            self.index.note_unread(name)?;
        }
        if is_misread {
            self.index.note_misread();
        }
        let tree = &mut self.index.tree;
        if matches!(kind, Kind::Hardlink | Kind::Symlink) {
            record.link = tree.store(link)?;
        }
        let path = tree.store(&cleaned.path)?;
        let named = cleaned.strays().then(|| tree.store(name)).transpose()?;
        let number = tree.len();
        tree.add(path, kind, named);
        self.index.push(record)?;
        Ok(number)
    }

    /// The map of an old GNU sparse member: four pieces in its header, the others in blocks that follow.
    fn old_sparse(&mut self, header: Header<'_>) -> Step<Form> {
        let Some(gnu) = header.gnu() else { return Ok(Form::Misplaced) };
        let mut segments: Vec<Segment> = gnu.sparse.iter().filter_map(segment).collect();
        let mut goes_on = gnu.is_extended();
        while goes_on {
            let start = self.input.position();
            let Ok(block) = self.input.block().map_err(|error| self.fault(error))? else {
                return Err(damage(start, "a sparse map is cut"));
            };
            let (pieces, flag) = (block.chunks_exact(24).take(21), block.get(504));
            goes_on = flag == Some(&1);
            for piece in pieces {
                let numbers = piece.split_at_checked(12);
                let numbers = numbers.and_then(|(offset, len)| Some((octal(offset)?, octal(len)?)));
                let Some((offset, len)) = numbers else { break };
                segments.push(Segment { offset, len });
            }
            if segments.len() > MAX_SEGMENTS {
                return Ok(Form::Misplaced);
            }
            self.meter.check().map_err(|trip| End::Error(trip.into()))?;
        }
        let size = gnu.real_size().unwrap_or(0);
        self.placed(segments, size)
    }

    /// The map of a PAX sparse member. Version 1.0 has it in front of the data: the number of pieces, then offset and
    /// length of each, a line each, filled up to a block.
    fn pax_sparse(&mut self, sparse: &mut SparseRecords, stored: &mut u64) -> Step<Form> {
        let size = sparse.real_size.unwrap_or(*stored);
        if sparse.is_nonsense {
            return Ok(Form::Misplaced);
        }
        if !sparse.map_in_data {
            return self.placed(std::mem::take(&mut sparse.map), size);
        }
        let mut numbers = Vec::new();
        let mut line = Vec::new();
        while self.ahead > 0 {
            let start = self.input.position();
            let Ok(block) = self.input.block().map_err(|error| self.fault(error))? else {
                return Err(damage(start, "a sparse map is cut"));
            };
            self.ahead = self.ahead.saturating_sub(BLOCK as u64);
            *stored = stored.saturating_sub(BLOCK as u64);
            for byte in block {
                if byte != b'\n' {
                    line.push(byte);
                    continue;
                }
                let Some(value) = number(&line) else { return Ok(Form::Misplaced) };
                line.clear();
                numbers.push(value);
                let wanted = numbers.first().copied().unwrap_or(0);
                if wanted > MAX_SEGMENTS as u64 {
                    return Ok(Form::Misplaced);
                }
                if numbers.len() as u64 > wanted.saturating_mul(2) {
                    let pairs = numbers.get(1..).unwrap_or_default().chunks_exact(2);
                    let segments: Vec<Segment> = pairs
                        .filter_map(|pair| Some(Segment { offset: *pair.first()?, len: *pair.get(1)? }))
                        .collect();
                    drop(numbers);
                    return self.placed(segments, size);
                }
            }
        }
        Ok(Form::Misplaced)
    }

    fn placed(&mut self, segments: Vec<Segment>, size: u64) -> Step<Form> {
        match Map::new(segments, size) {
            Some(map) => self.index.place(map).map_err(End::Error),
            None => Ok(Form::Misplaced),
        }
    }

    /// The text that follows a header, up to its first NUL.
    fn text(&mut self, header: Header<'_>, start: u64) -> Step<Vec<u8>> {
        let mut text = self.extended(header, start)?;
        text.truncate(memchr::memchr(0, &text).unwrap_or(text.len()));
        Ok(text)
    }

    /// What follows a header that announces a member.
    fn extended(&mut self, header: Header<'_>, start: u64) -> Step<Vec<u8>> {
        let Some(len) = header.size() else {
            return Err(damage(start, "the size of an extended header is no number"));
        };
        if len > MAX_EXTENDED {
            return Err(damage(start, &format!("an extended header of {} stands there", size(len))));
        }
        let mut data = Vec::new();
        let mut left = padded(len);
        while left > 0 {
            let Ok(block) = self.input.block().map_err(|error| self.fault(error))? else {
                return Err(damage(start, "an extended header is cut"));
            };
            data.extend_from_slice(&block);
            left = left.saturating_sub(BLOCK as u64);
        }
        data.truncate(usize::try_from(len).unwrap_or(usize::MAX));
        Ok(data)
    }

    /// What a stream failed with: a decoder's fault ends the archive, whatever else ends the read.
    fn fault(&self, error: io::Error) -> End {
        match StreamFault::of(error) {
            StreamFault::Format(error) if self.input.position() > 0 => {
                damage(self.input.position(), &error.to_string())
            }
            other => End::Error(other.into_error(self.path)),
        }
    }
}

fn damage(after: u64, reason: &str) -> End {
    End::Damage(Damage::new(after, reason))
}

fn segment(entry: &tar::GnuSparseHeader) -> Option<Segment> {
    if entry.is_empty() {
        return None;
    }
    Some(Segment { offset: entry.offset().ok()?, len: entry.length().ok()? })
}

/// A number of an old GNU map: octal digits, or the bytes themselves behind a set first bit.
fn octal(field: &[u8]) -> Option<u64> {
    if field.first().is_some_and(|first| first & 0x80 != 0) {
        return Some(field.iter().skip(4).fold(0, |value, byte| value << 8 | u64::from(*byte)));
    }
    let text = field.split(|byte| matches!(byte, 0 | b' ')).find(|part| !part.is_empty())?;
    u64::from_str_radix(std::str::from_utf8(text).ok()?, 8).ok()
}

fn padded(len: u64) -> u64 {
    len.div_ceil(BLOCK as u64).saturating_mul(BLOCK as u64)
}
