//! Encoding as PNG and JPEG, never past the size that is allowed.

use std::borrow::Cow;
use std::io::{self, Write};

use image::codecs::jpeg::JpegEncoder;
use image::{DynamicImage, ExtendedColorType, ImageEncoder};
use read_core::Meter;

use super::Shown;
use crate::fault::Fault;
use crate::limits::ImageLimits;
use crate::recognise::Kind;

/// The first encoding that is small enough: PNG, then JPEG at each quality.
pub(super) fn smallest(
    image: &DynamicImage,
    icc: Option<&[u8]>,
    limits: &ImageLimits,
    meter: &Meter,
) -> Result<Option<Shown>, Fault> {
    let room = limits.max_bytes();
    let icc = icc.filter(|icc| belongs(icc, image) && (icc.len() as u64) <= room / PROFILE_SHARE);
    let shown = |kind, data, flattened| Shown {
        kind,
        data,
        width: image.width(),
        height: image.height(),
        flattened,
        range: None,
    };
    if let Some(data) = png(image, icc, room)? {
        return Ok(Some(shown(Kind::Png, data, false)));
    }
    let flattened = image.color().has_alpha();
    let opaque = if flattened { Cow::Owned(on_white(image)) } else { Cow::Borrowed(image) };
    for quality in limits.qualities.iter() {
        meter.check()?;
        if let Some(data) = jpeg(&opaque, icc, *quality, room)? {
            return Ok(Some(shown(Kind::Jpeg, data, flattened)));
        }
    }
    Ok(None)
}

/// A colour profile may take one part in so many of the size that is allowed; a larger one is left out.
const PROFILE_SHARE: u64 = 4;

/// Whether a profile is for the colours of `image`: one for CMYK, say, does not survive the conversion to RGB.
fn belongs(icc: &[u8], image: &DynamicImage) -> bool {
    let space: &[u8] = if image.color().has_color() { b"RGB " } else { b"GRAY" };
    icc.get(16..20) == Some(space)
}

fn png(image: &DynamicImage, icc: Option<&[u8]>, room: u64) -> Result<Option<Vec<u8>>, Fault> {
    let mut capped = Capped::new(room);
    let mut info = png::Info::with_size(image.width(), image.height());
    info.bit_depth = png::BitDepth::Eight;
    info.color_type = match image {
        DynamicImage::ImageLuma8(_) => png::ColorType::Grayscale,
        DynamicImage::ImageLumaA8(_) => png::ColorType::GrayscaleAlpha,
        DynamicImage::ImageRgb8(_) => png::ColorType::Rgb,
        _ => png::ColorType::Rgba,
    };
    info.icc_profile = icc.map(Cow::Borrowed);
    let written = png::Encoder::with_info(&mut capped, info).and_then(|mut encoder| {
        encoder.set_compression(png::Compression::Fast);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(image.as_bytes())?;
        writer.finish()
    });
    capped.finish(written.map_err(|error| error.to_string()))
}

fn jpeg(image: &DynamicImage, icc: Option<&[u8]>, quality: u8, room: u64) -> Result<Option<Vec<u8>>, Fault> {
    let mut capped = Capped::new(room);
    let colour = if image.color().has_color() { ExtendedColorType::Rgb8 } else { ExtendedColorType::L8 };
    let mut encoder = JpegEncoder::new_with_quality(&mut capped, quality.clamp(1, 100));
    let tagged = icc.map_or(Ok(()), |icc| encoder.set_icc_profile(icc.to_vec()));
    // A profile that the format cannot hold is left out.
    drop(tagged);
    let written = encoder.encode(image.as_bytes(), image.width(), image.height(), colour);
    capped.finish(written.map_err(|error| error.to_string()))
}

/// The same without an alpha channel that says nothing.
pub(super) fn without_idle_alpha(image: DynamicImage) -> DynamicImage {
    match image {
        DynamicImage::ImageRgba8(pixels) if pixels.pixels().all(|pixel| pixel.0[3] == u8::MAX) => {
            DynamicImage::ImageRgb8(DynamicImage::ImageRgba8(pixels).into_rgb8())
        }
        DynamicImage::ImageLumaA8(pixels) if pixels.pixels().all(|pixel| pixel.0[1] == u8::MAX) => {
            DynamicImage::ImageLuma8(DynamicImage::ImageLumaA8(pixels).into_luma8())
        }
        other => other,
    }
}

/// The same laid on white, for JPEG, which has no transparency.
fn on_white(image: &DynamicImage) -> DynamicImage {
    let over = |colour: u8, alpha: u8| {
        let (colour, alpha) = (u16::from(colour), u16::from(alpha));
        u8::try_from((colour * alpha + 255 * (255 - alpha) + 127) / 255).unwrap_or(u8::MAX)
    };
    match image {
        DynamicImage::ImageLumaA8(pixels) => {
            let mut flat = image::GrayImage::new(pixels.width(), pixels.height());
            for (to, from) in flat.pixels_mut().zip(pixels.pixels()) {
                let [grey, alpha] = from.0;
                to.0 = [over(grey, alpha)];
            }
            DynamicImage::ImageLuma8(flat)
        }
        other => {
            let pixels = other.to_rgba8();
            let mut flat = image::RgbImage::new(pixels.width(), pixels.height());
            for (to, from) in flat.pixels_mut().zip(pixels.pixels()) {
                let [red, green, blue, alpha] = from.0;
                to.0 = [over(red, alpha), over(green, alpha), over(blue, alpha)];
            }
            DynamicImage::ImageRgb8(flat)
        }
    }
}

/// Takes what is written until it is too much.
struct Capped {
    bytes: Vec<u8>,
    room: u64,
    over: bool,
}

impl Capped {
    fn new(room: u64) -> Self {
        Self { bytes: Vec::new(), room, over: false }
    }

    /// What was written, unless it was too much.
    fn finish(self, written: Result<(), String>) -> Result<Option<Vec<u8>>, Fault> {
        match written {
            _ if self.over => Ok(None),
            Ok(()) => Ok(Some(self.bytes)),
            Err(why) => Err(Fault::Corrupt(format!("it cannot be encoded again: {why}"))),
        }
    }
}

impl Write for Capped {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        if self.bytes.len().saturating_add(buf.len()) as u64 > self.room {
            self.over = true;
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.bytes.extend_from_slice(buf);
        Ok(buf.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transparency_is_laid_on_white() {
        let image =
            image::RgbaImage::from_fn(3, 1, |x, _| image::Rgba([0, 100, 200, [0, 128, 255][x as usize]]));
        let flat = on_white(&DynamicImage::ImageRgba8(image)).to_rgb8();
        assert_eq!(flat.as_raw(), &[255, 255, 255, 127, 177, 227, 0, 100, 200]);
    }

    #[test]
    fn an_opaque_alpha_channel_is_dropped() {
        let opaque = image::RgbaImage::from_pixel(2, 2, image::Rgba([1, 2, 3, 255]));
        assert!(matches!(
            without_idle_alpha(DynamicImage::ImageRgba8(opaque.clone())),
            DynamicImage::ImageRgb8(_)
        ));
        let mut clear = opaque;
        clear.put_pixel(1, 1, image::Rgba([1, 2, 3, 254]));
        assert!(matches!(without_idle_alpha(DynamicImage::ImageRgba8(clear)), DynamicImage::ImageRgba8(_)));
    }

    #[test]
    fn nothing_is_written_past_the_room() {
        let image = DynamicImage::ImageRgb8(image::RgbImage::from_fn(64, 64, |x, y| {
            image::Rgb([x, y, x * y].map(|value| value.to_le_bytes()[0]))
        }));
        assert!(png(&image, None, 100).unwrap().is_none());
        assert!(jpeg(&image, None, 80, 100).unwrap().is_none());
        assert!(jpeg(&image, None, 80, 100_000).unwrap().is_some());
    }

    #[test]
    fn a_profile_stays_only_with_its_colours() {
        let mut profile = vec![7; 200];
        profile.splice(16..20, *b"RGB ");
        let colour = DynamicImage::ImageRgb8(image::RgbImage::new(2, 2));
        let grey = DynamicImage::ImageLuma8(image::GrayImage::new(2, 2));
        assert!(belongs(&profile, &colour) && !belongs(&profile, &grey) && !belongs(b"", &colour));
        let data = png(&colour, Some(&profile), 10_000).unwrap().unwrap();
        assert!(data.windows(4).any(|chunk| chunk == b"iCCP"));
        let data = jpeg(&colour, Some(&profile), 80, 10_000).unwrap().unwrap();
        assert!(data.windows(12).any(|segment| segment == b"ICC_PROFILE\0"));
    }
}
