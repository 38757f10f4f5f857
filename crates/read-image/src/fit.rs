//! Making an image fit: scaled, upright, and encoded so that it is small enough.

mod encode;
mod scale;

use image::DynamicImage;
use read_core::Meter;

use crate::fault::Fault;
use crate::header::Header;
use crate::limits::{ImageLimits, part};
use crate::orient;
use crate::recognise::Kind;

/// An image as it is shown.
pub(crate) struct Shown {
    pub(crate) kind: Kind,
    pub(crate) data: Vec<u8>,
    pub(crate) width: u32,
    pub(crate) height: u32,
    /// Whether its transparency was laid on white.
    pub(crate) flattened: bool,
}

/// Scales a decoded image into the limits, turns it upright and encodes it: as PNG, then as JPEG at falling qualities, then
/// all of it again at three quarters of the size, until it is small enough.
pub(crate) fn fit(
    image: DynamicImage,
    header: &Header,
    limits: &ImageLimits,
    meter: &Meter,
) -> Result<Shown, Fault> {
    let check = || meter.check().map_err(|trip| Fault::Io(trip.into()));
    let (width, height) = header.upright_size();
    let upright = limits.shown_size(width, height);
    // Scaled as it lies, so that the large image is never copied in order to be turned.
    let lying = if orient::swaps_sides(header.orientation) { (upright.1, upright.0) } else { upright };
    check()?;
    let image = scale::to(image, lying)?;
    check()?;
    let mut image = encode::without_idle_alpha(orient::upright(image, header.orientation));
    loop {
        check()?;
        if let Some(shown) = encode::smallest(&image, header.icc.as_deref(), limits, meter)? {
            return Ok(shown);
        }
        let (width, height) = (image.width(), image.height());
        let smaller = (part(width, 3, 4).min(width), part(height, 3, 4).min(height));
        if smaller == (width, height) {
            return Err(Fault::TooLarge("no size of it is small enough for this host's model".into()));
        }
        image = scale::to(image, smaller)?;
    }
}
