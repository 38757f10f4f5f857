//! Windows icons and cursors: the directory, and the header of the largest image in it.

use image::metadata::Orientation;

use super::{Header, Layout, Parts, bmp, png};
use crate::fault::{Fault, check_size};
use crate::limits::ImageLimits;
use crate::recognise::Kind;
use crate::window::Window;

/// Where the largest image of an icon lies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) offset: u32,
    pub(crate) length: u32,
    pub(crate) is_png: bool,
}

pub(super) fn read(window: &mut Window, limits: &ImageLimits) -> Result<Header, Fault> {
    window.skip(2);
    let is_icon = window.u16_le()? == 1;
    let count = window.u16_le()?;
    let mut best: Option<((u32, u16), Entry)> = None;
    for _ in 0..count {
        let [width, height, _colours, _reserved] = window.array()?;
        // 0 stands for 256. In a cursor the place of the depth is that of the hot spot.
        let side = |byte: u8| if byte == 0 { 256 } else { u32::from(byte) };
        let [_planes, depth] = [window.u16_le()?, window.u16_le()?];
        let (length, offset) = (window.u32_le()?, window.u32_le()?);
        let score = (side(width) * side(height), if is_icon { depth } else { 0 });
        if best.as_ref().is_none_or(|(found, _)| score > *found) {
            best = Some((score, Entry { offset, length, is_png: false }));
        }
    }
    let (_, mut entry) = best.ok_or_else(|| Fault::corrupt("it holds no image"))?;
    if u64::from(entry.offset).saturating_add(entry.length.into()) > window.len() {
        return Err(Fault::cut(window.len(), "the end of its largest image"));
    }
    let mut image = window.part(entry.offset.into(), entry.length.into());
    entry.is_png = image.array::<8>()? == *b"\x89PNG\r\n\x1a\n";
    image.go_to(0);
    let (width, height, icc, memory) = if entry.is_png {
        let header = png::read(&mut image, limits)?;
        (header.width, header.height, header.icc, header.memory)
    } else {
        // The height is that of the image and of the mask behind it.
        let (width, double) = bmp::bitmap_size(&mut image)?;
        let height = double / 2;
        check_size(width.into(), height.into(), limits)?;
        (width, height, None, u64::from(width).saturating_mul(u64::from(height)).saturating_mul(4))
    };
    Ok(Header {
        kind: Kind::Ico,
        width,
        height,
        orientation: Orientation::NoTransforms,
        icc,
        parts: Parts::of(count.into(), Parts::Sizes),
        intact: true,
        memory,
        layout: Layout::Icon(entry),
    })
}
