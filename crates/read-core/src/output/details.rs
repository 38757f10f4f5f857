//! The machine-readable record beside the blocks.

use std::collections::BTreeMap;

/// What a read did, for machines. Every key is always present in its serialised form; `null` says "not applicable" or
/// "not counted".
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Details {
    /// The version of `read-core`.
    pub version: &'static str,
    /// The reader that gave the output: `text`, `directory`, …
    pub reader: &'static str,
    /// The target's path as it was asked for, selector left off.
    pub path: String,
    /// The path of the outermost file, relative to the workspace; absolute for host reads.
    pub resolved_path: String,
    /// The media type of the content.
    pub media_type: Option<String>,
    /// The size of the innermost source in bytes.
    pub size_bytes: Option<u64>,
    /// The encoding it was decoded from: `UTF-8`, `Shift_JIS`, …
    pub encoding: Option<&'static str>,
    /// `lf`, `crlf`, `mixed` or `cr`, as seen in the first 64 KiB and in the lines shown.
    pub line_ending: Option<&'static str>,
    /// Whether something could not be shown as it is: U+FFFD or ␀ stand for it.
    pub lossy: bool,
    /// Lines (or entries, or rows) in all.
    pub total_lines: Option<u64>,
    /// The lines, entries or rows shown, as inclusive ranges.
    pub shown: Option<Vec<[u64; 2]>>,
    /// The bytes shown, as `[first, end)`, for byte windows and dumps.
    pub shown_bytes: Option<[u64; 2]>,
    /// What a cap left out.
    pub truncated: Option<Truncated>,
    /// The hashline tag.
    pub tag: Option<String>,
    /// The image's figures.
    pub image: Option<ImageDetails>,
    /// Every notice without its brackets. Content can imitate a notice in the text; it cannot forge this list.
    pub notices: Vec<String>,
    /// What a reader adds about the source: an archive member's compressed size, method and time.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "BTreeMap::is_empty"))]
    pub member: BTreeMap<&'static str, String>,
}

/// What a cap left out and how to get it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Truncated {
    /// The cap that ended the output.
    pub by: TruncatedBy,
    /// The first line, byte, entry or row that is not shown.
    pub next: u64,
    /// The whole target that shows it; `None` where none does, because the host reads no further.
    pub next_target: Option<String>,
}

impl Truncated {
    /// What the cap `by` left out: `next` is the first line, byte, entry or row of it, `next_target` the target that shows it.
    pub const fn new(by: TruncatedBy, next: u64, next_target: Option<String>) -> Self {
        Self { by, next, next_target }
    }
}

/// The cap that ended an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum TruncatedBy {
    /// The cap on lines.
    Lines,
    /// The cap on bytes.
    Bytes,
    /// One line is longer than the cap on bytes.
    Line,
    /// The cap on entries of a listing.
    Entries,
    /// The cap on rows of a table.
    Rows,
    /// The budget of decoded bytes, or the deadline.
    Budget,
    /// The host reads no further into a file.
    ReadLimit,
}

/// The figures of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ImageDetails {
    /// Width of what is shown, in pixels.
    pub width: u32,
    /// Height of what is shown, in pixels.
    pub height: u32,
    /// Width of the original after orientation.
    pub original_width: u32,
    /// Height of the original after orientation.
    pub original_height: u32,
}

impl ImageDetails {
    /// An image of the size `shown`, made of one of the size `original` after orientation; each is width and height in pixels.
    pub const fn new(shown: (u32, u32), original: (u32, u32)) -> Self {
        Self { width: shown.0, height: shown.1, original_width: original.0, original_height: original.1 }
    }
}

impl Default for Details {
    fn default() -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION"),
            reader: "",
            path: String::new(),
            resolved_path: String::new(),
            media_type: None,
            size_bytes: None,
            encoding: None,
            line_ending: None,
            lossy: false,
            total_lines: None,
            shown: None,
            shown_bytes: None,
            truncated: None,
            tag: None,
            image: None,
            notices: Vec::new(),
            member: BTreeMap::new(),
        }
    }
}
