//! Whatever colours are stored, the right ones are shown. Images are made wide, so that they are decoded and scaled.

use image::{DynamicImage, ImageFormat, Rgb, RgbImage};

use crate::made::{block, encoded, ihdr, pixels, png_of, read, zlib};

const WIDE: u32 = 2_100;

fn shown(name: &str, bytes: &[u8]) -> [u8; 4] {
    pixels(&read(name, bytes).unwrap()).to_rgba8().get_pixel(1_000, 5).0
}

fn png_flat(depth: u8, colour: u8, row: &[u8], more: &[(&'static [u8; 4], Vec<u8>)]) -> Vec<u8> {
    let rows = [&[0_u8], row].concat().repeat(10);
    let mut chunks = vec![ihdr(WIDE, 10, depth, colour)];
    chunks.extend(more.iter().cloned());
    chunks.extend([(b"IDAT", zlib(&rows)), (b"IEND", Vec::new())]);
    png_of(&chunks)
}

#[test]
fn every_png_colour_and_depth() {
    let wide = WIDE as usize;
    let palette = (b"PLTE", vec![1, 2, 3, 255, 128, 0]);
    for (depth, colour, row, more, wanted) in [
        (1, 0, vec![0xff; wide.div_ceil(8)], vec![], [255, 255, 255, 255]),
        (2, 0, vec![0b0101_0101; wide.div_ceil(4)], vec![], [85, 85, 85, 255]),
        (4, 0, vec![0x77; wide.div_ceil(2)], vec![], [119, 119, 119, 255]),
        (8, 0, vec![99; wide], vec![], [99, 99, 99, 255]),
        (16, 0, [0x80, 0x12].repeat(wide), vec![], [128, 128, 128, 255]),
        (8, 2, [255, 128, 0].repeat(wide), vec![], [255, 128, 0, 255]),
        (16, 2, [255, 1, 128, 2, 0, 3].repeat(wide), vec![], [255, 128, 0, 255]),
        (1, 3, vec![0xff; wide.div_ceil(8)], vec![palette.clone()], [255, 128, 0, 255]),
        (8, 3, vec![1; wide], vec![palette.clone()], [255, 128, 0, 255]),
        (8, 3, vec![1; wide], vec![palette, (b"tRNS", vec![255, 77])], [255, 128, 0, 77]),
        (8, 4, [50, 128].repeat(wide), vec![], [50, 50, 50, 128]),
        (8, 6, [255, 128, 0, 128].repeat(wide), vec![], [255, 128, 0, 128]),
        (16, 6, [255, 0, 128, 0, 0, 0, 128, 0].repeat(wide), vec![], [255, 128, 0, 128]),
    ] {
        let seen = shown("a.png", &png_flat(depth, colour, &row, &more));
        let off = seen.iter().zip(wanted).map(|(a, b)| a.abs_diff(b)).max().unwrap();
        // Weighing by opacity and back rounds twice.
        assert!(off <= if wanted[3] == 255 { 0 } else { 2 }, "depth {depth}, colour {colour}: {seen:?}");
    }
}

#[test]
fn interlaced_png() {
    let mut file = Vec::new();
    let picture = crate::made::gradient(WIDE, 16);
    // Seven passes, each of which holds the rows and columns that the ones before left out.
    let passes =
        [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)];
    for (x0, y0, dx, dy) in passes {
        for y in (y0..16).step_by(dy) {
            file.push(0);
            for x in (x0..WIDE).step_by(dx) {
                file.extend(picture.get_pixel(x, y).0);
            }
        }
    }
    let mut header = ihdr(WIDE, 16, 8, 2);
    header.1[12] = 1;
    let interlaced = png_of(&[header, (b"IDAT", zlib(&file)), (b"IEND", Vec::new())]);
    let plain = encoded(&DynamicImage::ImageRgb8(picture), ImageFormat::Png);
    let (a, b) = (read("a.png", &interlaced).unwrap(), read("a.png", &plain).unwrap());
    assert_eq!(pixels(&a).to_rgb8(), pixels(&b).to_rgb8());
}

#[test]
fn colour_profiles_are_kept() {
    let mut profile = vec![0; 300];
    profile[16..20].copy_from_slice(b"RGB ");
    let chunk = (b"iCCP", [b"p\0\0".to_vec(), zlib(&profile)].concat());
    let output = read("a.png", &png_flat(8, 2, &[1, 2, 3].repeat(WIDE as usize), &[chunk])).unwrap();
    let mut kept = image::codecs::png::PngDecoder::new(std::io::Cursor::new(&block(&output).data)).unwrap();
    assert_eq!(image::ImageDecoder::icc_profile(&mut kept).unwrap(), Some(profile.clone()));

    let jpeg = encoded(&DynamicImage::ImageRgb8(crate::made::gradient(WIDE, 20)), ImageFormat::Jpeg);
    let segment = [b"ICC_PROFILE\0\x01\x01".as_slice(), &profile].concat();
    let output = read("a.jpg", &crate::made::with_segment(&jpeg, 0xe2, &segment)).unwrap();
    let mut kept = image::codecs::png::PngDecoder::new(std::io::Cursor::new(&block(&output).data)).unwrap();
    assert_eq!(image::ImageDecoder::icc_profile(&mut kept).unwrap(), Some(profile));
}

#[test]
fn grey_stays_grey() {
    let grey = DynamicImage::ImageLuma8(image::GrayImage::from_pixel(WIDE, 10, image::Luma([77])));
    for format in [ImageFormat::Png, ImageFormat::Jpeg] {
        let output = read("a", &encoded(&grey, format)).unwrap();
        assert!(matches!(pixels(&output), DynamicImage::ImageLuma8(_)), "{format:?}");
    }
}

/// A flat baseline JPEG of four components, all of whose blocks hold one value.
fn cmyk_jpeg(inks: [u8; 4], transform: u8) -> Vec<u8> {
    // One quantisation table of ones; one Huffman table in which the code of `n` bits for a difference is `n` of 4 bits.
    let mut file = vec![0xff, 0xd8];
    let mut segment = |marker: u8, data: &[u8]| {
        file.extend([0xff, marker]);
        file.extend(u16::try_from(data.len() + 2).unwrap().to_be_bytes());
        file.extend(data);
    };
    segment(0xee, &[b"Adobe\0\x64\0\0\0\0".as_slice(), &[transform]].concat());
    segment(0xdb, &[vec![0], vec![8; 64]].concat());
    segment(0xc0, &[8, 0, 8, 8, 52, 4, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0, 4, 0x11, 0]);
    segment(0xc4, &[vec![0x00, 0, 0, 0, 12], vec![0; 12], (0..12).collect()].concat());
    segment(0xc4, &[vec![0x10, 1], vec![0; 15], vec![0]].concat());
    segment(0xda, &[4, 1, 0, 2, 0, 3, 0, 4, 0, 0, 63, 0]);
    let mut bits = Vec::new();
    let mut push = |value: u32, n: u32| bits.extend((0..n).rev().map(|i| value >> i & 1 == 1));
    let blocks = 2_100_u32.div_ceil(8);
    let mut last = [0_i32; 4];
    for _ in 0..blocks {
        for (ink, last) in inks.iter().zip(&mut last) {
            // With a step of 8 the first coefficient is the level itself.
            let level = i32::from(*ink) - 128;
            let difference = level - *last;
            *last = level;
            let size = 32 - difference.unsigned_abs().leading_zeros();
            push(size, 4);
            let value = if difference < 0 { difference + (1 << size) - 1 } else { difference };
            push(u32::try_from(value).unwrap(), size);
            // No other coefficient.
            push(0, 1);
        }
    }
    bits.resize(bits.len().next_multiple_of(8), true);
    for byte in bits.chunks(8) {
        let byte = byte.iter().fold(0_u8, |byte, bit| byte << 1 | u8::from(*bit));
        file.push(byte);
        if byte == 0xff {
            file.push(0);
        }
    }
    file.extend([0xff, 0xd9]);
    file
}

#[test]
fn cmyk_jpeg_as_adobe_writes_it() {
    // Adobe stores inks inverted: 255 is none.
    for (inks, wanted) in [
        ([255, 0, 0, 255], [255, 0, 0]),
        ([255, 255, 255, 255], [255, 255, 255]),
        ([255, 255, 255, 0], [0, 0, 0]),
        ([0, 255, 255, 255], [0, 255, 255]),
    ] {
        let seen = shown("a.jpg", &cmyk_jpeg(inks, 0));
        let off = seen.iter().zip(wanted).map(|(a, b): (&u8, u8)| a.abs_diff(b)).max().unwrap();
        assert!(off <= 4, "{inks:?}: {seen:?}");
    }
    // YCCK: the first three are luma and chromas of the complement of the inks, so that red in them is cyan on paper.
    let seen = shown("a.jpg", &cmyk_jpeg([76, 85, 255, 255], 2));
    assert!(seen[0] < 10 && seen[1] > 245 && seen[2] > 245, "{seen:?}");
}

#[test]
fn bitmaps_and_icons_are_converted() {
    let picture = RgbImage::from_fn(48, 20, |x, _| Rgb([if x < 24 { 200 } else { 10 }, 30, 40]));
    let image = DynamicImage::ImageRgb8(picture.clone());
    for (name, format, kind) in [("a.bmp", ImageFormat::Bmp, "BMP"), ("a.ico", ImageFormat::Ico, "ICO")] {
        let source = if format == ImageFormat::Ico {
            DynamicImage::ImageRgba8(image.to_rgba8())
        } else {
            image.clone()
        };
        let output = read(name, &encoded(&source, format)).unwrap();
        assert_eq!(
            output.to_text(),
            format!("[Image: {name}, 48x20, image/png]\n\n[Image converted from {kind} to PNG.]")
        );
        assert_eq!(output.details.media_type.as_deref(), Some("image/png"));
        assert_eq!(pixels(&output).to_rgb8(), picture, "{name}");
    }
}

#[test]
fn real_numbers_beyond_their_custom_are_spread_and_said() {
    use tiff::encoder::{TiffEncoder, colortype::Gray32Float};
    let of = |values: &[f32]| {
        let mut file = std::io::Cursor::new(Vec::new());
        let mut encoder = TiffEncoder::new(&mut file).unwrap();
        encoder.write_image::<Gray32Float>(2, 2, values).unwrap();
        read("a.tiff", &file.into_inner()).unwrap()
    };
    let spread = of(&[0.0, 50.0, 100.0, 200.0]);
    assert!(
        spread.to_text().contains("[Samples are real numbers: 0 is shown black, 200 white.]"),
        "{}",
        spread.to_text()
    );
    assert_eq!(pixels(&spread).to_luma8().as_raw(), &[0, 64, 128, 255]);
    let custom = of(&[0.0, 0.5, 1.0, 0.25]);
    assert!(!custom.to_text().contains("real numbers"));
    assert_eq!(pixels(&custom).to_luma8().as_raw(), &[0, 128, 255, 64]);
}
