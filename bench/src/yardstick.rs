//! The bare work that a task cannot be done without, as programs of their own, so that their start is counted as well.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Subcommand;
use fast_image_resize::images::{Image, ImageRef};
use fast_image_resize::{FilterType, PixelType, ResizeAlg, ResizeOptions, Resizer};
use flate2::read::MultiGzDecoder;
use image::ExtendedColorType;
use image::codecs::jpeg::JpegEncoder;
use zune_core::bytestream::ZCursor;
use zune_jpeg::JpegDecoder;

const BLOCK: usize = 256 * 1024;

/// One kind of bare work.
#[derive(Debug, Subcommand)]
pub(crate) enum Yardstick {
    /// Reads the first lines of a file in blocks and does nothing.
    Blocks { file: PathBuf, bytes: u64 },
    /// Reads a file in blocks and counts its line feeds.
    Lines { file: PathBuf },
    /// Goes from header to header of a tar.
    Headers { file: PathBuf },
    /// Inflates a gzip file.
    Inflate { file: PathBuf },
    /// Decodes a picture, scales it to 2,000 pixels and encodes it as JPEG.
    Fit { file: PathBuf },
    /// Reads and decodes a picture.
    Decode { file: PathBuf },
}

impl Yardstick {
    pub(crate) fn run(&self) -> Result<()> {
        let done = match self {
            Self::Blocks { file, bytes } => blocks(&mut open(file)?.take(*bytes), |_| 0)?,
            Self::Lines { file } => {
                blocks(&mut open(file)?, |block| memchr::memchr_iter(b'\n', block).count() as u64)?
            }
            Self::Headers { file } => headers(&mut open(file)?)?,
            Self::Inflate { file } => blocks(&mut MultiGzDecoder::new(open(file)?), |_| 0)?,
            Self::Fit { file } => fit(file)?,
            Self::Decode { file } => decode(file)?.0.len() as u64,
        };
        // Used, so that nothing of the work is left out.
        println!("{done}");
        Ok(())
    }
}

fn open(file: &Path) -> Result<File> {
    File::open(file).with_context(|| format!("{} cannot be read", file.display()))
}

/// Reads to the end; the sum of what each block counts for.
fn blocks(input: &mut dyn Read, count: impl Fn(&[u8]) -> u64) -> Result<u64> {
    let mut block = vec![0; BLOCK];
    let mut sum = 0;
    loop {
        let read = input.read(&mut block)?;
        if read == 0 {
            return Ok(sum);
        }
        sum += count(block.get(..read).unwrap_or_default());
    }
}

/// How many headers there are.
fn headers(file: &mut File) -> Result<u64> {
    let mut header = [0; 512];
    let mut count = 0;
    loop {
        file.read_exact(&mut header)?;
        if header.iter().all(|byte| *byte == 0) {
            return Ok(count);
        }
        count += 1;
        let digits =
            header.get(124..135).and_then(|field| std::str::from_utf8(field).ok()).unwrap_or_default();
        let size = i64::from_str_radix(digits.trim(), 8).context("a size is no octal number")?;
        file.seek(SeekFrom::Current((size + 511) / 512 * 512))?;
    }
}

/// The pixels, and both sides.
fn decode(file: &Path) -> Result<(Vec<u8>, u32, u32)> {
    let bytes = fs::read(file).with_context(|| format!("{} cannot be read", file.display()))?;
    if bytes.starts_with(&[0xFF, 0xD8]) {
        let mut decoder = JpegDecoder::new(ZCursor::new(&bytes));
        let pixels = decoder.decode().map_err(|error| anyhow::anyhow!("{error:?}"))?;
        let (width, height) = decoder.dimensions().context("the picture has no sides")?;
        return Ok((pixels, width.try_into()?, height.try_into()?));
    }
    let picture = image::load_from_memory(&bytes)?.into_rgb8();
    let (width, height) = picture.dimensions();
    Ok((picture.into_raw(), width, height))
}

fn fit(file: &Path) -> Result<u64> {
    let (pixels, width, height) = decode(file)?;
    let longer = width.max(height);
    if longer == 0 {
        bail!("the picture is empty");
    }
    let side = |side: u32| (u64::from(side) * 2_000 / u64::from(longer)).max(1).try_into();
    let (new_width, new_height) = (side(width)?, side(height)?);
    let from = ImageRef::new(width, height, &pixels, PixelType::U8x3)?;
    let mut to = Image::new(new_width, new_height, PixelType::U8x3);
    let lanczos = ResizeOptions::new().resize_alg(ResizeAlg::Convolution(FilterType::Lanczos3));
    Resizer::new().resize(&from, &mut to, &lanczos)?;
    let mut out = Vec::new();
    JpegEncoder::new_with_quality(&mut out, 80).encode(
        to.buffer(),
        new_width,
        new_height,
        ExtendedColorType::Rgb8,
    )?;
    Ok(out.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_read_to_the_end() {
        let text = b"a\nb\n".repeat(BLOCK);
        let lines = blocks(&mut text.as_slice(), |block| memchr::memchr_iter(b'\n', block).count() as u64);
        assert_eq!(lines.unwrap(), 2 * BLOCK as u64);
    }
}
