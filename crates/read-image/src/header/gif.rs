//! GIF: every block from the header to the trailer (<https://www.w3.org/Graphics/GIF/spec-gif89a.txt>).

use image::metadata::Orientation;

use super::{Header, Layout, Metadata, Parts};
use crate::fault::{Fault, check_size};
use crate::limits::ImageLimits;
use crate::recognise::Kind;
use crate::window::Window;

pub(super) fn read(window: &mut Window, limits: &ImageLimits) -> Result<Header, Fault> {
    window.skip(6);
    let (mut width, mut height) = (window.u16_le()?, window.u16_le()?);
    check_size(width.into(), height.into(), limits)?;
    let [packed, ..] = window.array::<3>()?;
    skip_table(window, packed);
    let mut metadata = Metadata::new(limits);
    let mut frames = 0_u64;
    let mut first = 0_u64;
    loop {
        if window.position() >= window.len() {
            return Err(Fault::cut(window.len(), "its trailer"));
        }
        match window.u8()? {
            b'!' => {
                let is_control = window.u8()? == 0xf9;
                let held = skip_blocks(window)?;
                metadata.count(if is_control { 0 } else { held })?;
            }
            b',' => {
                let (left, top) = (window.u16_le()?, window.u16_le()?);
                let (across, down) = (window.u16_le()?, window.u16_le()?);
                check_size(across.into(), down.into(), limits)?;
                let packed = window.u8()?;
                skip_table(window, packed);
                window.skip(1);
                skip_blocks(window)?;
                if frames == 0 {
                    // A screen too small for its first frame grows to it, as browsers have it.
                    (width, height) =
                        (width.max(left.saturating_add(across)), height.max(top.saturating_add(down)));
                    first = u64::from(across) * u64::from(down);
                }
                frames += 1;
            }
            b';' => break,
            other => {
                return Err(Fault::Corrupt(format!(
                    "a block of the unknown kind 0x{other:02x} stands in it"
                )));
            }
        }
    }
    if frames == 0 {
        return Err(Fault::corrupt("it has no image data"));
    }
    Ok(Header {
        kind: Kind::Gif,
        width: width.into(),
        height: height.into(),
        orientation: Orientation::NoTransforms,
        icc: None,
        parts: Parts::of(frames, Parts::Frames),
        intact: true,
        // The canvas in colours, and the frame as indices.
        memory: (u64::from(width) * u64::from(height)).saturating_mul(4).saturating_add(first),
        layout: Layout::Plain,
    })
}

/// Skips the colour table that `packed` announces.
fn skip_table(window: &mut Window, packed: u8) {
    if packed & 0x80 != 0 {
        window.skip(3 << ((packed & 7) + 1));
    }
}

/// Skips sub-blocks up to the empty one; gives how many bytes they held.
fn skip_blocks(window: &mut Window) -> Result<u64, Fault> {
    let mut held = 0_u64;
    loop {
        if window.position() >= window.len() {
            return Err(Fault::cut(window.len(), "its trailer"));
        }
        match window.u8()? {
            0 => return Ok(held),
            n => {
                held = held.saturating_add(n.into());
                window.skip(n.into());
            }
        }
    }
}
