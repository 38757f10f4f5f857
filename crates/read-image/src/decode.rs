//! Decoding: to eight bits a channel, whatever is stored; and a full decode that keeps nothing, for what passes as it is.

mod gif;
mod jpeg;
mod png;
mod reduce;
mod tiff;

use image::codecs::bmp::BmpDecoder;
use image::codecs::ico::IcoDecoder;
use image::codecs::webp::WebPDecoder;
use image::{AnimationDecoder, DynamicImage, ImageDecoder};

use crate::cursor::Cursor;
use crate::fault::Fault;
use crate::header::{Format, Header, IconEntry};
use crate::limits::ImageLimits;

pub(crate) use reduce::factor;

/// A decoded image.
pub(crate) struct Decoded {
    pub(crate) image: DynamicImage,
    /// The least and the greatest sample, where these are black and white because samples have no range of their own.
    pub(crate) range: Option<(f64, f64)>,
}

impl From<DynamicImage> for Decoded {
    fn from(image: DynamicImage) -> Self {
        Self { image, range: None }
    }
}

/// Decodes what is shown of an image: the first frame, the first page, the largest icon; reduced by `reduce`, where the
/// format can be decoded row by row.
pub(crate) fn decode(
    header: &Header,
    cursor: &Cursor,
    limits: &ImageLimits,
    reduce: u32,
) -> Result<Decoded, Fault> {
    let cursor = cursor.again();
    let meter = cursor.meter().clone();
    let decoded = match header.format {
        Format::Png => png::decode(cursor, header, limits, reduce).map(Decoded::from),
        Format::Jpeg(scans) => jpeg::decode(&cursor, scans).map(Decoded::from),
        Format::Gif => gif::decode(cursor, limits, reduce).map(Decoded::from),
        Format::WebP => through_image(WebPDecoder::new(cursor)?).map(Decoded::from),
        Format::Bmp => through_image(BmpDecoder::new(cursor)?).map(Decoded::from),
        Format::Tiff(page) => tiff::decode(&cursor, page, limits),
        Format::Ico(entry) => icon(header, &cursor, entry, limits).map(Decoded::from),
    };
    // What stopped a stream is lost on its way through a decoder; some go on without data.
    meter.check()?;
    let Decoded { image, range } = decoded?;
    let size = (image.width(), image.height());
    let reduced = (header.width.div_ceil(reduce.max(1)), header.height.div_ceil(reduce.max(1)));
    if size != (header.width, header.height) && size != reduced {
        return Err(Fault::Corrupt(format!(
            "its header says {}x{}, its data are {}x{}",
            header.width, header.height, size.0, size.1
        )));
    }
    Ok(Decoded { image: eight_bits(image), range })
}

/// Decodes all of an image that passes as it is, and keeps nothing. The frames of an animation are decoded until they come
/// to the limit on pixels; the walk over the file has seen the rest.
pub(crate) fn verify(header: &Header, cursor: &Cursor, limits: &ImageLimits) -> Result<(), Fault> {
    let frames = Frames::new(limits);
    match header.format {
        Format::Png => png::verify(cursor.again(), limits, frames)?,
        Format::Gif => gif::verify(cursor.again(), limits, frames)?,
        Format::WebP if header.is_animated() => webp_frames(cursor.again(), frames)?,
        Format::WebP | Format::Jpeg(_) | Format::Bmp | Format::Tiff(_) | Format::Ico(_) => {
            decode(header, cursor, limits, 1)?;
        }
    }
    cursor.meter().check()?;
    Ok(())
}

/// Counts the pixels of frames against the limit.
struct Frames {
    left: u64,
}

impl Frames {
    fn new(limits: &ImageLimits) -> Self {
        Self { left: limits.max_pixels }
    }

    /// Whether a frame of this size is to be decoded; the first one always is.
    fn admits(&mut self, width: u32, height: u32, first: bool) -> bool {
        // A frame of few pixels costs more than they say.
        let cost = u64::from(width).saturating_mul(u64::from(height)).max(1_024);
        let admitted = first || cost <= self.left;
        self.left = if admitted { self.left.saturating_sub(cost) } else { 0 };
        admitted
    }
}

fn webp_frames(cursor: Cursor, mut frames: Frames) -> Result<(), Fault> {
    let meter = cursor.meter().clone();
    let decoder = WebPDecoder::new(cursor)?;
    let (width, height) = decoder.dimensions();
    let mut decoded = decoder.into_frames();
    let mut first = true;
    while frames.admits(width, height, first) {
        meter.check()?;
        match decoded.next() {
            None if first => return Err(Fault::corrupt("it has no image data")),
            None => return Ok(()),
            Some(frame) => drop(frame?),
        }
        first = false;
    }
    Ok(())
}

fn through_image(decoder: impl ImageDecoder) -> Result<DynamicImage, Fault> {
    Ok(DynamicImage::from_decoder(decoder)?)
}

/// The largest image of an icon: a PNG, or a bitmap with a mask, which `image` reads from an icon of one entry.
fn icon(
    header: &Header,
    cursor: &Cursor,
    entry: IconEntry,
    limits: &ImageLimits,
) -> Result<DynamicImage, Fault> {
    let mut image = cursor.part(entry.offset.into(), entry.length.into());
    if entry.is_png {
        return png::decode(image, header, limits, 1);
    }
    limits.check_memory(header.memory.saturating_add(entry.length.into()), header.width, header.height)?;
    // 0 stands for 256 and more.
    let side = |pixels: u32| u8::try_from(pixels).unwrap_or(0);
    let mut file = vec![0, 0, 1, 0, 1, 0, side(header.width), side(header.height), 0, 0, 1, 0, 32, 0];
    file.extend(entry.length.to_le_bytes());
    file.extend(22_u32.to_le_bytes());
    file.extend(image.bytes(usize::try_from(entry.length).unwrap_or(usize::MAX))?);
    through_image(IcoDecoder::new(std::io::Cursor::new(file))?)
}

/// The same in eight bits a channel.
fn eight_bits(image: DynamicImage) -> DynamicImage {
    match image {
        DynamicImage::ImageLuma8(_)
        | DynamicImage::ImageLumaA8(_)
        | DynamicImage::ImageRgb8(_)
        | DynamicImage::ImageRgba8(_) => image,
        DynamicImage::ImageLuma16(_) => DynamicImage::ImageLuma8(image.into_luma8()),
        DynamicImage::ImageLumaA16(_) => DynamicImage::ImageLumaA8(image.into_luma_alpha8()),
        DynamicImage::ImageRgb16(_) | DynamicImage::ImageRgb32F(_) => {
            DynamicImage::ImageRgb8(image.into_rgb8())
        }
        _ => DynamicImage::ImageRgba8(image.into_rgba8()),
    }
}

/// An image from its channels, interleaved, eight bits each.
fn assemble(width: u32, height: u32, channels: u32, data: Vec<u8>) -> Result<DynamicImage, Fault> {
    let image = match channels {
        1 => image::GrayImage::from_raw(width, height, data).map(DynamicImage::ImageLuma8),
        2 => image::GrayAlphaImage::from_raw(width, height, data).map(DynamicImage::ImageLumaA8),
        3 => image::RgbImage::from_raw(width, height, data).map(DynamicImage::ImageRgb8),
        4 => image::RgbaImage::from_raw(width, height, data).map(DynamicImage::ImageRgba8),
        _ => None,
    };
    image.ok_or_else(|| Fault::corrupt("its data have the wrong length"))
}
