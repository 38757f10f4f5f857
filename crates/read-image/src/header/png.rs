//! PNG: every chunk from the signature to IEND (<https://www.w3.org/TR/png-3/>).

use std::io::Read;

use image::metadata::Orientation;

use super::{Header, Layout, Metadata, Parts};
use crate::fault::{Fault, check_size};
use crate::limits::ImageLimits;
use crate::orient;
use crate::recognise::Kind;
use crate::window::Window;

/// The longest chunk that the format allows.
const MAX_CHUNK: u32 = i32::MAX as u32;

pub(super) fn read(window: &mut Window, limits: &ImageLimits) -> Result<Header, Fault> {
    window.skip(8);
    let (mut width, mut height, mut samples) = (0, 0, 4);
    let mut orientation = Orientation::NoTransforms;
    let mut icc = None;
    let mut frames = 1;
    let mut metadata = Metadata::new(limits);
    let mut intact = true;
    let mut pixels_seen = false;
    let mut first = true;
    loop {
        let (length, kind) = chunk(window)?;
        if first != (kind == *b"IHDR") {
            return Err(Fault::corrupt("its header chunk is not the first and only one"));
        }
        if matches!(&kind, b"IDAT" | b"fdAT") {
            // Its checksum is the decoder's to check.
            pixels_seen |= kind == *b"IDAT";
            window.skip(u64::from(length) + 4);
            continue;
        }
        let data = match &kind {
            b"IHDR" | b"PLTE" | b"tRNS" | b"acTL" | b"fcTL" | b"IEND" if length > SMALL => {
                return Err(Fault::corrupt("a chunk of fixed length is too long"));
            }
            b"IHDR" | b"PLTE" | b"tRNS" | b"acTL" | b"fcTL" | b"IEND" => {
                window.bytes(usize::try_from(length).unwrap_or_default())?
            }
            _ => metadata.take(window, length.into())?,
        };
        intact &= window.u32_be()? == checksum(kind, &data);
        match &kind {
            b"IHDR" => {
                let [w0, w1, w2, w3, h0, h1, h2, h3, _depth, colour, ..] = *data.as_slice() else {
                    return Err(Fault::corrupt("its header chunk is too short"));
                };
                (width, height) =
                    (u32::from_be_bytes([w0, w1, w2, w3]), u32::from_be_bytes([h0, h1, h2, h3]));
                check_size(width.into(), height.into(), limits)?;
                samples = samples_of(colour);
                first = false;
            }
            b"IEND" => break,
            b"acTL" if !pixels_seen => {
                frames = data.first_chunk().map_or(1, |count| u32::from_be_bytes(*count));
            }
            b"eXIf" => orientation = orient::from_exif(&data),
            b"iCCP" => icc = icc.or(profile(&data, &mut metadata)?),
            b"zTXt" => compressed_text(&data, &mut metadata)?,
            b"iTXt" => international_text(&data, &mut metadata)?,
            _ => {}
        }
    }
    if !pixels_seen {
        return Err(Fault::corrupt("it has no image data"));
    }
    let memory = u64::from(width).saturating_mul(u64::from(height)).saturating_mul(samples);
    let parts = Parts::of(frames.into(), Parts::Frames);
    Ok(Header {
        kind: Kind::Png,
        width,
        height,
        orientation,
        icc,
        parts,
        intact,
        memory,
        layout: Layout::Plain,
    })
}

/// The length that no chunk of fixed or bounded length has: a palette of 256 colours is the longest.
const SMALL: u32 = 768;

fn checksum(kind: [u8; 4], data: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(&kind);
    crc.update(data);
    crc.sum()
}

fn chunk(window: &mut Window) -> Result<(u32, [u8; 4]), Fault> {
    let cut = Fault::cut(window.len(), "its end chunk");
    if window.position().saturating_add(8) > window.len() {
        return Err(cut);
    }
    let length = window.u32_be()?;
    let kind = window.array()?;
    if length > MAX_CHUNK {
        return Err(Fault::corrupt("a chunk claims more than 2 GiB"));
    }
    if window.position().saturating_add(u64::from(length)).saturating_add(4) > window.len() {
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
