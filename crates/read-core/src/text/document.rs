//! An open text: its encoding, its bounds, and where a scan of it begins.

use std::io;
use std::sync::Arc;

use super::blocks::Blocks;
use super::charset::Charset;
use super::index::{Entry, LineIndex};
use super::newline::{Endings, Newline};
use super::scan::Scanner;
use super::sniff::{Sniffed, sniff};
use crate::context::{LineStyle, ReadContext};
use crate::error::{ErrorCode, ReadError};
use crate::limits::Limits;
use crate::media_type;
use crate::names::size;
use crate::observer::{Subject, Tap};
use crate::output::{Notice, Rank};
use crate::source::Source;

/// Sources from this length on have an index of their lines kept (1 MiB); shorter ones are scanned faster than looked up.
const INDEXED_FROM: u64 = 1 << 20;

/// A source that is text.
pub(super) struct Document<'a> {
    pub(super) source: &'a Source,
    pub(super) cx: &'a ReadContext<'a>,
    pub(super) charset: Charset,
    pub(super) bom: usize,
    /// Whether the caller named the encoding.
    pub(super) named: bool,
    head: Arc<[u8]>,
}

impl<'a> Document<'a> {
    /// Decides whether the source is text, and in which encoding.
    pub(super) fn open(source: &'a Source, cx: &'a ReadContext<'a>) -> Result<Self, ReadError> {
        let head = source.head().map_err(|error| ReadError::io(source.path(), error))?;
        let whole =
            source.slice().is_some_and(|slice| slice.len() <= head.len() as u64) || head.len() < crate::HEAD;
        let named = cx.request().encoding.as_deref().map(charset_argument).transpose()?;
        let (charset, bom) = match (Charset::of_bom(&head), named) {
            (Some((charset, bom)), _) => (charset, bom),
            (None, Some(charset)) => (charset, 0),
            (None, None) => match sniff(&head, whole) {
                Sniffed::Text { charset, bom } => (charset, bom),
                Sniffed::Binary => return Err(binary(source, &head)),
            },
        };
        Ok(Self { source, cx, charset, bom, named: named.is_some() && bom == 0, head })
    }

    pub(super) fn newline(&self) -> Newline {
        self.charset.newline()
    }

    /// Whether there is no text: nothing at all, or a byte order mark alone.
    pub(super) fn is_empty(&self) -> bool {
        self.head.len() <= self.bom
    }

    /// The length in bytes where it is a fact, as far as the host reads.
    pub(super) fn length(&self) -> Option<u64> {
        let length = self.source.slice().map(crate::Slice::len)?;
        Some(self.cx.limits().max_read_bytes.map_or(length, |limit| limit.min(length)))
    }

    /// How the lines of the first 64 KiB end.
    pub(super) fn endings(&self) -> Endings {
        if self.newline() == Newline::BYTE {
            return Endings::of(&self.head);
        }
        let mut text = String::new();
        self.charset.decode(self.head.get(self.bom..).unwrap_or_default(), &mut text);
        Endings::of(text.as_bytes())
    }

    /// Taps of whoever observes this read.
    pub(super) fn taps(&self, raw: bool) -> Vec<Box<dyn Tap>> {
        let subject = Subject {
            source: self.source,
            resolved_path: self.cx.resolved_path(),
            anchored: self.cx.request().style == LineStyle::Anchored,
            raw,
            exact: self.cx.exact,
        };
        self.cx.observers.iter().filter_map(|observer| observer.begin(&subject)).collect()
    }

    /// A scan that begins at `line`, or before it where the index allows; at the start where a tap wants all.
    pub(super) fn scan(&self, line: u64, taps: Vec<Box<dyn Tap>>) -> Result<Scanner, ReadError> {
        let from_start = taps.iter().any(|tap| tap.wants_more());
        let index = self.index().unwrap_or_default();
        let at = if from_start { Entry::default() } else { index.before_line(line) };
        let blocks = self.blocks(at.offset, taps)?;
        let scan = Scanner::new(blocks, self.newline(), index, at);
        Ok(scan.on_threads(self.cx.limits().count_threads))
    }

    /// A scan from an offset at which a line begins, without regard to its number.
    pub(super) fn scan_from(&self, offset: u64) -> Result<Scanner, ReadError> {
        let blocks = self.blocks(offset, Vec::new())?;
        Ok(Scanner::new(blocks, self.newline(), Arc::default(), Entry { offset, lines_before: 0 }))
    }

    fn blocks(&self, offset: u64, taps: Vec<Box<dyn Tap>>) -> Result<Blocks, ReadError> {
        let limit = self.cx.limits().max_read_bytes;
        Blocks::open(self.source, offset, limit, taps, self.charset).map_err(|error| self.error(error))
    }

    fn index(&self) -> Option<Arc<LineIndex>> {
        self.source.slice().filter(|slice| slice.len() >= INDEXED_FROM)?;
        self.cx.cache().get(self.newline().space(), self.source.identity()?)
    }

    /// Keeps what a scan learnt about where lines lie.
    pub(super) fn keep_index(&self, scan: &Scanner) {
        let Some(index) = scan.grown_index() else { return };
        if let (Some(identity), Some(true)) =
            (self.source.identity(), self.source.slice().map(|slice| slice.len() >= INDEXED_FROM))
            && !self.source.has_changed()
        {
            self.cx.cache().put(self.newline().space(), identity, Arc::clone(index), index.weight());
        }
    }

    /// An error where the encoding that the caller named does not fit, from this byte on.
    pub(super) fn refuse_misnamed(&self, first_malformed: Option<u64>) -> Result<(), ReadError> {
        match first_malformed.filter(|_| self.named) {
            None => Ok(()),
            Some(offset) => Err(ReadError::new(
                ErrorCode::InvalidArguments,
                format!(
                    "encoding: '{}' is not {} at byte {offset}. Send another encoding, or leave it out to have it detected.",
                    self.source.path(),
                    self.charset.name()
                ),
            )),
        }
    }

    /// The notice where the host's read limit cut the source: at `end`, for a source of unknown length.
    pub(super) fn read_limit_notice(&self, end: u64) -> Option<Notice> {
        read_limit_notice(self.source, self.cx.limits(), end)
    }

    pub(super) fn error(&self, error: io::Error) -> ReadError {
        ReadError::io(self.source.path(), error)
    }
}

pub(super) fn charset_argument(label: &str) -> Result<Charset, ReadError> {
    Charset::for_label(label).ok_or_else(|| {
        let label = read_selector::Excerpt::new(label);
        ReadError::new(
            ErrorCode::InvalidArguments,
            format!("encoding: '{label}' is not a known encoding. Send a WHATWG label such as utf-8, gbk, shift_jis or windows-1252, or leave it out."),
        )
    })
}

/// The notice where the host's read limit leaves out part of a source, of which `seen` bytes were met.
pub(super) fn read_limit_notice(source: &Source, limits: &Limits, seen: u64) -> Option<Notice> {
    let limit = limits.max_read_bytes?;
    let longer = source.slice().map_or(seen >= limit, |slice| slice.len() > limit);
    let text =
        || format!("{} truncated at {limit} bytes: this host reads no further", source.noun().capitalized());
    longer.then(|| Notice::new(Rank::LeftOut, text()))
}

/// The error for bytes that are no text and that no reader claims.
pub(crate) fn binary(source: &Source, head: &[u8]) -> ReadError {
    let media_type = media_type::of(head);
    let length = source.length().map(|length| format!(", {}", size(length))).unwrap_or_default();
    ReadError::new(
        ErrorCode::UnsupportedContent,
        format!("'{}' is binary ({media_type}{length}). Use :hex to see its bytes.", source.path()),
    )
    .with_suggestions([format!("{}:hex", source.path())])
}
