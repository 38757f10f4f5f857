//! Animated images pass whole; where they must be changed the first frame is shown, and that is said.

use read_core::Request;
use read_image::{ImageLimits, ImageReader};

use crate::made::{block, gif, ihdr, pixels, png_of, read, read_with, zlib};

/// An animated PNG of flat grey frames; the default image is the first of them.
fn apng(width: u32, height: u32, frames: u8) -> Vec<u8> {
    let rows = |grey: u8| zlib(&[vec![0_u8], vec![grey; width as usize]].concat().repeat(height as usize));
    let control = |sequence: u32| {
        let mut data = [sequence, width, height, 0, 0].map(u32::to_be_bytes).concat();
        data.extend([0, 1, 0, 10, 0, 0]);
        data
    };
    let mut chunks = vec![ihdr(width, height, 8, 0)];
    chunks.push((b"acTL", [u32::from(frames), 0].map(u32::to_be_bytes).concat()));
    let mut sequence = 0;
    for frame in 0..frames {
        chunks.push((b"fcTL", control(sequence)));
        sequence += 1;
        let data = rows(200 + frame);
        if frame == 0 {
            chunks.push((b"IDAT", data));
        } else {
            chunks.push((b"fdAT", [sequence.to_be_bytes().to_vec(), data].concat()));
            sequence += 1;
        }
    }
    chunks.push((b"IEND", Vec::new()));
    png_of(&chunks)
}

/// An animated WebP of these frames.
fn awebp(frames: &[image::RgbImage]) -> Vec<u8> {
    let u24 = |n: u32| n.to_le_bytes()[..3].to_vec();
    let (width, height) = frames[0].dimensions();
    let mut body = b"VP8X\x0a\0\0\0\x02\0\0\0".to_vec();
    body.extend([u24(width - 1), u24(height - 1)].concat());
    body.extend(b"ANIM\x06\0\0\0\0\0\0\0\0\0");
    for frame in frames {
        let still = crate::made::encoded(&frame.clone().into(), image::ImageFormat::WebP);
        let still = &still[12..];
        body.extend(b"ANMF");
        body.extend(u32::try_from(16 + still.len()).unwrap().to_le_bytes());
        body.extend([u24(0), u24(0), u24(width - 1), u24(height - 1), u24(100), vec![0]].concat());
        body.extend(still);
    }
    let mut file = b"RIFF".to_vec();
    file.extend(u32::try_from(body.len() + 4).unwrap().to_le_bytes());
    file.extend(b"WEBP");
    file.extend(body);
    file
}

fn flat(width: u32, height: u32, grey: u8) -> image::RgbImage {
    image::RgbImage::from_pixel(width, height, image::Rgb([grey; 3]))
}

#[test]
fn within_the_limits_they_pass_whole() {
    let webp = awebp(&[flat(20, 10, 1), flat(20, 10, 2), flat(20, 10, 3)]);
    for (name, bytes) in [("a.gif", gif(20, 10, 3)), ("a.png", apng(20, 10, 3)), ("a.webp", webp)] {
        let output = read(name, &bytes).unwrap();
        assert_eq!(block(&output).data, bytes, "{name}");
        assert!(output.details.notices.is_empty(), "{name}");
    }
}

#[test]
fn too_large_ones_show_their_first_frame() {
    let webp = awebp(&[flat(2_400, 10, 200), flat(2_400, 10, 2)]);
    for (name, bytes, frames, first) in [
        ("a.gif", gif(2_400, 10, 3), 3, [0, 255, 9]),
        ("a.png", apng(2_400, 10, 4), 4, [200, 200, 200]),
        ("a.webp", webp, 2, [200, 200, 200]),
    ] {
        let output = read(name, &bytes).unwrap();
        let text = output.to_text();
        assert!(text.contains(&format!("[Animated image: showing the first of {frames} frames.]")), "{text}");
        assert!(text.contains("original 2400x10, displayed at 2000x8"), "{text}");
        assert_eq!(block(&output).media_type, "image/png");
        let seen = pixels(&output).to_rgb8().get_pixel(1_000, 4).0;
        // WebP frames are blended onto the canvas, which rounds.
        assert!(seen.iter().zip(first).all(|(a, b): (&u8, u8)| a.abs_diff(b) <= 1), "{name}: {seen:?}");
    }
}

#[test]
fn a_model_without_animations_gets_the_first_frame() {
    let mut limits = ImageLimits::DEFAULT;
    limits.animated = false;
    let reader = Box::leak(Box::new(ImageReader::new(limits)));
    let output = read_with(reader, "a.gif", &gif(20, 10, 2), &Request::default()).unwrap();
    assert!(
        output.to_text().ends_with(
            "[Image converted from GIF to PNG.]\n[Animated image: showing the first of 2 frames.]"
        )
    );
    let still = gif(20, 10, 1);
    let output = read_with(reader, "a.gif", &still, &Request::default()).unwrap();
    assert_eq!(block(&output).data, still, "a still one passes");
}

#[test]
fn a_first_frame_smaller_than_its_canvas() {
    let mut file = Vec::new();
    let mut encoder = gif::Encoder::new(&mut file, 2_100, 20, &[255, 0, 0, 0, 255, 0]).unwrap();
    let frame = gif::Frame {
        left: 2_000,
        top: 10,
        width: 50,
        height: 10,
        buffer: vec![1; 500].into(),
        ..gif::Frame::default()
    };
    encoder.write_frame(&frame).unwrap();
    drop(encoder);
    let image = pixels(&read("a.gif", &file).unwrap()).to_rgba8();
    let scaled = |x: u32| x * 2_000 / 2_100;
    assert_eq!(image.get_pixel(scaled(2_025), 15).0, [0, 255, 0, 255]);
    assert_eq!(image.get_pixel(scaled(1_000), 15).0[3], 0, "what no frame covers is transparent");
}

#[test]
fn a_damaged_later_frame_is_found() {
    let mut file = apng(20, 10, 3);
    let at = file.windows(4).rposition(|kind| kind == b"fdAT").unwrap();
    file[at + 12] ^= 0x55;
    assert_eq!(read("a.png", &file).unwrap_err().code(), read_core::ErrorCode::Corrupt);
}
