//! Texts: line ends, encodings, lengths.

use super::Seed;

pub(super) fn seeds() -> Vec<Seed> {
    let prose =
        "The first line.\nA second one, with an ümlaut and 漢字.\n\n\tfn main() { println!(\"{}\", 1); }\n";
    let numbers: String =
        (1..=400).flat_map(|number| ["word ".repeat(number % 17), "end\n".to_owned()]).collect();
    let utf16 = |little: bool, mark: bool| -> Vec<u8> {
        let units = if mark { Some(0xFEFF) } else { None }.into_iter().chain(prose.encode_utf16());
        units.flat_map(|unit| if little { unit.to_le_bytes() } else { unit.to_be_bytes() }).collect()
    };
    let utf32 = std::iter::once('\u{feff}').chain(prose.chars());
    [
        prose.as_bytes().to_vec(),
        numbers.clone().into_bytes(),
        numbers.replace('\n', "\r\n").into_bytes(),
        numbers.replace('\n', "\r").into_bytes(),
        Vec::new(),
        b"no end of line".to_vec(),
        utf16(true, true),
        utf16(false, true),
        utf16(true, false),
        utf16(false, false),
        utf32.flat_map(|c| u32::from(c).to_le_bytes()).collect(),
        [b"\xEF\xBB\xBF", prose.as_bytes()].concat(),
        // Windows-1252, Shift_JIS, GBK.
        b"caf\xE9 na\xEFve \x93quoted\x94 stra\xDFe \xFCber \xE0 la carte\n".repeat(9),
        b"\x93\xFA\x96\x7B\x8C\xEA\x82\xCC\x83\x65\x83\x4C\x83\x58\x83\x67\n".repeat(9),
        b"\xD6\xD0\xCE\xC4\xCE\xC4\xB1\xBE\xCE\xC4\xBC\xFE\n".repeat(9),
        // A long line, among short ones.
        [b"short\n".as_slice(), &b"long ".repeat(20_000), b"\nshort\n"].concat(),
        b"a text of many words, long enough for one byte in two hundred to be nothing at all\n\
          \0and on it goes, with more words, more lines, and nothing of any interest in any of them, to the end\n".repeat(30),
        "zero\u{200b}width \u{202e}desrever\u{202c} \u{e0041}tag\n".repeat(5).into_bytes(),
        b"<svg xmlns='http://www.w3.org/2000/svg'><path d='M0 0'/></svg>\n".to_vec(),
        // No text at all.
        (0..=255).cycle().take(5_000).collect(),
    ]
    .map(Seed::new)
    .into()
}
