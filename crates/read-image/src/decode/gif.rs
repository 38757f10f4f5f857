//! GIF, by its indices into colour tables.

use std::num::NonZeroU64;

use gif::{ColorOutput, DecodeOptions, Decoder, MemoryLimit};
use image::{DynamicImage, RgbaImage};

use super::Frames;
use crate::fault::Fault;
use crate::limits::ImageLimits;
use crate::window::Window;

/// The first frame on its canvas. What it does not cover is transparent, as browsers have it.
pub(super) fn decode(window: Window, limits: &ImageLimits) -> Result<DynamicImage, Fault> {
    let mut decoder = open(window, limits)?;
    let mut canvas = RgbaImage::new(decoder.width().into(), decoder.height().into());
    let global: Option<Vec<u8>> = decoder.global_palette().map(<[u8]>::to_vec);
    let frame = decoder.next_frame_info()?.ok_or_else(|| Fault::corrupt("it has no image data"))?.clone();
    let mut indices = vec![0; decoder.buffer_size()];
    decoder.read_into_buffer(&mut indices)?;
    let table = frame.palette.or(global).unwrap_or_default();
    let colours: Vec<[u8; 4]> = (0..=u8::MAX)
        .map(|index| match table.chunks_exact(3).nth(index.into()) {
            Some([red, green, blue]) if frame.transparent != Some(index) => [*red, *green, *blue, 255],
            _ => [0; 4],
        })
        .collect();
    let across = usize::from(frame.width).max(1);
    let rows = canvas.rows_mut().skip(frame.top.into());
    for (row, indices) in rows.zip(indices.chunks_exact(across)) {
        for (pixel, index) in row.skip(frame.left.into()).zip(indices) {
            pixel.0 = colours.get(usize::from(*index)).copied().unwrap_or_default();
        }
    }
    Ok(DynamicImage::ImageRgba8(canvas))
}

/// Decodes frame after frame.
pub(super) fn verify(window: Window, limits: &ImageLimits, mut frames: Frames) -> Result<(), Fault> {
    let meter = window.meter().clone();
    let mut decoder = open(window, limits)?;
    let mut indices = Vec::new();
    let mut first = true;
    while let Some(frame) = decoder.next_frame_info()? {
        if !frames.admits(frame.width.into(), frame.height.into(), first) {
            return Ok(());
        }
        meter.check().map_err(std::io::Error::from)?;
        indices.resize(decoder.buffer_size(), 0);
        decoder.read_into_buffer(&mut indices)?;
        first = false;
    }
    if first { Err(Fault::corrupt("it has no image data")) } else { Ok(()) }
}

fn open(window: Window, limits: &ImageLimits) -> Result<Decoder<Window>, Fault> {
    let mut options = DecodeOptions::new();
    options.set_color_output(ColorOutput::Indexed);
    options
        .set_memory_limit(MemoryLimit::Bytes(NonZeroU64::new(limits.max_memory).unwrap_or(NonZeroU64::MIN)));
    Ok(options.read_info(window)?)
}
