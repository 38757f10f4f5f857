//! Tags a text that comes in pieces.

use sha2::{Digest as _, Sha256};

use crate::normalize::{Normalizer, Sink};
use crate::tag::{Digest, Tag};

/// Computes the [`Digest`] of a text while it streams by: one pass, constant memory, whatever the size of the text,
/// of a line, or of a run of blanks. Where the pieces are cut makes no difference.
///
/// ```
/// # use read_hashline::Tagger;
/// let mut tagger = Tagger::new();
/// for piece in ["\u{FEFF}a ", "\t\r", "\nb\r\n"] {
///     tagger.update(piece);
/// }
/// assert_eq!(tagger.finish().tag().to_string(), "9111");
/// ```
#[derive(Debug, Clone)]
pub struct Tagger(Normalizer<Hasher>);

impl Tagger {
    /// A tagger that has seen nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self(Normalizer::new(Hasher::new()))
    }

    /// Takes the next piece of the decoded text, byte order mark included.
    pub fn update(&mut self, piece: &str) {
        self.0.update(piece.as_bytes());
    }

    /// Takes the next piece as UTF-8, which may be cut inside a character. Bytes that are no UTF-8 are hashed as they are.
    pub fn update_bytes(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    /// The digest of all that was taken.
    #[must_use]
    pub fn finish(self) -> Digest {
        self.0.finish().finish()
    }
}

impl Default for Tagger {
    fn default() -> Self {
        Self::new()
    }
}

impl Digest {
    /// The digest of a whole decoded text, which is normalised on the way.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut tagger = Tagger::new();
        tagger.update(text);
        tagger.finish()
    }

    /// The digest of a text that is normal already.
    pub(crate) fn of_normal(normal: &str) -> Self {
        Self::from_bytes(Sha256::digest(normal).into())
    }
}

impl Tag {
    /// The tag of a whole decoded text, with the default number of digits.
    #[must_use]
    pub fn of(text: &str) -> Self {
        Digest::of(text).tag()
    }
}

/// Hashes what it is given, and keeps one earlier state to go back to.
#[derive(Debug, Clone)]
struct Hasher {
    state: Sha256,
    marked: Option<Sha256>,
}

impl Hasher {
    fn new() -> Self {
        Self { state: Sha256::new(), marked: None }
    }

    fn finish(self) -> Digest {
        Digest::from_bytes(self.state.finalize().into())
    }
}

impl Sink for Hasher {
    fn push(&mut self, piece: &[u8]) {
        self.state.update(piece);
    }

    fn mark(&mut self) {
        self.marked = Some(self.state.clone());
    }

    fn rewind(&mut self) {
        if let Some(state) = self.marked.take() {
            self.state = state;
        }
    }
}
