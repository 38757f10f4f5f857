//! Names on one line: control, bidirectional and separator characters and bytes that are no UTF-8 are escaped, and
//! what is printed can be read back.

use std::borrow::Cow;
use std::fmt::Write;

use read_selector::escape::{Escape, escape_at, is_hidden, write_first};

/// The longest printed name in one listing line or message, in bytes.
pub(crate) const PRINTED_MAX: usize = 1024;

/// `name` on one line: `\n`, `\t`, `\r`, `\0`-free forms `\x1b`, `\u{202e}`, and `\xff` for a byte that is no UTF-8. A
/// backslash that stands before such a form is doubled, so that [`decoded`] gives the name back.
pub fn printed(name: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(name)
        && !text.chars().any(|c| is_hidden(c) || c == '\\')
    {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(name.len().saturating_add(16));
    for chunk in name.utf8_chunks() {
        for (at, _) in chunk.valid().char_indices() {
            let rest = chunk.valid().get(at..).unwrap_or_default();
            // Writing to a string does not fail.
            let _ = write_first(&mut out, rest, !chunk.invalid().is_empty());
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
        } else if let Some((escape, len)) = escape_at(rest) {
            match escape {
                Escape::Byte(byte) => out.push(byte),
                Escape::Char(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            }
            rest = rest.get(len..).unwrap_or_default();
            changed = true;
        } else {
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            rest = rest.get(c.len_utf8()..).unwrap_or_default();
        }
    }
    changed.then_some(out)
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
