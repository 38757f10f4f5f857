//! Sources: whatever can be read, wherever it lies.

mod entries;
#[cfg(feature = "local-fs")]
mod file_at;
mod identity;
mod noun;
mod slice;
mod spool;
mod stream;
mod whole;

use std::fmt;
use std::io::{self, Read};
use std::sync::{Arc, OnceLock};

pub use entries::{Entries, Entry, EntryKind};
#[cfg(all(feature = "local-fs", unix))]
pub(crate) use file_at::read_file_at;
pub use identity::Identity;
pub use noun::Noun;
pub use slice::{ReadAt, Slice, SliceReader};
pub use spool::Spool;
pub(crate) use stream::HeadAndRest;
pub use stream::{Recipe, Stream};

use crate::error::{ErrorCode, ReadError};
use crate::limits::HEAD;
use crate::meter::{Meter, Metered};
use crate::names::printed;
use crate::output::Notice;

/// Something readable: a file, a directory, an archive member, a cell, an embedded resource. Cheap to clone.
#[derive(Clone)]
pub struct Source {
    name: Arc<[u8]>,
    path: Arc<str>,
    noun: Noun,
    length: Option<u64>,
    identity: Option<Identity>,
    contained: bool,
    /// Whether it is content that has another name than what it lies in.
    renamed: bool,
    /// The names by which the containers around it know it, the outermost first.
    chain: Arc<[Vec<u8>]>,
    body: Body,
    head: Arc<OnceLock<Arc<[u8]>>>,
    siblings: Option<Arc<SiblingFn>>,
    facts: Arc<[(&'static str, String)]>,
    notices: Arc<[Notice]>,
    meter: Option<Meter>,
}

type SiblingFn = dyn Fn(&str) -> Result<Option<Source>, ReadError> + Send + Sync;

/// What lies behind a source.
#[derive(Clone)]
#[non_exhaustive]
pub enum Body {
    /// Bytes that can be read at any position.
    Slice(Slice),
    /// Bytes that come in order; the stream can be opened again.
    Stream(Stream),
    /// Entries.
    Dir(Arc<dyn Entries>),
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source")
            .field("path", &self.path)
            .field("noun", &self.noun)
            .field("length", &self.length)
            .field("body", &self.body.kind())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind())
    }
}

impl Body {
    fn kind(&self) -> &'static str {
        match self {
            Self::Slice(_) => "slice",
            Self::Stream(_) => "stream",
            Self::Dir(_) => "directory",
        }
    }
}

impl Source {
    /// A source called `name` (its last component, as bytes) that the target `path` addresses.
    pub fn new(name: impl Into<Vec<u8>>, path: impl Into<String>, noun: Noun, body: Body) -> Self {
        let length = match &body {
            Body::Slice(slice) => Some(slice.len()),
            Body::Stream(_) | Body::Dir(_) => None,
        };
        Self {
            name: name.into().into(),
            path: path.into().into(),
            noun,
            length,
            identity: None,
            contained: false,
            renamed: false,
            chain: Arc::default(),
            body,
            head: Arc::default(),
            siblings: None,
            facts: Arc::default(),
            notices: Arc::default(),
            meter: None,
        }
    }

    /// A source over bytes in memory.
    pub fn from_bytes(
        name: impl Into<Vec<u8>>,
        path: impl Into<String>,
        noun: Noun,
        bytes: impl Into<Arc<[u8]>>,
    ) -> Self {
        Self::new(name, path, noun, Body::Slice(Slice::from_bytes(bytes)))
    }

    /// The member `name` of this source (an empty name is the root of a container): its path follows this one's, its
    /// identity hangs on this one's, and it reads under the same meter.
    #[must_use]
    pub fn member(&self, name: &[u8], noun: Noun, body: Body) -> Self {
        let path =
            if name.is_empty() { self.path.to_string() } else { format!("{}:{}", self.path, printed(name)) };
        let leaf = name.rsplit(|byte| *byte == b'/').find(|part| !part.is_empty()).unwrap_or(name);
        let mut inner = Self::new(leaf, path, noun, body);
        inner.identity = self.identity.as_ref().map(|identity| identity.member(name));
        inner.chain = self.chain.iter().cloned().chain([name.to_vec()]).collect();
        inner.attach(self.meter.clone());
        inner
    }

    /// The content of this source in another form (decompressed, say) under the same name and path.
    #[must_use]
    pub fn content(&self, name: impl Into<Vec<u8>>, body: Body) -> Self {
        let mut inner = Self::new(name, &*self.path, self.noun, body);
        inner.identity = self.identity.as_ref().map(|identity| identity.member(b""));
        inner.chain = Arc::clone(&self.chain);
        inner.renamed = self.renamed || inner.name != self.name;
        inner.attach(self.meter.clone());
        inner
    }

    /// The same with a declared length, in bytes. It is a hint of the container, not a fact.
    #[must_use]
    pub fn with_length(mut self, length: Option<u64>) -> Self {
        self.length = length;
        self
    }

    /// The same with a noun.
    #[must_use]
    pub fn with_noun(mut self, noun: Noun) -> Self {
        self.noun = noun;
        self
    }

    /// The same with what tells this content from another under the same name.
    #[must_use]
    pub fn with_identity(mut self, identity: Option<Identity>) -> Self {
        self.identity = identity;
        self
    }

    /// The same with another body.
    pub(crate) fn with_body(mut self, body: Body) -> Self {
        self.body = body;
        self
    }

    /// The same marked as a file of the workspace: reads of it may be observed.
    #[must_use]
    pub fn contained(mut self) -> Self {
        self.contained = true;
        self
    }

    /// The same with a way to open side files, which asks the guard.
    #[must_use]
    pub fn with_siblings(
        mut self,
        open: impl Fn(&str) -> Result<Option<Self>, ReadError> + Send + Sync + 'static,
    ) -> Self {
        self.siblings = Some(Arc::new(open));
        self
    }

    /// The same, addressed by the printable target `path`: as the caller spelled it, where that is not how its container names it.
    /// Rules go on knowing it by the name that its container has for it.
    #[must_use]
    pub fn addressed(mut self, path: &str) -> Self {
        self.path = path.into();
        self
    }

    /// The same with no other side files than those that were resolved, of those that readers declare: the host's gate was
    /// asked about no other.
    pub(crate) fn with_only_siblings(
        mut self,
        resolved: impl IntoIterator<Item = &'static str>,
        declared: Vec<&'static str>,
    ) -> Self {
        if let Some(open) = self.siblings.take() {
            let known: Vec<&'static str> = resolved.into_iter().collect();
            let path = Arc::clone(&self.path);
            self.siblings = Some(Arc::new(move |suffix| match open(suffix)? {
                Some(_) if !known.contains(&suffix) => {
                    let why = if declared.contains(&suffix) {
                        "has appeared since this read was prepared. Read again."
                    } else {
                        "was not looked up before this read: no reader names its suffix in TargetReader::side_files."
                    };
                    Err(ReadError::new(ErrorCode::ResolutionChanged, format!("'{path}{suffix}' {why}")))
                }
                side => Ok(side),
            }));
        }
        self
    }

    /// The same with facts for `details.member`: compressed size, method, time.
    #[must_use]
    pub fn with_facts(mut self, facts: impl IntoIterator<Item = (&'static str, String)>) -> Self {
        self.facts = facts.into_iter().collect();
        self
    }

    /// The same with notices about how it was opened.
    #[must_use]
    pub fn with_notices(mut self, notices: impl IntoIterator<Item = Notice>) -> Self {
        self.notices = notices.into_iter().collect();
        self
    }

    /// The last component of its name.
    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// The whole name by which the innermost container around it knows it; its own name when there is none.
    pub(crate) fn entry_name(&self) -> &[u8] {
        self.chain.last().map_or(self.name(), Vec::as_slice)
    }

    /// Whether it is content that has another name than what it lies in.
    pub(crate) fn is_renamed(&self) -> bool {
        self.renamed
    }

    /// The target that addresses it, printable; a selector can be appended after a colon.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What messages call it.
    pub fn noun(&self) -> Noun {
        self.noun
    }

    /// Its length in bytes: a fact for slices, a container's word for streams.
    pub fn length(&self) -> Option<u64> {
        self.length
    }

    /// The paths by which rules know it: behind the file that it lies in, which is at `resolved_path`, and for what lies
    /// in containers also within each of them.
    pub fn guarded_paths(&self, resolved_path: &str) -> Vec<Vec<u8>> {
        let outer = if resolved_path == "." { &[][..] } else { resolved_path.as_bytes() };
        let mut paths = Vec::with_capacity(self.chain.len() + 1);
        let mut behind = outer.to_vec();
        for name in self.chain.iter() {
            behind.push(b'/');
            behind.extend_from_slice(name);
        }
        paths.push(behind);
        paths.extend(
            (0..self.chain.len())
                .map(|from| self.chain.iter().skip(from).cloned().collect::<Vec<_>>().join(&b'/')),
        );
        paths
    }

    /// What tells its content from another under the same name, where that is known.
    pub fn identity(&self) -> Option<&Identity> {
        self.identity.as_ref()
    }

    /// Whether it is a file of the workspace itself (not a member, a host read or a resource).
    pub fn is_contained(&self) -> bool {
        self.contained
    }

    /// What lies behind it.
    pub fn body(&self) -> &Body {
        &self.body
    }

    /// The slice behind it, when it can be read at any position.
    pub fn slice(&self) -> Option<&Slice> {
        match &self.body {
            Body::Slice(slice) => Some(slice),
            Body::Stream(_) | Body::Dir(_) => None,
        }
    }

    /// Whether it has entries rather than bytes.
    pub fn is_dir(&self) -> bool {
        matches!(self.body, Body::Dir(_))
    }

    /// Whether its bytes come out of a decoder.
    pub fn is_decoded(&self) -> bool {
        matches!(&self.body, Body::Stream(stream) if stream.is_decoded())
    }

    /// Facts for `details.member`.
    pub fn facts(&self) -> &[(&'static str, String)] {
        &self.facts
    }

    /// Notices about how it was opened.
    pub fn notices(&self) -> &[Notice] {
        &self.notices
    }

    /// Its first bytes, at most 64 KiB; read once. A stream that was opened for this serves the first
    /// [`reader`](Self::reader) too.
    pub fn head(&self) -> io::Result<Arc<[u8]>> {
        if let Some(head) = self.head.get() {
            return Ok(Arc::clone(head));
        }
        let head: Arc<[u8]> = match &self.body {
            Body::Slice(slice) => first_bytes(slice)?,
            Body::Stream(stream) => stream.head(self.meter.as_ref())?,
            Body::Dir(_) => Arc::default(),
        };
        Ok(Arc::clone(self.head.get_or_init(|| head)))
    }

    /// Its bytes from the first on.
    pub fn reader(&self) -> io::Result<Box<dyn Read + Send>> {
        match &self.body {
            Body::Slice(slice) => Ok(Box::new(slice.reader())),
            Body::Stream(stream) => stream.reader(self.meter.as_ref()),
            Body::Dir(_) => Err(io::ErrorKind::IsADirectory.into()),
        }
    }

    /// Its first bytes, as far as they are at hand, and a reader of those behind them.
    pub(crate) fn head_and_rest(&self) -> io::Result<HeadAndRest> {
        match &self.body {
            Body::Slice(_) => {
                let head = self.head()?;
                let rest = self.reader_at(head.len() as u64)?;
                Ok((head, rest))
            }
            Body::Stream(stream) => stream.head_and_rest(self.meter.as_ref()),
            Body::Dir(_) => Err(io::ErrorKind::IsADirectory.into()),
        }
    }

    /// Its bytes from `offset` on; a stream that cannot be opened there is read up to there.
    pub fn reader_at(&self, offset: u64) -> io::Result<Box<dyn Read + Send>> {
        if let Body::Slice(slice) = &self.body {
            return Ok(Box::new(slice.sub(offset, u64::MAX).reader()));
        }
        if let Body::Stream(stream) = &self.body
            && let Some(reader) = stream.reader_at(offset, self.meter.as_ref())?
        {
            return Ok(reader);
        }
        let mut reader = self.reader()?;
        io::copy(&mut reader.by_ref().take(offset), &mut io::sink())?;
        Ok(reader)
    }

    /// Its entries; `None` when it has bytes.
    pub fn entries(&self) -> Option<&Arc<dyn Entries>> {
        match &self.body {
            Body::Dir(entries) => Some(entries),
            Body::Slice(_) | Body::Stream(_) => None,
        }
    }

    /// The file beside it whose name is this one's with `suffix`, through the workspace and its guard; `None` when there
    /// is none.
    pub fn sibling(&self, suffix: &str) -> Result<Option<Self>, ReadError> {
        self.siblings.as_ref().map_or(Ok(None), |open| open(suffix))
    }

    /// Whether the file behind it is no longer what it was when it was opened: a mixture of two states may have been
    /// read. False where that cannot be told.
    pub fn has_changed(&self) -> bool {
        let (Some(slice), Some(identity)) = (self.slice(), &self.identity) else { return false };
        slice
            .at()
            .as_file()
            .and_then(|file| Identity::now(file).ok())
            .is_some_and(|now| !identity.same_content(&now))
    }

    /// Puts the meter under everything that is read through this source.
    pub(crate) fn attach(&mut self, meter: Option<Meter>) {
        if let (Body::Slice(slice), Some(meter)) = (&mut self.body, &meter) {
            slice.attach(meter.clone());
        }
        self.meter = meter;
    }
}

/// The first bytes of a slice, read where they stay.
fn first_bytes(slice: &Slice) -> io::Result<Arc<[u8]>> {
    let len = usize::try_from(slice.len()).unwrap_or(HEAD).min(HEAD);
    let mut head: Arc<[u8]> = std::iter::repeat_n(0, len).collect();
    let Some(bytes) = Arc::get_mut(&mut head) else { return Ok(Arc::default()) };
    let n = slice.read_full_at(bytes, 0)?;
    Ok(if n < len { head.get(..n).unwrap_or_default().into() } else { head })
}

/// A boxed stream under `meter`, charged when a decoder gives it.
fn metered(inner: Box<dyn Read + Send>, meter: Option<&Meter>, decoded: bool) -> Box<dyn Read + Send> {
    match meter {
        Some(meter) => Box::new(Metered::new(inner, meter.clone(), decoded)),
        None => inner,
    }
}
