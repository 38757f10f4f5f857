//! A reader is given, never takes: it reads the source, and side files that it has announced.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use crate::conformance::bench::{Subject, body, judged};
use crate::conformance::faulty_files::{Length, rebuilt};
use crate::conformance::report::Rule;
use crate::conformance::watch::Log;
use crate::error::ReadError;
use crate::filesystem::{FileSystem, MemoryFileSystem, Resolved};
use crate::source::{Body, ReadAt, Slice, Source};

/// Bytes before and behind the source, which are nobody's business.
const AROUND: usize = 4_096;

pub(in crate::conformance) fn check(subject: &Subject, log: &Log) {
    for (target, whole) in subject.answers() {
        log.case(Rule::Reach, format!("{target} as a part of something larger"));
        let watched = Arc::new(Watched::default());
        let files = Surrounded { files: subject.files(), watched: Arc::clone(&watched) };
        let read = judged(log, &subject.pipeline(files, subject.limits()), target);
        if watched.strayed.load(Relaxed) {
            log.finding("reads before or behind the source");
        }
        if read.is_ok_and(|output| body(&output) != body(&whole)) {
            log.finding("is answered otherwise than alone");
        }
        let asked = watched.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let known =
            subject.registry().iter().flat_map(|reader| reader.side_files().to_vec()).collect::<Vec<_>>();
        for suffix in asked.iter().filter(|suffix| !known.contains(&suffix.as_str())) {
            log.finding(format!("asks for the side file '{suffix}', which side_files() does not name"));
        }
    }
}

/// What was asked for.
#[derive(Default)]
struct Watched {
    strayed: AtomicBool,
    asked: Mutex<Vec<String>>,
}

/// Files that lie in the middle of something larger.
struct Surrounded {
    files: MemoryFileSystem,
    watched: Arc<Watched>,
}

impl FileSystem for Surrounded {
    fn resolve(&self, path: &[u8]) -> Result<Option<Resolved>, ReadError> {
        self.files.resolve(path)
    }

    fn open(&self, resolved: &Resolved) -> Result<Source, ReadError> {
        let source = self.files.open(resolved)?;
        let Some(slice) = source.slice() else { return Ok(source) };
        let part = Part { inner: slice.clone(), watched: Arc::clone(&self.watched) };
        let around = slice.len().saturating_add(2 * AROUND as u64);
        let body = Body::Slice(Slice::new(Arc::new(part), around).sub(AROUND as u64, slice.len()));
        let watched = Arc::clone(&self.watched);
        Ok(rebuilt(&source, body, Length::True).with_siblings(move |suffix| {
            watched.asked.lock().unwrap_or_else(PoisonError::into_inner).push(suffix.to_owned());
            Ok(None)
        }))
    }
}

/// A source with other bytes around it.
struct Part {
    inner: Slice,
    watched: Arc<Watched>,
}

impl ReadAt for Part {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let within = offset
            .checked_sub(AROUND as u64)
            .filter(|at| at.saturating_add(buf.len() as u64) <= self.inner.len());
        if let Some(at) = within {
            return self.inner.read_at(buf, at);
        }
        self.watched.strayed.store(true, Relaxed);
        buf.fill(b'!');
        Ok(buf.len())
    }
}
