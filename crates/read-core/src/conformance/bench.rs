//! The reader under test with its samples, and the ways to put questions to it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use super::watch::{Log, said};
use crate::cache::Cache;
use crate::context::{ReadContext, Request};
use crate::error::{ErrorCode, ReadError};
use crate::filesystem::{FileSystem, MemoryFileSystem};
use crate::guard::Unguarded;
use crate::limits::Limits;
use crate::meter::{Bounds, Cancel, Meter};
use crate::output::{Block, ReadOutput};
use crate::pipeline::Pipeline;
use crate::reader::{Outcome, Probe};
use crate::registry::{Reader, Registry};
use crate::source::{Source, Spool};

/// Bytes that a spool of the suite holds.
const SPOOL: u64 = 256 << 20;

/// A file that the reader reads.
#[derive(Clone)]
pub(super) struct Sample {
    pub(super) path: String,
    pub(super) bytes: Arc<[u8]>,
}

/// What is tested.
#[derive(Clone)]
pub(super) struct Subject {
    pub(super) reader: Reader,
    pub(super) samples: Vec<Sample>,
    pub(super) targets: Vec<String>,
    pub(super) helpers: Vec<Reader>,
    pub(super) steps: u64,
    pub(super) patience: Duration,
}

impl Subject {
    /// The reader, those that help it, and core's own.
    pub(super) fn registry(&self) -> Registry {
        let known = self.helpers.iter().fold(Registry::empty().with(self.reader), |all, one| all.with(*one));
        Registry::core().iter().fold(known, Registry::with)
    }

    /// The samples as files.
    pub(super) fn files(&self) -> MemoryFileSystem {
        let files = MemoryFileSystem::new();
        for sample in &self.samples {
            files.insert(&sample.path, &*sample.bytes);
        }
        files
    }

    /// The samples as files, `sample` with other bytes.
    pub(super) fn files_with(&self, sample: &Sample, bytes: Vec<u8>) -> MemoryFileSystem {
        let files = self.files();
        files.insert(&sample.path, bytes);
        files
    }

    /// The samples that a read of `target` reads: the one that it names, or all of a directory.
    pub(super) fn samples_of<'a>(&'a self, target: &'a str) -> impl Iterator<Item = &'a Sample> {
        let named = self.samples.iter().filter(|one| target.starts_with(&one.path));
        let longest = named.max_by_key(|one| one.path.len()).map(|one| one.path.as_str());
        self.samples.iter().filter(move |one| longest.is_none_or(|path| one.path == path))
    }

    /// Limits under which nothing takes longer than the suite waits.
    pub(super) fn limits(&self) -> Limits {
        Limits { timeout: Some(self.patience / 4), ..Limits::default() }
    }

    /// A pipeline over `files` with the subject's readers.
    pub(super) fn pipeline(&self, files: impl FileSystem + 'static, limits: Limits) -> Pipeline {
        Pipeline::new(files).with_registry(self.registry()).with_limits(limits)
    }

    /// The answers to each target over the unharmed samples. A target that cannot be read is left out; the check on targets
    /// tells of it.
    pub(super) fn answers(&self) -> Vec<(&str, ReadOutput)> {
        let read = |target: &str| read(&self.pipeline(self.files(), self.limits()), target).ok();
        self.targets.iter().filter_map(|target| Some((target.as_str(), read(target)?))).collect()
    }

    /// Goes through the levels of a target as dispatch does, and gives what each reader made of each. Ends where a reader
    /// answers, fails or panics.
    pub(super) fn trace(
        &self,
        target: &str,
        limits: &Limits,
        bounds: Bounds,
    ) -> Result<Vec<Level>, ReadError> {
        let desk = Desk::new(self, limits.clone(), Meter::start(bounds));
        let files = self.files();
        let pipeline = self.pipeline(self.files(), limits.clone());
        let resolution = pipeline.resolve(target, &desk.meter)?;
        let Some(resolved) = resolution.resolved() else { return Ok(Vec::new()) };
        let mut source = files.open(resolved)?;
        let mut rest = resolution.rest().to_owned();
        let mut levels = Vec::new();
        for _ in 0..=limits.max_depth {
            source.attach(Some(desk.meter.clone()));
            let head = source.head().map_err(|error| ReadError::io(source.path(), error))?;
            let claims = desk.registry.claims(Probe::new(&source, &head), |_| ());
            let mut inner = None;
            for (reader, _) in claims {
                let called = call(reader, &source, &rest, &desk.context());
                let declined = matches!(called.outcome(), Some(Outcome::Decline));
                if let Some(Outcome::Descend { source, rest, .. }) = called.outcome() {
                    inner = Some((source.clone(), rest.clone()));
                }
                levels.push(Level {
                    source: source.clone(),
                    rest: rest.clone(),
                    is_ours: reader.name() == self.reader.name(),
                    called,
                });
                if !declined {
                    break;
                }
            }
            match inner {
                Some(next) => (source, rest) = next,
                None => break,
            }
        }
        Ok(levels)
    }
}

/// What one reader made of one source.
pub(super) struct Level {
    pub(super) source: Source,
    pub(super) rest: String,
    pub(super) is_ours: bool,
    pub(super) called: Called,
}

/// How a call of a reader ended.
pub(super) enum Called {
    Returned(Box<Result<Outcome, ReadError>>),
    Panicked(String),
}

impl Called {
    /// What it gave, if it gave anything.
    pub(super) fn outcome(&self) -> Option<&Outcome> {
        match self {
            Self::Returned(returned) => returned.as_ref().as_ref().ok(),
            Self::Panicked(_) => None,
        }
    }

    /// Its error, if it returned one.
    pub(super) fn error(&self) -> Option<&ReadError> {
        match self {
            Self::Returned(returned) => returned.as_ref().as_ref().err(),
            Self::Panicked(_) => None,
        }
    }
}

/// Calls a reader under a catch.
pub(super) fn call(reader: Reader, source: &Source, rest: &str, cx: &ReadContext<'_>) -> Called {
    match catch_unwind(AssertUnwindSafe(|| reader.read(source, rest, cx))) {
        Ok(returned) => Called::Returned(Box::new(returned)),
        Err(panic) => Called::Panicked(said(panic.as_ref())),
    }
}

/// What a context borrows.
pub(super) struct Desk {
    pub(super) meter: Meter,
    pub(super) registry: Registry,
    limits: Limits,
    request: Request,
    cache: Cache,
    spool: Spool,
}

impl Desk {
    pub(super) fn new(subject: &Subject, limits: Limits, meter: Meter) -> Self {
        Self {
            meter,
            limits,
            registry: subject.registry(),
            request: Request::default(),
            cache: Cache::default(),
            spool: Spool::in_memory(SPOOL),
        }
    }

    pub(super) fn context(&self) -> ReadContext<'_> {
        ReadContext {
            meter: &self.meter,
            guard: &Unguarded,
            limits: &self.limits,
            request: &self.request,
            cache: &self.cache,
            spool: &self.spool,
            registry: &self.registry,
            observers: &[],
            resolved_path: "",
            exact: true,
        }
    }
}

/// Reads a target.
pub(super) fn read(pipeline: &Pipeline, target: &str) -> Result<ReadOutput, ReadError> {
    pipeline.read(target, &Request::default(), Cancel::new())
}

/// Reads a target, and looks at the error, if it is one.
pub(super) fn judged(log: &Log, pipeline: &Pipeline, target: &str) -> Result<ReadOutput, ReadError> {
    let read = read(pipeline, target);
    if let Err(error) = &read {
        super::checks::errors::judge(log, error);
    }
    read
}

/// What is compared of a read: all that it gives.
pub(super) fn comparable(
    read: &Result<ReadOutput, ReadError>,
) -> Result<&ReadOutput, (ErrorCode, &str, &[String])> {
    read.as_ref().map_err(|error| (error.code(), error.message(), error.suggestions()))
}

/// The text of an output without its notices, and how many images it has.
pub(super) fn body(output: &ReadOutput) -> (String, usize) {
    let mut text = output.to_text();
    for notice in output.details.notices.iter().rev() {
        let bracketed = format!("[{notice}]");
        if let Some(before) = text.trim_end_matches('\n').strip_suffix(&bracketed) {
            text.truncate(before.len());
        }
    }
    let images = output.blocks.iter().filter(|block| matches!(block, Block::Image(_))).count();
    text.truncate(text.trim_end_matches('\n').len());
    (text, images)
}

/// At most `steps` numbers below `length`, evenly spread, the first and the last among them.
pub(super) fn spread(length: u64, steps: u64) -> impl Iterator<Item = u64> {
    let count = length.min(steps);
    (0..count).map(move |step| match count.checked_sub(1).filter(|_| count < length) {
        // 128 bits hold the product.
        Some(last) => {
            let at = u128::from(step) * u128::from(length - 1) / u128::from(last.max(1));
            u64::try_from(at).unwrap_or(length - 1)
        }
        None => step,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Details;

    #[test]
    fn steps_are_spread_from_first_to_last() {
        assert_eq!(spread(3, 10).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(spread(101, 5).collect::<Vec<_>>(), [0, 25, 50, 75, 100]);
        assert_eq!(spread(0, 5).count(), 0);
        assert_eq!(spread(u64::MAX, 2).last(), Some(u64::MAX - 1));
    }

    #[test]
    fn a_body_is_without_notices() {
        let mut details = Details { notices: vec!["odd".into(), "go on".into()], ..Details::default() };
        let output = ReadOutput::text("a\n[odd]\n\n[odd]\n[go on]", details.clone());
        assert_eq!(body(&output), ("a\n[odd]".to_owned(), 0));
        details.notices.clear();
        assert_eq!(body(&ReadOutput::text("a\n[odd]\n", details)), ("a\n[odd]".to_owned(), 0));
    }
}
