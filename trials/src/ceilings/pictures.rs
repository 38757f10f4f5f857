//! Images that are large when they are decoded, or whose decoding has no end.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::Result;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use image::codecs::jpeg::JpegEncoder;
use image::codecs::webp::WebPEncoder;
use image::{ExtendedColorType, ImageEncoder};

use crate::make::png::{Header, chunk, image};
use crate::make::{tiff, zlibbed};

/// 100 megapixels are what is decoded at most.
const SIDE: u32 = 10_000;

fn png(path: &Path, side: u32, depth: u8, colour: u8, row: usize) -> Result<()> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    for _ in 0..side {
        encoder.write_all(&vec![0; row + 1])?;
    }
    let header = Header { width: side, height: side, depth, colour, interlaced: false };
    Ok(std::fs::write(path, image(header, &[chunk(*b"IDAT", &encoder.finish()?)]))?)
}

pub(super) fn huge_png(path: &Path) -> Result<()> {
    png(path, 30_000, 1, 0, 30_000 / 8)
}

pub(super) fn large_png(path: &Path) -> Result<()> {
    png(path, SIDE, 8, 2, 3 * SIDE as usize)
}

fn grey() -> Vec<u8> {
    vec![0x55; SIDE as usize * SIDE as usize]
}

pub(super) fn large_jpeg(path: &Path) -> Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    JpegEncoder::new_with_quality(&mut out, 10).encode(&grey(), SIDE, SIDE, ExtendedColorType::L8)?;
    Ok(out.flush()?)
}

pub(super) fn large_gif(path: &Path) -> Result<()> {
    let side = u16::try_from(SIDE)?;
    let mut encoder =
        gif::Encoder::new(BufWriter::new(File::create(path)?), side, side, &[0, 0, 0, 255, 255, 255])?;
    let frame = gif::Frame {
        width: side,
        height: side,
        buffer: vec![1; grey().len()].into(),
        ..gif::Frame::default()
    };
    encoder.write_frame(&frame)?;
    Ok(())
}

pub(super) fn large_webp(path: &Path) -> Result<()> {
    let pixels = vec![0x55; grey().len() * 3];
    let mut out = BufWriter::new(File::create(path)?);
    WebPEncoder::new_lossless(&mut out).write_image(&pixels, SIDE, SIDE, ExtendedColorType::Rgb8)?;
    Ok(out.flush()?)
}

pub(super) fn many_frames(path: &Path) -> Result<()> {
    let mut encoder =
        gif::Encoder::new(BufWriter::new(File::create(path)?), 1_000, 1_000, &[0, 0, 0, 9, 9, 9])?;
    let mut frame = gif::Frame {
        width: 1_000,
        height: 1_000,
        buffer: vec![1; 1_000_000].into(),
        ..gif::Frame::default()
    };
    // Compressed once: each of the frames is the same.
    frame.make_lzw_pre_encoded();
    for _ in 0..10_000 {
        encoder.write_lzw_pre_encoded_frame(&frame)?;
    }
    Ok(())
}

pub(super) fn many_pages(path: &Path) -> Result<()> {
    Ok(std::fs::write(path, tiff::pages(60_000))?)
}

pub(super) fn texts_png(path: &Path) -> Result<()> {
    let mut text = b"Comment\0\0".to_vec();
    text.extend(zlibbed(&vec![b'x'; 64 << 20])?);
    let header = Header { width: 8, height: 8, depth: 8, colour: 0, interlaced: false };
    let mut chunks = vec![chunk(*b"zTXt", &text); 200];
    chunks.push(chunk(*b"IDAT", &zlibbed(&[0; 9 * 8])?));
    Ok(std::fs::write(path, image(header, &chunks))?)
}
