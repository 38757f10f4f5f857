//! JPEG: every marker from SOI to EOI, the data between them included (ITU T.81; EXIF and ICC as their segments define).

use std::io::BufRead;

use image::metadata::Orientation;

use super::{Format, Header, Metadata, Parts};
use crate::cursor::Cursor;
use crate::fault::Fault;
use crate::limits::{ImageLimits, MAX_SCANS};
use crate::orient;

const EXIF: &[u8] = b"Exif\0\0";
const ICC: &[u8] = b"ICC_PROFILE\0";

/// What a decoder must know of the data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scans {
    /// Whether the segments follow each other as they should, so that the decoder can be held to it.
    pub(crate) orderly: bool,
    /// Where the data of the last scan end, in an image that is drawn once from top to bottom.
    pub(crate) end: Option<u64>,
}

pub(super) fn read(cursor: &mut Cursor, limits: &ImageLimits) -> Result<Header, Fault> {
    cursor.skip(2);
    let mut found = Found::default();
    let mut metadata = Metadata::new(limits);
    let mut orderly = true;
    let mut in_scan = false;
    let end = loop {
        let (marker, stray) = next_marker(cursor, in_scan)?;
        orderly &= !stray;
        in_scan = marker == SOS;
        match marker {
            // The marker is two bytes long.
            EOI => break cursor.position().saturating_sub(2),
            SOI | TEM | RST0..=RST7 => {}
            _ => found.segment(marker, cursor, limits, &mut metadata)?,
        }
    };
    let scans = found.scans;
    let frame = found.frame.filter(|_| scans > 0).ok_or_else(|| Fault::corrupt("it has no image data"))?;
    Ok(Header {
        format: Format::Jpeg(Scans { orderly, end: (!frame.progressive).then_some(end) }),
        width: frame.width.into(),
        height: frame.height.into(),
        orientation: found.orientation.unwrap_or(Orientation::NoTransforms),
        icc: profile(found.icc),
        parts: Parts::One,
        intact: true,
        memory: frame.memory(scans),
    })
}

/// What the segments said so far.
#[derive(Default)]
struct Found {
    frame: Option<Frame>,
    orientation: Option<Orientation>,
    /// The pieces of the colour profile.
    icc: Vec<Vec<u8>>,
    scans: u32,
}

impl Found {
    /// Takes the segment behind `marker`, and moves on to its end.
    fn segment(
        &mut self,
        marker: u8,
        cursor: &mut Cursor,
        limits: &ImageLimits,
        metadata: &mut Metadata,
    ) -> Result<(), Fault> {
        let length = u64::from(cursor.u16_be()?)
            .checked_sub(2)
            .ok_or_else(|| Fault::corrupt("a segment has no room for its length"))?;
        let end = cursor.position().saturating_add(length);
        if end > cursor.len() {
            return Err(Fault::cut(cursor.len(), "its end marker"));
        }
        match marker {
            SOS => self.scan()?,
            DHT | JPG | DAC => {}
            SOF0..=SOF15 | SOF55 => {
                if self.frame.is_some() {
                    return Err(Fault::corrupt("it has two frame headers"));
                }
                self.frame = Some(Frame::read(marker, cursor, limits)?);
            }
            APP0..=APP15 | COM => self.said(marker, &metadata.take(cursor, length)?),
            _ => {}
        }
        cursor.go_to(end);
        Ok(())
    }

    fn scan(&mut self) -> Result<(), Fault> {
        self.scans += 1;
        if self.scans > MAX_SCANS {
            return Err(Fault::TooLarge(format!("it is drawn in more than {MAX_SCANS} passes, the limit")));
        }
        Ok(())
    }

    /// Takes what a segment says beside the image.
    fn said(&mut self, marker: u8, segment: &[u8]) {
        match marker {
            APP1 if self.orientation.is_none() && segment.starts_with(EXIF) => {
                self.orientation = Some(orient::from_exif(segment));
            }
            APP2 => self.icc.extend(segment.strip_prefix(ICC).map(<[u8]>::to_vec)),
            _ => {}
        }
    }
}

const TEM: u8 = 0x01;
const SOF0: u8 = 0xc0;
const SOF2: u8 = 0xc2;
const DHT: u8 = 0xc4;
const JPG: u8 = 0xc8;
const DAC: u8 = 0xcc;
const SOF15: u8 = 0xcf;
const RST0: u8 = 0xd0;
const RST7: u8 = 0xd7;
const SOI: u8 = 0xd8;
const EOI: u8 = 0xd9;
const SOS: u8 = 0xda;
const APP0: u8 = 0xe0;
const APP1: u8 = 0xe1;
const APP2: u8 = 0xe2;
const APP15: u8 = 0xef;
/// Of JPEG-LS.
const SOF55: u8 = 0xf7;
const COM: u8 = 0xfe;

/// The next marker, and whether bytes that belong nowhere stood before it. Entropy-coded data, where a scan goes before, is
/// passed over: in it 0xFF is followed by 0 or a restart marker.
fn next_marker(cursor: &mut Cursor, in_scan: bool) -> Result<(u8, bool), Fault> {
    let mut stray = false;
    loop {
        let ready = cursor.fill_buf()?;
        if ready.is_empty() {
            return Err(Fault::cut(cursor.len(), "its end marker"));
        }
        let Some(before) = memchr::memchr(0xff, ready) else {
            stray |= !in_scan;
            let n = ready.len();
            cursor.consume(n);
            continue;
        };
        stray |= !in_scan && before > 0;
        cursor.consume(before.saturating_add(1));
        let marker = loop {
            match cursor.u8() {
                Ok(0xff) => {}
                Ok(marker) => break marker,
                Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
                    return Err(Fault::cut(cursor.len(), "its end marker"));
                }
                Err(error) => return Err(error.into()),
            }
        };
        match marker {
            0 => stray |= !in_scan,
            RST0..=RST7 if in_scan => {}
            marker => return Ok((marker, stray)),
        }
    }
}

struct Frame {
    width: u16,
    height: u16,
    progressive: bool,
    /// The sampling factors of each component.
    components: Vec<(u8, u8)>,
}

impl Frame {
    fn read(marker: u8, cursor: &mut Cursor, limits: &ImageLimits) -> Result<Self, Fault> {
        let [precision] = cursor.array()?;
        let (height, width) = (cursor.u16_be()?, cursor.u16_be()?);
        limits.check_size(width.into(), height.into())?;
        let coding = match marker {
            SOF0..=SOF2 => None,
            0xc3 => Some("lossless coding"),
            0xc5..=0xc7 => Some("hierarchical coding"),
            0xc9..=0xcb | 0xcd..=SOF15 => Some("arithmetic coding"),
            _ => Some("JPEG-LS coding"),
        };
        if let Some(coding) = coding {
            return Err(Fault::Unsupported(coding.into()));
        }
        if precision != 8 {
            return Err(Fault::Unsupported(format!("{precision} bits a channel")));
        }
        let [count] = cursor.array()?;
        let mut components = Vec::new();
        for _ in 0..count {
            let [_id, sampling, _table] = cursor.array()?;
            components.push((sampling >> 4, sampling & 15));
        }
        Ok(Self { width, height, progressive: marker == SOF2, components })
    }

    /// The pixels, and where passes must be added up, the coefficients too.
    fn memory(&self, scans: u32) -> u64 {
        let pixels = u64::from(self.width) * u64::from(self.height);
        let shown = pixels.saturating_mul(if self.components.len() == 1 { 1 } else { 3 });
        if !self.progressive && scans == 1 {
            return shown;
        }
        let most =
            |side: fn(&(u8, u8)) -> u8| u64::from(self.components.iter().map(side).max().unwrap_or(1).max(1));
        let (across, down) = (most(|c| c.0), most(|c| c.1));
        let blocks = u64::from(self.width).div_ceil(8 * across) * u64::from(self.height).div_ceil(8 * down);
        let each = self.components.iter().map(|c| u64::from(c.0) * u64::from(c.1)).sum::<u64>();
        shown.saturating_add(blocks.saturating_mul(each).saturating_mul(64 * 2))
    }
}

/// The colour profile from its numbered pieces; none when one is missing.
fn profile(mut pieces: Vec<Vec<u8>>) -> Option<Vec<u8>> {
    pieces.sort_by_key(|piece| piece.first().copied());
    let mut profile = Vec::new();
    let count = pieces.len();
    for (piece, number) in pieces.iter().zip(1_usize..) {
        let [sequence, of, data @ ..] = piece.as_slice() else { return None };
        if usize::from(*sequence) != number || usize::from(*of) != count {
            return None;
        }
        profile.extend_from_slice(data);
    }
    (!profile.is_empty()).then_some(profile)
}
