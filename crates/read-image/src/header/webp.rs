//! WebP: every chunk of the RIFF container (<https://www.rfc-editor.org/rfc/rfc9649>).

use image::metadata::Orientation;

use super::{Format, Header, Metadata, Parts};
use crate::cursor::Cursor;
use crate::fault::Fault;
use crate::limits::ImageLimits;
use crate::orient;

pub(super) fn read(cursor: &mut Cursor, limits: &ImageLimits) -> Result<Header, Fault> {
    cursor.skip(4);
    let end = u64::from(cursor.u32_le()?).saturating_add(8);
    if end > cursor.len() {
        return Err(Fault::Corrupt(format!("it ends after {} bytes of {end}", cursor.len())));
    }
    cursor.skip(4);
    let mut found = Found::default();
    let mut metadata = Metadata::new(limits);
    while cursor.position().saturating_add(8) <= end {
        found.chunk(cursor, end, limits, &mut metadata)?;
    }
    let Some((width, height)) = found.canvas.or(found.size) else {
        return Err(Fault::corrupt("it has no image data"));
    };
    let memory = found.memory((width, height));
    Ok(Header {
        format: Format::WebP,
        width,
        height,
        orientation: found.orientation.unwrap_or(Orientation::NoTransforms),
        icc: found.icc,
        parts: Parts::of(found.frames, Parts::Frames),
        intact: true,
        memory,
    })
}

#[derive(Default)]
struct Found {
    /// The size in the first bitstream.
    size: Option<(u32, u32)>,
    /// The size in the extended header.
    canvas: Option<(u32, u32)>,
    orientation: Option<Orientation>,
    icc: Option<Vec<u8>>,
    frames: u64,
    alpha: bool,
    lossy: bool,
}

impl Found {
    /// What the decoder holds: the result, and a lossy image as planes, a lossless one (or its transparency, which is coded
    /// as one) in colours, unless they are the result.
    fn memory(&self, canvas: (u32, u32)) -> u64 {
        let pixels = |size: (u32, u32)| u64::from(size.0).saturating_mul(u64::from(size.1));
        let result = pixels(canvas).saturating_mul(if self.alpha { 4 } else { 3 });
        let coded = pixels(self.size.unwrap_or(canvas)).saturating_mul(match (self.lossy, self.alpha) {
            (true, false) => 2,
            (true, true) => 6,
            (false, false) => 4,
            (false, true) => 0,
        });
        let frames = if self.frames > 0 { pixels(canvas).saturating_mul(8) } else { 0 };
        result.saturating_add(coded).saturating_add(frames)
    }

    fn chunk(
        &mut self,
        cursor: &mut Cursor,
        end: u64,
        limits: &ImageLimits,
        metadata: &mut Metadata,
    ) -> Result<(), Fault> {
        let kind = cursor.array::<4>()?;
        let length = u64::from(cursor.u32_le()?);
        let body = cursor.position();
        let next = body.saturating_add(length).saturating_add(length & 1);
        if body.saturating_add(length) > end {
            return Err(Fault::corrupt("a chunk reaches beyond its end"));
        }
        match &kind {
            b"VP8 " => self.lossy(cursor, limits)?,
            b"VP8L" => self.lossless(cursor, limits)?,
            b"VP8X" => {
                self.alpha |= cursor.u8()? & 0x10 != 0;
                cursor.skip(3);
                let canvas = (1 + u24(cursor)?, 1 + u24(cursor)?);
                limits.check_size(canvas.0.into(), canvas.1.into())?;
                self.canvas = self.canvas.or(Some(canvas));
            }
            b"ANIM" | b"ALPH" => {}
            b"ANMF" => {
                self.frames += 1;
                cursor.skip(16);
                // The frame's own chunks follow; their sizes count as those of the file do.
                while cursor.position().saturating_add(8) <= body.saturating_add(length) {
                    let kind = cursor.array::<4>()?;
                    let inner = u64::from(cursor.u32_le()?);
                    let after = cursor.position().saturating_add(inner).saturating_add(inner & 1);
                    match &kind {
                        b"VP8 " => self.lossy(cursor, limits)?,
                        b"VP8L" => self.lossless(cursor, limits)?,
                        _ => {}
                    }
                    cursor.go_to(after);
                }
            }
            b"EXIF" => self.orientation = Some(orient::from_exif(&metadata.take(cursor, length)?)),
            b"ICCP" => self.icc = Some(metadata.take(cursor, length)?),
            _ => metadata.count(length)?,
        }
        cursor.go_to(next);
        Ok(())
    }

    fn lossy(&mut self, cursor: &mut Cursor, limits: &ImageLimits) -> Result<(), Fault> {
        cursor.skip(6);
        let (width, height) = (cursor.u16_le()?, cursor.u16_le()?);
        self.lossy = true;
        self.size((u32::from(width & 0x3fff), u32::from(height & 0x3fff)), limits)
    }

    fn lossless(&mut self, cursor: &mut Cursor, limits: &ImageLimits) -> Result<(), Fault> {
        cursor.skip(1);
        let bits = cursor.u32_le()?;
        self.alpha |= bits >> 28 & 1 != 0;
        self.size((1 + (bits & 0x3fff), 1 + (bits >> 14 & 0x3fff)), limits)
    }

    fn size(&mut self, size: (u32, u32), limits: &ImageLimits) -> Result<(), Fault> {
        limits.check_size(size.0.into(), size.1.into())?;
        let larger = |a: (u32, u32), b: (u32, u32)| (a.0.max(b.0), a.1.max(b.1));
        self.size = Some(self.size.map_or(size, |seen| larger(seen, size)));
        Ok(())
    }
}

fn u24(cursor: &mut Cursor) -> Result<u32, Fault> {
    let [a, b, c] = cursor.array()?;
    Ok(u32::from_le_bytes([a, b, c, 0]))
}
