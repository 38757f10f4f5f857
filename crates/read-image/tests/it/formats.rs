//! TIFF pages, icon sizes, and formats that are named but not decoded.

use std::io::Cursor;

use image::{DynamicImage, ImageFormat, Rgba, RgbaImage};
use read_core::ErrorCode;
use tiff::encoder::{TiffEncoder, colortype};

use crate::made::{encoded, gradient, pixels, read};

#[test]
fn the_first_page_of_a_tiff() {
    let mut file = Cursor::new(Vec::new());
    let mut encoder = TiffEncoder::new(&mut file).unwrap();
    for page in 0..3_u8 {
        encoder.write_image::<colortype::Gray8>(6, 4, &[page * 10 + 5; 24]).unwrap();
    }
    let output = read("scan.tif", &file.into_inner()).unwrap();
    assert_eq!(
        output.to_text(),
        "[Image: scan.tif, 6x4, image/png]\n\n[Image converted from TIFF to PNG.]\n[Showing page 1 of 3.]"
    );
    assert_eq!(pixels(&output).to_luma8().get_pixel(3, 2).0, [5]);
}

#[test]
fn every_tiff_colour() {
    fn written<C: colortype::ColorType>(pixel: &[C::Inner]) -> Vec<u8>
    where
        [C::Inner]: tiff::encoder::TiffValue,
        C::Inner: Copy,
    {
        let mut file = Cursor::new(Vec::new());
        let mut encoder = TiffEncoder::new(&mut file).unwrap();
        encoder.write_image::<C>(4, 4, &pixel.repeat(16)).unwrap();
        file.into_inner()
    }
    for (file, wanted) in [
        (written::<colortype::Gray8>(&[99]), [99, 99, 99, 255]),
        (written::<colortype::Gray16>(&[99 * 257]), [99, 99, 99, 255]),
        (written::<colortype::Gray32>(&[99 << 24]), [99, 99, 99, 255]),
        (written::<colortype::Gray32Float>(&[0.2]), [51, 51, 51, 255]),
        (written::<colortype::RGB8>(&[1, 2, 3]), [1, 2, 3, 255]),
        (written::<colortype::RGB16>(&[257, 514, 771]), [1, 2, 3, 255]),
        (written::<colortype::RGB32Float>(&[1.0, 0.2, -3.0]), [255, 51, 0, 255]),
        (written::<colortype::RGBA8>(&[1, 2, 3, 128]), [1, 2, 3, 128]),
        (written::<colortype::CMYK8>(&[0, 255, 255, 0]), [255, 0, 0, 255]),
        (written::<colortype::CMYK16>(&[0, 65_535, 65_535, 0]), [255, 0, 0, 255]),
        (written::<colortype::YCbCr8>(&[76, 85, 255]), [254, 0, 0, 255]),
    ] {
        assert_eq!(pixels(&read("a.tiff", &file).unwrap()).to_rgba8().get_pixel(2, 2).0, wanted);
    }
}

#[test]
fn a_tiff_with_a_palette() {
    // Four pixels of four bits; the table has all reds, then all greens, then all blues.
    for big_endian in [false, true] {
        let u16_of = |n: u16| if big_endian { n.to_be_bytes() } else { n.to_le_bytes() };
        let u32_of = |n: u32| if big_endian { n.to_be_bytes() } else { n.to_le_bytes() };
        let short = |n: u16| [u16_of(n), [0; 2]].concat();
        let table: Vec<u8> =
            (0..48_u16).flat_map(|i| u16_of(if i % 16 == 2 { 0x1000 * (i / 16 + 1) } else { 0 })).collect();
        let mut file = if big_endian { b"MM\0*".to_vec() } else { b"II*\0".to_vec() };
        file.extend(u32_of(8));
        let entries = [
            (256_u16, 3_u16, 1_u32, short(4)),
            (257, 3, 1, short(1)),
            (258, 3, 1, short(4)),
            (259, 3, 1, short(1)),
            (262, 3, 1, short(3)),
            (273, 4, 1, u32_of(8 + 2 + 9 * 12 + 4).to_vec()),
            (278, 3, 1, short(1)),
            (279, 4, 1, u32_of(2).to_vec()),
            (320, 3, 48, u32_of(8 + 2 + 9 * 12 + 4 + 2).to_vec()),
        ];
        file.extend(u16_of(9));
        for (tag, kind, count, value) in entries {
            file.extend([u16_of(tag).as_slice(), &u16_of(kind), &u32_of(count), &value].concat());
        }
        file.extend([0; 4]);
        file.extend([0x02, 0x20]);
        file.extend(table);
        let image = pixels(&read("a.tiff", &file).unwrap()).to_rgb8();
        let row: Vec<_> = image.pixels().map(|pixel| pixel.0).collect();
        assert_eq!(row, [[0; 3], [0x10, 0x20, 0x30], [0x10, 0x20, 0x30], [0; 3]]);
    }
}

#[test]
fn the_largest_size_of_an_icon() {
    // The largest is neither the first nor the deepest; one is stored as a PNG.
    let bitmap = |side: u8, blue: u8| {
        let mut data = b"\x28\0\0\0".to_vec();
        data.extend(u32::from(side).to_le_bytes());
        data.extend((u32::from(side) * 2).to_le_bytes());
        data.extend(b"\x01\0\x20\0");
        data.extend([0; 24]);
        data.extend([blue, 20, 30, 255].repeat(usize::from(side) * usize::from(side)));
        data.extend(vec![0; usize::from(side).div_ceil(32) * 4 * usize::from(side)]);
        data
    };
    let png = encoded(&DynamicImage::ImageRgb8(gradient(64, 64)), ImageFormat::Png);
    let icon = |images: &[(u8, Vec<u8>)]| {
        let mut file = vec![0, 0, 1, 0, u8::try_from(images.len()).unwrap(), 0];
        let mut at = 6 + 16 * images.len();
        for (side, data) in images {
            file.extend([*side, *side, 0, 0, 1, 0, 32, 0]);
            file.extend(u32::try_from(data.len()).unwrap().to_le_bytes());
            file.extend(u32::try_from(at).unwrap().to_le_bytes());
            at += data.len();
        }
        file.extend(images.iter().flat_map(|(_, data)| data.clone()));
        file
    };
    let output =
        read("a.ico", &icon(&[(16, bitmap(16, 1)), (48, bitmap(48, 2)), (32, bitmap(32, 3))])).unwrap();
    assert!(output.to_text().ends_with("[Showing the largest of 3 sizes.]"), "{}", output.to_text());
    assert_eq!(pixels(&output).to_rgba8(), RgbaImage::from_pixel(48, 48, Rgba([30, 20, 2, 255])));
    let output = read("a.ico", &icon(&[(16, bitmap(16, 1)), (64, png)])).unwrap();
    assert_eq!(pixels(&output).to_rgb8(), gradient(64, 64));
}

#[test]
fn recognised_and_named_but_not_decoded() {
    for (head, name) in [
        (&b"\0\0\0\x1cftypavif\0\0\0\0avifmif1miaf"[..], "AVIF"),
        (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "HEIC"),
        (b"\0\0\0\x0cJXL \r\n\x87\n\0\0\0\0", "JPEG XL"),
        (b"\xff\x0a\xfa\x1f\x01\x02\x03", "JPEG XL"),
        (b"8BPS\0\x01\0\0\0\0\0\0", "Photoshop"),
        (b"\0\0\0\x0cjP  \r\n\x87\n\0\0", "JPEG 2000"),
        (b"\x76\x2f\x31\x01\x02\0\0\0", "OpenEXR"),
        (b"qoif\0\0\0\x01", "QOI"),
        (b"P6\n1 1\n255\n\xff\0\0", "PNM"),
    ] {
        // The extension does not matter.
        for path in ["a.png", "a"] {
            let error = read(path, head).unwrap_err();
            assert_eq!(error.code(), ErrorCode::UnsupportedContent, "{name}");
            assert!(error.message().contains(name) && error.message().contains("not supported"), "{error}");
            assert_eq!(error.suggestions(), [format!("{path}:hex")]);
        }
    }
    let camera = encoded(&DynamicImage::ImageRgb8(gradient(4, 4)), ImageFormat::Tiff);
    assert!(read("a.tiff", &camera).is_ok());
    assert!(read("a.NEF", &camera).unwrap_err().message().contains("camera raw"));
}

#[test]
fn codings_of_jpeg_that_are_not_decoded() {
    let jpeg = encoded(&DynamicImage::ImageRgb8(gradient(16, 16)), ImageFormat::Jpeg);
    let frame = jpeg.windows(2).position(|marker| marker == [0xff, 0xc0]).unwrap();
    for (marker, name) in [(0xc3, "lossless"), (0xc9, "arithmetic"), (0xf7, "JPEG-LS")] {
        let mut file = jpeg.clone();
        file[frame + 1] = marker;
        let error = read("a.jpg", &file).unwrap_err();
        assert_eq!(error.code(), ErrorCode::UnsupportedContent);
        assert!(error.message().contains(name), "{error}");
    }
}

#[test]
fn svg_and_named_but_empty_images_are_not_claimed() {
    let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\"/>\n";
    assert_eq!(read("a.svg", svg.as_bytes()).unwrap().to_text(), svg);
    assert_eq!(
        read("a.png", svg.as_bytes()).unwrap().to_text(),
        svg,
        "an error page saved as an image is text"
    );
    assert_eq!(read("a.png", b"").unwrap().to_text(), "[File is empty]");
    // A gzip of an SVG is somebody else's.
    let svgz = b"\x1f\x8b\x08\0\0\0\0\0\0\x03\xb3\x29\x2e\x4b\xd7\xb7\x03\0\xa1\x2b\x98\x6e\x06\0\0\0";
    let error = read("a.svgz", svgz).unwrap_err();
    assert_ne!(error.code(), ErrorCode::Corrupt);
    assert!(!error.message().contains("image"), "{error}");
}

#[test]
fn a_gif_screen_that_is_smaller_than_its_first_frame_grows() {
    let mut small = crate::made::gif(60, 50, 1);
    small[6..10].copy_from_slice(&[5, 0, 5, 0]);
    let output = read("a.gif", &small).unwrap();
    assert!(output.to_text().starts_with("[Image: a.gif, 60x50, image/gif]"), "{}", output.to_text());
}
