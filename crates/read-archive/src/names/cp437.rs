//! Code page 437, the encoding of zip names that say nothing of themselves (APPNOTE, appendix D).

/// The characters of 0x80 to 0xFF.
const HIGH: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";

/// The text of `bytes`.
pub(crate) fn from_cp437(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| if byte.is_ascii() { char::from(*byte) } else { high(*byte) }).collect()
}

fn high(byte: u8) -> char {
    // Every byte above 0x7F has a character.
    HIGH.chars().nth(usize::from(byte & 0x7F)).unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_has_its_character() {
        assert_eq!(HIGH.chars().count(), 128);
        assert_eq!(from_cp437(b"r\x81ck\x84hre \x9c \xe1 \xff"), "rückähre £ ß \u{a0}");
    }
}
