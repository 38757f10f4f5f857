//! What every reader must do, by core's own suite.

use image::{DynamicImage, ImageFormat};
use read_core::conformance::Suite;

use crate::made::{encoded, gif, gradient, oriented_jpeg};

#[test]
fn every_format() {
    let picture = DynamicImage::ImageRgb8(gradient(12, 9));
    Suite::new(read_image::READER)
        .sample("a.png", encoded(&picture, ImageFormat::Png))
        .sample("a.jpg", oriented_jpeg(&encoded(&picture, ImageFormat::Jpeg), 6))
        .sample("a.gif", gif(6, 4, 2))
        .sample("a.webp", encoded(&picture, ImageFormat::WebP))
        .sample("a.bmp", encoded(&picture, ImageFormat::Bmp))
        .sample("a.tiff", encoded(&picture, ImageFormat::Tiff))
        .sample("a.ico", encoded(&DynamicImage::ImageRgba8(picture.to_rgba8()), ImageFormat::Ico))
        .steps(96)
        .run();
}
