//! The pipeline as a host holds it: resolve once, then run.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::cache::Cache;
use crate::context::{ReadContext, Request};
use crate::dispatch;
use crate::error::ReadError;
use crate::filesystem::FileSystem;
use crate::guard::{Guard, Unguarded};
use crate::limits::Limits;
use crate::meter::{Bounds, Budget, Cancel, Meter, Progress};
use crate::observer::Observer;
use crate::output::{Notice, Rank, ReadOutput};
use crate::reader::Answer;
use crate::registry::Registry;
use crate::resolve::{self, Resolution};
use crate::source::{Identity, Source, Spool};

/// Bytes that spools hold at one time, unless a host says otherwise (1 GiB).
const SPOOL_BOUND: u64 = 1 << 30;

/// Paths of which it is remembered what was shown.
const REMEMBERED: usize = 512;

/// Reads targets: a file system, readers, limits, and what is kept between reads. Share one among threads.
pub struct Pipeline {
    files: Arc<dyn FileSystem>,
    guard: Arc<dyn Guard>,
    registry: Registry,
    limits: Limits,
    cache: Cache,
    spool: Spool,
    observers: Vec<Arc<dyn Observer>>,
    pages: Mutex<HashMap<String, Page>>,
}

/// The last page that was shown of a source.
struct Page {
    identity: Identity,
    first: u64,
    last: u64,
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
    /// A pipeline over `files` with core's own readers, default limits and no rules.
    pub fn new(files: impl FileSystem + 'static) -> Self {
        Self {
            files: Arc::new(files),
            guard: Arc::new(Unguarded),
            registry: Registry::core(),
            limits: Limits::default(),
            cache: Cache::default(),
            spool: Spool::in_memory(SPOOL_BOUND),
            observers: Vec::new(),
            pages: Mutex::default(),
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

    /// The same with rules for what lies in containers and for listings. (The file system has its own copy for what it
    /// opens.)
    #[must_use]
    pub fn with_guard(mut self, guard: Arc<dyn Guard>) -> Self {
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

    /// Finds the path in `target`, and what follows it. Nothing is opened but directories, in search of near names.
    pub fn resolve(&self, target: &str, meter: &Meter) -> Result<Resolution, ReadError> {
        let resolution = resolve::resolve(&*self.files, target, meter);
        if let Err(error) = &resolution
            && error.code() == crate::ErrorCode::NotFound
        {
            self.observers.iter().for_each(|observer| observer.absent(read_selector::head(target)));
        }
        resolution
    }

    /// Reads what was resolved.
    pub fn run(
        &self,
        resolution: &Resolution,
        request: &Request,
        meter: &Meter,
    ) -> Result<ReadOutput, ReadError> {
        let source = self.files.open(&resolution.resolved)?;
        if let Some(length) = source.length() {
            meter.expect_total(length);
        }
        let notices = resolution.resolved.notices().iter().chain(&resolution.notices).cloned().collect();
        let mut cx = ReadContext {
            meter,
            guard: &*self.guard,
            limits: &self.limits,
            request,
            cache: &self.cache,
            spool: &self.spool,
            registry: &self.registry,
            observers: &self.observers,
            resolved_path: resolution.resolved.path(),
            notices,
        };
        dispatch::read(source, resolution.rest.clone(), &mut cx, &|source, answer| {
            self.remember_page(source, answer);
        })
    }

    /// Resolves and reads, for callers that need no gate between.
    pub fn read(&self, target: &str, request: &Request, cancel: Cancel) -> Result<ReadOutput, ReadError> {
        let meter = self.meter(cancel, None);
        let resolution = self.resolve(target, &meter)?;
        self.run(&resolution, request, &meter)
    }

    /// Says that a source has changed since an earlier page of it was shown, and remembers this page.
    fn remember_page(&self, source: &Source, answer: &mut Answer) {
        let (Some(identity), Some([first, last])) = (
            source.identity(),
            answer.details.shown.as_ref().and_then(|shown| Some([shown.first()?[0], shown.last()?[1]])),
        ) else {
            return;
        };
        let mut pages = self.pages.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = pages.get(source.path())
            && before.identity != *identity
            && first > before.last
        {
            answer.notices.push(Notice::new(
                Rank::Odd,
                format!("{} changed since lines {}-{} were shown", source.path(), before.first, before.last),
            ));
        }
        if pages.len() >= REMEMBERED && !pages.contains_key(source.path()) {
            // Which one is forgotten matters little: the note is a courtesy, a miss only leaves it out.
            if let Some(any) = pages.keys().next().cloned() {
                pages.remove(&any);
            }
        }
        pages.insert(source.path().to_owned(), Page { identity: identity.clone(), first, last });
    }
}
