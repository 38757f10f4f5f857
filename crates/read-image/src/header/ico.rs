//! Windows icons and cursors: the directory, and the header of the largest image in it.

use image::metadata::Orientation;

use super::{Format, Header, Parts, bmp, png};
use crate::cursor::Cursor;
use crate::fault::Fault;
use crate::limits::ImageLimits;

/// Where the largest image of an icon lies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) offset: u32,
    pub(crate) length: u32,
    pub(crate) is_png: bool,
}

pub(super) fn read(cursor: &mut Cursor, limits: &ImageLimits) -> Result<Header, Fault> {
    cursor.skip(2);
    let is_icon = cursor.u16_le()? == 1;
    let count = cursor.u16_le()?;
    let mut best: Option<((u32, u16), Entry)> = None;
    for _ in 0..count {
        let [width, height, _colours, _reserved] = cursor.array()?;
        // 0 stands for 256. In a cursor the place of the depth is that of the hot spot.
        let side = |byte: u8| if byte == 0 { 256 } else { u32::from(byte) };
        let [_planes, depth] = [cursor.u16_le()?, cursor.u16_le()?];
        let (length, offset) = (cursor.u32_le()?, cursor.u32_le()?);
        let score = (side(width) * side(height), if is_icon { depth } else { 0 });
        if best.as_ref().is_none_or(|(found, _)| score > *found) {
            best = Some((score, Entry { offset, length, is_png: false }));
        }
    }
    let (_, mut entry) = best.ok_or_else(|| Fault::corrupt("it holds no image"))?;
    if u64::from(entry.offset).saturating_add(entry.length.into()) > cursor.len() {
        return Err(Fault::cut(cursor.len(), "the end of its largest image"));
    }
    let mut image = cursor.part(entry.offset.into(), entry.length.into());
    entry.is_png = image.array::<8>()? == *b"\x89PNG\r\n\x1a\n";
    image.go_to(0);
    let (width, height, icc, memory) = if entry.is_png {
        let header = png::read(&mut image, limits)?;
        (header.width, header.height, header.icc, header.memory)
    } else {
        // The height is that of the image and of the mask behind it.
        let (width, double) = bmp::bitmap_size(&mut image)?;
        let height = double / 2;
        limits.check_size(width.into(), height.into())?;
        (width, height, None, u64::from(width).saturating_mul(u64::from(height)).saturating_mul(4))
    };
    Ok(Header {
        format: Format::Ico(entry),
        width,
        height,
        orientation: Orientation::NoTransforms,
        icc,
        parts: Parts::of(count.into(), Parts::Sizes),
        intact: true,
        memory,
    })
}
