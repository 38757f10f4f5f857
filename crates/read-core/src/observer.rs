//! Observers: whoever must know what was read (edit guards, hashline snapshots) taps the read itself, so that nothing
//! is read twice.

use read_selector::LineRange;

use crate::output::Notice;
use crate::source::Source;

/// Told of every read of text that begins.
pub trait Observer: Send + Sync {
    /// A tap on this read, or `None`, which costs nothing.
    fn begin(&self, subject: &Subject<'_>) -> Option<Box<dyn Tap>>;

    /// A path inside the workspace was looked up and is definitely not there.
    fn absent(&self, path: &str) {
        let _ = path;
    }
}

/// The read that begins.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Subject<'a> {
    /// What is read.
    pub source: &'a Source,
    /// The outermost file's path in the workspace.
    pub resolved_path: &'a str,
    /// Whether the caller asked for anchored lines.
    pub anchored: bool,
    /// Whether the bytes are shown verbatim.
    pub raw: bool,
    /// Whether the file has the very name that was asked for, not only one that looks like it.
    pub exact: bool,
}

/// Receives what one read reads. While a tap [wants more](Tap::wants_more) the whole source is read from its start, once,
/// even where the window alone would need less.
pub trait Tap: Send {
    /// Whether it still wants the whole source. Asked after each piece.
    fn wants_more(&self) -> bool;

    /// Whether it wants [`text`](Self::text): decoding costs.
    fn wants_text(&self) -> bool {
        false
    }

    /// The next bytes of the source as they lie.
    fn raw(&mut self, bytes: &[u8]) {
        let _ = bytes;
    }

    /// The next text of the source, decoded: a byte order mark as U+FEFF, line ends as they lie.
    fn text(&mut self, text: &str) {
        let _ = text;
    }

    /// The read is over; gives what to print about it.
    fn end(self: Box<Self>, end: &End<'_>) -> Imprint;
}

/// How a tapped read ended.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct End<'a> {
    /// The lines that were shown whole.
    pub shown: &'a [LineRange],
    /// Lines in all, where they were counted.
    pub total_lines: Option<u64>,
    /// Whether the tap was given every byte of the source, first to last, from one unchanged state of it.
    pub complete: bool,
    /// Whether anything had to be replaced by U+FFFD or ␀.
    pub lossy: bool,
    /// Whether the host's `max_read_bytes` cut the source.
    pub read_limit: bool,
}

/// What a tap adds to the output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Imprint {
    /// A line above the text.
    pub header: Option<String>,
    /// For `details.tag`.
    pub tag: Option<String>,
    /// Notices.
    pub notices: Vec<Notice>,
}
