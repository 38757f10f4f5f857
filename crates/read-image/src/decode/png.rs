//! PNG, row by row.

use image::DynamicImage;
use png::{ColorType, Decoder, Reader, Transformations};

use super::reduce::Reducer;
use super::{Frames, assemble};
use crate::cursor::Cursor;
use crate::fault::Fault;
use crate::header::Header;
use crate::limits::ImageLimits;

/// Rows between two looks at the meter: a row can cost nothing to read and much to decode.
const ROWS: u32 = 64;

pub(super) fn decode(
    cursor: Cursor,
    header: &Header,
    limits: &ImageLimits,
    reduce: u32,
) -> Result<DynamicImage, Fault> {
    let meter = cursor.meter().clone();
    let mut reader = open(cursor, limits)?;
    let (width, height) = reader.info().size();
    if (width, height) != (header.width, header.height) {
        return Err(Fault::corrupt("it has two headers"));
    }
    let channels = match reader.output_color_type().0 {
        ColorType::Grayscale | ColorType::Indexed => 1,
        ColorType::GrayscaleAlpha => 2,
        ColorType::Rgb => 3,
        ColorType::Rgba => 4,
    };
    if reduce > 1 && !reader.info().interlaced {
        let mut reducer = Reducer::new(reduce, (width, height), channels);
        let mut rows = 0_u32;
        while let Some(row) = reader.next_row()? {
            reducer.row(row.data());
            rows = rows.wrapping_add(1);
            if rows.is_multiple_of(ROWS) {
                meter.check()?;
            }
        }
        return reducer.finish();
    }
    let length = reader.output_buffer_size().ok_or_else(|| Fault::TooLarge(format!("{width}x{height}")))?;
    let mut pixels = vec![0; length];
    reader.next_frame(&mut pixels)?;
    assemble(width, height, channels, pixels)
}

/// Decodes all rows of all frames, one at a time.
pub(super) fn verify(cursor: Cursor, limits: &ImageLimits, mut frames: Frames) -> Result<(), Fault> {
    let meter = cursor.meter().clone();
    let mut reader = open(cursor, limits)?;
    let mut left = match reader.info().animation_control {
        // A default image that is no frame comes before the frames.
        Some(animation) => u64::from(animation.num_frames) + u64::from(reader.info().frame_control.is_none()),
        None => 1,
    };
    let mut first = true;
    let (mut width, mut height) = reader.info().size();
    while left > 0 && frames.admits(width, height, first) {
        let mut rows = 0_u32;
        while reader.next_interlaced_row()?.is_some() {
            rows = rows.wrapping_add(1);
            if rows.is_multiple_of(ROWS) {
                meter.check()?;
            }
        }
        left -= 1;
        first = false;
        if left > 0 {
            let frame = reader.next_frame_info()?;
            (width, height) = (frame.width, frame.height);
        }
    }
    Ok(())
}

fn open(cursor: Cursor, limits: &ImageLimits) -> Result<Reader<Cursor>, Fault> {
    let bytes = usize::try_from(limits.max_memory).unwrap_or(usize::MAX);
    let mut decoder = Decoder::new_with_limits(cursor, png::Limits { bytes });
    decoder.set_transformations(Transformations::normalize_to_color8());
    // The header's walk has read them, within their limit.
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    Ok(decoder.read_info()?)
}
