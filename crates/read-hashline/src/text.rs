//! Whole texts in normal form, as the store keeps them.

use std::sync::Arc;

use crate::blanks::{BLANKS, is_blank};
use crate::limits::Limits;
use crate::lines::{LineRange, LineSet};
use crate::no_tag::NoTag;
use crate::normalize::{Normalizer, Sink, normalize};
use crate::tag::{Digest, Tag};

/// A whole text in its normal form, with its digest. Cloning it copies no text.
///
/// Two are equal when their normal forms are.
#[derive(Debug, Clone)]
pub struct NormalText {
    text: Arc<str>,
    digest: Digest,
    decoded_bytes: usize,
    lines: u64,
}

impl NormalText {
    /// Normalises and digests a whole decoded text, of any size.
    #[must_use]
    pub fn new(decoded: &str) -> Self {
        Self::from_normal(normalize(decoded).into(), decoded.len(), decoded.ends_with(BLANKS))
    }

    fn from_normal(text: Arc<str>, decoded_bytes: usize, ended_in_blank: bool) -> Self {
        let line_feeds = text.bytes().filter(|byte| *byte == b'\n').count() as u64;
        let open = !text.is_empty() && !text.ends_with('\n');
        let lines = line_feeds + u64::from(open || ended_in_blank);
        Self { digest: Digest::of_normal(&text), text, decoded_bytes, lines }
    }

    /// The text under a made-up digest, to test what real digests cannot be made to do.
    #[cfg(test)]
    pub(crate) fn under(self, digest: Digest) -> Self {
        Self { digest, ..self }
    }

    /// The text in normal form.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The digest of the normal form.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The tag with the default number of digits. The one to show is what
    /// [`SnapshotStore::record`](crate::SnapshotStore::record) gives, which may be longer.
    #[must_use]
    pub fn tag(&self) -> Tag {
        self.digest.tag()
    }

    /// How many lines the decoded text has. A last line of nothing but blanks is one, though the normal form lost it.
    #[must_use]
    pub fn line_count(&self) -> u64 {
        self.lines
    }

    /// All lines of the decoded text.
    #[must_use]
    pub fn all_lines(&self) -> LineSet {
        LineRange::new(1, self.lines).into_iter().collect()
    }

    /// How many bytes of UTF-8 the decoded text had before it was normalised.
    #[must_use]
    pub fn decoded_bytes(&self) -> usize {
        self.decoded_bytes
    }
}

impl PartialEq for NormalText {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for NormalText {}

/// Gathers a text that comes in pieces into a [`NormalText`], up to a limit.
///
/// It holds at most the limit in memory: a text beyond it is let go at once and gets no tag. Where no snapshot is
/// wanted, a [`Tagger`](crate::Tagger) needs constant memory.
///
/// ```
/// # use read_hashline::{Capture, NoTag};
/// let mut capture = Capture::new();
/// capture.update("a\r");
/// capture.update("\nb\n");
/// let text = capture.finish()?;
/// assert_eq!(text.as_str(), "a\nb\n");
/// assert_eq!(text.tag().to_string(), "9111");
///
/// let mut small = Capture::with_limit(3);
/// small.update("abcd");
/// assert_eq!(small.finish(), Err(NoTag::TooLarge { limit: 3 }));
/// # Ok::<(), NoTag>(())
/// ```
#[derive(Debug, Clone)]
pub struct Capture {
    state: Result<Normalizer<Kept>, NoTag>,
    decoded_bytes: usize,
    ended_in_blank: bool,
    limit: usize,
}

impl Capture {
    /// A capture of decoded texts up to the default of [`Limits::text_bytes`].
    #[must_use]
    pub fn new() -> Self {
        Self::with_limit(Limits::DEFAULT.text_bytes)
    }

    /// A capture of decoded texts up to `limit` bytes of UTF-8.
    #[must_use]
    pub fn with_limit(limit: usize) -> Self {
        Self { state: Ok(Normalizer::new(Kept::default())), decoded_bytes: 0, ended_in_blank: false, limit }
    }

    /// Takes the next piece of the decoded text, byte order mark included.
    pub fn update(&mut self, piece: &str) {
        self.update_bytes(piece.as_bytes());
    }

    /// Takes the next piece as UTF-8, which may be cut inside a character.
    pub fn update_bytes(&mut self, piece: &[u8]) {
        let Ok(normalizer) = &mut self.state else { return };
        let Some(last) = piece.last() else { return };
        self.decoded_bytes = self.decoded_bytes.saturating_add(piece.len());
        if self.decoded_bytes > self.limit {
            return self.refuse(NoTag::TooLarge { limit: self.limit });
        }
        self.ended_in_blank = is_blank(*last);
        normalizer.update(piece);
    }

    /// Gives the text up for this reason, unless it was given up before. What was gathered is let go.
    pub fn refuse(&mut self, reason: NoTag) {
        if self.state.is_ok() {
            self.state = Err(reason);
        }
    }

    /// Whether the text was given up, so that there is no use in reading on.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        self.state.is_err()
    }

    /// The whole text, or why it gets no tag. Bytes that are no UTF-8 make it [`NoTag::Lossy`].
    pub fn finish(self) -> Result<NormalText, NoTag> {
        let kept = self.state?.finish();
        let text = String::from_utf8(kept.bytes).map_err(|_| NoTag::Lossy)?;
        Ok(NormalText::from_normal(text.into(), self.decoded_bytes, self.ended_in_blank))
    }
}

impl Default for Capture {
    fn default() -> Self {
        Self::new()
    }
}

/// Keeps the bytes, and how many there were at the mark.
#[derive(Debug, Clone, Default)]
struct Kept {
    bytes: Vec<u8>,
    mark: usize,
}

impl Sink for Kept {
    fn push(&mut self, piece: &[u8]) {
        self.bytes.extend_from_slice(piece);
    }

    fn mark(&mut self) {
        self.mark = self.bytes.len();
    }

    fn rewind(&mut self) {
        self.bytes.truncate(self.mark);
    }
}
