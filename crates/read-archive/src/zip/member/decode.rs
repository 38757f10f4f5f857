//! The content of a member as a stream.
//!
//! The `zip` crate decodes it: it is shown a local header made from the central record, then the member's data, so that
//! whatever the archive's own local header says is not asked. Size and end are checked here: what precedes a fault is given.

use std::io::{self, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use read_core::{ErrorCode, ReadError, Slice, SliceReader};
use self_cell::{MutBorrow, self_cell};
use zip::ZipReadOptions;
use zip::read::ZipFile;

use super::super::local::{self, HEADER};
use super::super::record::Record;
use crate::damage::of_format;

/// Bytes of compressed data read at a time.
const BLOCK: usize = 64 << 10;

/// LZMA and the old methods must be told where their content ends.
fn needs_size(method: u16) -> bool {
    matches!(method, 1..=6 | 14)
}

type Decoder<'a> = ZipFile<'a, Input>;

self_cell!(
    struct Decoding {
        owner: MutBorrow<Input>,

        #[not_covariant]
        dependent: Decoder,
    }
);

/// The content of the member whose stored bytes are `data`.
pub(super) fn stream(data: &Slice, record: &Record, target: &str) -> io::Result<Box<dyn Read + Send>> {
    let closed = Arc::new(AtomicBool::new(false));
    let input = Input {
        header: io::Cursor::new(local::for_decoder(record)),
        data: BufReader::with_capacity(BLOCK, data.reader()),
        closed: Arc::clone(&closed),
    };
    let known = record.compressed != Record::UNKNOWN;
    let size = if needs_size(record.method) { record.size } else { u64::MAX };
    let options = ZipReadOptions::new()
        .override_compressed_size(data.len())
        .override_uncompressed_size(size)
        .override_crc(record.crc)
        .ignore_crc32(!known);
    let decoding = Decoding::try_new(MutBorrow::new(input), |input| {
        match zip::read::read_zipfile_from_stream_with_options(input.borrow_mut(), options) {
            Ok(Some(file)) => Ok(file),
            Ok(None) => Err(io::ErrorKind::InvalidData.into()),
            Err(error) => Err(io::Error::from(error)),
        }
    })?;
    Ok(Box::new(Checked { decoding, closed, size: record.size(), done: 0, target: target.to_owned() }))
}

/// What the decoder reads.
struct Input {
    header: io::Cursor<[u8; HEADER]>,
    data: BufReader<SliceReader>,
    closed: Arc<AtomicBool>,
}

impl Read for Input {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        // A decoder that is let go reads its input to the end, for whoever reads on behind it. Nobody does.
        if self.closed.load(Relaxed) {
            return Ok(0);
        }
        match self.header.read(buf)? {
            0 => self.data.read(buf),
            n => Ok(n),
        }
    }
}

/// A member's content, which ends in an error where it is not what the archive says of it.
struct Checked {
    decoding: Decoding,
    closed: Arc<AtomicBool>,
    size: Option<u64>,
    done: u64,
    target: String,
}

impl Drop for Checked {
    fn drop(&mut self) {
        self.closed.store(true, Relaxed);
    }
}

impl Read for Checked {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let left = self.size.map_or(u64::MAX, |size| size.saturating_sub(self.done));
        if left == 0 && !buf.is_empty() {
            return match self.decode(&mut [0]) {
                Ok(0) => Ok(0),
                Ok(_) => Err(self.fault("its content is longer than the archive says")),
                Err(error) => Err(self.named(error)),
            };
        }
        let room = usize::try_from(left).unwrap_or(usize::MAX).min(buf.len());
        let buf = buf.get_mut(..room).unwrap_or_default();
        match self.decode(buf) {
            Ok(0) if !buf.is_empty() && self.size.is_some() => {
                Err(self.fault("its content is shorter than the archive says"))
            }
            Ok(n) => {
                self.done = self.done.saturating_add(n as u64);
                Ok(n)
            }
            Err(error) => Err(self.named(error)),
        }
    }
}

impl Checked {
    fn decode(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.decoding.with_dependent_mut(|_, file| file.read(buf)) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => return result,
            }
        }
    }

    /// What a decoder met, in words for the model.
    fn named(&self, error: io::Error) -> io::Error {
        let error = match of_format(error) {
            Ok(error) => error,
            Err(error) => return error,
        };
        let text = error.to_string();
        if text.contains("checksum") {
            return self.fault("its checksum is not that of its content");
        }
        if error.kind() == io::ErrorKind::UnexpectedEof {
            return self.fault("its data is cut");
        }
        self.fault(&format!("its data is corrupt ({text})"))
    }

    /// A fault before any content is an error of its own; later ones end what precedes them.
    fn fault(&self, reason: &str) -> io::Error {
        if self.done == 0 {
            return io::Error::other(ReadError::new(
                ErrorCode::Corrupt,
                format!("'{}' is damaged: {reason}.", self.target),
            ));
        }
        io::Error::new(io::ErrorKind::InvalidData, reason)
    }
}
