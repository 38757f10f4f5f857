//! The pipeline as a host holds it: resolve once, then run.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::at_work::AtWork;
use crate::cache::Cache;
use crate::context::{ReadContext, Request};
use crate::dispatch;
use crate::error::{ErrorCode, ReadError};
use crate::filesystem::{FileSystem, Guarded, Resolved};
use crate::finish;
use crate::guard::Guard;
use crate::limits::Limits;
use crate::meter::{Bounds, Budget, Cancel, Meter, Progress};
use crate::names::{decoded, printed};
use crate::observer::Observer;
use crate::output::{Notice, ReadOutput};
use crate::pages::Pages;
use crate::registry::Registry;
use crate::resolution::{Origin, Resolution, SideFile};
use crate::resolve;
use crate::resources::{self, EmbeddedResources, Resources};
use crate::source::{Source, Spool};

/// Bytes that spools hold at one time, unless a host says otherwise (1 GiB).
const SPOOL_BOUND: u64 = 1 << 30;

/// Reads targets: a file system, readers, limits, and what is kept between reads. Share one among threads.
pub struct Pipeline {
    files: Arc<dyn FileSystem>,
    resources: Arc<dyn Resources>,
    guard: Arc<dyn Guard>,
    registry: Registry,
    limits: Limits,
    cache: Cache,
    spool: Spool,
    observers: Vec<Arc<dyn Observer>>,
    pages: Pages,
}

impl fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pipeline")
            .field("registry", &self.registry)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

impl Pipeline {
    /// A pipeline over `files` and under its [rules](FileSystem::guard), with core's own readers and default limits.
    pub fn new(files: impl FileSystem + 'static) -> Self {
        Self {
            guard: files.guard(),
            files: Arc::new(files),
            resources: Arc::new(EmbeddedResources::new()),
            registry: Registry::core(),
            limits: Limits::default(),
            cache: Cache::default(),
            spool: Spool::in_memory(SPOOL_BOUND),
            observers: Vec::new(),
            pages: Pages::default(),
        }
    }

    /// The same with these readers.
    #[must_use]
    pub fn with_registry(mut self, registry: Registry) -> Self {
        self.registry = registry;
        self
    }

    /// The same with these limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The same with rules of a host's own. Over a file system without [rules](FileSystem::guard) they hold for all that is
    /// read, as if it were [`Guarded`]. Where it has some, it goes on to hold to these in what it resolves, opens and lists;
    /// the ones given here take their place for what lies in containers, and hold in listings too.
    #[must_use]
    pub fn with_guard(mut self, guard: Arc<dyn Guard>) -> Self {
        if !self.files.guard().has_rules() {
            self.files = Arc::new(Guarded::new(self.files, Arc::clone(&guard)));
        }
        self.guard = guard;
        self
    }

    /// The same with a cache of another size.
    #[must_use]
    pub fn with_cache(mut self, cache: Cache) -> Self {
        self.cache = cache;
        self
    }

    /// The same with another place for spools.
    #[must_use]
    pub fn with_spool(mut self, spool: Spool) -> Self {
        self.spool = spool;
        self
    }

    /// The same with an observer of what is read.
    #[must_use]
    pub fn with_observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observers.push(observer);
        self
    }

    /// The same with embedded resources.
    #[must_use]
    pub fn with_resources(mut self, resources: Arc<dyn Resources>) -> Self {
        self.resources = resources;
        self
    }

    /// The readers.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// The limits.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// A meter for one read, whose time runs from now.
    pub fn meter(&self, cancel: Cancel, progress: Option<Arc<dyn Progress>>) -> Meter {
        Meter::start(Bounds {
            cancel,
            timeout: self.limits.timeout,
            budget: Some(Budget { base: self.limits.budget_base, factor: self.limits.budget_factor }),
            progress,
        })
    }

    /// Finds what `target` names, and what follows it; looks up the side files that readers may need. Nothing is opened but
    /// a pointer file, and directories in search of near names.
    pub fn resolve(&self, target: &str, meter: &Meter) -> Result<Resolution, ReadError> {
        let mut resolution =
            resolve::resolve(&*self.files, &*self.resources, target, self.limits.listings, meter)
                .inspect_err(|error| self.note_absence(target, error))?;
        if let Some(resolved) = resolution.resolved() {
            resolution.side_files = self.side_files(resolved);
        }
        Ok(resolution)
    }

    /// The side files of a file that its readers may open, as far as they exist and may be read. They lie beside the file
    /// itself, whatever link led to it.
    fn side_files(&self, resolved: &Resolved) -> Vec<SideFile> {
        let canonical = decoded(resolved.path()).unwrap_or_else(|| resolved.path().as_bytes().to_vec());
        let exists = |suffix: &'static str| {
            let path = [&*canonical, suffix.as_bytes()].concat();
            let side = self.files.resolve(&path).ok()??;
            Some(SideFile { suffix, path: side.path().to_owned() })
        };
        self.suffixes().filter_map(exists).collect()
    }

    /// What the names of the side files that readers declare end in.
    fn suffixes(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.registry.iter().flat_map(|reader| reader.side_files().iter().copied())
    }

    /// Tells the observers of a path inside the workspace that is definitely not there.
    fn note_absence(&self, target: &str, error: &ReadError) {
        let path = read_selector::head(target);
        if error.code() == ErrorCode::NotFound
            && !target.starts_with(resources::SCHEME)
            && error.cause().is_none()
            && matches!(self.files.resolve(path.as_bytes()), Ok(None))
        {
            let parts =
                path.split('/').filter(|part| !part.is_empty() && *part != ".").collect::<Vec<_>>().join("/");
            let path = if path.starts_with('/') { format!("/{parts}") } else { parts };
            self.observers.iter().for_each(|observer| observer.absent(&printed(path.as_bytes())));
        }
    }

    /// Reads what was resolved.
    pub fn run(
        &self,
        resolution: &Resolution,
        request: &Request,
        meter: &Meter,
    ) -> Result<ReadOutput, ReadError> {
        if let Some(label) = &request.encoding {
            crate::text::check_encoding(label)?;
        }
        let (source, resolved_path, found) = match &resolution.origin {
            Origin::File(resolved) => {
                let source = match (&resolution.written, self.files.open(resolved)) {
                    (None, opened) => opened?,
                    (Some(written), Ok(source)) => source.addressed(written),
                    (Some(written), Err(error)) => return Err(error.about(resolved.asked(), written)),
                };
                let source = source.with_only_siblings(
                    resolution.side_files.iter().map(|side| side.suffix),
                    self.suffixes().collect(),
                );
                (source, resolved.path().to_owned(), resolved.notices())
            }
            Origin::Resource(embedded) => {
                let source = embedded.source();
                let path = source.path().to_owned();
                (source, path, &[][..])
            }
        };
        if let Some(length) = source.length() {
            meter.expect_total(length);
        }
        let cx = ReadContext {
            meter,
            guard: &*self.guard,
            limits: &self.limits,
            request,
            cache: &self.cache,
            spool: &self.spool,
            registry: &self.registry,
            observers: &self.observers,
            resolved_path: &resolved_path,
            exact: resolution.exact,
        };
        let found = found.iter().chain(&resolution.notices).cloned().collect();
        self.caught(source, resolution.rest.clone(), found, &cx)
    }

    /// Reads a source under one catch: streams are lazy, so that a decoder's panic surfaces wherever they are read.
    fn caught(
        &self,
        source: Source,
        rest: String,
        found: Vec<Notice>,
        cx: &ReadContext<'_>,
    ) -> Result<ReadOutput, ReadError> {
        let at_work = AtWork::default();
        let read = catch_unwind(AssertUnwindSafe(|| {
            let reached = dispatch::read(source, rest, &at_work, cx)?;
            Ok(finish::output(reached, found, &self.pages, &at_work, cx))
        }));
        let error = match read {
            Ok(Ok(output)) => return Ok(output),
            Ok(Err(error)) => error,
            Err(panic) => at_work.panicked(panic.as_ref()),
        };
        // Error chains lose what stopped a stream on their way through decoders; the meter kept it.
        match cx.meter.tripped() {
            Some(trip) if error.code() != ErrorCode::ReaderFailed => Err(at_work.tripped(trip)),
            _ => Err(error),
        }
    }

    /// Resolves and reads, for callers that need no gate between.
    pub fn read(&self, target: &str, request: &Request, cancel: Cancel) -> Result<ReadOutput, ReadError> {
        let meter = self.meter(cancel, None);
        let resolution = self.resolve(target, &meter)?;
        self.run(&resolution, request, &meter)
    }
}
