//! What the answers of this reader share.

use read_core::{Details, Notice, Rank};

/// The media type of a database.
pub(crate) const MEDIA_TYPE: &str = "application/vnd.sqlite3";

/// Details of an answer about what is in a database.
pub(crate) fn details() -> Details {
    let mut details = Details::default();
    details.media_type = Some(MEDIA_TYPE.into());
    details
}

/// Says how many values are shown otherwise than they are.
pub(crate) fn not_utf8(values: u64) -> Notice {
    let values = agreeing(values, "value is", "values are");
    Notice::new(Rank::Decoded, format!("{values} not UTF-8; shown with U+FFFD"))
}

/// `n` of something, with a verb that agrees in number.
pub(crate) fn agreeing(n: u64, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
