//! What a reader is given beside its source.

use std::fmt;
use std::sync::Arc;

use crate::cache::Cache;
use crate::guard::Guard;
use crate::limits::Limits;
use crate::meter::Meter;
use crate::observer::Observer;
use crate::output::Notice;
use crate::registry::Registry;
use crate::source::Spool;

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
    pub(crate) notices: Vec<Notice>,
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
    /// The meter: check it in every loop, charge it for what a decoder gives outside a [`Source`](crate::Source).
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

    /// The host's readers.
    pub fn registry(&self) -> &Registry {
        self.registry
    }

    /// The outermost file's path in the workspace, printable.
    pub fn resolved_path(&self) -> &str {
        self.resolved_path
    }

    /// Notices of the levels that were passed on the way here, which end up in the output whatever a reader gives.
    pub fn notices(&self) -> &[Notice] {
        &self.notices
    }

    /// The reader that would read `source`, strongest first; `None` when nobody claims it.
    pub fn recognise(&self, source: &crate::Source) -> Option<&'static str> {
        let head = source.head().ok()?;
        let probe = crate::Probe::new(source, &head);
        self.registry.matches(&probe).first().map(|(reader, _)| reader.name())
    }
}
