//! Records out of a source, one at a time, in bounded memory.

use std::cell::Cell;
use std::fmt;
use std::io::{self, Read};
use std::rc::Rc;

use csv::{ByteRecord, Reader, ReaderBuilder};
use read_core::{ReadContext, ReadError, Source};

use crate::delimiter::BOM;

/// Bytes that one record may have (1 MiB). A quote that is never closed would make the rest of the file one field.
pub(crate) const MAX_RECORD: u64 = 1 << 20;

/// Bytes that are read at a time.
const BLOCK: usize = 64 << 10;

/// The records of a source.
pub(crate) struct Records<'a> {
    reader: Reader<Bounded>,
    record: ByteRecord,
    /// Bytes that were read for the record at hand.
    taken: Rc<Cell<u64>>,
    start: u64,
    source: &'a Source,
    cx: &'a ReadContext<'a>,
}

/// What comes next.
pub(crate) enum Next<'a> {
    /// A record.
    Record(&'a ByteRecord),
    /// Nothing: the source ends.
    End,
    /// A record that is over the bound.
    TooLong,
    /// Nothing that can be had: a decoder failed.
    Damage,
}

impl<'a> Records<'a> {
    /// The records from the first on.
    pub(crate) fn open(
        source: &'a Source,
        delimiter: u8,
        cx: &'a ReadContext<'a>,
    ) -> Result<Self, ReadError> {
        let error = |error| ReadError::io(source.path(), error);
        let start = if source.head().map_err(error)?.starts_with(BOM) { BOM.len() as u64 } else { 0 };
        let taken = Rc::new(Cell::new(0));
        let bounded = Bounded {
            inner: source.reader_at(start).map_err(error)?,
            left: cx.limits().max_read_bytes.map_or(u64::MAX, |limit| limit.saturating_sub(start)),
            taken: Rc::clone(&taken),
        };
        let reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(delimiter)
            .buffer_capacity(BLOCK)
            .from_reader(bounded);
        Ok(Self { reader, record: ByteRecord::new(), taken, start, source, cx })
    }

    /// The next record. What stops the whole read is an error.
    pub(crate) fn next(&mut self) -> Result<Next<'_>, ReadError> {
        // In the buffer lie many records: none of them asks the meter by itself.
        self.cx.meter().check()?;
        self.taken.set(0);
        match self.reader.read_byte_record(&mut self.record) {
            Ok(true) => Ok(Next::Record(&self.record)),
            Ok(false) => Ok(Next::End),
            Err(error) => self.failed(error),
        }
    }

    fn failed(&self, error: csv::Error) -> Result<Next<'_>, ReadError> {
        let error = match error.into_kind() {
            csv::ErrorKind::Io(error) => error,
            // Records of bytes, of any number of fields, fail in no other way.
            other => io::Error::other(format!("{other:?}")),
        };
        if error.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<TooLong>) {
            return Ok(Next::TooLong);
        }
        if self.source.is_decoded() && self.cx.meter().tripped().is_none() {
            return Ok(Next::Damage);
        }
        Err(ReadError::io(self.source.path(), error))
    }

    /// Where the next record begins, in bytes from the source's start.
    pub(crate) fn offset(&self) -> u64 {
        self.start.saturating_add(self.reader.position().byte())
    }
}

/// The source's bytes, as far as the host reads, and not too many for one record.
struct Bounded {
    inner: Box<dyn Read + Send>,
    left: u64,
    taken: Rc<Cell<u64>>,
}

impl Read for Bounded {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        if self.taken.get() > MAX_RECORD {
            return Err(io::Error::new(io::ErrorKind::InvalidData, TooLong));
        }
        let room = usize::try_from(self.left).unwrap_or(usize::MAX).min(buf.len());
        let buf = buf.get_mut(..room).unwrap_or_default();
        loop {
            match self.inner.read(buf) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(n) => {
                    self.left = self.left.saturating_sub(n as u64);
                    self.taken.set(self.taken.get().saturating_add(n as u64));
                    return Ok(n);
                }
                Err(error) => return Err(error),
            }
        }
    }
}

#[derive(Debug)]
struct TooLong;

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the record is too long")
    }
}

impl std::error::Error for TooLong {}
