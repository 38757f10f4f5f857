//! What a host's model takes, and what decoding may cost.

use std::borrow::Cow;

use read_core::size;

use crate::fault::Fault;
use crate::recognise::Kind;

/// The most scans of a progressive JPEG. Encoders write some ten; each costs a pass over the whole image. Not configurable.
pub(crate) const MAX_SCANS: u32 = 100;

/// The most pages of a TIFF that are counted. Not configurable.
pub(crate) const MAX_PAGES: usize = 65_535;

/// The limits of image reads. [`ImageLimits::DEFAULT`] suits every common provider; hosts that know theirs take a preset
/// or change fields, and give them to [`ImageReader::new`](crate::ImageReader::new).
///
/// PNG and JPEG have no switch here: every provider takes them, and whatever cannot pass as it is becomes one of them.
///
/// How long a read may take is the host's `read_core::Limits::timeout` (30 s): decoders read through its meter, and it is
/// checked between frames, rows and steps.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImageLimits {
    /// The longest side of what is shown, in pixels; larger images are scaled down to it. Default 2,000.
    pub max_side: u32,
    /// The most pixels of what is shown; `None`: no limit beside [`max_side`](Self::max_side), the default. For providers
    /// that scale by area without saying so.
    pub max_shown_pixels: Option<u64>,
    /// The size of what is shown, in characters of Base64, is below this. Default 4.5 MiB.
    pub max_base64: u64,
    /// Whether the model takes GIF. Default true; else GIF becomes PNG.
    pub gif: bool,
    /// Whether the model takes WebP. Default true; else WebP becomes PNG.
    pub webp: bool,
    /// Whether the model takes animated images. Default true; else their first frame is shown.
    pub animated: bool,
    /// The JPEG qualities (1 to 100) that are tried, in this order, when PNG is too large. Default 80, 70, 55, 40.
    pub qualities: Cow<'static, [u8]>,
    /// The most pixels (width × height) that are decoded. The frames of an animation beyond this many pixels in all are
    /// not decoded, only walked through. Default 100,000,000.
    pub max_pixels: u64,
    /// The most bytes that decoding may hold, reckoned from the header. Default 512 MiB.
    pub max_memory: u64,
    /// The most bytes of metadata (texts, EXIF, XMP, colour profiles), inflated. Default 8 MiB.
    pub max_metadata: u64,
}

impl ImageLimits {
    /// 2,000 pixels a side and 4.5 MiB of Base64: what the strictest of the common providers accepts in a request with
    /// many images.
    pub const DEFAULT: Self = Self {
        max_side: 2_000,
        max_shown_pixels: None,
        max_base64: 4_718_592,
        gif: true,
        webp: true,
        animated: true,
        qualities: Cow::Borrowed(&[80, 70, 55, 40]),
        max_pixels: 100_000_000,
        max_memory: 512 << 20,
        max_metadata: 8 << 20,
    };

    /// For Claude models, such that nothing is scaled again on the server, which would shift coordinates: at most 1,568
    /// pixels a side and 1092 × 1092 pixels in all.
    ///
    /// Source: <https://docs.anthropic.com/en/docs/build-with-claude/vision> as published in early 2026: JPEG, PNG, GIF, WebP;
    /// images above 1,568 pixels on the long edge or about 1,600 tokens (width × height / 750) are scaled down; more than
    /// 8000 × 8000 is rejected, in requests with more than 20 images more than 2000 × 2000; 5 MB an image. Newer models see
    /// patches of 28 × 28 pixels and have larger native sizes (<https://platform.claude.com/docs/en/build-with-claude/vision>). Models that
    /// take more without scaling deserve a larger [`max_side`](Self::max_side) and no
    /// [`max_shown_pixels`](Self::max_shown_pixels).
    pub const fn anthropic() -> Self {
        Self { max_side: 1_568, max_shown_pixels: Some(1_092 * 1_092), ..Self::DEFAULT }
    }

    /// For `OpenAI` models with high detail: at most 2,048 pixels a side, no animations.
    ///
    /// Source: <https://developers.openai.com/api/docs/guides/images-vision> as published in 2025: PNG, JPEG, WEBP and
    /// non-animated GIF; 20 MB an image, 50 MB a request; images are scaled into a square of 2048 × 2048. Some models then
    /// scale the shorter side to 768, or all of it to a number of patches of 32 × 32.
    pub const fn openai() -> Self {
        Self { max_side: 2_048, animated: false, ..Self::DEFAULT }
    }

    /// For Gemini models: at most 3,072 pixels a side, no GIF, 7 MB a file.
    ///
    /// Source: <https://ai.google.dev/gemini-api/docs/image-understanding> and
    /// <https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/image-understanding> as published in early 2026: PNG,
    /// JPEG, WEBP (and HEIC, HEIF); 7 MB a file of inline data, 20 MB a request; and
    /// <https://firebase.google.com/docs/vertex-ai/input-file-requirements>: larger images are scaled to fit 3072 × 3072.
    pub const fn gemini() -> Self {
        Self { max_side: 3_072, gif: false, animated: false, max_base64: 7_000_000 / 3 * 4, ..Self::DEFAULT }
    }

    /// Refuses sizes that are no image or too many pixels, as soon as a header has told them.
    pub(crate) fn check_size(&self, width: u64, height: u64) -> Result<(), Fault> {
        if width == 0 || height == 0 {
            return Err(Fault::Corrupt(format!(
                "its size is {width}x{height}, and an image has no zero side"
            )));
        }
        let pixels = width.saturating_mul(height);
        if pixels > self.max_pixels {
            return Err(Fault::TooLarge(format!(
                "{width}x{height} is {}, over the limit of {}",
                megapixels(pixels),
                megapixels(self.max_pixels)
            )));
        }
        Ok(())
    }

    /// Refuses what would take too much memory to decode.
    pub(crate) fn check_memory(&self, bytes: u64, width: u32, height: u32) -> Result<(), Fault> {
        if bytes > self.max_memory {
            return Err(Fault::TooLarge(format!(
                "decoding {width}x{height} takes {}, over the limit of {}",
                size(bytes),
                size(self.max_memory)
            )));
        }
        Ok(())
    }

    /// Whether the model takes the format as it is.
    pub(crate) fn takes(&self, kind: Kind) -> bool {
        match kind {
            Kind::Png | Kind::Jpeg => true,
            Kind::Gif => self.gif,
            Kind::WebP => self.webp,
            Kind::Bmp | Kind::Tiff | Kind::Ico => false,
        }
    }

    /// Whether an encoded image of `bytes` bytes is small enough.
    pub(crate) fn fits(&self, bytes: u64) -> bool {
        bytes.div_ceil(3).saturating_mul(4) < self.max_base64
    }

    /// The most bytes of an encoded image that is small enough.
    pub(crate) fn max_bytes(&self) -> u64 {
        (self.max_base64.saturating_sub(1) / 4).saturating_mul(3)
    }

    /// The size at which an image of `width` × `height` is shown: scaled down into the limits, no side below 1.
    pub(crate) fn shown_size(&self, width: u32, height: u32) -> (u32, u32) {
        let (width, height) = within_side(width, height, self.max_side.max(1));
        let area = u64::from(width).saturating_mul(u64::from(height));
        match self.max_shown_pixels {
            Some(max) if area > max => within_area(width, height, max.max(1)),
            _ => (width, height),
        }
    }
}

impl Default for ImageLimits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

fn megapixels(pixels: u64) -> String {
    let tenths = (u128::from(pixels) + 50_000) / 100_000;
    format!("{}.{} megapixels", tenths / 10, tenths % 10)
}

/// The size whose longer side is at most `side`, the other rounded to the nearest pixel.
fn within_side(width: u32, height: u32, side: u32) -> (u32, u32) {
    let longest = width.max(height);
    if longest <= side {
        return (width, height);
    }
    (part(width, side, longest), part(height, side, longest))
}

/// The largest size of the same shape with at most `area` pixels.
fn within_area(width: u32, height: u32, area: u64) -> (u32, u32) {
    let longest = width.max(height);
    let fits = |side: u32| {
        u64::from(part(width, side, longest)).saturating_mul(u64::from(part(height, side, longest))) <= area
    };
    // The area grows with the side, so the largest side that fits is found by halving.
    let (mut low, mut high) = (1, longest);
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if fits(middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    (part(width, low, longest), part(height, low, longest))
}

/// `value × numerator / denominator`, rounded to nearest, at least 1.
pub(crate) fn part(value: u32, numerator: u32, denominator: u32) -> u32 {
    let denominator = u64::from(denominator.max(1));
    let scaled = (u64::from(value) * u64::from(numerator) + denominator / 2) / denominator;
    u32::try_from(scaled).unwrap_or(u32::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_page_of_limits_names_every_limit_with_its_default() {
        let page = include_str!("../../../docs/limits.md");
        let written = |name: &str| {
            let row = page.lines().find(|line| line.contains(&format!("| `{name}` |")));
            row.and_then(|row| row.split('|').nth(2)).map(|cell| cell.trim().replace(',', ""))
        };
        let ImageLimits {
            max_side,
            max_shown_pixels,
            max_base64,
            gif: _,
            webp: _,
            animated: _,
            qualities,
            max_pixels,
            max_memory,
            max_metadata,
        } = ImageLimits::DEFAULT;
        let qualities: Vec<_> = qualities.iter().map(u8::to_string).collect();
        for (name, value) in [
            ("max_side", max_side.to_string()),
            ("max_shown_pixels", max_shown_pixels.map_or_else(|| "none".to_owned(), |n| n.to_string())),
            ("max_base64", max_base64.to_string()),
            ("qualities", qualities.join(" ")),
            ("max_pixels", max_pixels.to_string()),
            ("max_memory", format!("{} MiB", max_memory >> 20)),
            ("max_metadata", format!("{} MiB", max_metadata >> 20)),
        ] {
            assert_eq!(written(name), Some(value), "{name}");
        }
    }

    #[test]
    fn sizes_as_shown() {
        let limits = ImageLimits::DEFAULT;
        for (size, shown) in [
            ((4, 3), (4, 3)),
            ((2_000, 2_000), (2_000, 2_000)),
            ((2_001, 1_000), (2_000, 1_000)),
            ((4_000, 3_000), (2_000, 1_500)),
            ((1, 6_000), (1, 2_000)),
            ((65_535, 1), (2_000, 1)),
            ((6_000, 4_000), (2_000, 1_333)),
        ] {
            assert_eq!(limits.shown_size(size.0, size.1), shown, "{size:?}");
        }
        assert_eq!(ImageLimits::anthropic().shown_size(4_000, 4_000), (1_092, 1_092));
        assert_eq!(ImageLimits::anthropic().shown_size(2_000, 4_000), (772, 1_544));
    }

    #[test]
    fn base64_is_reckoned_with_its_padding() {
        let limits = ImageLimits { max_base64: 9, ..ImageLimits::DEFAULT };
        assert!(limits.fits(6) && !limits.fits(7));
        assert_eq!(limits.max_bytes(), 6);
        let exact = ImageLimits { max_base64: 8, ..ImageLimits::DEFAULT };
        assert!(exact.fits(3) && !exact.fits(4), "under the limit, not at it");
        assert_eq!(exact.max_bytes(), 3);
    }

    #[test]
    fn sizes_are_refused_with_their_figures() {
        let limits = ImageLimits::DEFAULT;
        assert!(limits.check_size(10_000, 10_000).is_ok());
        let over = limits.check_size(65_535, 65_535).unwrap_err();
        assert_eq!(over.to_string(), "65535x65535 is 4294.8 megapixels, over the limit of 100.0 megapixels");
        assert!(matches!(limits.check_size(0, 5), Err(Fault::Corrupt(_))));
        assert!(matches!(limits.check_size(u64::MAX, u64::MAX), Err(Fault::TooLarge(_))));
    }

    proptest! {
        #[test]
        fn shown_sizes_keep_the_limits_and_the_shape(
            width in 1_u32..70_000, height in 1_u32..70_000, side in 1_u32..5_000, area in proptest::option::of(1_u64..9_000_000)
        ) {
            let limits = ImageLimits { max_side: side, max_shown_pixels: area, ..ImageLimits::DEFAULT };
            let (w, h) = limits.shown_size(width, height);
            prop_assert!(w >= 1 && h >= 1 && w <= side.min(width) && h <= side.min(height));
            if let Some(area) = area {
                prop_assert!(u64::from(w) * u64::from(h) <= area.max(1));
            }
            if width.max(height) <= side && area.is_none() {
                prop_assert_eq!((w, h), (width, height));
            }
        }
    }
}
