//! Sources without an end.

use std::io::{self, Read};
use std::sync::Arc;
use std::time::Duration;

use crate::conformance::bench::{Sample, Subject, judged};
use crate::conformance::fault::Endless;
use crate::conformance::report::Rule;
use crate::conformance::watch::Log;
use crate::error::ReadError;
use crate::filesystem::{FileSystem, MemoryFileSystem, Resolved};
use crate::limits::Limits;
use crate::source::{Body, ReadAt, Slice, Source, Stream};

/// How long a read may take: long enough for an honest answer.
const TIMEOUT: Duration = Duration::from_millis(200);

/// What may be held, counted and decoded (1 MiB): what has no end is over any bound, and a small one is reached soon.
const BOUND: u64 = 1 << 20;

/// Bytes by which an answer may be over its cap: notices and frames.
const FRAME: usize = 8 << 10;

pub(in crate::conformance) fn check(subject: &Subject, log: &Log) {
    for target in &subject.targets {
        for sample in subject.samples_of(target) {
            for kind in [Kind::Slice, Kind::View, Kind::Decoded] {
                log.case(
                    Rule::Endless,
                    format!("{target}, {} repeated without end, as a {}", sample.path, kind.word()),
                );
                let files = Unending { files: subject.files(), sample: sample.clone(), kind };
                let limits = Limits {
                    timeout: Some(TIMEOUT),
                    max_buffered: BOUND,
                    count_beyond: BOUND,
                    count_limit: BOUND,
                    budget_base: BOUND,
                    budget_factor: 0,
                    ..subject.limits()
                };
                let cap = limits.max_bytes.and_then(|cap| usize::try_from(cap).ok()).unwrap_or(usize::MAX);
                if let Ok(output) = judged(log, &subject.pipeline(files, limits), target)
                    && output.to_text().len() > cap.saturating_add(FRAME)
                {
                    log.finding(format!("gives {} bytes, well over the cap", output.to_text().len()));
                }
            }
        }
    }
}

#[derive(Clone, Copy)]
enum Kind {
    Slice,
    View,
    Decoded,
}

impl Kind {
    const fn word(self) -> &'static str {
        match self {
            Self::Slice => "file",
            Self::View => "stream",
            Self::Decoded => "decoded stream",
        }
    }
}

/// The samples, one of them without an end.
struct Unending {
    files: MemoryFileSystem,
    sample: Sample,
    kind: Kind,
}

impl FileSystem for Unending {
    fn resolve(&self, path: &[u8]) -> Result<Option<Resolved>, ReadError> {
        self.files.resolve(path)
    }

    fn open(&self, resolved: &Resolved) -> Result<Source, ReadError> {
        let source = self.files.open(resolved)?;
        if source.path() != self.sample.path {
            return Ok(source);
        }
        let endless = Endless::new(Arc::clone(&self.sample.bytes));
        let at: Arc<dyn ReadAt> = Arc::new(endless);
        let slice = Slice::new(at, u64::MAX / 4);
        let open = {
            let slice = slice.clone();
            move || -> io::Result<Box<dyn Read + Send>> { Ok(Box::new(slice.reader())) }
        };
        let body = match self.kind {
            Kind::Slice => Body::Slice(slice),
            Kind::View => Body::Stream(Stream::view(open)),
            Kind::Decoded => Body::Stream(Stream::decoded(open)),
        };
        Ok(Source::new(source.name(), source.path(), source.noun(), body).contained())
    }
}
