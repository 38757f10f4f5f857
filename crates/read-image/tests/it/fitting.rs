//! What does not fit is scaled and encoded until it does, and the scale is told.

use image::{DynamicImage, ImageFormat, Rgba, RgbaImage};
use read_core::Request;
use read_image::{ImageLimits, ImageReader};

use crate::made::{block, difference, encoded, gradient, noise, pixels, png, read, read_with, reader, white};

#[test]
fn the_scale_of_coordinates_is_told() {
    let output = read("big.png", &white(4_000, 3_000)).unwrap();
    assert_eq!(
        output.to_text(),
        "[Image: big.png, 2000x1500, image/png]\n\n\
         [Image: original 4000x3000, displayed at 2000x1500. Multiply coordinates by 2.00 to map to original image.]"
    );
    let details = output.details.image.unwrap();
    assert_eq!((details.width, details.height), (2_000, 1_500));
    assert_eq!((details.original_width, details.original_height), (4_000, 3_000));
    assert_eq!(output.details.media_type.as_deref(), Some("image/png"));
    assert_eq!(
        output.details.notices,
        [
            "Image: original 4000x3000, displayed at 2000x1500. Multiply coordinates by 2.00 to map to original image."
        ]
    );
}

#[test]
fn no_side_is_scaled_away() {
    for (size, shown) in [((1, 6_000), (1, 2_000)), ((9_000, 2), (2_000, 1)), ((2_001, 1), (2_000, 1))] {
        let output = read("thin.png", &white(size.0, size.1)).unwrap();
        let image = pixels(&output);
        assert_eq!((image.width(), image.height()), shown);
    }
    let text = read("thin.png", &white(1, 6_000)).unwrap().to_text();
    assert!(text.contains("Multiply coordinates by 1.00 (x) and 3.00 (y) to map"), "{text}");
}

#[test]
fn what_is_scaled_looks_the_same() {
    // A gradient scaled is the gradient of the smaller size, within the rounding of both.
    let reader = reader(|limits| limits.max_side = 200);
    for (from, to) in [((400, 200), (200, 100)), ((800, 400), (200, 100)), ((900, 450), (200, 100))] {
        let output = read_with(reader, "a.png", &png(from.0, from.1), &Request::default()).unwrap();
        let wanted = DynamicImage::ImageRgb8(gradient(to.0, to.1));
        let off = difference(&pixels(&output), &wanted);
        assert!(off <= 3, "{from:?}: {off}");
    }
}

#[test]
fn png_then_jpeg_at_falling_quality() {
    let picture = encoded(&DynamicImage::ImageRgb8(noise(300, 200)), ImageFormat::Png);
    let mut seen = Vec::new();
    for room in [1 << 20, 100_000, 70_000, 50_000, 40_000] {
        let output =
            read_with(reader(|l| l.max_base64 = room), "n.png", &picture, &Request::default()).unwrap();
        let block = block(&output);
        assert!((block.data.len() as u64).div_ceil(3) * 4 < room, "{} bytes for {room}", block.data.len());
        let details = output.details.image.unwrap();
        seen.push((block.media_type, details.width, block.data.len()));
    }
    assert_eq!(seen[0].0, "image/png");
    assert!(seen[1..].iter().all(|(media_type, ..)| *media_type == "image/jpeg"), "{seen:?}");
    assert!(seen.windows(2).all(|pair| pair[0].2 > pair[1].2), "{seen:?}");
    assert_eq!(seen[1].1, 300, "quality falls before the size does");
}

#[test]
fn then_three_quarters_of_the_size() {
    let picture = encoded(&DynamicImage::ImageRgb8(noise(400, 300)), ImageFormat::Png);
    let output =
        read_with(reader(|l| l.max_base64 = 20_000), "n.png", &picture, &Request::default()).unwrap();
    let image = pixels(&output);
    let steps = [(400, 300), (300, 225), (225, 169), (169, 127), (127, 95), (95, 71)];
    assert!(steps[1..].contains(&(image.width(), image.height())), "{}x{}", image.width(), image.height());
    let text = output.to_text();
    assert!(
        text.contains(&format!("original 400x300, displayed at {}x{}", image.width(), image.height())),
        "{text}"
    );
}

#[test]
fn nothing_fits_into_nothing() {
    let error =
        read_with(reader(|l| l.max_base64 = 8), "a.png", &png(50, 50), &Request::default()).unwrap_err();
    assert_eq!(error.code(), read_core::ErrorCode::TooLarge);
}

#[test]
fn transparency_survives_png_and_is_white_in_jpeg() {
    let mut image = RgbaImage::from_pixel(2_400, 40, Rgba([0, 0, 0, 0]));
    for x in 0..1_200 {
        for y in 0..40 {
            image.put_pixel(x, y, Rgba([255, 0, 0, 255]));
        }
    }
    let picture = encoded(&DynamicImage::ImageRgba8(image), ImageFormat::Png);
    let kept = read("a.png", &picture).unwrap();
    assert_eq!(pixels(&kept).to_rgba8().get_pixel(1_900, 20).0[3], 0);

    let mut image = DynamicImage::ImageRgb8(noise(300, 200)).to_rgba8();
    image.put_pixel(0, 0, Rgba([0, 0, 0, 0]));
    for x in 0..100 {
        for y in 0..100 {
            image.put_pixel(x, y, Rgba([0, 0, 0, 0]));
        }
    }
    let picture = encoded(&DynamicImage::ImageRgba8(image), ImageFormat::Png);
    let output =
        read_with(reader(|l| l.max_base64 = 100_000), "a.png", &picture, &Request::default()).unwrap();
    assert_eq!(block(&output).media_type, "image/jpeg");
    let corner = pixels(&output).to_rgb8().get_pixel(40, 40).0;
    assert!(corner.iter().all(|value| *value > 240), "{corner:?}");
    assert!(output.to_text().contains("[Transparent parts are shown on white.]"));
}

#[test]
fn presets_keep_what_the_model_sees_unscaled() {
    let picture = white(3_000, 3_000);
    for (limits, side) in [
        (ImageLimits::anthropic(), 1_092),
        (ImageLimits::openai(), 2_048),
        (ImageLimits::gemini(), 3_000),
        (ImageLimits::default(), 2_000),
    ] {
        let reader = Box::leak(Box::new(ImageReader::new(limits)));
        let output = read_with(reader, "a.png", &picture, &Request::default()).unwrap();
        assert_eq!(output.details.image.unwrap().width, side);
    }
}

#[test]
fn a_model_without_images_is_told_and_the_image_stays() {
    let mut request = Request::default();
    request.no_images = true;
    let output = read_with(read_image::READER, "s.png", &png(4, 3), &request).unwrap();
    assert_eq!(
        output.to_text(),
        "[Image: s.png, 4x3, image/png]\n\n\
         [Current model does not support images. The image will be omitted from this request.]"
    );
    assert_eq!(block(&output).media_type, "image/png");
}
