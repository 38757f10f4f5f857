//! GIF: every block from the header to the trailer (<https://www.w3.org/Graphics/GIF/spec-gif89a.txt>).

use image::metadata::Orientation;

use super::{Format, Header, Metadata, Parts};
use crate::cursor::Cursor;
use crate::fault::Fault;
use crate::limits::ImageLimits;

pub(super) fn read(cursor: &mut Cursor, limits: &ImageLimits) -> Result<Header, Fault> {
    cursor.skip(6);
    let (mut width, mut height) = (cursor.u16_le()?, cursor.u16_le()?);
    limits.check_size(width.into(), height.into())?;
    let [packed, ..] = cursor.array::<3>()?;
    skip_table(cursor, packed);
    let mut metadata = Metadata::new(limits);
    let mut frames = 0_u64;
    let mut first = 0_u64;
    loop {
        match next_byte(cursor)? {
            b'!' => {
                let is_control = cursor.u8()? == 0xf9;
                let held = skip_blocks(cursor)?;
                metadata.count(if is_control { 0 } else { held })?;
            }
            b',' => {
                let frame = Frame::read(cursor, limits)?;
                if frames == 0 {
                    // A screen too small for its first frame grows to it, as browsers have it.
                    (width, height) = (width.max(frame.right), height.max(frame.bottom));
                    first = frame.pixels;
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
        format: Format::Gif,
        width: width.into(),
        height: height.into(),
        orientation: Orientation::NoTransforms,
        icc: None,
        parts: Parts::of(frames, Parts::Frames),
        intact: true,
        // The canvas in colours, and the frame as indices.
        memory: (u64::from(width) * u64::from(height)).saturating_mul(4).saturating_add(first),
    })
}

/// Where a frame ends on the screen.
struct Frame {
    right: u16,
    bottom: u16,
    pixels: u64,
}

impl Frame {
    /// Reads a frame's descriptor, and passes over its data.
    fn read(cursor: &mut Cursor, limits: &ImageLimits) -> Result<Self, Fault> {
        let (left, top) = (cursor.u16_le()?, cursor.u16_le()?);
        let (across, down) = (cursor.u16_le()?, cursor.u16_le()?);
        limits.check_size(across.into(), down.into())?;
        let packed = cursor.u8()?;
        skip_table(cursor, packed);
        cursor.skip(1);
        skip_blocks(cursor)?;
        let pixels = u64::from(across) * u64::from(down);
        Ok(Self { right: left.saturating_add(across), bottom: top.saturating_add(down), pixels })
    }
}

/// The next byte of a file that its trailer ends.
fn next_byte(cursor: &mut Cursor) -> Result<u8, Fault> {
    if cursor.position() >= cursor.len() {
        return Err(Fault::cut(cursor.len(), "its trailer"));
    }
    Ok(cursor.u8()?)
}

/// Skips the colour table that `packed` announces.
fn skip_table(cursor: &mut Cursor, packed: u8) {
    if packed & 0x80 != 0 {
        cursor.skip(3 << ((packed & 7) + 1));
    }
}

/// Skips sub-blocks up to the empty one; gives how many bytes they held.
fn skip_blocks(cursor: &mut Cursor) -> Result<u64, Fault> {
    let mut held = 0_u64;
    loop {
        match next_byte(cursor)? {
            0 => return Ok(held),
            n => {
                held = held.saturating_add(n.into());
                cursor.skip(n.into());
            }
        }
    }
}
