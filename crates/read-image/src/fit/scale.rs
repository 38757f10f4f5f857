//! Scaling with a Lanczos filter of three lobes, which keeps text sharp; colours are weighted by their opacity.

use image::DynamicImage;

use crate::fault::Fault;

/// The same image at another size.
pub(super) fn to(image: DynamicImage, (width, height): (u32, u32)) -> Result<DynamicImage, Fault> {
    if (image.width(), image.height()) == (width, height) {
        return Ok(image);
    }
    scaled(image, width, height)
}

#[cfg(feature = "fast-resize")]
fn scaled(image: DynamicImage, width: u32, height: u32) -> Result<DynamicImage, Fault> {
    use fast_image_resize::pixels::{U8, U8x2, U8x3, U8x4};
    let from = (image.width(), image.height());
    let to = (width, height);
    Ok(match image {
        DynamicImage::ImageLuma8(image) => {
            DynamicImage::ImageLuma8(buffer(to, resized::<U8>(from, image.into_raw(), to)?)?)
        }
        DynamicImage::ImageLumaA8(image) => {
            DynamicImage::ImageLumaA8(buffer(to, resized::<U8x2>(from, image.into_raw(), to)?)?)
        }
        DynamicImage::ImageRgb8(image) => {
            DynamicImage::ImageRgb8(buffer(to, resized::<U8x3>(from, image.into_raw(), to)?)?)
        }
        other => {
            DynamicImage::ImageRgba8(buffer(to, resized::<U8x4>(from, other.into_rgba8().into_raw(), to)?)?)
        }
    })
}

#[cfg(feature = "fast-resize")]
fn resized<P: fast_image_resize::PixelTrait>(
    (from_width, from_height): (u32, u32),
    mut bytes: Vec<u8>,
    (width, height): (u32, u32),
) -> Result<Vec<u8>, Fault> {
    use fast_image_resize::images::{Image, TypedImage};
    use fast_image_resize::{FilterType, MulDiv, ResizeAlg, ResizeOptions, Resizer};

    let channels = size_of::<P>();
    let translucent =
        matches!(channels, 2 | 4) && bytes.chunks_exact(channels).any(|pixel| pixel.last() != Some(&u8::MAX));
    let mut from = TypedImage::<P>::from_buffer(from_width, from_height, &mut bytes)
        .map_err(|error| unscaled(&error))?;
    let mut scaled = Image::new(width, height, P::pixel_type());
    let mut to = scaled.typed_image_mut::<P>().ok_or_else(|| unscaled(&"pixel types differ"))?;
    // Weighed in place: the resizer would take a copy of the whole image.
    if translucent {
        MulDiv::new().multiply_alpha_inplace_typed(&mut from).map_err(|error| unscaled(&error))?;
    }
    let lanczos =
        ResizeOptions::new().resize_alg(ResizeAlg::Convolution(FilterType::Lanczos3)).use_alpha(false);
    Resizer::new().resize_typed(&from, &mut to, &lanczos).map_err(|error| unscaled(&error))?;
    if translucent {
        MulDiv::new().divide_alpha_inplace_typed(&mut to).map_err(|error| unscaled(&error))?;
    }
    Ok(scaled.into_vec())
}

#[cfg(feature = "fast-resize")]
fn buffer<P: image::Pixel<Subpixel = u8>>(
    (width, height): (u32, u32),
    pixels: Vec<u8>,
) -> Result<image::ImageBuffer<P, Vec<u8>>, Fault> {
    image::ImageBuffer::from_raw(width, height, pixels)
        .ok_or_else(|| unscaled(&"the scaled data have the wrong length"))
}

#[cfg(feature = "fast-resize")]
fn unscaled(why: &dyn std::fmt::Display) -> Fault {
    Fault::Corrupt(format!("it cannot be scaled: {why}"))
}

#[cfg(not(feature = "fast-resize"))]
#[allow(clippy::unnecessary_wraps, reason = "the other scaler can fail")]
fn scaled(mut image: DynamicImage, width: u32, height: u32) -> Result<DynamicImage, Fault> {
    weigh(&mut image, |colour, alpha| {
        u8::try_from((u16::from(colour) * u16::from(alpha) + 127) / 255).unwrap_or(u8::MAX)
    });
    let mut scaled = image.resize_exact(width, height, image::imageops::FilterType::Lanczos3);
    drop(image);
    weigh(&mut scaled, |colour, alpha| {
        let alpha = u16::from(alpha).max(1);
        u8::try_from((u16::from(colour) * 255 + alpha / 2) / alpha).unwrap_or(u8::MAX)
    });
    Ok(scaled)
}

/// Changes every colour that has an opacity.
#[cfg(not(feature = "fast-resize"))]
fn weigh(image: &mut DynamicImage, change: impl Fn(u8, u8) -> u8) {
    let each = |pixel: &mut [u8]| {
        if let Some((alpha, colours)) = pixel.split_last_mut() {
            for colour in colours {
                *colour = change(*colour, *alpha);
            }
        }
    };
    match image {
        DynamicImage::ImageLumaA8(image) => image.pixels_mut().for_each(|pixel| each(&mut pixel.0)),
        DynamicImage::ImageRgba8(image) => image.pixels_mut().for_each(|pixel| each(&mut pixel.0)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flat_colours_stay_in_every_layout() {
        let flat = image::RgbaImage::from_pixel(90, 60, image::Rgba([10, 200, 30, 255]));
        let image = DynamicImage::ImageRgba8(flat);
        for image in [
            image.clone(),
            DynamicImage::ImageRgb8(image.to_rgb8()),
            DynamicImage::ImageLuma8(image.to_luma8()),
            DynamicImage::ImageLumaA8(image.to_luma_alpha8()),
        ] {
            let before = image.to_rgba8().get_pixel(0, 0).0;
            let small = to(image.clone(), (30, 1)).unwrap();
            assert_eq!((small.width(), small.height(), small.color()), (30, 1, image.color()));
            assert!(small.to_rgba8().pixels().all(|pixel| pixel.0 == before));
        }
    }

    #[test]
    fn what_is_transparent_does_not_bleed() {
        let mut image = image::RgbaImage::from_pixel(100, 100, image::Rgba([255, 0, 0, 255]));
        for (x, _, pixel) in image.enumerate_pixels_mut() {
            if x % 2 == 1 {
                *pixel = image::Rgba([0, 255, 0, 0]);
            }
        }
        let small = to(DynamicImage::ImageRgba8(image), (25, 25)).unwrap().to_rgba8();
        for pixel in small.pixels() {
            assert!(pixel.0[0] >= 250 && pixel.0[1] <= 5, "{pixel:?}");
        }
    }
}
