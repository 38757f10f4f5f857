//! A member whose name also reads as a selector: what the details say about the other reading.

use read_core::{Notice, Rank, Source, shortened};
use read_selector::{ByteSpan, Classified, Selector, classify, head};

use crate::archive::Archive;
use crate::lookup::resolve;
use crate::names::{Backslash, clean};

/// The notice for the member `name` of the archive that `source` holds, when it also reads as a selector of that archive,
/// or of another member.
pub(crate) fn notice(archive: &dyn Archive, source: &Source, name: &str) -> Option<Notice> {
    // A name that is a selector as it stands is one of the archive itself.
    let path = if matches!(classify(name), Classified::Selector(_)) { "" } else { head(name) };
    let written = name.get(path.len()..)?.trim_start_matches(':');
    let Classified::Selector(selector) = classify(written) else { return None };
    let cleaned = clean(path.as_bytes(), Backslash::Literal);
    let exists = path.is_empty() || matches!(resolve(archive, &cleaned.path, false), Ok(Some(_)));
    if cleaned.climbs || !exists {
        return None;
    }
    let (what, how) = match selector {
        Selector::Lines { raw: false, .. } | Selector::Position { .. } => {
            (if path.is_empty() { "entries" } else { "lines" }, "offset and limit".to_owned())
        }
        // Selectors are understood in either case, names are not.
        Selector::Lines { raw: true, .. } => ("the bytes", format!(":{}", written.to_uppercase())),
        Selector::Hex(_) => ("a dump", format!(":{}", written.to_uppercase())),
        Selector::Stat => ("the facts", format!(":{}", written.to_uppercase())),
        Selector::Bytes(span) => ("the bytes", respelled(span, written)?),
    };
    let separator = if path.is_empty() { "" } else { ":" };
    let of = format!("{}{separator}{}", source.path(), shortened(path.as_bytes()));
    let text = format!(
        "'{}:{}' is the name of an archive entry. To read {what} of '{of}' instead, use {how} with that path",
        source.path(),
        shortened(name.as_bytes())
    );
    Some(Notice::detail(Rank::Opened, text))
}

/// The same window of bytes written in another form.
fn respelled(span: ByteSpan, written: &str) -> Option<String> {
    let (offset, len) = (span.offset, span.len?.get());
    Some(if written.contains('+') {
        format!(":@{offset}-{}", offset.checked_add(len)?.checked_sub(1)?)
    } else {
        format!(":@{offset}+{len}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_has_two_forms() {
        for (written, other) in [("@2+4", Some(":@2-5")), ("@2-5", Some(":@2+4")), ("@2", None)] {
            let Classified::Selector(Selector::Bytes(span)) = classify(written) else { panic!("{written}") };
            assert_eq!(respelled(span, written).as_deref(), other);
        }
    }
}
