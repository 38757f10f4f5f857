//! What an image is, by its first bytes alone; the name never decides.

/// What a source was recognised as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Recognised {
    /// A format that is decoded.
    Image(Kind),
    /// A format that is only named.
    Foreign(Foreign),
}

impl Recognised {
    pub(crate) fn media_type(self) -> &'static str {
        match self {
            Self::Image(kind) => kind.media_type(),
            Self::Foreign(foreign) => foreign.media_type,
        }
    }
}

/// A format that is decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Png,
    Jpeg,
    Gif,
    WebP,
    Bmp,
    Tiff,
    /// Windows icons and cursors.
    Ico,
}

impl Kind {
    /// Its name and its media type.
    const fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Png => ("PNG", "image/png"),
            Self::Jpeg => ("JPEG", "image/jpeg"),
            Self::Gif => ("GIF", "image/gif"),
            Self::WebP => ("WebP", "image/webp"),
            Self::Bmp => ("BMP", "image/bmp"),
            Self::Tiff => ("TIFF", "image/tiff"),
            Self::Ico => ("ICO", "image/x-icon"),
        }
    }

    pub(crate) const fn name(self) -> &'static str {
        self.names().0
    }

    pub(crate) const fn media_type(self) -> &'static str {
        self.names().1
    }
}

/// A format that is recognised and named, not decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Foreign {
    pub(crate) name: &'static str,
    pub(crate) media_type: &'static str,
}

const fn foreign(name: &'static str, media_type: &'static str) -> Foreign {
    Foreign { name, media_type }
}

/// Signatures at the first byte. TIFF comes after the raw formats that are built on it.
const SIGNATURES: &[(&[u8], Foreign)] = &[
    (b"\x00\x00\x00\x0cJXL \r\n\x87\n", foreign("JPEG XL", "image/jxl")),
    (b"\x00\x00\x00\x0cjP  \r\n\x87\n", foreign("JPEG 2000", "image/jp2")),
    (b"\xff\x4f\xff\x51", foreign("JPEG 2000", "image/j2k")),
    (b"II\xbc", foreign("JPEG XR", "image/jxr")),
    (b"8BPS\x00", foreign("Photoshop", "image/vnd.adobe.photoshop")),
    (b"\x76\x2f\x31\x01", foreign("OpenEXR", "image/x-exr")),
    (b"#?RADIANCE\n", foreign("Radiance HDR", "image/vnd.radiance")),
    (b"#?RGBE\n", foreign("Radiance HDR", "image/vnd.radiance")),
    (b"DDS \x7c\x00\x00\x00", foreign("DDS", "image/vnd.ms-dds")),
    (b"qoif\x00", foreign("QOI", "image/qoi")),
    (b"farbfeld\x00", foreign("farbfeld", "image/x-farbfeld")),
    (b"gimp xcf ", foreign("GIMP", "image/x-xcf")),
    (b"BPG\xfb", foreign("BPG", "image/bpg")),
    (b"\xabKTX 11\xbb\r\n\x1a\n", foreign("KTX", "image/ktx")),
    (b"\xabKTX 20\xbb\r\n\x1a\n", foreign("KTX 2", "image/ktx2")),
    (b"icns\x00", foreign("Apple icon", "image/x-icns")),
    (b"\xd7\xcd\xc6\x9a\x00", foreign("Windows metafile", "image/wmf")),
    (b"\x0a\x05\x01\x08", foreign("PCX", "image/vnd.zbrush.pcx")),
    (b"FUJIFILMCCD-RAW ", foreign("Fujifilm raw", "image/x-fuji-raf")),
    (b"IIRO\x08\x00", foreign("Olympus raw", "image/x-olympus-orf")),
    (b"IIRS\x08\x00", foreign("Olympus raw", "image/x-olympus-orf")),
    (b"IIU\x00", foreign("Panasonic raw", "image/x-panasonic-rw2")),
    (b"SIMPLE  =                    T", foreign("FITS", "image/fits")),
];

/// Extensions of raw formats that are TIFF files whose first image is a thumbnail.
const TIFF_RAW: &[&str] = &[
    "nef", "nrw", "arw", "srf", "sr2", "pef", "srw", "dng", "3fr", "erf", "kdc", "dcr", "mos", "iiq", "cr2",
];

/// Recognises a source by its first bytes. Of its name only an extension is looked at, and only to tell camera raw files
/// from other TIFF files.
pub(crate) fn recognise(head: &[u8], name: &[u8]) -> Option<Recognised> {
    let found = image(head).map(Recognised::Image).or_else(|| named(head).map(Recognised::Foreign))?;
    if found == Recognised::Image(Kind::Tiff) && (is_raw(name) || at(head, 8, b"CR\x02")) {
        return Some(Recognised::Foreign(foreign("camera raw", "image/x-raw")));
    }
    Some(found)
}

fn is_raw(name: &[u8]) -> bool {
    let extension = name.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
    TIFF_RAW.iter().any(|raw| extension.eq_ignore_ascii_case(raw.as_bytes()))
}

fn image(head: &[u8]) -> Option<Kind> {
    if head.starts_with(b"\x89PNG\r\n\x1a\n") {
        Some(Kind::Png)
    } else if head.starts_with(b"\xff\xd8\xff") {
        Some(Kind::Jpeg)
    } else if head.starts_with(b"GIF87a") || head.starts_with(b"GIF89a") {
        Some(Kind::Gif)
    } else if head.starts_with(b"RIFF") && at(head, 8, b"WEBP") {
        Some(Kind::WebP)
    } else if [&b"II*\0"[..], b"MM\0*", b"II+\0\x08\0\0\0", b"MM\0+\0\x08\0\0"]
        .iter()
        .any(|magic| head.starts_with(magic))
    {
        Some(Kind::Tiff)
    } else if is_bmp(head) {
        Some(Kind::Bmp)
    } else if is_icon(head) {
        Some(Kind::Ico)
    } else {
        None
    }
}

/// `BM` alone begins many texts: the size of the header behind it must be one that exists.
fn is_bmp(head: &[u8]) -> bool {
    head.starts_with(b"BM") && matches!(u32_le(head, 14), Some(12 | 16 | 40 | 52 | 56 | 64 | 108 | 124))
}

/// The four bytes of an icon or cursor are not rare: its first entry must make sense too.
fn is_icon(head: &[u8]) -> bool {
    if !(head.starts_with(b"\0\0\x01\0") || head.starts_with(b"\0\0\x02\0")) {
        return false;
    }
    let (Some(count), Some(length), Some(offset)) = (u16_le(head, 4), u32_le(head, 14), u32_le(head, 18))
    else {
        return false;
    };
    count > 0
        && length > 0
        && u64::from(offset) >= 6 + 16 * u64::from(count)
        && matches!(head.get(9), Some(0 | 255))
}

fn named(head: &[u8]) -> Option<Foreign> {
    SIGNATURES
        .iter()
        .find(|(magic, _)| head.starts_with(magic))
        .map(|(_, foreign)| *foreign)
        .or_else(|| brand(head))
        .or_else(|| bare_jpeg_xl(head))
        .or_else(|| portable_anymap(head))
        .or_else(|| at(head, 128, b"DICM").then_some(foreign("DICOM", "application/dicom")))
        .or_else(|| {
            (head.starts_with(b"\x01\0\0\0") && at(head, 40, b" EMF"))
                .then_some(foreign("Windows metafile", "image/emf"))
        })
}

/// The image formats that lie in an ISO base media file, by its major brand and the ones it is compatible with.
fn brand(head: &[u8]) -> Option<Foreign> {
    const AVIF: Foreign = foreign("AVIF", "image/avif");
    const HEIC: Foreign = foreign("HEIC", "image/heic");
    const HEIF: Foreign = foreign("HEIF", "image/heif");
    if !at(head, 4, b"ftyp") {
        return None;
    }
    let size = usize::try_from(u32_be(head, 0)?).ok()?.min(head.len());
    let brands = head.get(8..size).unwrap_or_default();
    let (major, others) = brands.split_at_checked(4)?;
    let compatible = |wanted: &[u8]| others.chunks_exact(4).skip(1).any(|brand| brand == wanted);
    match major {
        b"avif" | b"avis" => Some(AVIF),
        b"heic" | b"heix" | b"heim" | b"heis" | b"hevc" | b"hevx" | b"hevm" | b"hevs" => Some(HEIC),
        b"mif1" | b"msf1" | b"mif2" | b"miaf" if compatible(b"avif") => Some(AVIF),
        b"mif1" | b"msf1" | b"mif2" | b"miaf" if compatible(b"heic") => Some(HEIC),
        b"mif1" | b"msf1" | b"mif2" | b"miaf" => Some(HEIF),
        b"crx " => Some(foreign("camera raw", "image/x-canon-cr3")),
        b"jxl " => Some(foreign("JPEG XL", "image/jxl")),
        _ => None,
    }
}

/// A JPEG XL codestream has two bytes of signature; it is no text, so it must not look like one.
fn bare_jpeg_xl(head: &[u8]) -> Option<Foreign> {
    let body = head.get(2..66).or(head.get(2..))?;
    (head.starts_with(b"\xff\x0a") && body.iter().any(|byte| *byte < b'\t' || *byte > 0x7f))
        .then_some(foreign("JPEG XL", "image/jxl"))
}

/// The binary forms of PBM, PGM, PPM (`P4` to `P6`) and PAM (`P7`). The plain forms are text.
fn portable_anymap(head: &[u8]) -> Option<Foreign> {
    let (first, after) = (head.get(..2)?, head.get(2)?);
    if !matches!(first, b"P4" | b"P5" | b"P6" | b"P7") || !after.is_ascii_whitespace() {
        return None;
    }
    // Only now: every text that is read is asked what image it may be.
    let binary =
        head.contains(&0) || std::str::from_utf8(head).is_err_and(|error| error.error_len().is_some());
    binary.then_some(foreign("PNM", "image/x-portable-anymap"))
}

fn at(head: &[u8], offset: usize, magic: &[u8]) -> bool {
    head.get(offset..).is_some_and(|rest| rest.starts_with(magic))
}

fn bytes<const N: usize>(head: &[u8], offset: usize) -> Option<[u8; N]> {
    head.get(offset..)?.first_chunk().copied()
}

fn u16_le(head: &[u8], offset: usize) -> Option<u16> {
    bytes(head, offset).map(u16::from_le_bytes)
}

fn u32_le(head: &[u8], offset: usize) -> Option<u32> {
    bytes(head, offset).map(u32::from_le_bytes)
}

fn u32_be(head: &[u8], offset: usize) -> Option<u32> {
    bytes(head, offset).map(u32::from_be_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(head: &[u8]) -> Option<&'static str> {
        image(head).map(Kind::name).or_else(|| named(head).map(|foreign| foreign.name))
    }

    #[test]
    fn formats_by_their_first_bytes() {
        for (head, wanted) in [
            (&b"\x89PNG\r\n\x1a\n...."[..], Some("PNG")),
            (b"\x89PNG\n\x1a\n", None),
            (b"\xff\xd8\xff\xe0", Some("JPEG")),
            (b"GIF89a\x01\0", Some("GIF")),
            (b"GIF88a", None),
            (b"RIFF\0\0\0\0WEBPVP8 ", Some("WebP")),
            (b"RIFF\0\0\0\0WAVEfmt ", None),
            (b"MM\0*\0\0\0\x08", Some("TIFF")),
            (b"BM......\0\0\0\0..\x28\0\0\0", Some("BMP")),
            (b"BMW builds cars since 1916", None),
            (b"\0\0\x01\0\x01\0\x10\x10\0\0\x01\0\x20\0\x68\0\0\0\x16\0\0\0", Some("ICO")),
            (b"\0\0\x01\0\0\0", None),
            (b"\0\0\0\x1cftypheic\0\0\0\0mif1heic....", Some("HEIC")),
            (b"\0\0\0\x1cftypmif1\0\0\0\0avifmiaf....", Some("AVIF")),
            (b"\0\0\0\x18ftypisom\0\0\0\0isomavc1", None),
            (b"\xff\x0a\xfa\x1f\x01\x02", Some("JPEG XL")),
            (b"\xff\nplain Latin-1 text", None),
            (b"P6\n2 2\n255\n\xff\0\0\0\0\0", Some("PNM")),
            (b"P3\n2 2\n255\n1 2 3", None),
            (b"P6 is a road", None),
            (b"8BPS\0\x01", Some("Photoshop")),
            (b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>", None),
            (b"\x1f\x8b\x08\0\0\0\0\0", None),
            (b"", None),
        ] {
            assert_eq!(name(head), wanted, "{:?}", String::from_utf8_lossy(head));
        }
    }
}
