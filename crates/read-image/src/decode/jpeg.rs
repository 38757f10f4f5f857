//! JPEG: grey or RGB, whatever is stored (YCbCr, CMYK, YCCK).

use image::DynamicImage;
use zune_core::colorspace::ColorSpace;
use zune_core::options::DecoderOptions;
use zune_jpeg::JpegDecoder;
use zune_jpeg::errors::DecodeErrors;

use super::assemble;
use crate::cursor::Cursor;
use crate::fault::Fault;
use crate::header::Scans;

/// Bytes behind the data of the last scan that a decoder may have read when it has all its pixels: it fills a register
/// four bytes at a time, and begins while up to three are left.
const LOOKAHEAD: u64 = 7;

/// Decodes. An orderly file is decoded strictly: what a lenient decoder would paint grey is an error then. One with stray
/// bytes between its segments, as some cameras write, cannot be.
///
/// At the end marker the decoder would take as many zeros as it lacks pixels, and say nothing. So the file ends for it at
/// `end`, where the data of its last scan do: then what is missing is an error.
pub(super) fn decode(cursor: &Cursor, Scans { orderly, end }: Scans) -> Result<DynamicImage, Fault> {
    let cursor = match end.filter(|_| orderly) {
        Some(end) => cursor.cut_and_padded(end, LOOKAHEAD),
        None => cursor.again(),
    };
    let side = usize::from(u16::MAX);
    let options = DecoderOptions::default().set_strict_mode(orderly).set_max_width(side).set_max_height(side);
    let mut decoder = JpegDecoder::new_with_options(cursor, options);
    decoder.decode_headers().map_err(fault)?;
    let (shown, channels) = match decoder.input_colorspace() {
        Some(ColorSpace::Luma) => (ColorSpace::Luma, 1),
        _ => (ColorSpace::RGB, 3),
    };
    decoder.set_options(options.jpeg_set_out_colorspace(shown));
    let size = decoder.dimensions().zip(decoder.output_buffer_size());
    let ((width, height), length) = size.ok_or_else(|| Fault::corrupt("its size cannot be told"))?;
    let mut pixels = vec![0; length];
    decoder.decode_into(&mut pixels).map_err(fault)?;
    let side = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    assemble(side(width), side(height), channels, pixels)
}

fn fault(error: DecodeErrors) -> Fault {
    match error {
        DecodeErrors::Unsupported(what) => Fault::Unsupported(format!("{what:?}")),
        other => Fault::decoder(other),
    }
}
