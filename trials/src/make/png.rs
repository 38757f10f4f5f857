//! PNG images, chunk by chunk: W3C's PNG specification, third edition.

use anyhow::Result;

use super::{crc, zlibbed};

const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// What an image says about itself.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Header {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) depth: u8,
    /// 0 grey, 2 colour, 3 palette, 4 grey with alpha, 6 colour with alpha.
    pub(crate) colour: u8,
    pub(crate) interlaced: bool,
}

/// A chunk with its checksum.
pub(crate) fn chunk(kind: [u8; 4], data: &[u8]) -> Vec<u8> {
    let mut out = u32::try_from(data.len()).unwrap_or(u32::MAX).to_be_bytes().to_vec();
    out.extend_from_slice(&kind);
    out.extend_from_slice(data);
    let sum = crc(out.get(4..).unwrap_or_default());
    out.extend_from_slice(&sum.to_be_bytes());
    out
}

/// An image of these chunks between its header and its end.
pub(crate) fn image(header: Header, chunks: &[Vec<u8>]) -> Vec<u8> {
    let mut data = header.width.to_be_bytes().to_vec();
    data.extend_from_slice(&header.height.to_be_bytes());
    data.extend_from_slice(&[header.depth, header.colour, 0, 0, u8::from(header.interlaced)]);
    let mut out = SIGNATURE.to_vec();
    out.extend(chunk(*b"IHDR", &data));
    out.extend(chunks.concat());
    out.extend(chunk(*b"IEND", b""));
    out
}

/// A grey image in the seven passes of Adam7.
pub(crate) fn interlaced(width: u32, height: u32) -> Result<Vec<u8>> {
    let passes =
        [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)];
    let mut rows = Vec::new();
    for (left, top, across, down) in passes {
        for y in (top..height).step_by(down) {
            let row: Vec<u8> =
                (left..width).step_by(across).map(|x| (x * 3 + y * 5).to_le_bytes()[0]).collect();
            if !row.is_empty() {
                rows.push(0);
                rows.extend(row);
            }
        }
    }
    let header = Header { width, height, depth: 8, colour: 0, interlaced: true };
    Ok(image(header, &[chunk(*b"IDAT", &zlibbed(&rows)?)]))
}

/// Puts the checksums of all chunks right that can be reached.
pub(crate) fn seal(bytes: &mut [u8]) {
    let mut at = SIGNATURE.len();
    while let Some(head) = bytes.get(at..at + 8) {
        let length = head.iter().take(4).fold(0_usize, |length, byte| (length << 8) | usize::from(*byte));
        let Some(sum) = bytes.get(at + 4..at.saturating_add(8).saturating_add(length)).map(crc) else {
            return;
        };
        for (byte, new) in bytes.iter_mut().skip(at + 8 + length).zip(sum.to_be_bytes()) {
            *byte = new;
        }
        at += 12 + length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crate_that_reads_images_reads_this() {
        let bytes = interlaced(13, 9).unwrap();
        let image = ::image::load_from_memory(&bytes).unwrap().to_luma8();
        assert_eq!((image.width(), image.height()), (13, 9));
        assert!(image.enumerate_pixels().all(|(x, y, pixel)| u32::from(pixel.0[0]) == x * 3 + y * 5));
    }

    #[test]
    fn checksums_are_put_right() {
        let bytes = interlaced(5, 5).unwrap();
        let mut other = bytes.clone();
        other[29] ^= 0xFF;
        let last = other.len() - 1;
        other[last] ^= 0xFF;
        assert!(::image::load_from_memory(&other).is_err());
        seal(&mut other);
        assert_eq!(bytes, other);
    }
}
