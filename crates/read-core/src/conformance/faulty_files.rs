//! A file system that goes wrong on purpose.

use std::io;
use std::sync::Arc;

use super::fault::{Fault, FaultyRead, FaultyReadAt, Plan};
use super::faulty_entries::FaultyEntries;
use crate::error::ReadError;
use crate::filesystem::{FileSystem, Resolved};
use crate::names::printed;
use crate::source::{Body, ReadAt, Slice, Source, Stream};

/// What is said about how long a file is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Length {
    /// The truth.
    #[default]
    True,
    /// So many bytes more than there are.
    Longer(u64),
    /// So many bytes less than there are, at least 0.
    Shorter(u64),
}

impl Length {
    fn of(self, length: u64) -> u64 {
        match self {
            Self::True => length,
            Self::Longer(by) => length.saturating_add(by),
            Self::Shorter(by) => length.saturating_sub(by),
        }
    }
}

/// Any file system, with faults in its own calls and in what it opens.
#[derive(Clone, Debug)]
pub struct FaultyFileSystem<F> {
    files: F,
    calls: Plan,
    reads: Plan,
    length: Length,
    streams: bool,
}

impl<F: FileSystem> FaultyFileSystem<F> {
    /// `files` without a fault so far.
    pub fn new(files: F) -> Self {
        Self { files, calls: Plan::none(), reads: Plan::none(), length: Length::True, streams: false }
    }

    /// The same with faults in `resolve` and `open`, which are counted together.
    #[must_use]
    pub fn with_calls(mut self, plan: Plan) -> Self {
        self.calls = plan;
        self
    }

    /// The same with faults in the reads and listings of what is opened, counted together.
    #[must_use]
    pub fn with_reads(mut self, plan: Plan) -> Self {
        self.reads = plan;
        self
    }

    /// The same with a lie about every file's length.
    #[must_use]
    pub fn with_length(mut self, length: Length) -> Self {
        self.length = length;
        self
    }

    /// The same with files that can only be read from their start on, as those of `/proc` or behind a network.
    #[must_use]
    pub fn as_streams(mut self) -> Self {
        self.streams = true;
        self
    }

    fn call(&self, path: &str) -> Result<bool, ReadError> {
        match self.calls.step() {
            Some(Fault::Fail(kind)) => return Err(ReadError::io(path, (*kind).into())),
            Some(Fault::End) => return Ok(false),
            Some(Fault::Stall(time)) => std::thread::sleep(*time),
            Some(Fault::Cancel(cancel)) => cancel.cancel(),
            Some(Fault::Short | Fault::Flip | Fault::Swap(_)) | None => {}
        }
        Ok(true)
    }

    fn body(&self, source: &Source) -> Body {
        let plan = self.reads.clone();
        match source.body() {
            Body::Slice(slice) if !self.streams => {
                let inner = Arc::new(Behind(slice.clone()));
                Body::Slice(Slice::new(Arc::new(FaultyReadAt::new(inner, plan)), self.length.of(slice.len())))
            }
            Body::Slice(_) | Body::Stream(_) => {
                let inner = source.clone();
                let open = move || -> io::Result<Box<dyn io::Read + Send>> {
                    Ok(Box::new(FaultyRead::new(inner.reader()?, plan.clone())))
                };
                let decoded = source.is_decoded();
                Body::Stream(if decoded { Stream::decoded(open) } else { Stream::view(open) })
            }
            Body::Dir(entries) => Body::Dir(Arc::new(FaultyEntries::new(Arc::clone(entries), plan))),
        }
    }
}

impl<F: FileSystem> FileSystem for FaultyFileSystem<F> {
    fn resolve(&self, path: &[u8]) -> Result<Option<Resolved>, ReadError> {
        if self.call(&printed(path))? { self.files.resolve(path) } else { Ok(None) }
    }

    fn open(&self, resolved: &Resolved) -> Result<Source, ReadError> {
        if !self.call(resolved.asked())? {
            return Err(ReadError::io(resolved.asked(), io::ErrorKind::NotFound.into()));
        }
        let source = self.files.open(resolved)?;
        Ok(rebuilt(&source, self.body(&source), self.length))
    }

    fn home(&self) -> Option<&str> {
        self.files.home()
    }
}

/// The file `source` with another body.
pub(super) fn rebuilt(source: &Source, body: Body, length: Length) -> Source {
    let declared = match &body {
        Body::Slice(slice) => Some(slice.len()),
        Body::Stream(_) | Body::Dir(_) => source.length().map(|bytes| length.of(bytes)),
    };
    let inner = source.clone();
    let rebuilt = Source::new(source.name(), source.path(), source.noun(), body)
        .with_length(declared)
        .with_identity(source.identity().cloned())
        .with_facts(source.facts().iter().cloned())
        .with_notices(source.notices().iter().cloned())
        .with_siblings(move |suffix| inner.sibling(suffix));
    if source.is_contained() { rebuilt.contained() } else { rebuilt }
}

/// A slice as something to read from at any position.
struct Behind(Slice);

impl ReadAt for Behind {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        self.0.read_at(buf, offset)
    }

    fn as_file(&self) -> Option<&std::fs::File> {
        self.0.at().as_file()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cancel, ErrorCode, MemoryFileSystem, Pipeline, Request};

    fn read(files: FaultyFileSystem<MemoryFileSystem>) -> Result<String, ErrorCode> {
        let read = Pipeline::new(files).read("d/a.txt", &Request::default(), Cancel::new());
        read.map(|output| output.to_text()).map_err(|error| error.code())
    }

    fn files() -> FaultyFileSystem<MemoryFileSystem> {
        FaultyFileSystem::new(MemoryFileSystem::new().with("d/a.txt", "one\ntwo\n"))
    }

    #[test]
    fn without_faults_it_is_the_one_inside() {
        assert_eq!(read(files()).as_deref(), Ok("one\ntwo\n"));
        assert_eq!(read(files().as_streams()).as_deref(), Ok("one\ntwo\n"));
    }

    #[test]
    fn its_calls_and_its_reads_go_wrong() {
        let refused = Fault::Fail(io::ErrorKind::PermissionDenied);
        assert_eq!(read(files().with_calls(Plan::at(1, refused.clone()))), Err(ErrorCode::Io));
        assert_eq!(read(files().with_calls(Plan::at(1, Fault::End))), Err(ErrorCode::NotFound));
        assert_eq!(read(files().with_reads(Plan::at(0, refused.clone()))), Err(ErrorCode::Io));
        assert_eq!(read(files().as_streams().with_reads(Plan::at(0, refused))), Err(ErrorCode::Io));
        assert_eq!(read(files().with_reads(Plan::since(0, Fault::Short))).as_deref(), Ok("one\ntwo\n"));
    }

    #[test]
    fn it_lies_about_lengths() {
        let shorter = read(files().with_length(Length::Shorter(4)));
        assert_eq!(shorter.as_deref(), Ok("one\n"));
        let longer = read(files().with_length(Length::Longer(1 << 40))).unwrap();
        assert!(longer.starts_with("one\ntwo\n"), "{longer}");
    }

    #[test]
    fn listings_go_wrong_too() {
        let list = |plan| {
            let files = files().with_reads(plan);
            let read = Pipeline::new(files).read("d", &Request::default(), Cancel::new());
            read.map(|output| output.to_text()).map_err(|error| error.code())
        };
        assert_eq!(list(Plan::none()).as_deref(), Ok("a.txt (8B)\n"));
        assert_eq!(list(Plan::at(0, Fault::Fail(io::ErrorKind::Other))), Err(ErrorCode::Io));
        assert_eq!(list(Plan::at(0, Fault::End)).as_deref(), Ok("(empty directory)\n"));
        assert!(list(Plan::at(0, Fault::Flip)).unwrap().starts_with("\\x"));
    }
}
