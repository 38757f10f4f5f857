//! GIF, by its indices into colour tables.

use std::num::NonZeroU64;

use gif::{ColorOutput, DecodeOptions, Decoder, MemoryLimit};
use image::DynamicImage;

use super::Frames;
use super::reduce::Reducer;
use crate::cursor::Cursor;
use crate::fault::Fault;
use crate::limits::ImageLimits;

/// The first frame on its canvas. What it does not cover is transparent, as browsers have it.
pub(super) fn decode(cursor: Cursor, limits: &ImageLimits, reduce: u32) -> Result<DynamicImage, Fault> {
    let mut decoder = open(cursor, limits)?;
    let (width, height) = (decoder.width(), decoder.height());
    let global: Option<Vec<u8>> = decoder.global_palette().map(<[u8]>::to_vec);
    let frame = decoder.next_frame_info()?.ok_or_else(|| Fault::corrupt("it has no image data"))?.clone();
    // As the header is read.
    let width = u32::from(width.max(frame.left.saturating_add(frame.width)));
    let height = u32::from(height.max(frame.top.saturating_add(frame.height)));
    let mut indices = vec![0; decoder.buffer_size()];
    decoder.read_into_buffer(&mut indices)?;
    let table = frame.palette.or(global).unwrap_or_default();
    let colours: Vec<[u8; 4]> = (0..=u8::MAX)
        .map(|index| match table.chunks_exact(3).nth(index.into()) {
            Some([red, green, blue]) if frame.transparent != Some(index) => [*red, *green, *blue, 255],
            _ => [0; 4],
        })
        .collect();
    // The canvas row by row: it is four times as large as the indices, and a large one is reduced on the way.
    let mut canvas = Reducer::new(reduce, (width, height), 4);
    let mut row = vec![[0; 4]; usize::try_from(width).unwrap_or_default()];
    let (top, bottom) = (u32::from(frame.top), u32::from(frame.top) + u32::from(frame.height));
    let mut lines = indices.chunks_exact(usize::from(frame.width).max(1));
    for y in 0..height {
        row.fill([0; 4]);
        if (top..bottom).contains(&y) {
            let line = lines.next().unwrap_or_default();
            for (pixel, index) in row.iter_mut().skip(frame.left.into()).zip(line) {
                *pixel = colours.get(usize::from(*index)).copied().unwrap_or_default();
            }
        }
        canvas.row(row.as_flattened());
    }
    canvas.finish()
}

/// Decodes frame after frame.
pub(super) fn verify(cursor: Cursor, limits: &ImageLimits, mut frames: Frames) -> Result<(), Fault> {
    let meter = cursor.meter().clone();
    let mut decoder = open(cursor, limits)?;
    let mut indices = Vec::new();
    let mut first = true;
    while let Some(frame) = decoder.next_frame_info()? {
        if !frames.admits(frame.width.into(), frame.height.into(), first) {
            return Ok(());
        }
        meter.check()?;
        indices.resize(decoder.buffer_size(), 0);
        decoder.read_into_buffer(&mut indices)?;
        first = false;
    }
    if first { Err(Fault::corrupt("it has no image data")) } else { Ok(()) }
}

fn open(cursor: Cursor, limits: &ImageLimits) -> Result<Decoder<Cursor>, Fault> {
    let mut options = DecodeOptions::new();
    options.set_color_output(ColorOutput::Indexed);
    options
        .set_memory_limit(MemoryLimit::Bytes(NonZeroU64::new(limits.max_memory).unwrap_or(NonZeroU64::MIN)));
    Ok(options.read_info(cursor)?)
}
