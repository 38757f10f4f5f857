//! What a read of an image costs beside the same decode, scale and encode done bare.
//!
//! `cargo bench -p read-image`
#![allow(missing_docs, clippy::expect_used, clippy::cast_possible_truncation, reason = "a bench")]

use std::io::Cursor;

use divan::Bencher;
use fast_image_resize::images::{Image, ImageRef};
use fast_image_resize::{FilterType, PixelType, ResizeAlg, ResizeOptions, Resizer};
use image::codecs::jpeg::JpegEncoder;
use image::{DynamicImage, ExtendedColorType, ImageFormat, Rgb, RgbImage};
use read_core::{Cancel, MemoryFileSystem, Pipeline, Registry, Request};

fn main() {
    divan::main();
}

/// A picture with edges, gradients and grain, as a photograph has them.
fn photograph(width: u32, height: u32) -> RgbImage {
    let mut state = 1_u32;
    RgbImage::from_fn(width, height, |x, y| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let grain = (state >> 29) as u8;
        let shape = if (x / 97 + y / 61) % 3 == 0 { 60 } else { 0 };
        Rgb([(x * 150 / width) as u8 + grain, (y * 150 / height) as u8 + grain + shape, 90 + grain])
    })
}

fn encoded(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    DynamicImage::ImageRgb8(photograph(width, height)).write_to(&mut bytes, format).expect("it encodes");
    bytes.into_inner()
}

fn through_the_reader(bencher: Bencher<'_, '_>, bytes: Vec<u8>) {
    let pipeline = Pipeline::new(MemoryFileSystem::new().with("a", bytes))
        .with_registry(Registry::core().with(read_image::READER));
    bencher.bench(|| pipeline.read("a", &Request::default(), Cancel::new()).expect("it is shown"));
}

fn bare(bencher: Bencher<'_, '_>, bytes: &[u8]) {
    bencher.bench(|| {
        let image = image::load_from_memory(bytes).expect("it decodes").into_rgb8();
        let from =
            ImageRef::new(image.width(), image.height(), image.as_raw(), PixelType::U8x3).expect("it is RGB");
        let mut to = Image::new(2_000, 1_333, PixelType::U8x3);
        let lanczos = ResizeOptions::new().resize_alg(ResizeAlg::Convolution(FilterType::Lanczos3));
        Resizer::new().resize(&from, &mut to, &lanczos).expect("it is scaled");
        let mut out = Vec::new();
        JpegEncoder::new_with_quality(&mut out, 80)
            .encode(to.buffer(), 2_000, 1_333, ExtendedColorType::Rgb8)
            .expect("it encodes");
        out
    });
}

#[divan::bench]
fn jpeg_24_megapixels(bencher: Bencher<'_, '_>) {
    through_the_reader(bencher, encoded(6_000, 4_000, ImageFormat::Jpeg));
}

#[divan::bench]
fn jpeg_24_megapixels_bare(bencher: Bencher<'_, '_>) {
    bare(bencher, &encoded(6_000, 4_000, ImageFormat::Jpeg));
}

#[divan::bench]
fn png_24_megapixels(bencher: Bencher<'_, '_>) {
    through_the_reader(bencher, encoded(6_000, 4_000, ImageFormat::Png));
}

#[divan::bench]
fn png_24_megapixels_bare(bencher: Bencher<'_, '_>) {
    bare(bencher, &encoded(6_000, 4_000, ImageFormat::Png));
}

#[divan::bench]
fn png_that_passes(bencher: Bencher<'_, '_>) {
    through_the_reader(bencher, encoded(400, 300, ImageFormat::Png));
}

#[divan::bench]
fn png_that_passes_bare(bencher: Bencher<'_, '_>) {
    let bytes = encoded(400, 300, ImageFormat::Png);
    bencher.bench(|| image::load_from_memory(&bytes).expect("it decodes"));
}
