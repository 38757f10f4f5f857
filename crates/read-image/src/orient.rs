//! Orientation: how a stored image must be turned to stand upright.

use image::DynamicImage;
use image::metadata::Orientation;

/// The orientation in an EXIF block, with or without its `Exif\0\0`. Absent, zero and nonsense mean upright.
pub(crate) fn from_exif(block: &[u8]) -> Orientation {
    let block = block.strip_prefix(b"Exif\0\0").unwrap_or(block);
    Orientation::from_exif_chunk(block).unwrap_or(Orientation::NoTransforms)
}

/// The orientation that a TIFF tag holds. Zero and nonsense mean upright.
pub(crate) fn from_tag(value: u64) -> Orientation {
    u8::try_from(value).ok().and_then(Orientation::from_exif).unwrap_or(Orientation::NoTransforms)
}

/// Whether width and height change places.
pub(crate) fn swaps_sides(orientation: Orientation) -> bool {
    matches!(
        orientation,
        Orientation::Rotate90
            | Orientation::Rotate270
            | Orientation::Rotate90FlipH
            | Orientation::Rotate270FlipH
    )
}

/// Turns `image` upright.
pub(crate) fn upright(mut image: DynamicImage, orientation: Orientation) -> DynamicImage {
    image.apply_orientation(orientation);
    image
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exif(value: u16, big_endian: bool) -> Vec<u8> {
        let mut block = b"Exif\0\0".to_vec();
        let mut put = |bytes: &[u8]| {
            let mut bytes = bytes.to_vec();
            if big_endian {
                bytes.reverse();
            }
            block.extend(bytes);
        };
        put(if big_endian { b"MM" } else { b"II" });
        put(&42_u16.to_le_bytes());
        put(&8_u32.to_le_bytes());
        put(&1_u16.to_le_bytes());
        for field in [0x112_u16, 3] {
            put(&field.to_le_bytes());
        }
        put(&1_u32.to_le_bytes());
        put(&value.to_le_bytes());
        put(&[0, 0]);
        put(&0_u32.to_le_bytes());
        block
    }

    #[test]
    fn orientations_and_nonsense() {
        for big_endian in [false, true] {
            for value in 1..=8_u16 {
                let found = from_exif(&exif(value, big_endian));
                assert_eq!(u16::from(found.to_exif()), value);
                assert_eq!(swaps_sides(found), value >= 5);
            }
            for value in [0, 9, 255, 256, 257, u16::MAX] {
                assert_eq!(from_exif(&exif(value, big_endian)), Orientation::NoTransforms, "{value}");
            }
        }
        for broken in [&b""[..], b"Exif\0\0", b"Exif\0\0II*\0", b"Exif\0\0II*\0\xff\xff\xff\xff", b"nonsense"]
        {
            assert_eq!(from_exif(broken), Orientation::NoTransforms);
        }
        assert_eq!(from_tag(6), Orientation::Rotate90);
        assert_eq!(from_tag(262), Orientation::NoTransforms);
    }
}
