//! EXIF orientation is applied, in every format that has it.

use image::metadata::Orientation;
use image::{DynamicImage, ImageFormat};
use read_core::Request;

use crate::made::{
    block, difference, encoded, exif, gradient, oriented_jpeg, pixels, png_of, read, read_with, reader,
    with_segment,
};

/// The picture as it must look, and how it must be stored so that `orientation` makes it look so: the tag names the turn
/// that the viewer makes, so the stored one is turned the other way.
fn stored(orientation: u8, width: u32, height: u32) -> (DynamicImage, DynamicImage) {
    let upright = DynamicImage::ImageRgb8(gradient(width, height));
    let inverse = match orientation {
        6 => 8,
        8 => 6,
        same => same,
    };
    let mut stored = upright.clone();
    stored.apply_orientation(Orientation::from_exif(inverse).unwrap());
    (upright, stored)
}

#[test]
fn all_eight_look_alike_in_jpeg() {
    for orientation in 1..=8_u8 {
        let (upright, stored) = stored(orientation, 64, 48);
        let jpeg = oriented_jpeg(&encoded(&stored, ImageFormat::Jpeg), orientation.into());
        let output = read("a.jpg", &jpeg).unwrap();
        let off = difference(&pixels(&output), &upright);
        assert!(off <= 24, "orientation {orientation}: off by {off}");
        let details = output.details.image.unwrap();
        assert_eq!((details.original_width, details.original_height), (64, 48));
        assert!(
            output.to_text().starts_with("[Image: a.jpg, 64x48, image/"),
            "sizes are those after orientation"
        );
        assert_eq!(block(&output).data == jpeg, orientation == 1, "only what is upright passes");
    }
}

#[test]
fn all_eight_are_exact_in_png_webp_and_tiff() {
    for orientation in 1..=8_u8 {
        let (upright, stored) = stored(orientation, 31, 17);
        let (w, h) = (stored.width(), stored.height());

        let mut png = encoded(&stored, ImageFormat::Png);
        let chunk = &png_of(&[(b"eXIf", exif(orientation.into()))])[8..];
        png.splice(33..33, chunk.iter().copied());

        let bare = encoded(&stored, ImageFormat::WebP);
        let mut body = b"VP8X\x0a\0\0\0\x08\0\0\0".to_vec();
        body.extend(&(w - 1).to_le_bytes()[..3]);
        body.extend(&(h - 1).to_le_bytes()[..3]);
        body.extend(&bare[12..]);
        let block = exif(orientation.into());
        body.extend(b"EXIF");
        body.extend(u32::try_from(block.len()).unwrap().to_le_bytes());
        body.extend(block);
        let mut webp = b"RIFF".to_vec();
        webp.extend(u32::try_from(body.len() + 4).unwrap().to_le_bytes());
        webp.extend(b"WEBP");
        webp.extend(body);

        let tiff = tiff_of(&stored.to_rgb8(), orientation.into());
        for (name, bytes) in [("a.png", png), ("a.webp", webp), ("a.tiff", tiff)] {
            let output = read(name, &bytes).unwrap();
            assert_eq!(difference(&pixels(&output), &upright), 0, "{name}, orientation {orientation}");
        }
    }
}

/// An uncompressed TIFF with this orientation.
fn tiff_of(image: &image::RgbImage, orientation: u16) -> Vec<u8> {
    let data = image.as_raw();
    let at = 8 + u32::try_from(data.len()).unwrap();
    let mut file = b"II*\0".to_vec();
    file.extend((at + 6).to_le_bytes());
    file.extend(data);
    for _ in 0..3 {
        file.extend(8_u16.to_le_bytes());
    }
    let entries: [(u16, u16, u32, u32); 10] = [
        (256, 4, 1, image.width()),
        (257, 4, 1, image.height()),
        (258, 3, 3, at),
        (259, 3, 1, 1),
        (262, 3, 1, 2),
        (273, 4, 1, 8),
        (274, 3, 1, orientation.into()),
        (277, 3, 1, 3),
        (278, 4, 1, image.height()),
        (279, 4, 1, u32::try_from(data.len()).unwrap()),
    ];
    file.extend(u16::try_from(entries.len()).unwrap().to_le_bytes());
    for (tag, kind, count, value) in entries {
        file.extend(tag.to_le_bytes());
        file.extend(kind.to_le_bytes());
        file.extend(count.to_le_bytes());
        file.extend(value.to_le_bytes());
    }
    file.extend([0; 4]);
    file
}

#[test]
fn turned_and_scaled() {
    let (upright, stored) = stored(6, 300, 240);
    let jpeg = oriented_jpeg(&encoded(&stored, ImageFormat::Jpeg), 6);
    let reader = reader(|limits| limits.max_side = 200);
    let output = read_with(reader, "a.jpg", &jpeg, &Request::default()).unwrap();
    let image = pixels(&output);
    assert_eq!((image.width(), image.height()), (200, 160));
    let text = output.to_text();
    assert!(
        text.contains("original 300x240, displayed at 200x160. Multiply coordinates by 1.50 to"),
        "{text}"
    );
    let wanted = upright.resize_exact(200, 160, image::imageops::FilterType::Triangle);
    assert!(difference(&image, &wanted) <= 24);
}

#[test]
fn nonsense_is_upright() {
    let jpeg = encoded(&DynamicImage::ImageRgb8(gradient(20, 10)), ImageFormat::Jpeg);
    for orientation in [0, 9, 255, 256 + 6, u16::MAX] {
        let file = oriented_jpeg(&jpeg, orientation);
        assert_eq!(block(&read("a.jpg", &file).unwrap()).data, file, "{orientation}");
    }
    for broken in
        [&b"Exif\0\0"[..], b"Exif\0\0II*\0\xff\xff\xff\x7f", b"Exif\0\0MM\0*\0\0\0\x08\xff\xff", b"Exif"]
    {
        let file = with_segment(&jpeg, 0xe1, broken);
        assert_eq!(block(&read("a.jpg", &file).unwrap()).data, file);
    }
}
