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
    let mut pixels_seen = false;
    let mut first = true;
    loop {
        let (length, kind) = chunk(window)?;
        if first != (kind == *b"IHDR") {
            return Err(Fault::corrupt("its header chunk is not the first and only one"));
        }
        let end = window.position().saturating_add(u64::from(length));
        if first {
            if length != 13 {
                return Err(Fault::corrupt("its header chunk has the wrong length"));
            }
            (width, height) = (window.u32_be()?, window.u32_be()?);
            check_size(width.into(), height.into(), limits)?;
            let [_depth, colour, ..] = window.array::<5>()?;
            samples = samples_of(colour);
            first = false;
        } else {
            match &kind {
                b"IEND" => break,
                b"IDAT" => pixels_seen = true,
                b"PLTE" | b"fdAT" | b"fcTL" => {}
                b"acTL" if !pixels_seen && length >= 8 => frames = window.u32_be()?,
                b"eXIf" => orientation = orient::from_exif(&metadata.take(window, length.into())?),
                b"iCCP" => icc = icc.or(profile(&metadata.take(window, length.into())?, &mut metadata)?),
                b"zTXt" => compressed_text(&metadata.take(window, length.into())?, &mut metadata)?,
                b"iTXt" => international_text(&metadata.take(window, length.into())?, &mut metadata)?,
                _ => metadata.count(length.into())?,
            }
        }
        // The checksum follows.
        window.go_to(end.saturating_add(4));
    }
    if !pixels_seen {
        return Err(Fault::corrupt("it has no image data"));
    }
    let memory = u64::from(width).saturating_mul(u64::from(height)).saturating_mul(samples);
    let parts = Parts::of(frames.into(), Parts::Frames);
    Ok(Header { kind: Kind::Png, width, height, orientation, icc, parts, memory, layout: Layout::Plain })
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
