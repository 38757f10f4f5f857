//! BMP: the file header and the size in the bitmap header.

use image::metadata::Orientation;

use super::{Format, Header, Parts};
use crate::cursor::Cursor;
use crate::fault::Fault;
use crate::limits::ImageLimits;

pub(super) fn read(cursor: &mut Cursor, limits: &ImageLimits) -> Result<Header, Fault> {
    cursor.skip(14);
    let (width, height) = bitmap_size(cursor)?;
    limits.check_size(width.into(), height.into())?;
    Ok(Header {
        format: Format::Bmp,
        width,
        height,
        orientation: Orientation::NoTransforms,
        icc: None,
        parts: Parts::One,
        intact: true,
        memory: u64::from(width).saturating_mul(u64::from(height)).saturating_mul(4),
    })
}

/// The size in a bitmap header at the cursor's position. A negative height says that the rows go down.
pub(super) fn bitmap_size(cursor: &mut Cursor) -> Result<(u32, u32), Fault> {
    if cursor.u32_le()? == 12 {
        return Ok((cursor.u16_le()?.into(), cursor.u16_le()?.into()));
    }
    let side = |bytes: [u8; 4]| i32::from_le_bytes(bytes);
    let (width, height) = (side(cursor.array()?), side(cursor.array()?));
    let width = u32::try_from(width).map_err(|_| Fault::Corrupt(format!("its width is {width}")))?;
    Ok((width, height.unsigned_abs()))
}
