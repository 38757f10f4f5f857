//! Bombs are refused by their figures before anything is decoded.

use read_core::{ErrorCode, ReadError, Request};
use read_image::{ImageLimits, ImageReader};

use crate::made::{encoded, gif, gradient, ihdr, png, png_of, read, read_with, with_segment, zlib};

fn refused(name: &str, bytes: &[u8], code: ErrorCode, figures: &str) {
    let error: ReadError = read(name, bytes).unwrap_err();
    assert_eq!(error.code(), code, "{name}: {error}");
    assert!(error.message().contains(figures), "{name}: {error}");
}

fn png_sized(width: u32, height: u32) -> Vec<u8> {
    png_of(&[ihdr(width, height, 8, 6), (b"IDAT", zlib(&[0; 1_000])), (b"IEND", Vec::new())])
}

#[test]
fn sides_in_the_header() {
    refused(
        "a.png",
        &png_sized(100_000, 100_000),
        ErrorCode::TooLarge,
        "100000x100000 is 10000.0 megapixels, over the limit of 100.0 megapixels",
    );
    refused("a.png", &png_sized(65_535, 65_535), ErrorCode::TooLarge, "65535x65535");
    for (width, height) in [(0, 8), (8, 0), (0, 0)] {
        refused("a.png", &png_sized(width, height), ErrorCode::Corrupt, &format!("{width}x{height}"));
    }

    let picture = image::DynamicImage::ImageRgb8(gradient(40, 30));
    let jpeg = encoded(&picture, image::ImageFormat::Jpeg);
    let sof = jpeg.windows(2).position(|marker| marker == [0xff, 0xc0]).unwrap();
    let jpeg_sized = |height: u16, width: u16| {
        let mut file = jpeg.clone();
        file[sof + 5..sof + 7].copy_from_slice(&height.to_be_bytes());
        file[sof + 7..sof + 9].copy_from_slice(&width.to_be_bytes());
        file
    };
    refused("a.jpg", &jpeg_sized(65_535, 65_535), ErrorCode::TooLarge, "65535x65535");
    refused("a.jpg", &jpeg_sized(0, 40), ErrorCode::Corrupt, "40x0");

    let mut screen = gif(4, 4, 1);
    screen[6..10].copy_from_slice(&[0xff; 4]);
    refused("a.gif", &screen, ErrorCode::TooLarge, "65535x65535");
    let mut frame = gif(4, 4, 1);
    let at = frame.iter().rposition(|byte| *byte == b',').unwrap();
    frame[at + 5..at + 9].copy_from_slice(&[0xff; 4]);
    refused("a.gif", &frame, ErrorCode::TooLarge, "65535x65535");

    let mut bmp = encoded(&picture, image::ImageFormat::Bmp);
    bmp[18..26].copy_from_slice(&[0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f]);
    refused("a.bmp", &bmp, ErrorCode::TooLarge, "2147483647x2147483647");
    bmp[18..22].copy_from_slice(&[0; 4]);
    refused("a.bmp", &bmp, ErrorCode::Corrupt, "0x2147483647");

    let mut webp = b"RIFF\x26\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff".to_vec();
    webp.extend(b"VP8L\x06\0\0\0\x2f\xff\xff\xff\x0f\0");
    webp[4] = u8::try_from(webp.len() - 8).unwrap();
    refused("a.webp", &webp, ErrorCode::TooLarge, "16777216x16777216");
    // A small canvas around a huge bitstream.
    webp[24..30].copy_from_slice(&[0; 6]);
    refused("a.webp", &webp, ErrorCode::TooLarge, "16384x16384");
}

#[test]
fn memory_that_decoding_would_take() {
    // 16 bits a channel, 64 megapixels: within the pixels, not within the memory.
    let mut tiff = b"II*\0\x08\0\0\0\x08\0".to_vec();
    for (tag, kind, value) in [
        (256_u16, 3_u16, 8_000_u32),
        (257, 3, 8_000),
        (258, 3, 16),
        (259, 3, 1),
        (262, 3, 2),
        (273, 4, 8),
        (277, 3, 4),
        (278, 3, 8_000),
    ] {
        tiff.extend(tag.to_le_bytes());
        tiff.extend(kind.to_le_bytes());
        tiff.extend(1_u32.to_le_bytes());
        tiff.extend(value.to_le_bytes());
    }
    tiff.extend([0; 4]);
    refused("a.tiff", &tiff, ErrorCode::TooLarge, "over the limit of 512.0MB");
}

#[test]
fn metadata_that_inflates() {
    let bomb = zlib(&vec![b'a'; 9 << 20]);
    assert!(bomb.len() < 100_000);
    let packed = |before: &[u8]| [before, bomb.as_slice()].concat();
    for chunk in [
        (b"zTXt", packed(b"Comment\0\0")),
        (b"iTXt", packed(b"Comment\0\x01\0\0\0")),
        (b"iCCP", packed(b"profile\0\0")),
        (b"tEXt", [b"Comment\0".to_vec(), vec![b'a'; 9 << 20]].concat()),
        (b"prVt", vec![0; 9 << 20]),
    ] {
        let before =
            png_of(&[ihdr(4, 4, 8, 0), chunk.clone(), (b"IDAT", zlib(&[0; 20])), (b"IEND", Vec::new())]);
        refused("a.png", &before, ErrorCode::TooLarge, "over 8.0MB of metadata");
        let behind = png_of(&[ihdr(4, 4, 8, 0), (b"IDAT", zlib(&[0; 20])), chunk, (b"IEND", Vec::new())]);
        refused("a.png", &behind, ErrorCode::TooLarge, "over 8.0MB of metadata");
    }
    let many: Vec<_> = std::iter::once(ihdr(4, 4, 8, 0))
        .chain((0..200).map(|_| (b"zTXt", [b"C\0\0".to_vec(), zlib(&vec![b'a'; 50_000])].concat())))
        .chain([(b"IDAT", zlib(&[0; 20])), (b"IEND", Vec::new())])
        .collect();
    refused("a.png", &png_of(&many), ErrorCode::TooLarge, "over 8.0MB of metadata");

    let mut jpeg = encoded(&image::DynamicImage::ImageRgb8(gradient(40, 30)), image::ImageFormat::Jpeg);
    for _ in 0..140 {
        jpeg = with_segment(&jpeg, 0xe1, &vec![7; 65_000]);
    }
    refused("a.jpg", &jpeg, ErrorCode::TooLarge, "over 8.0MB of metadata");
}

#[test]
fn endless_passes() {
    let jpeg = encoded(&image::DynamicImage::ImageRgb8(gradient(40, 30)), image::ImageFormat::Jpeg);
    let scan = jpeg.windows(2).position(|marker| marker == [0xff, 0xda]).unwrap();
    let mut file = jpeg[..scan].to_vec();
    for _ in 0..200 {
        file.extend(&jpeg[scan..jpeg.len() - 2]);
    }
    file.extend([0xff, 0xd9]);
    refused("a.jpg", &file, ErrorCode::TooLarge, "more than 100 passes");
}

#[test]
fn the_figures_are_the_hosts_to_set() {
    let mut limits = ImageLimits::DEFAULT;
    limits.max_pixels = 1_000;
    let reader = Box::leak(Box::new(ImageReader::new(limits)));
    let error = read_with(reader, "a.png", &png(100, 100), &Request::default()).unwrap_err();
    assert_eq!(error.code(), ErrorCode::TooLarge);
    assert!(read_with(reader, "a.png", &png(10, 100), &Request::default()).is_ok());

    let mut limits = ImageLimits::DEFAULT;
    limits.max_memory = 10_000;
    let reader = Box::leak(Box::new(ImageReader::new(limits)));
    let error = read_with(reader, "a.png", &png(100, 100), &Request::default()).unwrap_err();
    assert!(error.message().contains("over the limit of 9.8KB"), "{error}");
}

#[test]
fn a_long_animation_is_decoded_up_to_the_limit_and_walked_beyond() {
    // 200 frames of 250,000 pixels are 50 megapixels; with a limit of one frame the rest is only walked.
    let mut limits = ImageLimits::DEFAULT;
    limits.max_pixels = 250_000;
    let reader = Box::leak(Box::new(ImageReader::new(limits)));
    let animation = gif(500, 500, 200);
    assert!(read_with(reader, "a.gif", &animation, &Request::default()).is_ok());
    let cut = &animation[..animation.len() - 1];
    assert_eq!(read_with(reader, "a.gif", cut, &Request::default()).unwrap_err().code(), ErrorCode::Corrupt);
}
