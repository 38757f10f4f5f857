//! What an image says of itself before any pixel is decoded: its size first, then what bounds the decoding. Every format is
//! walked from its first byte to its last, so that a cut file is found here, whatever a decoder makes of it.

mod bmp;
mod gif;
mod ico;
mod jpeg;
mod png;
mod tiff;
mod webp;

use image::metadata::Orientation;
use read_core::size;

use crate::fault::{Fault, check_memory, check_size};
use crate::limits::ImageLimits;
use crate::recognise::Kind;
use crate::window::Window;

pub(crate) use ico::Entry as IconEntry;
pub(crate) use tiff::Page as TiffPage;

/// What a header says.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    pub(crate) kind: Kind,
    /// As stored, before orientation.
    pub(crate) width: u32,
    /// As stored, before orientation.
    pub(crate) height: u32,
    pub(crate) orientation: Orientation,
    /// The colour profile.
    pub(crate) icc: Option<Vec<u8>>,
    pub(crate) parts: Parts,
    /// Whether every part has the checksum that it should have. Decoders differ in what they forgive: an image with a wrong
    /// one is encoded again, so that no provider refuses it.
    pub(crate) intact: bool,
    /// The bytes that decoding the image (the first frame, the first page, the largest icon) holds at its peak.
    pub(crate) memory: u64,
    pub(crate) layout: Layout,
}

/// How many images a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parts {
    One,
    /// Frames of an animation, two or more.
    Frames(u64),
    /// Pages of a TIFF, two or more.
    Pages(u64),
    /// Sizes of an icon, two or more.
    Sizes(u64),
}

impl Parts {
    fn of(n: u64, many: fn(u64) -> Self) -> Self {
        if n > 1 { many(n) } else { Self::One }
    }
}

/// What a decoder must know beside the size.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Layout {
    Plain,
    Jpeg {
        /// Whether the segments follow each other as they should, so that the decoder can be held to it.
        orderly: bool,
        /// Where the data of the last scan end, in an image that is drawn once from top to bottom.
        end: Option<u64>,
    },
    Icon(IconEntry),
    Tiff(TiffPage),
}

impl Header {
    /// Reads the header of an image of `kind`.
    pub(crate) fn read(kind: Kind, window: &mut Window, limits: &ImageLimits) -> Result<Self, Fault> {
        let header = match kind {
            Kind::Png => png::read(window, limits),
            Kind::Jpeg => jpeg::read(window, limits),
            Kind::Gif => gif::read(window, limits),
            Kind::WebP => webp::read(window, limits),
            Kind::Bmp => bmp::read(window, limits),
            Kind::Tiff => tiff::read(window, limits),
            Kind::Ico => ico::read(window, limits),
        }?;
        check_size(header.width.into(), header.height.into(), limits)?;
        check_memory(header.memory, header.width, header.height, limits)?;
        Ok(header)
    }

    /// The size after orientation.
    pub(crate) fn upright_size(&self) -> (u32, u32) {
        if crate::orient::swaps_sides(self.orientation) {
            (self.height, self.width)
        } else {
            (self.width, self.height)
        }
    }

    pub(crate) fn is_upright(&self) -> bool {
        self.orientation == Orientation::NoTransforms
    }

    pub(crate) fn is_animated(&self) -> bool {
        matches!(self.parts, Parts::Frames(_))
    }
}

/// Metadata counted against its limit.
struct Metadata {
    seen: u64,
    limit: u64,
}

impl Metadata {
    fn new(limits: &ImageLimits) -> Self {
        Self { seen: 0, limit: limits.max_metadata }
    }

    fn count(&mut self, bytes: u64) -> Result<(), Fault> {
        self.seen = self.seen.saturating_add(bytes);
        if self.seen > self.limit {
            return Err(Fault::TooLarge(format!(
                "it carries over {} of metadata (texts, EXIF, colour profiles), the limit",
                size(self.limit)
            )));
        }
        Ok(())
    }

    /// What may still come.
    fn left(&self) -> u64 {
        self.limit.saturating_sub(self.seen)
    }

    /// `n` bytes of metadata at the window's position.
    fn take(&mut self, window: &mut Window, n: u64) -> Result<Vec<u8>, Fault> {
        self.count(n)?;
        let here = window.position();
        if here.saturating_add(n) > window.len() {
            return Err(Fault::cut(window.len(), "the end of its metadata"));
        }
        Ok(window.bytes(usize::try_from(n).unwrap_or(usize::MAX))?)
    }
}
