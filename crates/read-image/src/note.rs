//! What the model is told beside the image.

use read_core::{Notice, Rank};

use crate::fit::Shown;
use crate::header::{Header, Parts};

/// The text block's line.
pub(crate) fn line(path: &str, shown: &Shown) -> String {
    format!("[Image: {path}, {}x{}, {}]", shown.width, shown.height, shown.kind.media_type())
}

/// How what is shown differs from the original, in the order in which it is said.
pub(crate) fn notices(header: &Header, shown: &Shown, passed: bool, no_images: bool) -> Vec<Notice> {
    let mut notices = Vec::new();
    let kind = header.format.kind();
    if shown.kind != kind {
        let converted = format!("Image converted from {} to {}.", kind.name(), shown.kind.name());
        notices.push(Notice::new(Rank::Decoded, converted));
    }
    let (width, height) = header.upright_size();
    if (width, height) != (shown.width, shown.height) {
        notices.push(Notice::new(Rank::Decoded, scale(width, height, shown.width, shown.height)));
    }
    if shown.flattened {
        notices.push(Notice::new(Rank::Decoded, "Transparent parts are shown on white."));
    }
    if let Some((black, white)) = shown.range {
        let text = if white > black {
            format!("Samples are real numbers: {black} is shown black, {white} white.")
        } else {
            format!("Samples are real numbers, all of them {black}.")
        };
        notices.push(Notice::new(Rank::Decoded, text));
    }
    let left_out = match header.parts {
        Parts::Frames(frames) if !passed => {
            Some(format!("Animated image: showing the first of {frames} frames."))
        }
        Parts::Pages(pages) => Some(format!("Showing page 1 of {pages}.")),
        Parts::Sizes(sizes) => Some(format!("Showing the largest of {sizes} sizes.")),
        Parts::Frames(_) | Parts::One => None,
    };
    notices.extend(left_out.map(|text| Notice::new(Rank::LeftOut, text)));
    if no_images {
        notices.push(Notice::new(Rank::LeftOut, NO_IMAGES));
    }
    notices
}

/// Said when the host's model takes no images.
const NO_IMAGES: &str = "Current model does not support images. The image will be omitted from this request.";

fn scale(width: u32, height: u32, shown_width: u32, shown_height: u32) -> String {
    let factor = |original: u32, shown: u32| format!("{:.2}", f64::from(original) / f64::from(shown.max(1)));
    let (x, y) = (factor(width, shown_width), factor(height, shown_height));
    let by = if x == y { x } else { format!("{x} (x) and {y} (y)") };
    format!(
        "Image: original {width}x{height}, displayed at {shown_width}x{shown_height}. Multiply coordinates by {by} to map to original image."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_has_one_factor_or_two() {
        assert_eq!(
            scale(4000, 3000, 2000, 1500),
            "Image: original 4000x3000, displayed at 2000x1500. Multiply coordinates by 2.00 to map to original image."
        );
        assert_eq!(
            scale(1, 6000, 1, 2000),
            "Image: original 1x6000, displayed at 1x2000. Multiply coordinates by 1.00 (x) and 3.00 (y) to map to original image."
        );
        assert!(scale(6000, 4001, 2000, 1334).contains("by 3.00 to map"));
    }
}
