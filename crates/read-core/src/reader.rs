//! What a reader is: it recognises a source by its first bytes and reads it, or hands on an inner source.

use std::borrow::Cow;
use std::fmt;

use crate::context::ReadContext;
use crate::error::ReadError;
use crate::output::{Block, Details, Notice, Text};
use crate::source::{Noun, Source};

/// A plugin that recognises a source and reads it. Readers are stateless: what is worth keeping between calls goes to
/// [`ReadContext::cache`].
pub trait TargetReader: Send + Sync {
    /// Its name, unique in a registry: `zip`.
    fn name(&self) -> &'static str;

    /// The crate that ships it, for `readers` listings: `env!("CARGO_PKG_NAME")`.
    fn package(&self) -> &'static str;

    /// What it reads, in the words of the tool description.
    fn help(&self) -> ReaderHelp;

    /// Breaks ties between matches of one strength: higher goes first. Zero suits most.
    fn priority(&self) -> i32 {
        0
    }

    /// Whether it answers with members that have paths, as archives do. Deny rules then guard its raw bytes too.
    fn holds_paths(&self) -> bool {
        false
    }

    /// What the names of side files that it may open have behind the source's: `-wal`. They are looked up, and named to the
    /// host's gate, before a read begins.
    fn side_files(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether it shows damaged content as far as that goes and tells itself what ended it, as text does. For others (a
    /// database, a picture) a stream that only carries something odd behind its end had better end there.
    fn tells_damage(&self) -> bool {
        false
    }

    /// Whether one read takes so much memory or time that a host should let few run at once.
    fn is_heavy(&self) -> bool {
        false
    }

    /// Whether it recognises the source by its name and its first bytes. Cheap: no reading, no allocation to speak of.
    fn probe(&self, probe: &Probe<'_>) -> Option<Match>;

    /// Whether it recognises, by its [last bytes](Probe::tail), a source that it did not claim by the first ones. Asked only
    /// where no reader that knows the first bytes answers: looking there costs a read.
    fn probe_end(&self, probe: &Probe<'_>) -> Option<Match> {
        let _ = probe;
        None
    }

    /// Reads the source, or hands on an inner one, or declines. `rest` is what follows the source's name in the target,
    /// without its colon; empty when nothing does.
    fn read(&self, source: &Source, rest: &str, cx: &ReadContext<'_>) -> Result<Outcome, ReadError>;
}

/// A reader's section of the tool description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReaderHelp {
    /// What it reads, in a few words: `zip archives (jar, whl, docx, …)`.
    pub reads: &'static str,
    /// Target forms that it understands, one a line, for a model: `a.zip:dir/file.txt:10-20  a member`.
    pub targets: &'static str,
}

impl ReaderHelp {
    /// What it `reads`, and the `targets` that it understands, one a line.
    pub const fn new(reads: &'static str, targets: &'static str) -> Self {
        Self { reads, targets }
    }
}

/// What a reader may look at to recognise a source.
pub struct Probe<'a> {
    source: &'a Source,
    head: &'a [u8],
}

impl<'a> Probe<'a> {
    pub(crate) fn new(source: &'a Source, head: &'a [u8]) -> Self {
        Self { source, head }
    }

    /// The source's name: its last component.
    pub fn name(&self) -> &'a [u8] {
        self.source.name()
    }

    /// Whether the name ends in one of `extensions` (without dot, in lower case).
    pub fn has_extension(&self, extensions: &[&str]) -> bool {
        let mut parts = self.name().rsplit(|byte| *byte == b'.');
        let last = parts.next().unwrap_or_default();
        parts.next().is_some() && extensions.iter().any(|one| last.eq_ignore_ascii_case(one.as_bytes()))
    }

    /// Its first bytes, at most 64 KiB; empty for a directory.
    pub fn head(&self) -> &'a [u8] {
        self.head
    }

    /// Its length in bytes, where known.
    pub fn length(&self) -> Option<u64> {
        self.source.length()
    }

    /// Whether it has entries rather than bytes.
    pub fn is_dir(&self) -> bool {
        self.source.is_dir()
    }

    /// What messages call it.
    pub fn noun(&self) -> Noun {
        self.source.noun()
    }

    /// Its last bytes, at most `n`: for formats that are recognised at their [end](TargetReader::probe_end). Only for sources
    /// that can be read at any position; it reads, so look at the head first.
    pub fn tail(&self, n: usize) -> Option<Cow<'a, [u8]>> {
        let slice = self.source.slice()?;
        if self.head.len() as u64 == slice.len() {
            return self.head.get(self.head.len().saturating_sub(n)..).map(Cow::Borrowed);
        }
        let start = slice.len().saturating_sub(n as u64);
        let mut tail = vec![0; usize::try_from(slice.len() - start).ok()?];
        let got = slice.read_full_at(&mut tail, start).ok()?;
        tail.truncate(got);
        Some(Cow::Owned(tail))
    }
}

impl fmt::Debug for Probe<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Probe").field("source", self.source).finish_non_exhaustive()
    }
}

/// How surely a reader recognises a source. The strongest match reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Strength {
    /// It reads anything of this kind, when nobody knows better.
    Fallback,
    /// By the name's extension.
    Extension,
    /// By the first bytes.
    Signature,
    /// By the first bytes, and more closely than the signature of the format that it builds on.
    Specific,
}

/// A reader's claim on a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Match {
    /// How sure it is.
    pub strength: Strength,
    /// The media type it takes the source for.
    pub media_type: &'static str,
}

impl Match {
    /// A claim on a source of this media type.
    pub const fn new(strength: Strength, media_type: &'static str) -> Self {
        Self { strength, media_type }
    }
}

/// What a reader makes of a source.
#[derive(Debug)]
#[non_exhaustive]
pub enum Outcome {
    /// The answer.
    Output(Answer),
    /// An inner source and the rest of the target, for dispatch to go on with.
    Descend {
        /// What to read next.
        source: Source,
        /// What follows it in the target.
        rest: String,
        /// What to say about how it was reached.
        notices: Vec<Notice>,
    },
    /// "The rest is not mine": the next match reads the source, then core's selectors do.
    Decline,
}

/// What a reader answers. Core adds the notices of the levels above, puts all in order behind the first text block, and
/// copies them into the details.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Answer {
    /// What the model sees, without notices.
    pub blocks: Vec<Block>,
    /// What the reader knows of it. Core fills in what it leaves at its default: reader, paths, size.
    pub details: Details,
    /// What was left out, and how to go on.
    pub notices: Vec<Notice>,
}

impl Answer {
    /// These blocks, with what is known of them, and what was left out.
    pub fn new(blocks: Vec<Block>, details: Details, notices: Vec<Notice>) -> Self {
        Self { blocks, details, notices }
    }

    /// One block of text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::shown(text, Details::default(), Vec::new())
    }

    /// One block of text with what is known of it, and what was left out of it.
    pub fn shown(text: impl Into<String>, details: Details, notices: Vec<Notice>) -> Self {
        Self { blocks: vec![Block::Text(Text::Shown(text.into()))], details, notices }
    }
}

impl From<Answer> for Outcome {
    fn from(answer: Answer) -> Self {
        Self::Output(answer)
    }
}

impl Outcome {
    /// Hands on `source` without notices.
    pub fn descend(source: Source, rest: impl Into<String>) -> Self {
        Self::Descend { source, rest: rest.into(), notices: Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{Body, Slice};

    fn source(name: &str, bytes: &[u8]) -> Source {
        Source::new(name, name, Noun::File, Body::Slice(Slice::from_bytes(bytes)))
    }

    #[test]
    fn extensions_need_a_dot() {
        for (name, matches) in [("a.ZIP", true), ("zip", false), (".zip", true), ("a.zip.txt", false)] {
            let source = source(name, b"");
            assert_eq!(Probe::new(&source, b"").has_extension(&["zip"]), matches, "{name}");
        }
    }

    #[test]
    fn the_tail_is_read_at_the_end() {
        let bytes = vec![b'x'; 100_000];
        let source = source("a", &bytes);
        let head = source.head().unwrap();
        let probe = Probe::new(&source, &head);
        assert_eq!(probe.tail(30).unwrap().len(), 30);
        assert_eq!(probe.tail(1 << 20).unwrap().len(), 100_000);
    }
}
