//! Media types by signature, for messages and details.

/// What `head` looks like; `application/octet-stream` when nothing is known.
pub(crate) fn of(head: &[u8]) -> &'static str {
    known(head).unwrap_or("application/octet-stream")
}

#[cfg(feature = "media-types")]
fn known(head: &[u8]) -> Option<&'static str> {
    infer::get(head).map(|kind| kind.mime_type())
}

#[cfg(not(feature = "media-types"))]
fn known(_: &[u8]) -> Option<&'static str> {
    None
}
