//! Images: every format that is decoded, and the odd kinds of each.

use std::io::Cursor;

use anyhow::Result;
use image::codecs::jpeg::JpegEncoder;
use image::{DynamicImage, ImageFormat, Rgba, RgbaImage};

use super::Seed;
use crate::make;
use crate::make::png::{Header, chunk};

fn picture(width: u32, height: u32) -> RgbaImage {
    RgbaImage::from_fn(width, height, |x, y| {
        let [x, y] = [x * 7, y * 11].map(|value| value.to_le_bytes()[0]);
        Rgba([x, y, x ^ y, 255 - y / 2])
    })
}

/// The smallest of them.
pub(super) fn small() -> Result<Vec<u8>> {
    encoded(&picture(9, 7).into(), ImageFormat::Png)
}

fn encoded(image: &DynamicImage, format: ImageFormat) -> Result<Vec<u8>> {
    let mut out = Cursor::new(Vec::new());
    image.write_to(&mut out, format)?;
    Ok(out.into_inner())
}

/// Frames of one loop.
fn animated_gif() -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let mut encoder = gif::Encoder::new(&mut out, 20, 10, &[0, 0, 0, 255, 0, 0, 0, 255, 0, 255, 255, 255])?;
    encoder.set_repeat(gif::Repeat::Infinite)?;
    for index in 0..3 {
        let frame = gif::Frame {
            width: 10,
            height: 10,
            left: 3 * index,
            buffer: (0..100).map(|pixel| pixel % 4).collect(),
            transparent: Some(0),
            delay: 5,
            ..gif::Frame::default()
        };
        encoder.write_frame(&frame)?;
    }
    drop(encoder);
    Ok(out)
}

fn animated_png() -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, 8, 8);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Four);
    encoder.set_palette(vec![7; 48]);
    encoder.set_trns(vec![9; 16]);
    encoder.set_animated(2, 0)?;
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&[0x12; 32])?;
    writer.write_image_data(&[0x34; 32])?;
    writer.finish()?;
    Ok(out)
}

/// A photograph that says, by EXIF, that it must be turned.
fn turned(jpeg: &[u8], orientation: u8) -> Vec<u8> {
    let mut exif = b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0".to_vec();
    exif.extend_from_slice(&[orientation, 0, 0, 0, 0, 0, 0]);
    let mut out = b"\xFF\xD8\xFF\xE1\0".to_vec();
    out.push(u8::try_from(exif.len() + 2).unwrap_or(u8::MAX));
    out.extend(exif);
    out.extend_from_slice(jpeg.get(2..).unwrap_or_default());
    out
}

pub(super) fn seeds() -> Result<Vec<Seed>> {
    let image = DynamicImage::from(picture(33, 21));
    let opaque = DynamicImage::from(image.to_rgb8());
    let mut jpeg = Vec::new();
    JpegEncoder::new_with_quality(&mut jpeg, 70).encode_image(&opaque)?;
    let mut grey = Vec::new();
    JpegEncoder::new_with_quality(&mut grey, 40).encode_image(&image.to_luma8())?;
    // Wide enough to be made smaller.
    let wide =
        DynamicImage::from(image::GrayImage::from_fn(2_300, 3, |x, _| image::Luma([x.to_le_bytes()[0]])));
    let bare = Header { width: 4, height: 4, depth: 1, colour: 0, interlaced: false };
    let with_text =
        [chunk(*b"tEXt", b"Comment\0a text"), chunk(*b"IDAT", &make::zlibbed(&[0, 0xA0].repeat(4))?)];
    Ok([
        encoded(&image, ImageFormat::Png)?,
        jpeg.clone(),
        grey,
        turned(&jpeg, 6),
        turned(&jpeg, 3),
        animated_gif()?,
        encoded(&image, ImageFormat::WebP)?,
        encoded(&opaque, ImageFormat::Bmp)?,
        encoded(&image, ImageFormat::Ico)?,
        make::tiff::pages(3),
        make::png::interlaced(13, 9)?,
        animated_png()?,
        encoded(&DynamicImage::from(image.to_luma16()), ImageFormat::Png)?,
        encoded(&DynamicImage::from(image.to_luma_alpha8()), ImageFormat::Png)?,
        encoded(&wide, ImageFormat::Png)?,
        make::png::image(bare, &with_text),
    ]
    .map(Seed::new)
    .into())
}
