//! The tool as a host holds it.

use std::fmt;
use std::sync::Arc;

use read_core::{
    Cache, Cancel, ErrorCode, FileSystem, Guard, Limits, LineStyle, Observer, Pipeline, Progress, ReadError,
    ReadOutput, Registry, Resolved, Resources, Spool,
};

use crate::arguments::Arguments;
use crate::ledger::{Ledger, Observing};
use crate::prepared::{PreparedRead, Requirement};
use crate::schema::ToolDefinition;

/// A read tool over one workspace. Share one among threads: it keeps indexes between reads.
pub struct ReadTool {
    pipeline: Pipeline,
    style: LineStyle,
    progress: Option<Arc<dyn Progress>>,
    image_input: Option<Arc<ImageInput>>,
    #[cfg(feature = "hashline")]
    snapshots: Arc<read_hashline::SnapshotStore>,
    /// Tells the reads that this tool prepared from those of others.
    identity: Arc<()>,
}

/// Says whether the host's model takes images now.
type ImageInput = dyn Fn() -> bool + Send + Sync;

impl fmt::Debug for ReadTool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadTool")
            .field("pipeline", &self.pipeline)
            .field("style", &self.style)
            .finish_non_exhaustive()
    }
}

impl ReadTool {
    /// Begins a tool.
    pub fn builder() -> ReadToolBuilder {
        ReadToolBuilder::default()
    }

    /// The readers.
    pub fn registry(&self) -> &Registry {
        self.pipeline.registry()
    }

    /// The limits.
    pub fn limits(&self) -> &Limits {
        self.pipeline.limits()
    }

    /// The tool as a model is told of it.
    pub fn definition(&self) -> ToolDefinition {
        ToolDefinition::new(self.registry(), self.limits())
    }

    /// What was shown with anchors, for an edit tool to check against.
    #[cfg(feature = "hashline")]
    pub fn snapshots(&self) -> &Arc<read_hashline::SnapshotStore> {
        &self.snapshots
    }

    /// Validates the arguments, resolves the target, and lists what the read needs. Nothing of the target's content is
    /// read.
    pub fn prepare(&self, arguments: &Arguments) -> Result<PreparedRead, ReadError> {
        arguments.check()?;
        let meter = self.pipeline.meter(Cancel::new(), None);
        let resolution = self.pipeline.resolve(&arguments.path, &meter)?;
        let contained = resolution.resolved().is_none_or(Resolved::is_contained);
        let read = |path: &str| Requirement { action: "filesystem.read", path: path.to_owned(), contained };
        let file = resolution.resolved().map(|resolved| read(resolved.path()));
        let requirements = file.into_iter().chain(resolution.side_paths().map(read)).collect();
        let request = arguments.request(self.style);
        Ok(PreparedRead { resolution, request, requirements, maker: Arc::clone(&self.identity) })
    }

    /// One line for a log about arguments that are not yet prepared: the path, escaped, and never what follows it in the
    /// target; generic where the arguments do not parse or name nothing.
    pub fn audit_summary(&self, arguments: &serde_json::Value) -> String {
        let prepared = Arguments::from_json(arguments).and_then(|arguments| self.prepare(&arguments));
        prepared.map_or_else(|_| "read".to_owned(), |prepared| prepared.audit_summary())
    }

    /// Runs a prepared read, once. Its time runs from now.
    pub fn run(&self, mut prepared: PreparedRead, cancel: &Cancel) -> Result<ReadOutput, ReadError> {
        if !Arc::ptr_eq(&prepared.maker, &self.identity) {
            return Err(ReadError::new(
                ErrorCode::ResolutionChanged,
                "This read was prepared by another tool, under another policy. Prepare it again.",
            ));
        }
        prepared.request.no_images = self.takes_no_images();
        let meter = self.pipeline.meter(cancel.clone(), self.progress.clone());
        self.pipeline.run(&prepared.resolution, &prepared.request, &meter)
    }

    /// Prepares and runs a read of `target`, for callers that need no gate.
    pub fn read(&self, target: &str) -> Result<ReadOutput, ReadError> {
        self.run(self.prepare(&Arguments::new(target))?, &Cancel::new())
    }

    /// Both steps under one meter, for the server: the deadline holds for the look-up too, and so does a cancellation.
    #[cfg(feature = "mcp")]
    pub(crate) fn answer(
        &self,
        arguments: &Arguments,
        cancel: &Cancel,
        progress: Arc<dyn Progress>,
    ) -> Result<ReadOutput, ReadError> {
        arguments.check()?;
        let meter = self.pipeline.meter(cancel.clone(), Some(progress));
        let resolution = self.pipeline.resolve(&arguments.path, &meter)?;
        let mut request = arguments.request(self.style);
        request.no_images = self.takes_no_images();
        self.pipeline.run(&resolution, &request, &meter)
    }

    /// The same with these readers, for the server, which watches them at work.
    #[cfg(feature = "mcp")]
    pub(crate) fn with_registry(mut self, registry: Registry) -> Self {
        self.pipeline = self.pipeline.with_registry(registry);
        self
    }

    fn takes_no_images(&self) -> bool {
        self.image_input.as_ref().is_some_and(|takes| !takes())
    }
}

/// Assembles a [`ReadTool`].
#[derive(Default)]
pub struct ReadToolBuilder {
    files: Option<Box<dyn FileSystem>>,
    registry: Option<Registry>,
    limits: Limits,
    guard: Option<Arc<dyn Guard>>,
    resources: Option<Arc<dyn Resources>>,
    observers: Vec<Arc<dyn Observer>>,
    cache: Option<Cache>,
    spool: Option<Spool>,
    style: LineStyle,
    progress: Option<Arc<dyn Progress>>,
    image_input: Option<Arc<ImageInput>>,
    #[cfg(feature = "hashline")]
    snapshots: Arc<read_hashline::SnapshotStore>,
}

impl fmt::Debug for ReadToolBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadToolBuilder")
            .field("registry", &self.registry)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

impl ReadToolBuilder {
    /// Where paths lead. Required.
    #[must_use]
    pub fn workspace(mut self, files: impl FileSystem + 'static) -> Self {
        self.files = Some(Box::new(files));
        self
    }

    /// The readers; [`registry()`](crate::registry()) unless said otherwise.
    #[must_use]
    pub fn registry(mut self, registry: Registry) -> Self {
        self.registry = Some(registry);
        self
    }

    /// Every limit of a read.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Rules for what lies in containers and for listings, in place of the workspace's own
    /// ([`FileSystem::guard`](crate::FileSystem::guard)). A workspace without rules is held to them altogether.
    #[must_use]
    pub fn guard(mut self, guard: Arc<dyn Guard>) -> Self {
        self.guard = Some(guard);
        self
    }

    /// Texts under `builtin://…`; none unless said otherwise.
    #[must_use]
    pub fn resources(mut self, resources: impl Resources + 'static) -> Self {
        self.resources = Some(Arc::new(resources));
        self
    }

    /// An observer of what is read.
    #[must_use]
    pub fn observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observers.push(observer);
        self
    }

    /// A ledger of what is read, for an edit tool to ask.
    #[must_use]
    pub fn ledger(self, ledger: &Arc<Ledger>) -> Self {
        self.observer(Arc::new(Observing(Arc::clone(ledger))))
    }

    /// What is kept between reads; 256 MiB unless said otherwise.
    #[must_use]
    pub fn cache(mut self, cache: Cache) -> Self {
        self.cache = Some(cache);
        self
    }

    /// Where streams are held that a reader must seek in; memory, up to 1 GiB, unless said otherwise.
    #[must_use]
    pub fn spool(mut self, spool: Spool) -> Self {
        self.spool = Some(spool);
        self
    }

    /// How lines are marked when the arguments do not say.
    #[must_use]
    pub fn style(mut self, style: LineStyle) -> Self {
        self.style = style;
        self
    }

    /// Where snapshots of anchored reads are kept; a store of its own unless said otherwise. Share one with the edit tool.
    #[cfg(feature = "hashline")]
    #[must_use]
    pub fn snapshots(mut self, store: Arc<read_hashline::SnapshotStore>) -> Self {
        self.snapshots = store;
        self
    }

    /// Told how far reads have come.
    #[must_use]
    pub fn progress(mut self, progress: Arc<dyn Progress>) -> Self {
        self.progress = Some(progress);
        self
    }

    /// Asked at each read whether the model takes images; it does unless said otherwise. Where it does not, the output
    /// says so, and the image stays in it.
    #[must_use]
    pub fn image_input(mut self, takes: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        self.image_input = Some(Arc::new(takes));
        self
    }

    /// The tool.
    ///
    /// # Errors
    ///
    /// `invalid_arguments` without a workspace.
    pub fn build(self) -> Result<ReadTool, ReadError> {
        let files = self.files.ok_or_else(|| {
            ReadError::new(
                ErrorCode::InvalidArguments,
                "A read tool needs a workspace: call ReadToolBuilder::workspace.",
            )
        })?;
        let registry = self.registry.unwrap_or_else(crate::registry);
        let mut pipeline = Pipeline::new(files).with_registry(registry).with_limits(self.limits);
        if let Some(guard) = self.guard {
            pipeline = pipeline.with_guard(guard);
        }
        if let Some(resources) = self.resources {
            pipeline = pipeline.with_resources(resources);
        }
        if let Some(cache) = self.cache {
            pipeline = pipeline.with_cache(cache);
        }
        if let Some(spool) = self.spool {
            pipeline = pipeline.with_spool(spool);
        }
        #[cfg(feature = "hashline")]
        {
            let anchors = crate::anchors::Anchors { store: Arc::clone(&self.snapshots) };
            pipeline = pipeline.with_observer(Arc::new(anchors));
        }
        let pipeline = self.observers.into_iter().fold(pipeline, Pipeline::with_observer);
        Ok(ReadTool {
            pipeline,
            style: self.style,
            progress: self.progress,
            image_input: self.image_input,
            #[cfg(feature = "hashline")]
            snapshots: self.snapshots,
            identity: Arc::default(),
        })
    }
}
