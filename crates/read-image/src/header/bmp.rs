//! BMP: the file header and the size in the bitmap header.

use image::metadata::Orientation;

use super::{Header, Layout, Parts};
use crate::fault::{Fault, check_size};
use crate::limits::ImageLimits;
use crate::recognise::Kind;
use crate::window::Window;

pub(super) fn read(window: &mut Window, limits: &ImageLimits) -> Result<Header, Fault> {
    window.skip(14);
    let (width, height) = bitmap_size(window)?;
    check_size(width.into(), height.into(), limits)?;
    Ok(Header {
        kind: Kind::Bmp,
        width,
        height,
        orientation: Orientation::NoTransforms,
        icc: None,
        parts: Parts::One,
        intact: true,
        memory: u64::from(width).saturating_mul(u64::from(height)).saturating_mul(4),
        layout: Layout::Plain,
    })
}

/// The size in a bitmap header at the window's position. A negative height says that the rows go down.
pub(super) fn bitmap_size(window: &mut Window) -> Result<(u32, u32), Fault> {
    if window.u32_le()? == 12 {
        return Ok((window.u16_le()?.into(), window.u16_le()?.into()));
    }
    let side = |bytes: [u8; 4]| i32::from_le_bytes(bytes);
    let (width, height) = (side(window.array()?), side(window.array()?));
    let width = u32::try_from(width).map_err(|_| Fault::Corrupt(format!("its width is {width}")))?;
    Ok((width, height.unsigned_abs()))
}
