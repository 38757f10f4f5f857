//! Encodings: how bytes become text, where characters and lines end.

use super::newline::Newline;

/// An encoding of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Charset {
    Utf8,
    Utf16(Endian),
    Utf32(Endian),
    /// Any other encoding of the WHATWG standard.
    #[cfg(feature = "encodings")]
    Legacy(&'static encoding_rs::Encoding),
}

/// The order of bytes in a unit of two or four.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Endian {
    Little,
    Big,
}

/// What could not be decoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Malformed {
    /// Sequences that U+FFFD stands for.
    pub(crate) count: u64,
    /// Where the first one begins.
    pub(crate) first: Option<usize>,
}

impl Malformed {
    fn add(&mut self, at: usize, out: &mut String) {
        self.count = self.count.saturating_add(1);
        self.first.get_or_insert(at);
        out.push(char::REPLACEMENT_CHARACTER);
    }
}

impl Charset {
    /// The encoding of that WHATWG label, in any case; UTF-32 besides.
    pub(crate) fn for_label(label: &str) -> Option<Self> {
        let label = label.trim();
        for (name, charset) in [
            ("utf-32", Self::Utf32(Endian::Little)),
            ("utf-32le", Self::Utf32(Endian::Little)),
            ("utf-32be", Self::Utf32(Endian::Big)),
        ] {
            if label.eq_ignore_ascii_case(name) {
                return Some(charset);
            }
        }
        Self::for_whatwg_label(label)
    }

    #[cfg(feature = "encodings")]
    fn for_whatwg_label(label: &str) -> Option<Self> {
        let encoding = encoding_rs::Encoding::for_label_no_replacement(label.as_bytes())?;
        Some(match encoding {
            e if e == encoding_rs::UTF_8 => Self::Utf8,
            e if e == encoding_rs::UTF_16LE => Self::Utf16(Endian::Little),
            e if e == encoding_rs::UTF_16BE => Self::Utf16(Endian::Big),
            e => Self::Legacy(e),
        })
    }

    #[cfg(not(feature = "encodings"))]
    fn for_whatwg_label(label: &str) -> Option<Self> {
        for (name, charset) in [
            ("utf-8", Self::Utf8),
            ("utf8", Self::Utf8),
            ("ascii", Self::Utf8),
            ("us-ascii", Self::Utf8),
            ("utf-16", Self::Utf16(Endian::Little)),
            ("utf-16le", Self::Utf16(Endian::Little)),
            ("utf-16be", Self::Utf16(Endian::Big)),
        ] {
            if label.eq_ignore_ascii_case(name) {
                return Some(charset);
            }
        }
        None
    }

    /// Its name as notices and details print it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Utf16(Endian::Little) => "UTF-16LE",
            Self::Utf16(Endian::Big) => "UTF-16BE",
            Self::Utf32(Endian::Little) => "UTF-32LE",
            Self::Utf32(Endian::Big) => "UTF-32BE",
            #[cfg(feature = "encodings")]
            Self::Legacy(encoding) => encoding.name(),
        }
    }

    /// How its lines end.
    pub(crate) fn newline(self) -> Newline {
        match self {
            Self::Utf8 => Newline::BYTE,
            Self::Utf16(endian) => Newline::unit(2, endian),
            Self::Utf32(endian) => Newline::unit(4, endian),
            // No multi-byte encoding of the standard uses 0x0A in a character.
            #[cfg(feature = "encodings")]
            Self::Legacy(_) => Newline::BYTE,
        }
    }

    /// The byte order mark that `bytes` begin with: its encoding and length.
    pub(crate) fn of_bom(bytes: &[u8]) -> Option<(Self, usize)> {
        match bytes {
            [0xEF, 0xBB, 0xBF, ..] => Some((Self::Utf8, 3)),
            // Before UTF-16, whose mark this begins with: a UTF-16 text that opens with a NUL is no text.
            [0xFF, 0xFE, 0, 0, ..] => Some((Self::Utf32(Endian::Little), 4)),
            [0, 0, 0xFE, 0xFF, ..] => Some((Self::Utf32(Endian::Big), 4)),
            [0xFF, 0xFE, ..] => Some((Self::Utf16(Endian::Little), 2)),
            [0xFE, 0xFF, ..] => Some((Self::Utf16(Endian::Big), 2)),
            _ => None,
        }
    }

    /// The length of the character that `bytes` begin with: at least 1, at most what there is. What is no character
    /// counts as one byte (or one unit).
    pub(crate) fn char_len(self, bytes: &[u8]) -> usize {
        let len = match self {
            Self::Utf8 => utf8_len(bytes),
            Self::Utf16(endian) => {
                let unit = |at: usize| {
                    bytes.get(at..at + 2).and_then(|two| two.try_into().ok()).map(|two| endian.u16(two))
                };
                match (unit(0), unit(2)) {
                    (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 4,
                    _ => 2,
                }
            }
            Self::Utf32(_) => 4,
            #[cfg(feature = "encodings")]
            Self::Legacy(encoding) => legacy_len(encoding, bytes),
        };
        len.min(bytes.len()).max(1)
    }

    /// Whether what a byte means depends on all that stand before it in the line, not on its neighbours alone.
    pub(crate) fn is_stateful(self) -> bool {
        match self {
            Self::Utf8 | Self::Utf16(_) | Self::Utf32(_) => false,
            #[cfg(feature = "encodings")]
            Self::Legacy(encoding) => encoding == encoding_rs::ISO_2022_JP,
        }
    }

    /// How many bytes at the end of `bytes` are a character that is cut there. For encodings other than Unicode's, which
    /// cannot be told from their end, 0.
    pub(crate) fn cut_at_end(self, bytes: &[u8]) -> usize {
        let tail = |n: usize| bytes.len().checked_sub(n).and_then(|at| bytes.get(at..));
        match self {
            Self::Utf8 => (1..=3)
                .find_map(|n| {
                    let tail = tail(n)?;
                    let lead = *tail.first()?;
                    // A continuation byte: the lead stands further on the left.
                    if (0x80..=0xBF).contains(&lead) {
                        None
                    } else {
                        Some(if utf8_len(tail) > n { n } else { 0 })
                    }
                })
                .unwrap_or(0),
            Self::Utf16(endian) => {
                let odd = bytes.len() % 2;
                let last = tail(odd + 2).and_then(|tail| tail.first_chunk::<2>());
                odd + if last.is_some_and(|unit| (0xD800..=0xDBFF).contains(&endian.u16(*unit))) {
                    2
                } else {
                    0
                }
            }
            Self::Utf32(_) => bytes.len() % 4,
            #[cfg(feature = "encodings")]
            Self::Legacy(_) => 0,
        }
    }

    /// How far before any position a walk over characters must begin to be in step at that position.
    pub(crate) fn sync_distance(self) -> u64 {
        match self {
            Self::Utf8 | Self::Utf16(_) | Self::Utf32(_) => 4,
            // In step after the first line end at the latest; lines longer than this are cut by luck.
            #[cfg(feature = "encodings")]
            Self::Legacy(encoding) if encoding.is_single_byte() => 0,
            #[cfg(feature = "encodings")]
            Self::Legacy(_) => 64 << 10,
        }
    }

    /// Decodes whole characters, U+FFFD for what is none.
    pub(crate) fn decode(self, bytes: &[u8], out: &mut String) -> Malformed {
        let mut malformed = Malformed::default();
        match self {
            Self::Utf8 => decode_utf8(bytes, out, &mut malformed),
            Self::Utf16(endian) => decode_utf16(endian, bytes, out, &mut malformed),
            Self::Utf32(endian) => decode_utf32(endian, bytes, out, &mut malformed),
            #[cfg(feature = "encodings")]
            Self::Legacy(encoding) => decode_legacy(encoding, bytes, out, &mut malformed),
        }
        malformed
    }

    /// The longest run of whole characters at the start of `bytes` whose text is at most `cap` bytes; at least one
    /// character. Gives its length in `bytes`.
    pub(crate) fn prefix_within(self, bytes: &[u8], cap: usize) -> usize {
        let mut taken = 0;
        let mut text = 0_usize;
        let mut scratch = String::new();
        while let Some(rest) = bytes.get(taken..).filter(|rest| !rest.is_empty()) {
            let len = self.char_len(rest);
            scratch.clear();
            self.decode(rest.get(..len).unwrap_or(rest), &mut scratch);
            let shown = shown_len(&scratch);
            if taken > 0 && text.saturating_add(shown) > cap {
                break;
            }
            text = text.saturating_add(shown);
            taken = taken.saturating_add(len);
        }
        taken
    }
}

/// The bytes that decoded text takes where it is shown: a NUL is shown as ␀, which takes three.
pub(crate) fn shown_len(text: &str) -> usize {
    let nuls = memchr::memchr_iter(0, text.as_bytes()).count();
    text.len().saturating_add(nuls.saturating_mul('␀'.len_utf8() - 1))
}

impl Endian {
    fn u16(self, bytes: [u8; 2]) -> u16 {
        match self {
            Self::Little => u16::from_le_bytes(bytes),
            Self::Big => u16::from_be_bytes(bytes),
        }
    }

    fn u32(self, bytes: [u8; 4]) -> u32 {
        match self {
            Self::Little => u32::from_le_bytes(bytes),
            Self::Big => u32::from_be_bytes(bytes),
        }
    }
}

/// The length of the well-formed sequence that `bytes` begin with; 1 for what is none. (A sequence cut by the end of
/// `bytes` counts whole, so that callers with more bytes behind can tell.)
fn utf8_len(bytes: &[u8]) -> usize {
    let len = match bytes.first() {
        Some(0xC2..=0xDF) => 2,
        Some(0xE0..=0xEF) => 3,
        Some(0xF0..=0xF4) => 4,
        _ => return 1,
    };
    let have = bytes.get(..len.min(bytes.len())).unwrap_or_default();
    match std::str::from_utf8(have) {
        Ok(_) => len,
        Err(error) if error.error_len().is_none() && have.len() < len => len,
        Err(_) => 1,
    }
}

/// Character lengths by lead byte, as the decoders of the WHATWG encoding standard take them.
#[cfg(feature = "encodings")]
fn legacy_len(encoding: &'static encoding_rs::Encoding, bytes: &[u8]) -> usize {
    use encoding_rs::{BIG5, EUC_JP, EUC_KR, GB18030, GBK, SHIFT_JIS};
    let (Some(&lead), second) = (bytes.first(), bytes.get(1).copied()) else { return 1 };
    // A lead byte before ASCII below the trail range is an error of one byte: the second byte stands for itself.
    let trail = second.is_none_or(|second| second >= 0x40);
    if encoding == SHIFT_JIS {
        if matches!(lead, 0x81..=0x9F | 0xE0..=0xFC) && trail { 2 } else { 1 }
    } else if encoding == GBK || encoding == GB18030 {
        match (lead, second) {
            (0x81..=0xFE, Some(0x30..=0x39)) => 4,
            (0x81..=0xFE, _) if trail => 2,
            _ => 1,
        }
    } else if encoding == EUC_KR || encoding == BIG5 {
        if matches!(lead, 0x81..=0xFE) && trail { 2 } else { 1 }
    } else if encoding == EUC_JP {
        let trail = second.is_none_or(|second| second >= 0xA1);
        match lead {
            0x8F if trail => 3,
            0x8E | 0xA1..=0xFE if trail => 2,
            _ => 1,
        }
    } else {
        1
    }
}

fn decode_utf8(bytes: &[u8], out: &mut String, malformed: &mut Malformed) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        out.push_str(text);
        return;
    }
    let mut at = 0;
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        at += chunk.valid().len();
        if !chunk.invalid().is_empty() {
            malformed.add(at, out);
            at += chunk.invalid().len();
        }
    }
}

fn decode_utf16(endian: Endian, bytes: &[u8], out: &mut String, malformed: &mut Malformed) {
    let (units, rest) = bytes.as_chunks::<2>();
    let mut at = 0;
    for unit in char::decode_utf16(units.iter().map(|unit| endian.u16(*unit))) {
        if let Ok(c) = unit {
            out.push(c);
            at += c.len_utf16() * 2;
        } else {
            malformed.add(at, out);
            at += 2;
        }
    }
    if !rest.is_empty() {
        malformed.add(at, out);
    }
}

fn decode_utf32(endian: Endian, bytes: &[u8], out: &mut String, malformed: &mut Malformed) {
    let (units, rest) = bytes.as_chunks::<4>();
    for (index, unit) in units.iter().enumerate() {
        match char::from_u32(endian.u32(*unit)) {
            Some(c) => out.push(c),
            None => malformed.add(index * 4, out),
        }
    }
    if !rest.is_empty() {
        malformed.add(units.len() * 4, out);
    }
}

#[cfg(feature = "encodings")]
fn decode_legacy(
    encoding: &'static encoding_rs::Encoding,
    bytes: &[u8],
    out: &mut String,
    malformed: &mut Malformed,
) {
    use encoding_rs::DecoderResult;
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut at = 0;
    out.reserve(bytes.len().saturating_mul(3).saturating_add(16));
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        let (result, read) = decoder.decode_to_string_without_replacement(rest, out, true);
        at = at.saturating_add(read);
        match result {
            DecoderResult::InputEmpty => return,
            DecoderResult::OutputFull => out.reserve(rest.len().saturating_mul(3).saturating_add(16)),
            DecoderResult::Malformed(len, extra) => {
                malformed.add(at.saturating_sub(usize::from(len)).saturating_sub(usize::from(extra)), out);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(charset: Charset, bytes: &[u8]) -> (String, Malformed) {
        let mut out = String::new();
        let malformed = charset.decode(bytes, &mut out);
        (out, malformed)
    }

    #[test]
    fn malformed_sequences_are_counted_where_they_stand() {
        assert_eq!(
            decoded(Charset::Utf8, b"a\xffb\xe2\x82"),
            ("a\u{fffd}b\u{fffd}".into(), Malformed { count: 2, first: Some(1) })
        );
        let lone = [0x41, 0, 0x00, 0xD8, 0x42, 0, 0x43];
        assert_eq!(
            decoded(Charset::Utf16(Endian::Little), &lone),
            ("A\u{fffd}B\u{fffd}".into(), Malformed { count: 2, first: Some(2) })
        );
    }

    #[cfg(feature = "encodings")]
    #[test]
    fn legacy_encodings_by_label() {
        let gbk = Charset::for_label("GBK").unwrap();
        assert_eq!(decoded(gbk, b"\xc4\xe3\xba\xc3").0, "你好");
        assert_eq!(decoded(gbk, b"a\xff").1, Malformed { count: 1, first: Some(1) });
        assert_eq!(Charset::for_label("latin1").unwrap().name(), "windows-1252");
        assert_eq!(Charset::for_label("iso-2022-kr"), None, "the standard has no decoder for it");
    }

    #[cfg(feature = "encodings")]
    #[test]
    fn walking_by_length_agrees_with_decoding() {
        let samples = [
            ("shift_jis", "ソースとデータ\\表 ｱ"),
            ("gb18030", "你好€😀 abc"),
            ("gbk", "你好 abc"),
            ("euc-kr", "데이터 abc"),
            ("big5", "中文 abc"),
            ("euc-jp", "日本語 ｱ abc"),
            ("windows-1252", "Größe “quoted”"),
        ];
        for (label, text) in samples {
            let charset = Charset::for_label(label).unwrap();
            let Charset::Legacy(encoding) = charset else { panic!("{label}") };
            let (bytes, _, lossy) = encoding.encode(text);
            assert!(!lossy, "{label}");
            let mut walked = Vec::new();
            let mut at = 0;
            while at < bytes.len() {
                let len = charset.char_len(&bytes[at..]);
                walked.push(decoded(charset, &bytes[at..at + len]).0);
                at += len;
            }
            let characters: Vec<String> = text.chars().map(String::from).collect();
            assert_eq!(walked, characters, "{label}");
        }
    }

    #[test]
    fn a_prefix_is_cut_between_characters() {
        assert_eq!(Charset::Utf8.prefix_within("aé€".as_bytes(), 3), 3);
        assert_eq!(Charset::Utf8.prefix_within("aé€".as_bytes(), 2), 1);
        assert_eq!(Charset::Utf8.prefix_within("€".as_bytes(), 1), 3, "always one character");
        assert_eq!(Charset::Utf16(Endian::Little).prefix_within(b"a\0b\0c\0", 2), 4);
    }
}
