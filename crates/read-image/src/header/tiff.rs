//! TIFF and `BigTIFF`: the first directory, and how many follow (TIFF 6.0).

use std::collections::HashSet;
use std::io::Read;

use image::metadata::Orientation;

use super::{Format, Header, Metadata, Parts};
use crate::cursor::Cursor;
use crate::fault::Fault;
use crate::limits::{ImageLimits, MAX_PAGES};
use crate::orient;

/// What the decoder must be told of the first page.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Page {
    /// Where the low byte of the colour interpretation lies, when that is a palette.
    pub(crate) palette: Option<u64>,
    /// Whether the second of two grey channels is transparency.
    pub(crate) alpha: bool,
}

const WIDTH: u16 = 256;
const HEIGHT: u16 = 257;
const BITS: u16 = 258;
const INTERPRETATION: u16 = 262;
const STRIP_OFFSETS: u16 = 273;
const ORIENTATION: u16 = 274;
const SAMPLES: u16 = 277;
const STRIP_LENGTHS: u16 = 279;
const TILE_OFFSETS: u16 = 324;
const TILE_LENGTHS: u16 = 325;
const EXTRA_SAMPLES: u16 = 338;
const ICC: u16 = 34_675;
const DNG_VERSION: u16 = 50_706;

pub(super) fn read(cursor: &mut Cursor, limits: &ImageLimits) -> Result<Header, Fault> {
    let mut file = TiffFile::open(cursor)?;
    let (entries, next) = file.directory(file.first)?;
    let mut metadata = Metadata::new(limits);
    let (mut width, mut height, mut bits, mut samples) = (0, 0, 1, 1);
    let mut orientation = Orientation::NoTransforms;
    let mut icc = None;
    let mut page = Page::default();
    for entry in &entries {
        match entry.tag {
            WIDTH => width = entry.value,
            HEIGHT => height = entry.value,
            // A list of more than two lies elsewhere; its items are alike in whatever is decoded.
            BITS => bits = if entry.inline { entry.value & 0xffff } else { file.u16_at(entry.value)?.into() },
            SAMPLES => samples = entry.value,
            ORIENTATION => orientation = orient::from_tag(entry.value),
            INTERPRETATION if entry.value == 3 => page.palette = Some(entry.low_byte),
            EXTRA_SAMPLES => page.alpha = matches!(entry.value & 0xffff, 1 | 2),
            ICC => icc = Some(file.metadata(entry, &mut metadata)?),
            DNG_VERSION => return Err(Fault::Unsupported("camera raw data (DNG)".into())),
            STRIP_OFFSETS | STRIP_LENGTHS | TILE_OFFSETS | TILE_LENGTHS => {}
            _ => metadata.count(entry.bytes)?,
        }
    }
    limits.check_size(width, height)?;
    let pages = file.count_pages(next);
    let (width, height) =
        (u32::try_from(width).unwrap_or(u32::MAX), u32::try_from(height).unwrap_or(u32::MAX));
    let pixels = u64::from(width).saturating_mul(u64::from(height));
    let stored = pixels.saturating_mul(samples.max(1)).saturating_mul(bits.max(8)).div_ceil(8);
    // What is stored in eight bits a channel, and without palette or planes, is shown as it is.
    let shown = if page.palette.is_some() {
        pixels.saturating_mul(3)
    } else {
        pixels.saturating_mul(samples.clamp(1, 4))
    };
    Ok(Header {
        format: Format::Tiff(page),
        width,
        height,
        orientation,
        icc,
        parts: Parts::of(pages, Parts::Pages),
        intact: true,
        memory: stored.saturating_add(if bits == 8 && page.palette.is_none() { 0 } else { shown }),
    })
}

struct Entry {
    tag: u16,
    /// The value, or where it lies.
    value: u64,
    /// Whether `value` is the value.
    inline: bool,
    /// The length of the value in bytes.
    bytes: u64,
    /// Where the low byte of an inline value lies.
    low_byte: u64,
}

struct TiffFile<'a> {
    cursor: &'a mut Cursor,
    big_endian: bool,
    /// With offsets of 8 bytes.
    big: bool,
    first: u64,
}

impl<'a> TiffFile<'a> {
    fn open(cursor: &'a mut Cursor) -> Result<Self, Fault> {
        let big_endian = cursor.array::<2>()? == *b"MM";
        let mut file = Self { cursor, big_endian, big: false, first: 0 };
        file.big = file.number(2)? == 43;
        if file.big {
            file.cursor.skip(4);
        }
        file.first = file.offset()?;
        Ok(file)
    }

    /// A number of `n` bytes at the cursor's position.
    fn number(&mut self, n: usize) -> Result<u64, Fault> {
        let mut bytes = [0; 8];
        let read = bytes.get_mut(..n).unwrap_or_default();
        self.cursor.read_exact(read)?;
        if self.big_endian {
            read.reverse();
        }
        Ok(u64::from_le_bytes(bytes))
    }

    fn offset(&mut self) -> Result<u64, Fault> {
        self.number(if self.big { 8 } else { 4 })
    }

    fn u16_at(&mut self, offset: u64) -> Result<u16, Fault> {
        self.cursor.go_to(offset);
        Ok(u16::try_from(self.number(2)?).unwrap_or_default())
    }

    fn directory(&mut self, at: u64) -> Result<(Vec<Entry>, u64), Fault> {
        self.cursor.go_to(at);
        let count = self.number(if self.big { 8 } else { 2 })?;
        // No directory is longer than the classic form allows; a larger count is nonsense.
        let count = u16::try_from(count).map_err(|_| Fault::corrupt("its directory has too many entries"))?;
        let mut entries = Vec::new();
        for _ in 0..count {
            entries.push(self.entry()?);
        }
        Ok((entries, self.offset()?))
    }

    fn entry(&mut self) -> Result<Entry, Fault> {
        let tag = u16::try_from(self.number(2)?).unwrap_or_default();
        let (width, is_number) = match self.number(2)? {
            1 | 2 | 6 | 7 => (1, true),
            3 | 8 => (2, true),
            4 | 9 | 13 => (4, true),
            11 => (4, false),
            5 | 10 | 12 => (8, false),
            16..=18 => (8, true),
            _ => (0, false),
        };
        let room = if self.big { 8 } else { 4 };
        let bytes = self.offset()?.saturating_mul(width);
        let here = self.cursor.position();
        let inline = bytes <= room;
        let digits = if inline && is_number { width } else { room };
        let value = self.number(usize::try_from(digits).unwrap_or_default())?;
        self.cursor.go_to(here.saturating_add(room));
        let low_byte = if self.big_endian { here.saturating_add(width.saturating_sub(1)) } else { here };
        Ok(Entry { tag, value, inline, bytes, low_byte })
    }

    fn metadata(&mut self, entry: &Entry, metadata: &mut Metadata) -> Result<Vec<u8>, Fault> {
        if entry.inline {
            return Ok(Vec::new());
        }
        self.cursor.go_to(entry.value);
        metadata.take(self.cursor, entry.bytes)
    }

    /// How many pages there are, this one and those in the chain from `next` on. A chain that breaks or turns back ends there.
    fn count_pages(&mut self, mut next: u64) -> u64 {
        let mut seen = HashSet::from([self.first]);
        while next != 0 && seen.len() < MAX_PAGES && seen.insert(next) {
            let Ok(after) = self.next_directory(next) else {
                seen.remove(&next);
                break;
            };
            next = after;
        }
        seen.len() as u64
    }

    fn next_directory(&mut self, at: u64) -> Result<u64, Fault> {
        self.cursor.go_to(at);
        let (count, each) = if self.big { (self.number(8)?, 20) } else { (self.number(2)?, 12) };
        self.cursor.skip(count.saturating_mul(each));
        self.offset()
    }
}
