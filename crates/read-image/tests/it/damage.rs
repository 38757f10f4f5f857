//! Damaged images: a typed error or the image, never a panic, a hang or an image block that does not decode.

use image::{DynamicImage, ImageFormat, RgbaImage};
use proptest::prelude::*;
use read_core::{ErrorCode, ReadError, ReadOutput};

use crate::made::{block, encoded, gif, gradient, noise, oriented_jpeg, png_of, read};

/// Small images of every format.
fn samples() -> Vec<(&'static str, Vec<u8>)> {
    let picture = DynamicImage::ImageRgb8(gradient(24, 18));
    let clear = DynamicImage::ImageRgba8(RgbaImage::from_fn(16, 12, |x, y| {
        image::Rgba([x as u8, y as u8, 9, (x * y) as u8])
    }));
    vec![
        ("a.png", encoded(&clear, ImageFormat::Png)),
        ("a.jpg", oriented_jpeg(&encoded(&picture, ImageFormat::Jpeg), 6)),
        ("a.gif", gif(12, 9, 2)),
        ("a.webp", encoded(&picture, ImageFormat::WebP)),
        ("a.bmp", encoded(&picture, ImageFormat::Bmp)),
        ("a.tiff", encoded(&picture, ImageFormat::Tiff)),
        ("a.ico", encoded(&clear, ImageFormat::Ico)),
    ]
}

/// What every read of a damaged image must be.
fn honest(what: &str, read: Result<ReadOutput, ReadError>) {
    match read {
        Ok(output) => {
            if output.details.reader == "image" {
                let block = block(&output);
                let format = ImageFormat::from_mime_type(block.media_type).unwrap();
                assert_eq!(image::guess_format(&block.data).unwrap(), format, "{what}");
            }
        }
        Err(error) => {
            let expected = [ErrorCode::Corrupt, ErrorCode::TooLarge, ErrorCode::UnsupportedContent];
            assert!(expected.contains(&error.code()), "{what}: {} {error}", error.code().as_str());
        }
    }
}

#[test]
fn every_byte_flipped() {
    for (name, sample) in samples() {
        // Colour tables and rows of flat data are not worth every byte of theirs.
        let step = sample.len().div_ceil(400);
        for at in (0..sample.len()).step_by(step).chain(0..sample.len().min(64)) {
            for change in [0x01, 0x80, 0xff] {
                let mut damaged = sample.clone();
                damaged[at] ^= change;
                honest(&format!("{name}, byte {at} with {change:#x}"), read(name, &damaged));
            }
        }
    }
}

#[test]
fn cut_at_every_byte() {
    for (name, sample) in samples() {
        let step = sample.len().div_ceil(400);
        for end in (0..sample.len()).step_by(step) {
            match read(name, &sample[..end]) {
                // Rows that are missing at the end of a TIFF's directory or of an icon's mask leave a whole image.
                Ok(output) if output.details.reader == "image" => {
                    assert!(matches!(name, "a.tiff" | "a.ico"), "{name} cut at {end} is shown");
                }
                other => honest(&format!("{name} cut at {end}"), other),
            }
        }
    }
}

#[test]
fn cut_at_every_kilobyte() {
    let picture = DynamicImage::ImageRgb8(noise(120, 90));
    for (name, format) in [
        ("a.png", ImageFormat::Png),
        ("a.jpg", ImageFormat::Jpeg),
        ("a.webp", ImageFormat::WebP),
        ("a.bmp", ImageFormat::Bmp),
        ("a.tiff", ImageFormat::Tiff),
    ] {
        let whole = encoded(&picture, format);
        assert!(read(name, &whole).is_ok(), "{name}");
        for end in (1_024..whole.len()).step_by(1_024) {
            let error = read(name, &whole[..end]).expect_err("a cut image is not shown");
            assert_eq!(error.code(), ErrorCode::Corrupt, "{name} cut at {end}: {error}");
        }
    }
    let whole = gif(300, 200, 40);
    for end in (1_024..whole.len()).step_by(1_024) {
        assert_eq!(read("a.gif", &whole[..end]).unwrap_err().code(), ErrorCode::Corrupt, "cut at {end}");
    }
}

#[test]
fn a_wrong_checksum_of_the_pixels() {
    let mut picture = encoded(&DynamicImage::ImageRgb8(gradient(8, 8)), ImageFormat::Png);
    let at = picture.len() - 14;
    picture[at] ^= 1;
    let error = read("a.png", &picture).unwrap_err();
    assert_eq!(error.code(), ErrorCode::Corrupt);
    assert!(error.message().starts_with("'a.png' is a damaged PNG image: "), "{error}");
}

#[test]
fn no_image_data() {
    let bare = png_of(&[crate::made::ihdr(4, 4, 8, 0), (b"IEND", Vec::new())]);
    assert_eq!(read("a.png", &bare).unwrap_err().code(), ErrorCode::Corrupt);
    assert_eq!(read("a.gif", b"GIF89a\x04\0\x04\0\0\0\0;").unwrap_err().code(), ErrorCode::Corrupt);
    assert_eq!(read("a.jpg", b"\xff\xd8\xff\xd9").unwrap_err().code(), ErrorCode::Corrupt);
    assert_eq!(read("a.webp", b"RIFF\x04\0\0\0WEBP").unwrap_err().code(), ErrorCode::Corrupt);
}

#[test]
fn the_signature_of_one_format_over_the_data_of_another() {
    let samples = samples();
    for (name, head) in &samples {
        for (_, body) in &samples {
            let mut mixed = head[..8.min(head.len())].to_vec();
            mixed.extend(&body[8.min(body.len())..]);
            honest(name, read(name, &mixed));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]
    #[test]
    fn many_changes_at_once(
        which in 0_usize..7,
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        end in proptest::option::of(any::<prop::sample::Index>()),
    ) {
        let (name, mut sample) = samples().swap_remove(which);
        for (at, byte) in &changes {
            let at = at.index(sample.len());
            sample[at] = *byte;
        }
        if let Some(end) = end {
            sample.truncate(end.index(sample.len()));
        }
        honest(name, read(name, &sample));
    }

    #[test]
    fn nothing_but_a_signature(which in 0_usize..7, noise in proptest::collection::vec(any::<u8>(), 0..300)) {
        let (name, sample) = samples().swap_remove(which);
        let mut file = sample[..12].to_vec();
        file.extend(noise);
        honest(name, read(name, &file));
    }
}

/// A JPEG that is drawn once from top to bottom: its bytes before the end marker.
fn without_end_marker(picture: &DynamicImage) -> Vec<u8> {
    let mut whole = encoded(picture, ImageFormat::Jpeg);
    assert!(whole.ends_with(&[0xff, 0xd9]));
    whole.truncate(whole.len() - 2);
    whole
}

#[test]
fn a_jpeg_with_missing_data_and_an_end_marker() {
    let whole = without_end_marker(&DynamicImage::ImageRgb8(noise(120, 90)));
    for end in (1_024..whole.len()).step_by(512) {
        let mut cut = whole[..end].to_vec();
        // What would hide the marker is not part of it.
        while cut.last() == Some(&0xff) {
            cut.pop();
        }
        cut.extend([0xff, 0xd9]);
        let error = read("a.jpg", &cut).expect_err("what is missing is not painted");
        assert_eq!(error.code(), ErrorCode::Corrupt, "cut at {end}: {error}");
    }
}

#[test]
fn a_jpeg_whose_header_says_more_than_its_data() {
    let mut lying = encoded(&DynamicImage::ImageRgb8(noise(60, 50)), ImageFormat::Jpeg);
    let frame = lying.windows(2).position(|pair| pair == [0xff, 0xc0]).unwrap();
    lying[frame + 5..frame + 9].copy_from_slice(&[0x01, 0xf4, 0x02, 0x58]);
    assert_eq!(read("a.jpg", &lying).unwrap_err().code(), ErrorCode::Corrupt);
}

#[test]
fn a_whole_jpeg_of_any_size_is_whole() {
    for side in 1..40 {
        for picture in [
            DynamicImage::ImageRgb8(gradient(side, 41 - side)),
            DynamicImage::ImageLuma8(image::GrayImage::from_pixel(side, 17, image::Luma([255]))),
        ] {
            let sound = encoded(&picture, ImageFormat::Jpeg);
            assert!(read("a.jpg", &sound).is_ok(), "{side}");
            let mut followed = sound;
            followed.extend(b"what follows the image");
            assert!(read("a.jpg", &followed).is_ok(), "{side}, with more behind it");
        }
    }
}

#[test]
fn a_compressed_tiff_that_does_not_unpack() {
    use tiff::encoder::{Compression, TiffEncoder, colortype::Gray8};
    let mut file = std::io::Cursor::new(Vec::new());
    let grey: Vec<u8> = (0..100 * 100).map(|at| u8::try_from(at * 7 % 253).unwrap()).collect();
    let mut encoder = TiffEncoder::new(&mut file).unwrap().with_compression(Compression::Lzw);
    encoder.write_image::<Gray8>(100, 100, &grey).unwrap();
    let sound = file.into_inner();
    assert!(read("a.tiff", &sound).is_ok());
    for at in 9..600 {
        let mut damaged = sound.clone();
        damaged[at] ^= 0xff;
        honest(&format!("byte {at}"), read("a.tiff", &damaged));
    }
}
