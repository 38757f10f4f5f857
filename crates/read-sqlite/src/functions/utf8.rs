//! Characters as SQLite reads them, also where they are no UTF-8.

/// The character at the start of `bytes`, and how many bytes it has; `None` at the end.
pub(super) fn first(bytes: &[u8]) -> Option<(u32, usize)> {
    let (lead, rest) = bytes.split_first()?;
    let lead = u32::from(*lead);
    if lead < 0xc0 {
        return Some((lead, 1));
    }
    // The bits of the lead byte, as if there were no longest form.
    let mut c = match lead {
        0xc0..0xe0 => lead & 0x1f,
        0xe0..0xf0 => lead & 0x0f,
        0xf0..0xf8 => lead & 0x07,
        0xf8..0xfc => lead & 0x03,
        0xfc..0xfe => lead & 0x01,
        _ => 0,
    };
    let mut len = 1;
    for byte in rest.iter().take_while(|byte| **byte & 0xc0 == 0x80) {
        c = (c << 6).wrapping_add(u32::from(byte & 0x3f));
        len += 1;
    }
    if c < 0x80 || c & 0xffff_f800 == 0xd800 || c & 0xffff_fffe == 0xfffe {
        c = 0xfffd;
    }
    Some((c, len))
}

/// All characters of `bytes`.
pub(super) fn characters(bytes: &[u8]) -> Vec<u32> {
    let mut all = Vec::new();
    let mut rest = bytes;
    while let Some((c, len)) = first(rest) {
        all.push(c);
        rest = rest.get(len..).unwrap_or_default();
    }
    all
}

/// Whether a byte goes on with the character before it.
pub(super) fn goes_on(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

/// `bytes` up to the first NUL, where texts of C end.
pub(super) fn until_nul(bytes: &[u8]) -> &[u8] {
    memchr::memchr(0, bytes).and_then(|end| bytes.get(..end)).unwrap_or(bytes)
}
