//! What is upright and within the limits is shown byte for byte.

use image::{DynamicImage, ImageFormat, RgbaImage};
use read_core::Request;
use read_image::{ImageLimits, ImageReader};

use crate::made::{block, encoded, gif, gradient, oriented_jpeg, png, png_of, read, read_with};

fn passes(name: &str, bytes: &[u8], line: &str) {
    let output = read(name, bytes).unwrap();
    assert_eq!(block(&output).data, bytes, "{name} byte for byte");
    assert_eq!(output.to_text(), line);
    assert!(output.details.notices.is_empty());
}

#[test]
fn the_four_formats_that_models_take() {
    let picture = DynamicImage::ImageRgb8(gradient(40, 30));
    let jpeg = encoded(&picture, ImageFormat::Jpeg);
    passes("a.png", &encoded(&picture, ImageFormat::Png), "[Image: a.png, 40x30, image/png]");
    passes("a.jpg", &jpeg, "[Image: a.jpg, 40x30, image/jpeg]");
    passes("a.webp", &encoded(&picture, ImageFormat::WebP), "[Image: a.webp, 40x30, image/webp]");
    passes("a.gif", &gif(40, 30, 1), "[Image: a.gif, 40x30, image/gif]");
    passes("upright.jpg", &oriented_jpeg(&jpeg, 1), "[Image: upright.jpg, 40x30, image/jpeg]");
}

#[test]
fn the_content_decides_not_the_name() {
    let picture = png(4, 3);
    for name in ["a.jpg", "a.txt", "a.zip", "noextension", "a.PNG"] {
        passes(name, &picture, &format!("[Image: {name}, 4x3, image/png]"));
    }
}

#[test]
fn the_smallest_and_the_largest() {
    passes("one.png", &png(1, 1), "[Image: one.png, 1x1, image/png]");
    passes("edge.png", &png(2_000, 3), "[Image: edge.png, 2000x3, image/png]");
    passes("edge.png", &png(3, 2_000), "[Image: edge.png, 3x2000, image/png]");
}

#[test]
fn every_stored_colour() {
    let picture = DynamicImage::ImageRgb8(gradient(20, 10));
    let depths = [
        DynamicImage::ImageLuma8(picture.to_luma8()),
        DynamicImage::ImageLumaA16(picture.to_luma_alpha16()),
        DynamicImage::ImageRgb16(picture.to_rgb16()),
        DynamicImage::ImageRgba16(picture.to_rgba16()),
    ];
    for stored in depths {
        passes("a.png", &encoded(&stored, ImageFormat::Png), "[Image: a.png, 20x10, image/png]");
    }
}

#[test]
fn bytes_behind_the_end_change_nothing() {
    let picture = DynamicImage::ImageRgb8(gradient(40, 30));
    for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP] {
        let mut bytes = encoded(&picture, format);
        bytes.extend(b"PK\x03\x04 and more");
        let output = read("a", &bytes).unwrap();
        assert_eq!(block(&output).data, bytes);
    }
}

#[test]
fn a_wrong_checksum_beside_the_pixels_is_encoded_anew() {
    let mut chunks = png(4, 3);
    let text = &png_of(&[(b"tEXt", b"Comment\0hello".to_vec())])[8..];
    chunks.splice(33..33, text.iter().copied());
    passes("a.png", &chunks, "[Image: a.png, 4x3, image/png]");
    chunks[33 + text.len() - 1] ^= 1;
    let output = read("a.png", &chunks).unwrap();
    assert!(!block(&output).data.windows(4).any(|kind| kind == b"tEXt"), "what is wrong is not handed on");
    assert_eq!(output.to_text(), "[Image: a.png, 4x3, image/png]");
}

#[test]
fn what_the_model_does_not_take_is_converted() {
    static STRICT: std::sync::OnceLock<ImageReader> = std::sync::OnceLock::new();
    let reader = STRICT.get_or_init(|| {
        let mut limits = ImageLimits::DEFAULT;
        (limits.gif, limits.webp) = (false, false);
        ImageReader::new(limits)
    });
    let webp = encoded(&DynamicImage::ImageRgba8(RgbaImage::new(4, 4)), ImageFormat::WebP);
    for (name, bytes, kind) in [("a.gif", gif(4, 4, 1), "GIF"), ("a.webp", webp, "WebP")] {
        let output = read_with(reader, name, &bytes, &Request::default()).unwrap();
        assert_eq!(block(&output).media_type, "image/png");
        assert!(output.to_text().contains(&format!("[Image converted from {kind} to PNG.]")));
    }
}
