//! TIFF: the first page, in the colours that it is stored in, brought to grey or RGB.

use tiff::ColorType;
use tiff::decoder::{Decoder, DecodingResult, Limits};
use tiff::tags::Tag;

use super::{Decoded, assemble};
use crate::cursor::Cursor;
use crate::fault::Fault;
use crate::header::TiffPage;
use crate::limits::ImageLimits;

pub(super) fn decode(cursor: &Cursor, page: TiffPage, limits: &ImageLimits) -> Result<Decoded, Fault> {
    // The decoder knows no palettes: it is told that the indices are grey, and they are looked up here.
    let input = page.palette.map_or_else(|| cursor.again(), |offset| cursor.patched(offset, 1));
    let mut decoder = Decoder::new(input)?.with_limits(bounds(limits));
    let (width, height) = decoder.dimensions()?;
    let colour = decoder.colortype()?;
    let palette = match page.palette {
        Some(_) => Some(decoder.get_tag_u16_vec(Tag::ColorMap)?),
        None => None,
    };
    let mut stored = DecodingResult::U8(Vec::new());
    let layout = decoder.read_image_to_buffer(&mut stored)?;
    if stored.as_buffer(0).as_bytes().len() < layout.complete_len {
        return Err(Fault::TooLarge("decoding it takes more memory than this host allows".into()));
    }
    let planes = layout.planes;
    let bits = colour.bit_depth();
    let per_row = if planes > 1 { 1 } else { usize::from(colour.num_samples()) };
    let across = usize::try_from(width).unwrap_or(usize::MAX).saturating_mul(per_row);
    // Colours of which a little is out of range are clamped; measurements in one channel have a range of their own.
    let range = if colour.num_samples() == 1 { range(&stored) } else { None };
    let mut samples = if page.palette.is_some() {
        raw(stored, bits, across)?
    } else {
        eight_bits(stored, bits, across, range.unwrap_or((0.0, 1.0)))?
    };
    if planes > 1 {
        samples = interleaved(&samples, planes);
    }
    if let Some(palette) = palette {
        return Ok(assemble(width, height, 3, looked_up(&samples, &palette))?.into());
    }
    let (channels, samples) = colours(colour, page, samples)?;
    Ok(Decoded { image: assemble(width, height, channels, samples)?, range })
}

/// The least and the greatest of samples that are real numbers, where not all lie between 0 and 1, which are black and
/// white by custom.
fn range(stored: &DecodingResult) -> Option<(f64, f64)> {
    fn of(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
        let wider = |(least, most): (f64, f64), value: f64| (least.min(value), most.max(value));
        let (least, most) =
            values.filter(|value| value.is_finite()).fold((f64::INFINITY, f64::NEG_INFINITY), wider);
        (least < 0.0 || most > 1.0).then_some((least, most)).filter(|_| least <= most)
    }
    match stored {
        DecodingResult::F16(values) => of(values.iter().map(|value| value.to_f64())),
        DecodingResult::F32(values) => of(values.iter().map(|value| f64::from(*value))),
        DecodingResult::F64(values) => of(values.iter().copied()),
        _ => None,
    }
}

fn bounds(limits: &ImageLimits) -> Limits {
    let bytes = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    let mut bounds = Limits::default();
    bounds.decoding_buffer_size = bytes(limits.max_memory);
    bounds.intermediate_buffer_size = bytes(limits.max_memory);
    // Beside the metadata that are bounded by their own limit these are lists of offsets.
    bounds.ifd_value_size = bytes(limits.max_metadata);
    bounds
}

/// Samples as they are stored, in a byte each.
fn raw(stored: DecodingResult, bits: u8, across: usize) -> Result<Vec<u8>, Fault> {
    match stored {
        DecodingResult::U8(bytes) if bits == 8 => Ok(bytes),
        DecodingResult::U8(bytes) => unpacked(&bytes, bits, across),
        _ => Err(Fault::Unsupported(format!("a palette of {bits} bits"))),
    }
}

/// Samples in eight bits each; real numbers between those that are black and white.
fn eight_bits(
    stored: DecodingResult,
    bits: u8,
    across: usize,
    (black, white): (f64, f64),
) -> Result<Vec<u8>, Fault> {
    let span = if white > black { white - black } else { 1.0 };
    let unit = |value: f64| byte((value - black) / span * 255.0);
    Ok(match stored {
        DecodingResult::U8(bytes) if bits == 8 => bytes,
        DecodingResult::U8(bytes) => {
            // 1, 2 or 4 bits: the largest value is white.
            let white = (1_u16 << bits.min(7)) - 1;
            let mut samples = unpacked(&bytes, bits, across)?;
            for sample in &mut samples {
                *sample = u8::try_from(u16::from(*sample) * 255 / white).unwrap_or(u8::MAX);
            }
            samples
        }
        DecodingResult::U16(words) => words
            .into_iter()
            .map(|word| u8::try_from((u32::from(word) + 128) / 257).unwrap_or(u8::MAX))
            .collect(),
        DecodingResult::U32(words) => words.into_iter().map(|word| (word >> 24) as u8).collect(),
        DecodingResult::U64(words) => words.into_iter().map(|word| (word >> 56) as u8).collect(),
        DecodingResult::F16(values) => values.into_iter().map(|value| unit(value.to_f64())).collect(),
        DecodingResult::F32(values) => values.into_iter().map(|value| unit(value.into())).collect(),
        DecodingResult::F64(values) => values.into_iter().map(unit).collect(),
        _ => return Err(Fault::Unsupported("signed samples".into())),
    })
}

/// Samples of 1, 2 or 4 bits in a byte each; rows begin at whole bytes.
fn unpacked(bytes: &[u8], bits: u8, across: usize) -> Result<Vec<u8>, Fault> {
    if !matches!(bits, 1 | 2 | 4) {
        return Err(Fault::Unsupported(format!("{bits} bits a channel")));
    }
    let a_byte = usize::from(8 / bits);
    let mask = (1_u8 << bits) - 1;
    let mut samples = Vec::with_capacity(bytes.len().saturating_mul(a_byte));
    for row in bytes.chunks(across.div_ceil(a_byte).max(1)) {
        let unpacked = row.iter().flat_map(|byte| (1..=8 / bits).map(move |i| byte >> (8 - bits * i) & mask));
        samples.extend(unpacked.take(across));
    }
    Ok(samples)
}

/// Planes, one after the other, as pixels.
fn interleaved(samples: &[u8], planes: usize) -> Vec<u8> {
    let each = samples.len() / planes.max(1);
    let mut pixels = vec![0; each.saturating_mul(planes)];
    for (plane, values) in samples.chunks_exact(each.max(1)).take(planes).enumerate() {
        for (pixel, value) in pixels.iter_mut().skip(plane).step_by(planes).zip(values) {
            *pixel = *value;
        }
    }
    pixels
}

/// Indices as colours. The table has all reds, then all greens, then all blues, 16 bits each.
fn looked_up(indices: &[u8], palette: &[u16]) -> Vec<u8> {
    let entries = palette.len() / 3;
    let channel = |index: u8, nth: usize| {
        let value =
            (usize::from(index) < entries).then(|| palette.get(nth * entries + usize::from(index))).flatten();
        value.map_or(0, |value| (value >> 8) as u8)
    };
    indices.iter().flat_map(|index| [channel(*index, 0), channel(*index, 1), channel(*index, 2)]).collect()
}

/// Grey or RGB, with alpha where there is some.
fn colours(colour: ColorType, page: TiffPage, samples: Vec<u8>) -> Result<(u32, Vec<u8>), Fault> {
    Ok(match colour {
        ColorType::Gray(_) => (1, samples),
        ColorType::GrayA(_) => (2, samples),
        ColorType::Multiband { num_samples: 2, .. } if page.alpha => (2, samples),
        ColorType::Multiband { num_samples, .. } => {
            (1, samples.into_iter().step_by(usize::from(num_samples.max(1))).collect())
        }
        ColorType::RGB(_) => (3, samples),
        ColorType::RGBA(_) => (4, samples),
        ColorType::CMYK(_) => (3, samples.chunks_exact(4).flat_map(from_cmyk).collect()),
        ColorType::CMYKA(_) => (3, samples.chunks_exact(5).flat_map(from_cmyk).collect()),
        ColorType::YCbCr(_) => (3, samples.chunks_exact(3).flat_map(from_ycbcr).collect()),
        other => return Err(Fault::Unsupported(format!("{other:?} colours"))),
    })
}

fn from_cmyk(pixel: &[u8]) -> [u8; 3] {
    let [cyan, magenta, yellow, black, ..] = *pixel else { return [0; 3] };
    let mix = |ink: u8| {
        u8::try_from((u16::from(255 - ink) * u16::from(255 - black) + 127) / 255).unwrap_or(u8::MAX)
    };
    [mix(cyan), mix(magenta), mix(yellow)]
}

/// With the coefficients of ITU-R BT.601, the format's default.
fn from_ycbcr(pixel: &[u8]) -> [u8; 3] {
    let [luma, blue, red] = *pixel else { return [0; 3] };
    let (luma, blue, red) = (f64::from(luma), f64::from(blue) - 128.0, f64::from(red) - 128.0);
    [luma + 1.402 * red, luma - 0.344_136 * blue - 0.714_136 * red, luma + 1.772 * blue].map(byte)
}

/// The nearest byte; zero for what is no number.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the value is clamped to 0 to 255"
)]
fn byte(value: f64) -> u8 {
    value.round().clamp(0.0, 255.0) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_depths_are_spread_to_white() {
        let bytes = DecodingResult::U8(vec![0b1010_0000, 0b0110_0000]);
        assert_eq!(eight_bits(bytes, 1, 3, (0.0, 1.0)).unwrap(), [255, 0, 255, 0, 255, 255]);
        let bytes = DecodingResult::U8(vec![0x0f, 0x80]);
        assert_eq!(eight_bits(bytes, 4, 3, (0.0, 1.0)).unwrap(), [0, 255, 136]);
    }

    #[test]
    fn real_numbers_without_a_range_are_spread_over_what_they_have() {
        let values = || DecodingResult::F32(vec![-10.0, 40.0, f32::NAN, 90.0]);
        assert_eq!(range(&values()), Some((-10.0, 90.0)));
        assert_eq!(eight_bits(values(), 32, 4, (-10.0, 90.0)).unwrap(), [0, 128, 0, 255]);
        assert_eq!(range(&DecodingResult::F32(vec![0.0, 0.5, 1.0])), None);
        assert_eq!(range(&DecodingResult::F32(vec![f32::NAN])), None);
        assert_eq!(eight_bits(DecodingResult::F64(vec![120.0]), 64, 1, (120.0, 120.0)).unwrap(), [0]);
    }

    #[test]
    fn planes_become_pixels() {
        assert_eq!(interleaved(&[1, 2, 3, 4, 5, 6], 3), [1, 3, 5, 2, 4, 6]);
    }

    #[test]
    fn inks_and_palettes() {
        assert_eq!(from_cmyk(&[0, 255, 255, 0]), [255, 0, 0]);
        assert_eq!(from_cmyk(&[0, 0, 0, 255]), [0, 0, 0]);
        assert_eq!(from_ycbcr(&[76, 85, 255]), [254, 0, 0]);
        let palette = [0xff00, 0, 0, 0xff00, 0x1200, 0x3400];
        assert_eq!(looked_up(&[0, 1, 2], &palette), [255, 0, 0x12, 0, 255, 0x34, 0, 0, 0]);
    }
}
