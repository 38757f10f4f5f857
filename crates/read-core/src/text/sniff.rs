//! Text or not, and in which encoding: decided from the first 64 KiB alone, so that every window of a file is decoded
//! alike.

use super::charset::{Charset, Endian};

/// What the first bytes of a source are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sniffed {
    Text {
        charset: Charset,
        /// The length of the byte order mark.
        bom: usize,
    },
    Binary,
}

/// A share of 1 %: bad sequences and NULs above it make a binary.
const PERCENT: usize = 100;

/// The longest character of any legacy encoding, in bytes.
#[cfg(feature = "encodings")]
const LONGEST_CHARACTER: usize = 4;

/// Fewer bytes above 0x7F than this tell a detector nothing.
const DETECTABLE: usize = 4;

/// Decides what `head` is. `whole`: nothing follows it.
pub(crate) fn sniff(head: &[u8], whole: bool) -> Sniffed {
    if let Some((charset, bom)) = Charset::of_bom(head) {
        return Sniffed::Text { charset, bom };
    }
    if let Some(charset) = utf16_by_nuls(head) {
        return Sniffed::Text { charset, bom: 0 };
    }
    let utf8 = Utf8Census::of(head, whole);
    if utf8.nuls * PERCENT >= head.len() && utf8.nuls > 0 {
        return Sniffed::Binary;
    }
    let text = |charset| Sniffed::Text { charset, bom: 0 };
    if utf8.bad == 0 {
        return text(Charset::Utf8);
    }
    if too_many_controls(head) {
        return Sniffed::Binary;
    }
    if utf8.in_sequences * 2 > utf8.high {
        return text(Charset::Utf8);
    }
    if utf8.high >= DETECTABLE
        && let Some(charset) = detect(head, whole)
    {
        return text(charset);
    }
    if utf8.high < DETECTABLE || utf8.bad * PERCENT < head.len() {
        return text(Charset::Utf8);
    }
    Sniffed::Binary
}

/// How a piece of bytes stands to UTF-8.
struct Utf8Census {
    nuls: usize,
    /// Bytes above 0x7F.
    high: usize,
    /// Those of them that stand in well-formed sequences.
    in_sequences: usize,
    /// Sequences that are none.
    bad: usize,
}

impl Utf8Census {
    fn of(bytes: &[u8], whole: bool) -> Self {
        let mut census =
            Self { nuls: memchr::memchr_iter(0, bytes).count(), high: 0, in_sequences: 0, bad: 0 };
        if bytes.is_ascii() {
            return census;
        }
        let high = |bytes: &[u8]| bytes.iter().filter(|byte| !byte.is_ascii()).count();
        let mut seen = 0;
        for chunk in bytes.utf8_chunks() {
            seen += chunk.valid().len() + chunk.invalid().len();
            let in_sequences = high(chunk.valid().as_bytes());
            census.in_sequences += in_sequences;
            census.high += in_sequences;
            let cut_by_the_end = !whole
                && seen == bytes.len()
                && std::str::from_utf8(chunk.invalid()).is_err_and(|error| error.error_len().is_none());
            if !chunk.invalid().is_empty() && !cut_by_the_end {
                census.high += high(chunk.invalid());
                census.bad += 1;
            }
        }
        census
    }
}

/// UTF-16 without a mark, by where its NULs stand: in the high byte of what is Latin, a space or a line end, and hardly
/// anywhere else. Where these are few, all else must look like writing.
fn utf16_by_nuls(head: &[u8]) -> Option<Charset> {
    memchr::memchr(0, head)?;
    let (units, rest) = head.as_chunks::<2>();
    if units.len() < 2 || (rest.len() == 1 && units.len() < 8) {
        return None;
    }
    let latin = |high: usize, low: usize| {
        let is_text = |byte: u8| matches!(byte, b'\t' | b'\n' | b'\r' | 0x20..=0x7E);
        units
            .iter()
            .filter(|unit| unit.get(high) == Some(&0) && unit.get(low).is_some_and(|byte| is_text(*byte)))
            .count()
    };
    let nuls = |at: usize| units.iter().filter(|unit| unit.get(at) == Some(&0)).count();
    let (endian, latin, nuls, others) = match (latin(1, 0), latin(0, 1)) {
        (little, big) if little > big => (Endian::Little, little, nuls(1), nuls(0)),
        (_, big) => (Endian::Big, big, nuls(0), nuls(1)),
    };
    if latin == 0 || others * 20 > nuls {
        return None;
    }
    let charset = Charset::Utf16(endian);
    let mut text = String::new();
    let malformed = charset.decode(head.get(..units.len() * 2)?, &mut text);
    let count = text.chars().count();
    let odd = text.chars().filter(|c| is_odd_control(*c) || matches!(*c, '\u{fffe}' | '\u{ffff}')).count();
    let bad = usize::try_from(malformed.count).unwrap_or(usize::MAX).saturating_add(odd);
    if bad.saturating_mul(PERCENT) > count {
        return None;
    }
    if nuls >= 2 && nuls * 10 >= units.len() {
        return Some(charset);
    }
    // Line ends of a text in single bytes would show as halves of other characters.
    let stray = memchr::memchr_iter(b'\n', head).count().saturating_sub(text.matches('\n').count());
    let writing = text.chars().filter(|c| is_writing(*c)).count();
    (count >= 4 && others == 0 && stray == 0 && writing * 20 >= count * 19).then_some(charset)
}

/// Letters of the world's scripts that are in daily use, their punctuation and forms.
fn is_writing(c: char) -> bool {
    matches!(c,
        '\t' | '\n' | '\r' | ' '..='~' | '\u{a0}'..='\u{24f}' | '\u{370}'..='\u{6ff}' | '\u{900}'..='\u{dff}'
        | '\u{e00}'..='\u{eff}' | '\u{2010}'..='\u{2027}' | '\u{3000}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7a3}' | '\u{ff00}'..='\u{ffef}' | '\u{1f300}'..='\u{1faff}')
}

fn is_odd_control(c: char) -> bool {
    (c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{c}' | '\u{8}' | '\u{1b}' | '\u{85}'))
        || c == '\u{fffd}'
}

/// Control characters that no text has, above one in 32: compressed and machine code look like that.
fn too_many_controls(bytes: &[u8]) -> bool {
    // Sums of bytes over short runs compile to vector instructions; every text passes here.
    let odd = |run: &[u8]| run.iter().fold(0_u8, |odd, byte| odd.wrapping_add(u8::from(is_odd(*byte))));
    let odd: usize = bytes.chunks(usize::from(u8::MAX)).map(|run| usize::from(odd(run))).sum();
    odd.saturating_mul(32) > bytes.len()
}

/// A control character other than NUL, those of layout (bell to carriage return, save vertical tab) and escape.
#[expect(clippy::needless_bitwise_bool, reason = "without branches it compiles to vector instructions")]
fn is_odd(byte: u8) -> bool {
    (byte.wrapping_sub(0x01) < 6)
        | (byte == 0x0B)
        | (byte.wrapping_sub(0x0E) < 13)
        | (byte.wrapping_sub(0x1C) < 4)
        | (byte == 0x7F)
}

/// A legacy encoding, when the detector's guess decodes the piece without a fault and without control characters.
#[cfg(feature = "encodings")]
fn detect(head: &[u8], whole: bool) -> Option<Charset> {
    use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(head, whole);
    let charset = Charset::Legacy(detector.guess(None, Utf8Detection::Deny));
    let mut text = String::with_capacity(head.len());
    let malformed = charset.decode(head, &mut text);
    // The piece may end inside a character.
    let cut_by_the_end = !whole
        && malformed.count == 1
        && malformed.first.is_some_and(|at| at + LONGEST_CHARACTER > head.len());
    let odd = text.chars().filter(|c| is_odd_control(*c)).count();
    let clean = (malformed.count == 0 || cut_by_the_end) && odd.saturating_mul(PERCENT) <= text.len();
    clean.then_some(charset)
}

#[cfg(not(feature = "encodings"))]
fn detect(_: &[u8], _: bool) -> Option<Charset> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(bytes: &[u8]) -> &'static str {
        match sniff(bytes, true) {
            Sniffed::Text { charset, .. } => charset.name(),
            Sniffed::Binary => "binary",
        }
    }

    #[test]
    fn marks_decide() {
        assert_eq!(sniff(b"\xef\xbb\xbfa", true), Sniffed::Text { charset: Charset::Utf8, bom: 3 });
        assert_eq!(name(b"\xff\xfea\0"), "UTF-16LE");
        assert_eq!(name(b"\xff\xfe\0\0a\0\0\0"), "UTF-32LE");
    }

    #[test]
    fn utf16_without_a_mark() {
        let le: Vec<u8> =
            "設定3=日本語の値\nsetting1=on\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let be: Vec<u8> =
            "設定3=日本語の値\nsetting1=on\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(name(&le), "UTF-16LE");
        assert_eq!(name(&be), "UTF-16BE");
    }

    #[test]
    fn utf16_of_hardly_any_latin() {
        for text in ["中文".repeat(40) + "\n", "日本語のテキスト\n".to_owned()] {
            let le: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
            let be: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
            assert_eq!((name(&le), name(&be)), ("UTF-16LE", "UTF-16BE"), "{text}");
        }
    }

    #[test]
    fn control_characters_are_text_where_utf8_is_valid() {
        assert_eq!(name(b"8=FIX.4.2\x019=65\x0135=A\x0110=062\x01\n"), "UTF-8");
        assert_eq!(name(b"a\x1fb\x1e"), "UTF-8");
    }

    #[cfg(feature = "encodings")]
    #[test]
    fn legacy_text_on_one_endless_line_is_detected() {
        let (latin, _, _) = encoding_rs::WINDOWS_1252.encode("var a = \"café naïve déjà\"; x = 1; ");
        let (sjis, _, _) = encoding_rs::SHIFT_JIS.encode("スプライト処理のソース");
        for (line, charset) in [(latin, "windows-1252"), (sjis, "Shift_JIS")] {
            let head = &line.repeat(4_000)[..65_536];
            let Sniffed::Text { charset: found, .. } = sniff(head, false) else { panic!("{charset}") };
            assert_eq!(found.name(), charset);
        }
    }

    #[test]
    fn utf8_by_validity_and_by_majority() {
        assert_eq!(name(b""), "UTF-8");
        assert_eq!(name("naïve “text”".as_bytes()), "UTF-8");
        assert_eq!(name(b"ok\nb\xffd\nok\n"), "UTF-8");
        let mut mostly = "äöü ".repeat(50).into_bytes();
        mostly.extend_from_slice(b"\xff\xfe\xfd");
        assert_eq!(name(&mostly), "UTF-8");
    }

    #[test]
    fn a_character_cut_by_the_end_of_the_piece_is_not_bad() {
        let text = "aé".repeat(100);
        let cut = &text.as_bytes()[..text.len() - 1];
        assert_eq!(sniff(cut, false), Sniffed::Text { charset: Charset::Utf8, bom: 0 });
    }

    #[cfg(feature = "encodings")]
    #[test]
    fn legacy_text_is_detected() {
        let (sjis, _, _) = encoding_rs::SHIFT_JIS.encode("スプライト処理のソースとデータ\nmov ax, 表示\n");
        assert_eq!(name(&sjis), "Shift_JIS");
        let (latin, _, _) = encoding_rs::WINDOWS_1252.encode("Größe über Maß, naïve façade – “quoted”\n");
        assert_eq!(name(&latin), "windows-1252");
    }

    #[test]
    fn binaries() {
        assert_eq!(name(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0\x3e\0\x01\0\0\0"), "binary");
        let noise: Vec<u8> =
            (0..600_u32).map(|i| i.wrapping_mul(2_654_435_761).to_le_bytes()[2] | 1).collect();
        assert_eq!(name(&noise), "binary");
    }

    #[test]
    fn a_few_nuls_are_still_text() {
        let mut log = b"line one\n".repeat(100);
        log[400] = 0;
        assert_eq!(name(&log), "UTF-8");
    }
}
