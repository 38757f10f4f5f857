//! `unhex` with characters to pass over.

use std::collections::HashSet;

use super::utf8::{characters, first, until_nul};

/// The bytes that `text` writes; `None` where it writes none. Between them `passed` characters are passed over.
pub(super) fn bytes(text: &[u8], passed: &[u8]) -> Option<Vec<u8>> {
    let passed: HashSet<u32> = characters(passed).into_iter().collect();
    let mut rest = until_nul(text);
    let mut out = Vec::with_capacity(rest.len() / 2);
    while let Some(high) = rest.first() {
        let Some(high) = char::from(*high).to_digit(16) else {
            let (c, len) = first(rest)?;
            if !passed.contains(&c) {
                return None;
            }
            rest = rest.get(len..).unwrap_or_default();
            continue;
        };
        let low = rest.get(1).and_then(|low| char::from(*low).to_digit(16))?;
        out.push(u8::try_from(high * 16 + low).ok()?);
        rest = rest.get(2..).unwrap_or_default();
    }
    Some(out)
}
