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

use crate::cursor::Cursor;
use crate::fault::Fault;
use crate::limits::ImageLimits;
use crate::recognise::Kind;

pub(crate) use ico::Entry as IconEntry;
pub(crate) use jpeg::Scans;
pub(crate) use tiff::Page as TiffPage;

/// What a header says.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    pub(crate) format: Format,
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

/// The format, with what its decoder must know beside the size.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Format {
    Png,
    Jpeg(Scans),
    Gif,
    WebP,
    Bmp,
    Tiff(TiffPage),
    Ico(IconEntry),
}

impl Format {
    pub(crate) const fn kind(self) -> Kind {
        match self {
            Self::Png => Kind::Png,
            Self::Jpeg(_) => Kind::Jpeg,
            Self::Gif => Kind::Gif,
            Self::WebP => Kind::WebP,
            Self::Bmp => Kind::Bmp,
            Self::Tiff(_) => Kind::Tiff,
            Self::Ico(_) => Kind::Ico,
        }
    }
}

impl Header {
    /// Reads the header of an image of `kind`.
    pub(crate) fn read(kind: Kind, cursor: &mut Cursor, limits: &ImageLimits) -> Result<Self, Fault> {
        let header = match kind {
            Kind::Png => png::read(cursor, limits),
            Kind::Jpeg => jpeg::read(cursor, limits),
            Kind::Gif => gif::read(cursor, limits),
            Kind::WebP => webp::read(cursor, limits),
            Kind::Bmp => bmp::read(cursor, limits),
            Kind::Tiff => tiff::read(cursor, limits),
            Kind::Ico => ico::read(cursor, limits),
        }?;
        limits.check_size(header.width.into(), header.height.into())?;
        limits.check_memory(header.memory, header.width, header.height)?;
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

    /// `n` bytes of metadata at the cursor's position.
    fn take(&mut self, cursor: &mut Cursor, n: u64) -> Result<Vec<u8>, Fault> {
        self.count(n)?;
        let here = cursor.position();
        if here.saturating_add(n) > cursor.len() {
            return Err(Fault::cut(cursor.len(), "the end of its metadata"));
        }
        Ok(cursor.bytes(usize::try_from(n).unwrap_or(usize::MAX))?)
    }
}
