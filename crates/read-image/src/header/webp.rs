//! WebP: every chunk of the RIFF container (<https://www.rfc-editor.org/rfc/rfc9649>).

use image::metadata::Orientation;

use super::{Header, Layout, Metadata, Parts};
use crate::fault::{Fault, check_size};
use crate::limits::ImageLimits;
use crate::orient;
use crate::recognise::Kind;
use crate::window::Window;

pub(super) fn read(window: &mut Window, limits: &ImageLimits) -> Result<Header, Fault> {
    window.skip(4);
    let end = u64::from(window.u32_le()?).saturating_add(8);
    if end > window.len() {
        return Err(Fault::Corrupt(format!("it ends after {} bytes of {end}", window.len())));
    }
    window.skip(4);
    let mut found = Found::default();
    let mut metadata = Metadata::new(limits);
    while window.position().saturating_add(8) <= end {
        found.chunk(window, end, limits, &mut metadata)?;
    }
    let Some((width, height)) = found.canvas.or(found.size) else {
        return Err(Fault::corrupt("it has no image data"));
    };
    let memory = found.memory((width, height));
    Ok(Header {
        kind: Kind::WebP,
        width,
        height,
        orientation: found.orientation.unwrap_or(Orientation::NoTransforms),
        icc: found.icc,
        parts: Parts::of(found.frames, Parts::Frames),
        intact: true,
        memory,
        layout: Layout::Plain,
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
        window: &mut Window,
        end: u64,
        limits: &ImageLimits,
        metadata: &mut Metadata,
    ) -> Result<(), Fault> {
        let kind = window.array::<4>()?;
        let length = u64::from(window.u32_le()?);
        let body = window.position();
        let next = body.saturating_add(length).saturating_add(length & 1);
        if body.saturating_add(length) > end {
            return Err(Fault::corrupt("a chunk reaches beyond its end"));
        }
        match &kind {
            b"VP8 " => self.lossy(window, limits)?,
            b"VP8L" => self.lossless(window, limits)?,
            b"VP8X" => {
                self.alpha |= window.u8()? & 0x10 != 0;
                window.skip(3);
                let canvas = (1 + u24(window)?, 1 + u24(window)?);
                check_size(canvas.0.into(), canvas.1.into(), limits)?;
                self.canvas = self.canvas.or(Some(canvas));
            }
            b"ANIM" | b"ALPH" => {}
            b"ANMF" => {
                self.frames += 1;
                window.skip(16);
                // The frame's own chunks follow; their sizes count as those of the file do.
                while window.position().saturating_add(8) <= body.saturating_add(length) {
                    let kind = window.array::<4>()?;
                    let inner = u64::from(window.u32_le()?);
                    let after = window.position().saturating_add(inner).saturating_add(inner & 1);
                    match &kind {
                        b"VP8 " => self.lossy(window, limits)?,
                        b"VP8L" => self.lossless(window, limits)?,
                        _ => {}
                    }
                    window.go_to(after);
                }
            }
            b"EXIF" => self.orientation = Some(orient::from_exif(&metadata.take(window, length)?)),
            b"ICCP" => self.icc = Some(metadata.take(window, length)?),
            _ => metadata.count(length)?,
        }
        window.go_to(next);
        Ok(())
    }

    fn lossy(&mut self, window: &mut Window, limits: &ImageLimits) -> Result<(), Fault> {
        window.skip(6);
        let (width, height) = (window.u16_le()?, window.u16_le()?);
        self.lossy = true;
        self.size((u32::from(width & 0x3fff), u32::from(height & 0x3fff)), limits)
    }

    fn lossless(&mut self, window: &mut Window, limits: &ImageLimits) -> Result<(), Fault> {
        window.skip(1);
        let bits = window.u32_le()?;
        self.alpha |= bits >> 28 & 1 != 0;
        self.size((1 + (bits & 0x3fff), 1 + (bits >> 14 & 0x3fff)), limits)
    }

    fn size(&mut self, size: (u32, u32), limits: &ImageLimits) -> Result<(), Fault> {
        check_size(size.0.into(), size.1.into(), limits)?;
        let larger = |a: (u32, u32), b: (u32, u32)| (a.0.max(b.0), a.1.max(b.1));
        self.size = Some(self.size.map_or(size, |seen| larger(seen, size)));
        Ok(())
    }
}

fn u24(window: &mut Window) -> Result<u32, Fault> {
    let [a, b, c] = window.array()?;
    Ok(u32::from_le_bytes([a, b, c, 0]))
}
