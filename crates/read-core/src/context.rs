//! What a reader is given beside its source.

use std::fmt;
use std::sync::Arc;

use crate::cache::Cache;
use crate::error::{ErrorCode, ReadError};
use crate::guard::Guard;
use crate::limits::Limits;
use crate::meter::Meter;
use crate::names::shortened;
use crate::observer::Observer;
use crate::reader::Probe;
use crate::registry::{Reader, Registry};
use crate::source::{Slice, Source, Spool};

/// Where streams that had to be held whole are kept between reads.
const HELD: &str = "held";

/// What the caller asked for beside the target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Request {
    /// The first line, counted from 1.
    pub offset: Option<u64>,
    /// How many lines.
    pub limit: Option<u64>,
    /// A WHATWG label: decode as this, whatever a detector thinks.
    pub encoding: Option<String>,
    /// How lines are marked.
    pub style: LineStyle,
    /// The model that asks takes no images: output with an image in it says so. A host answers this at each call, since
    /// models change within a conversation.
    pub no_images: bool,
}

/// How lines are marked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum LineStyle {
    /// The text alone.
    #[default]
    Plain,
    /// The line's number, right-aligned to four columns, and a tab.
    Numbered,
    /// The line's number and a colon, as anchors for edits.
    #[doc(alias = "hashline")]
    Anchored,
}

/// What a reader is given: it reaches neither the file system nor the clock nor the environment itself.
pub struct ReadContext<'a> {
    pub(crate) meter: &'a Meter,
    pub(crate) guard: &'a dyn Guard,
    pub(crate) limits: &'a Limits,
    pub(crate) request: &'a Request,
    pub(crate) cache: &'a Cache,
    pub(crate) spool: &'a Spool,
    pub(crate) registry: &'a Registry,
    pub(crate) observers: &'a [Arc<dyn Observer>],
    pub(crate) resolved_path: &'a str,
    pub(crate) exact: bool,
}

impl fmt::Debug for ReadContext<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadContext")
            .field("request", self.request)
            .field("meter", self.meter)
            .finish_non_exhaustive()
    }
}

impl ReadContext<'_> {
    /// The meter: check it in every loop, charge it for what a decoder gives outside a [`Source`].
    pub fn meter(&self) -> &Meter {
        self.meter
    }

    /// The host's rules.
    pub fn guard(&self) -> &dyn Guard {
        self.guard
    }

    /// The limits of this read.
    pub fn limits(&self) -> &Limits {
        self.limits
    }

    /// What the caller asked for beside the target.
    pub fn request(&self) -> &Request {
        self.request
    }

    /// What is kept between reads of one tool.
    pub fn cache(&self) -> &Cache {
        self.cache
    }

    /// Where streams are held that must be read at any position.
    pub fn spool(&self) -> &Spool {
        self.spool
    }

    /// The outermost file's path in the workspace, printable.
    pub fn resolved_path(&self) -> &str {
        self.resolved_path
    }

    /// The reader that would read `source`, strongest first; `None` when nobody claims it.
    pub fn recognise(&self, source: &Source) -> Option<Reader> {
        let head = source.head().ok()?;
        self.registry.claims(Probe::new(source, &head), |_| ()).next().map(|(reader, _)| reader)
    }

    /// Whether the host's rules permit an inner source, under every name that they may know it by: behind the file that it
    /// lies in, and within each container around it. Core asks this of whatever a reader hands on; a reader asks it before it
    /// names something, or looks into it.
    pub fn permits(&self, source: &Source) -> bool {
        if !self.guard.has_rules() {
            return true;
        }
        let paths = source.guarded_paths(self.resolved_path);
        let own = renamed(source, &paths);
        paths.iter().chain(&own).all(|path| self.guard.permits(path))
    }

    /// The error about a source that the rules do not [permit](Self::permits).
    pub fn denied(&self, source: &Source) -> ReadError {
        let path = source.path();
        let message = if renamed(source, &source.guarded_paths(self.resolved_path)).is_empty() {
            format!("'{path}' is denied by this host's rules.")
        } else {
            let name = shortened(source.name());
            format!("'{path}' holds '{name}', which is denied by this host's rules.")
        };
        ReadError::new(ErrorCode::Denied, message)
    }

    /// The bytes of `source` at any position. A stream is held whole in the [spool](Self::spool), within
    /// [`Limits::max_buffered`], and kept for later reads of the same content in the [cache](Self::cache).
    pub fn held(&self, source: &Source) -> Result<Slice, ReadError> {
        if let Some(slice) = source.slice() {
            return Ok(slice.clone());
        }
        let identity = source.identity();
        if let Some(held) = identity.and_then(|identity| self.cache.get::<Slice>(HELD, identity)) {
            return Ok((*held).clone());
        }
        let cap = self.limits.max_buffered;
        // What its container says of its length spares the work; what it really has is counted all the same.
        if source.length().is_some_and(|length| length > cap) {
            return Err(source.too_large(cap));
        }
        // What is only kept for later gives way to what is read now.
        let wanted = source.length().unwrap_or(cap);
        while self.spool.left() < wanted && self.cache.forget_oldest(HELD) {}
        let slice = source.to_seekable(cap, self.spool)?;
        if let Some(identity) = identity {
            self.cache.put(HELD, identity, Arc::new(slice.clone()), slice.len());
        }
        Ok(slice)
    }
}

/// The names by which rules know content that has another name than what it lies in (`notes.txt` in `a.gz`): beside that, and
/// alone. None where the names are the same.
fn renamed(source: &Source, paths: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let directory = |path: &[u8]| path.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
    let leaf = |path: &[u8]| path.get(directory(path)..).unwrap_or_default() == source.name();
    if !source.is_renamed() || paths.first().is_none_or(|path| leaf(path)) {
        return Vec::new();
    }
    let beside = paths.iter().map(|path| {
        let directory = path.get(..directory(path)).unwrap_or_default();
        [directory, source.name()].concat()
    });
    beside.chain([source.name().to_vec()]).collect()
}
