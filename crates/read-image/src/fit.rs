//! Making an image fit: scaled, upright, and encoded so that it is small enough.

mod encode;
mod scale;

use read_core::Meter;

use crate::decode::Decoded;
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
    /// The samples that are black and white, where the file does not say.
    pub(crate) range: Option<(f64, f64)>,
}

/// Scales a decoded image into the limits, turns it upright and encodes it: as PNG, then as JPEG at falling qualities, then
/// all of it again at three quarters of the size, until it is small enough.
pub(crate) fn fit(
    Decoded { image, range }: Decoded,
    header: &Header,
    limits: &ImageLimits,
    meter: &Meter,
) -> Result<Shown, Fault> {
    meter.check()?;
    // Scaled as it lies, so that the large image is never copied in order to be turned.
    let image = scale::to(image, lying_size(header, limits))?;
    meter.check()?;
    let mut image = encode::without_idle_alpha(orient::upright(image, header.orientation));
    loop {
        meter.check()?;
        if let Some(shown) = encode::smallest(&image, header.icc.as_deref(), limits, meter)? {
            return Ok(Shown { range, ..shown });
        }
        let (width, height) = (image.width(), image.height());
        let smaller = (part(width, 3, 4).min(width), part(height, 3, 4).min(height));
        if smaller == (width, height) {
            return Err(Fault::TooLarge("no size of it is small enough for this host's model".into()));
        }
        image = scale::to(image, smaller)?;
    }
}

/// The size at which an image is shown, before it is turned upright.
pub(crate) fn lying_size(header: &Header, limits: &ImageLimits) -> (u32, u32) {
    let (width, height) = header.upright_size();
    let (width, height) = limits.shown_size(width, height);
    if orient::swaps_sides(header.orientation) { (height, width) } else { (width, height) }
}
