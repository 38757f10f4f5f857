//! Text on one line of somebody else's: what would break the line, act on a terminal or mislead the eye is printed as an escape,
//! and can be read back.

use core::fmt::{self, Write};

/// What an escape stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Escape {
    /// A byte: `\n`, `\xff`.
    Byte(u8),
    /// A character: `\u{202e}`.
    Char(char),
}

/// Whether a character would break a line, act on a terminal, or mislead the eye: controls, line separators, what is
/// [invisible](is_invisible), and the soft hyphen.
pub fn is_hidden(c: char) -> bool {
    c.is_control() || is_invisible(c) || matches!(c, '\u{ad}' | '\u{2028}' | '\u{2029}')
}

/// Bidirectional controls, tag and zero-width characters: text that the eye does not see.
pub fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' // direction
        | '\u{180e}' | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}' | '\u{feff}' // zero width
        | '\u{206a}'..='\u{206f}' // deprecated format characters
        | '\u{e0000}'..='\u{e007f}' // tags
    )
}

/// Writes the first character of `rest` as it is printed. A backslash is doubled where what follows would make an escape of
/// it; `before_escape` says whether one follows that is not in `rest`.
///
/// ```
/// use read_selector::escape::write_first;
///
/// let mut out = String::new();
/// for rest in ["\u{202e}", r"\d", r"\n"] {
///     write_first(&mut out, rest, false)?;
/// }
/// assert_eq!(out, r"\u{202e}\\\");
/// # Ok::<(), core::fmt::Error>(())
/// ```
pub fn write_first(out: &mut impl Write, rest: &str, before_escape: bool) -> fmt::Result {
    let mut chars = rest.chars();
    let Some(c) = chars.next() else { return Ok(()) };
    match c {
        '\\' => {
            let is_before = chars.next().map_or(before_escape, |next| is_hidden(next) || next == '\\');
            out.write_str(if is_before || escape_at(rest).is_some() { r"\\" } else { r"\" })
        }
        '\n' => out.write_str(r"\n"),
        '\r' => out.write_str(r"\r"),
        '\t' => out.write_str(r"\t"),
        // Above 0x7F the `\x` form stands for a byte, not for a character.
        c if c.is_ascii_control() => write!(out, r"\x{:02x}", u32::from(c)),
        c if is_hidden(c) => write!(out, r"\u{{{:x}}}", u32::from(c)),
        c => out.write_char(c),
    }
}

/// The escape that `text` begins with, and its length in bytes. A doubled backslash is none.
pub fn escape_at(text: &str) -> Option<(Escape, usize)> {
    let body = text.strip_prefix('\\')?;
    match body.chars().next()? {
        'n' => Some((Escape::Byte(b'\n'), 2)),
        'r' => Some((Escape::Byte(b'\r'), 2)),
        't' => Some((Escape::Byte(b'\t'), 2)),
        'x' => Some((Escape::Byte(u8::try_from(hex(body.get(1..3)?)?).ok()?), 4)),
        'u' => {
            let digits = body.strip_prefix("u{")?.split_once('}')?.0;
            if digits.is_empty() || digits.len() > 6 {
                return None;
            }
            Some((Escape::Char(char::from_u32(hex(digits)?)?), digits.len() + 4))
        }
        _ => None,
    }
}

fn hex(digits: &str) -> Option<u32> {
    digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_invisible_is_hidden() {
        for c in ['\u{ad}', '\u{180e}', '\u{200b}', '\u{202e}', '\u{206a}', '\u{feff}', '\u{e0041}', '\0'] {
            assert!(is_hidden(c), "{c:?}");
        }
        assert!(!is_invisible('\u{ad}'), "a soft hyphen in a text is nothing odd");
        assert!(!['a', 'é', '漢', ' ', '\\'].into_iter().any(is_hidden));
    }

    #[test]
    fn escapes_are_read() {
        assert_eq!(escape_at(r"\x1b[0m"), Some((Escape::Byte(0x1b), 4)));
        assert_eq!(escape_at(r"\u{202e}x"), Some((Escape::Char('\u{202e}'), 8)));
        for none in [r"\\n", r"\d", r"\xg0", r"\u{}", r"\u{110000}", "n", ""] {
            assert_eq!(escape_at(none), None, "{none}");
        }
    }
}
