//! PNG: every chunk from the signature to IEND (<https://www.w3.org/TR/png-3/>).

use std::io::Read;

use image::metadata::Orientation;

use super::{Format, Header, Metadata, Parts};
use crate::cursor::Cursor;
use crate::fault::Fault;
use crate::limits::ImageLimits;
use crate::orient;

/// The longest chunk that the format allows.
const MAX_CHUNK: u32 = i32::MAX as u32;

pub(super) fn read(cursor: &mut Cursor, limits: &ImageLimits) -> Result<Header, Fault> {
    cursor.skip(8);
    let mut found = Found::default();
    let mut metadata = Metadata::new(limits);
    loop {
        let (length, kind) = chunk(cursor)?;
        if found.size.is_none() != (kind == *b"IHDR") {
            return Err(Fault::corrupt("its header chunk is not the first and only one"));
        }
        if matches!(&kind, b"IDAT" | b"fdAT") {
            // Its checksum is the decoder's to check.
            found.pixels |= kind == *b"IDAT";
            cursor.skip(u64::from(length) + 4);
            continue;
        }
        let data = match &kind {
            b"IHDR" | b"PLTE" | b"tRNS" | b"acTL" | b"fcTL" | b"IEND" if length > LONGEST => {
                return Err(Fault::corrupt("a chunk of fixed length is too long"));
            }
            b"IHDR" | b"PLTE" | b"tRNS" | b"acTL" | b"fcTL" | b"IEND" => {
                cursor.bytes(usize::try_from(length).unwrap_or_default())?
            }
            _ => metadata.take(cursor, length.into())?,
        };
        found.is_broken |= cursor.u32_be()? != checksum(kind, &data);
        if kind == *b"IEND" {
            return found.header();
        }
        found.chunk(kind, &data, limits, &mut metadata)?;
    }
}

/// The longest chunk whose length is fixed or bounded: a palette of 256 colours.
const LONGEST: u32 = 768;

/// What the chunks said so far.
#[derive(Default)]
struct Found {
    size: Option<(u32, u32)>,
    /// Bytes that a decoded pixel takes.
    samples: u64,
    orientation: Option<Orientation>,
    icc: Option<Vec<u8>>,
    /// What the animation chunk says, where one stands before the pixels.
    frames: Option<u32>,
    pixels: bool,
    /// Whether a chunk has a wrong checksum.
    is_broken: bool,
}

impl Found {
    fn chunk(
        &mut self,
        kind: [u8; 4],
        data: &[u8],
        limits: &ImageLimits,
        metadata: &mut Metadata,
    ) -> Result<(), Fault> {
        match &kind {
            b"IHDR" => {
                let [w0, w1, w2, w3, h0, h1, h2, h3, _depth, colour, ..] = *data else {
                    return Err(Fault::corrupt("its header chunk is too short"));
                };
                let (width, height) =
                    (u32::from_be_bytes([w0, w1, w2, w3]), u32::from_be_bytes([h0, h1, h2, h3]));
                limits.check_size(width.into(), height.into())?;
                self.size = Some((width, height));
                self.samples = samples_of(colour);
            }
            b"acTL" if !self.pixels => {
                self.frames = Some(data.first_chunk().map_or(1, |count| u32::from_be_bytes(*count)));
            }
            b"eXIf" => self.orientation = Some(orient::from_exif(data)),
            b"iCCP" => {
                let profile = profile(data, metadata)?;
                self.icc = self.icc.take().or(profile);
            }
            b"zTXt" => compressed_text(data, metadata)?,
            b"iTXt" => international_text(data, metadata)?,
            _ => {}
        }
        Ok(())
    }

    fn header(self) -> Result<Header, Fault> {
        let size = self.size.filter(|_| self.pixels);
        let (width, height) = size.ok_or_else(|| Fault::corrupt("it has no image data"))?;
        Ok(Header {
            format: Format::Png,
            width,
            height,
            orientation: self.orientation.unwrap_or(Orientation::NoTransforms),
            icc: self.icc,
            parts: Parts::of(self.frames.unwrap_or(1).into(), Parts::Frames),
            intact: !self.is_broken,
            memory: u64::from(width).saturating_mul(u64::from(height)).saturating_mul(self.samples),
        })
    }
}

fn checksum(kind: [u8; 4], data: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(&kind);
    crc.update(data);
    crc.sum()
}

fn chunk(cursor: &mut Cursor) -> Result<(u32, [u8; 4]), Fault> {
    let cut = Fault::cut(cursor.len(), "its end chunk");
    if cursor.position().saturating_add(8) > cursor.len() {
        return Err(cut);
    }
    let length = cursor.u32_be()?;
    let kind = cursor.array()?;
    if length > MAX_CHUNK {
        return Err(Fault::corrupt("a chunk claims more than 2 GiB"));
    }
    if cursor.position().saturating_add(u64::from(length)).saturating_add(4) > cursor.len() {
        return Err(cut);
    }
    Ok((length, kind))
}

/// Bytes a pixel takes when it is decoded to eight bits a channel. Palettes and grey may gain transparency.
fn samples_of(colour: u8) -> u64 {
    match colour {
        0 | 4 => 2,
        _ => 4,
    }
}

/// The colour profile of an iCCP chunk; none when it is broken, as decoders have it.
fn profile(chunk: &[u8], metadata: &mut Metadata) -> Result<Option<Vec<u8>>, Fault> {
    let Some([_method, packed @ ..]) = after_nul(chunk) else { return Ok(None) };
    let mut profile = Vec::new();
    let read = flate2::read::ZlibDecoder::new(packed)
        .take(metadata.left().saturating_add(1))
        .read_to_end(&mut profile);
    metadata.count(profile.len() as u64)?;
    Ok(read.ok().map(|_| profile))
}

fn compressed_text(chunk: &[u8], metadata: &mut Metadata) -> Result<(), Fault> {
    match after_nul(chunk) {
        Some([_method, packed @ ..]) => inflate(packed, metadata),
        _ => Ok(()),
    }
}

fn international_text(chunk: &[u8], metadata: &mut Metadata) -> Result<(), Fault> {
    match after_nul(chunk) {
        Some([1, _method, rest @ ..]) => {
            inflate(after_nul(rest).and_then(after_nul).unwrap_or_default(), metadata)
        }
        _ => Ok(()),
    }
}

/// Counts what inflates out of `packed` without holding it. Broken data ends where it breaks.
fn inflate(packed: &[u8], metadata: &mut Metadata) -> Result<(), Fault> {
    let mut inflated = flate2::read::ZlibDecoder::new(packed);
    let mut block = [0; 16 << 10];
    while let Ok(n @ 1..) = inflated.read(&mut block) {
        metadata.count(n as u64)?;
    }
    Ok(())
}

fn after_nul(bytes: &[u8]) -> Option<&[u8]> {
    let nul = bytes.iter().position(|byte| *byte == 0)?;
    bytes.get(nul.saturating_add(1)..)
}
