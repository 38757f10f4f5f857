//! Names in legacy encodings. An archive does not say which: all its names together tell a detector.

use crate::limits::SAMPLED;

/// Fewer bytes above 0x7F than this tell nothing of a double-byte encoding.
const DOUBLE_BYTE_EVIDENCE: usize = 4;

/// Fewer different ones than this tell nothing either: a Latin name with one accented letter, repeated, has as many bytes.
const DIFFERENT: usize = 3;

/// Fewer bytes above 0x7F than this tell nothing of a single-byte one.
#[cfg(feature = "encodings")]
const SINGLE_BYTE_EVIDENCE: usize = 8;

/// Collects the names of one archive that are no UTF-8.
#[derive(Clone, Debug, Default)]
pub(crate) struct Legacy {
    sample: Vec<u8>,
}

/// The encoding that the names are in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Charset {
    #[cfg(feature = "encodings")]
    encoding: &'static encoding_rs::Encoding,
}

impl Legacy {
    /// Takes note of a name that is no UTF-8.
    pub(crate) fn note(&mut self, name: &[u8]) {
        if self.sample.len().saturating_add(name.len()) < SAMPLED {
            self.sample.extend_from_slice(name);
            self.sample.push(b'\n');
        }
    }

    /// The encoding that a detector is confident of.
    pub(crate) fn charset(&self) -> Option<Charset> {
        let mut met = [false; 256];
        let mut high = 0_usize;
        for byte in self.sample.iter().filter(|byte| !byte.is_ascii()) {
            high += 1;
            if let Some(met) = met.get_mut(usize::from(*byte)) {
                *met = true;
            }
        }
        let different = met.iter().filter(|met| **met).count();
        if high < DOUBLE_BYTE_EVIDENCE || different < DIFFERENT { None } else { detect(&self.sample, high) }
    }
}

impl Charset {
    /// The text of a name; `None` where it is not in this encoding.
    #[cfg(feature = "encodings")]
    pub(crate) fn decode(self, name: &[u8]) -> Option<String> {
        self.encoding
            .decode_without_bom_handling_and_without_replacement(name)
            .map(std::borrow::Cow::into_owned)
    }

    /// The text of a name; none in this build.
    #[cfg(not(feature = "encodings"))]
    #[expect(clippy::unused_self, reason = "the encoding answers where encodings are built in")]
    pub(crate) fn decode(self, _: &[u8]) -> Option<String> {
        None
    }
}

/// Double-byte encodings and those of other scripts are told apart by their letters. Latin ones are not: there the
/// format's own CP437 is the better guess.
#[cfg(feature = "encodings")]
fn detect(sample: &[u8], high: usize) -> Option<Charset> {
    use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
    use encoding_rs::{
        BIG5, EUC_JP, EUC_KR, GB18030, GBK, IBM866, ISO_8859_5, ISO_8859_7, KOI8_R, KOI8_U, SHIFT_JIS,
        WINDOWS_874, WINDOWS_1251, WINDOWS_1253, WINDOWS_1255, WINDOWS_1256,
    };
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(sample, true);
    let encoding = detector.guess(None, Utf8Detection::Deny);
    let double_byte = [BIG5, EUC_JP, EUC_KR, GB18030, GBK, SHIFT_JIS].contains(&encoding);
    let other_script = [
        IBM866,
        ISO_8859_5,
        ISO_8859_7,
        KOI8_R,
        KOI8_U,
        WINDOWS_874,
        WINDOWS_1251,
        WINDOWS_1253,
        WINDOWS_1255,
        WINDOWS_1256,
    ]
    .contains(&encoding);
    let told_apart = double_byte || (other_script && high >= SINGLE_BYTE_EVIDENCE);
    if !told_apart {
        return None;
    }
    let charset = Charset { encoding };
    let text = charset.decode(sample)?;
    let is_name = |c: char| {
        c.is_ascii()
            || c.is_alphanumeric()
            || matches!(c, '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ffef}' | '№' | '…' | '“' | '”' | '—' | '–' | '·')
    };
    let is_private = |c: char| matches!(c, '\u{e000}'..='\u{f8ff}');
    let fits = text.chars().all(|c| is_name(c) && !is_private(c) && (c == '\n' || !c.is_control()));
    fits.then_some(charset)
}

#[cfg(not(feature = "encodings"))]
fn detect(_: &[u8], _: usize) -> Option<Charset> {
    None
}

#[cfg(all(test, feature = "encodings"))]
mod tests {
    use super::*;

    fn read(names: &[&[u8]]) -> Option<Vec<String>> {
        let mut legacy = Legacy::default();
        for name in names {
            legacy.note(name);
        }
        let charset = legacy.charset()?;
        names.iter().map(|name| charset.decode(name)).collect()
    }

    #[test]
    fn double_byte_names_are_recognised() {
        let gbk =
            [&b"mod/\xd3\xc8\xc0\xef\xb5\xc4\xea\x8e\xd6\\.txt"[..], b"\xd0\xc2\xbd\xa8\xce\xc4\xb1\xbe.txt"];
        assert_eq!(read(&gbk).unwrap(), ["mod/尤里的陰謀.txt", "新建文本.txt"]);
        let (sjis, _, _) = encoding_rs::SHIFT_JIS.encode("新しいフォルダ/表示.txt");
        assert_eq!(read(&[&sjis]).unwrap(), ["新しいフォルダ/表示.txt"]);
        let (cyrillic, _, _) = encoding_rs::IBM866.encode("Документы/Новый текстовый документ.txt");
        assert_eq!(read(&[&cyrillic]).unwrap(), ["Документы/Новый текстовый документ.txt"]);
    }

    #[test]
    fn latin_names_are_left_to_the_format() {
        assert_eq!(
            read(&[b"3\xb1\xb1\xb1F06\xb1W2345\xb1ZB\xb1la\xb1\xb1\xb1\xb1\xb1\xb1\xb1\xb1BLA"]),
            None
        );
        assert_eq!(read(&[b"r\x81ckblick.txt"]), None);
        assert_eq!(read(&[b"\x84\x94\x81\xe1 \x8e\x99\x9a.txt", b"na\x8bve fa\x87ade.txt"]), None);
    }
}
