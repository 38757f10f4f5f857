//! Names on one line: control, bidirectional and separator characters and bytes that are no UTF-8 are escaped, and
//! what is printed can be read back.

use std::borrow::Cow;
use std::fmt::Write;

/// The longest printed name in one listing line or message, in bytes.
pub(crate) const PRINTED_MAX: usize = 1024;

/// `name` on one line: `\n`, `\t`, `\r`, `\0`-free forms `\x1b`, `\u{202e}`, and `\xff` for a byte that is no UTF-8. A
/// backslash that stands before such a form is doubled, so that [`decoded`] gives the name back.
pub fn printed(name: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(name)
        && !text.chars().any(|c| hidden(c) || c == '\\')
    {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(name.len().saturating_add(16));
    for chunk in name.utf8_chunks() {
        let mut rest = chunk.valid();
        while let Some(c) = rest.chars().next() {
            let after = rest.get(c.len_utf8()..).unwrap_or_default();
            // A backslash is doubled where what follows would make an escape of it.
            let before_escape =
                after.chars().next().map_or(!chunk.invalid().is_empty(), |next| hidden(next) || next == '\\');
            if c == '\\' && (before_escape || escape_at(rest).is_some()) {
                out.push_str("\\\\");
            } else if hidden(c) {
                escape(c, &mut out);
            } else {
                out.push(c);
            }
            rest = after;
        }
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
    Cow::Owned(out)
}

/// [`printed`], cut to 1 KiB with `…`.
pub fn shortened(name: &[u8]) -> Cow<'_, str> {
    let full = printed(name);
    if full.len() <= PRINTED_MAX {
        return full;
    }
    let cut = (0..=PRINTED_MAX).rev().find_map(|end| full.get(..end)).unwrap_or_default();
    Cow::Owned(format!("{cut}…"))
}

/// The name that [`printed`] shows as `text`; `None` when there is nothing to decode in it.
pub fn decoded(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    let mut changed = false;
    while let Some(c) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("\\\\") {
            out.push(b'\\');
            rest = after;
            changed = true;
        } else if let Some((bytes, len)) = escape_at(rest) {
            out.extend_from_slice(&bytes);
            rest = rest.get(len..).unwrap_or_default();
            changed = true;
        } else {
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
        }
    }
    changed.then_some(out)
}

/// Whether a character would break a line, act on a terminal, or mislead the eye.
fn hidden(c: char) -> bool {
    c.is_control() || invisible(c) || matches!(c, '\u{2028}' | '\u{2029}')
}

/// Bidirectional controls, tag and zero-width characters: text that the eye does not see.
pub(crate) fn invisible(c: char) -> bool {
    matches!(c,
        '\u{061c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

fn escape(c: char, out: &mut String) {
    // Writing to a string does not fail.
    let _ = match c {
        '\n' => write!(out, "\\n"),
        '\r' => write!(out, "\\r"),
        '\t' => write!(out, "\\t"),
        // Above 0x7F the `\x` form stands for a byte, not for a character.
        c if c.is_ascii() => write!(out, "\\x{:02x}", u32::from(c)),
        c => write!(out, "\\u{{{:x}}}", u32::from(c)),
    };
}

/// The escape that `text` begins with: the bytes it stands for and its length in `text`.
fn escape_at(text: &str) -> Option<(Vec<u8>, usize)> {
    let body = text.strip_prefix('\\')?;
    match body.chars().next()? {
        'n' => Some((vec![b'\n'], 2)),
        'r' => Some((vec![b'\r'], 2)),
        't' => Some((vec![b'\t'], 2)),
        'x' => {
            let digits = body.get(1..3)?;
            let value = hex(digits)?;
            Some((vec![u8::try_from(value).ok()?], 4))
        }
        'u' => {
            let digits = body.strip_prefix("u{")?.split_once('}')?.0;
            if digits.is_empty() || digits.len() > 6 {
                return None;
            }
            let c = char::from_u32(hex(digits)?)?;
            let mut buf = [0; 4];
            Some((c.encode_utf8(&mut buf).as_bytes().to_vec(), digits.len() + 4))
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
    use proptest::prelude::*;

    #[test]
    fn odd_names_stay_on_one_line() {
        for (name, shown) in [
            (&b"plain.txt"[..], "plain.txt"),
            (b"new\nline", "new\\nline"),
            (b"esc\x1b[31m", "esc\\x1b[31m"),
            (b"inv\xff.txt", "inv\\xff.txt"),
            ("a\u{202e}b".as_bytes(), "a\\u{202e}b"),
            (b"a\\b.txt", "a\\b.txt"),
            (b"a\\name", "a\\\\name"),
        ] {
            assert_eq!(printed(name), shown);
        }
    }

    #[test]
    fn a_long_name_is_cut_between_characters() {
        let name = "é".repeat(2000);
        assert!(shortened(name.as_bytes()).len() <= PRINTED_MAX + '…'.len_utf8());
    }

    proptest! {
        #[test]
        fn printed_names_read_back(name in proptest::collection::vec(any::<u8>(), 0..40)) {
            let shown = printed(&name).into_owned();
            prop_assert!(!shown.chars().any(char::is_control));
            let back = decoded(&shown).unwrap_or_else(|| shown.clone().into_bytes());
            prop_assert_eq!(back, name);
        }

        #[test]
        fn backslashes_read_back(name in "[\\\\nrtxu{}0-9a-f\n\u{202e}]{0,12}") {
            let shown = printed(name.as_bytes()).into_owned();
            let back = decoded(&shown).unwrap_or_else(|| shown.clone().into_bytes());
            prop_assert_eq!(back, name.into_bytes());
        }
    }
}
