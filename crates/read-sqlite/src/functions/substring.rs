//! `instr` and `replace`, in time linear in their arguments.

use memchr::memmem;

use super::utf8::goes_on;

/// Where `part` begins in `whole`, counted from 1 in characters or in bytes; 0 where it is not in it.
pub(super) fn place(whole: &[u8], part: &[u8], in_characters: bool) -> usize {
    if part.is_empty() {
        return 1;
    }
    if !in_characters {
        return memmem::find(whole, part).map_or(0, |at| at + 1);
    }
    // Places are looked at where characters begin, and at the start in any case.
    let at = if part.first().is_some_and(|first| goes_on(*first)) {
        whole.starts_with(part).then_some(0)
    } else {
        memmem::find(whole, part)
    };
    at.map_or(0, |at| {
        let before = whole.get(1..=at).unwrap_or_default();
        1 + before.iter().filter(|byte| !goes_on(**byte)).count()
    })
}

/// `text` with every `part` made `other`; `None` where that is over `longest` bytes.
pub(super) fn replaced(text: &[u8], part: &[u8], other: &[u8], longest: usize) -> Option<Vec<u8>> {
    let finder = memmem::Finder::new(part);
    let count = finder.find_iter(text).count();
    let len = text
        .len()
        .checked_sub(count.checked_mul(part.len())?)?
        .checked_add(count.checked_mul(other.len())?)?;
    if len > longest {
        return None;
    }
    let mut out = Vec::with_capacity(len);
    let mut from = 0;
    for at in finder.find_iter(text) {
        out.extend_from_slice(text.get(from..at).unwrap_or_default());
        out.extend_from_slice(other);
        from = at + part.len();
    }
    out.extend_from_slice(text.get(from..).unwrap_or_default());
    Some(out)
}
