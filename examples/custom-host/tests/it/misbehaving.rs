//! A host survives its readers: what one of them does wrong is one read's error, and names it.

use std::io::{self, Cursor, Read};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use read_core::{
    Body, Cancel, ErrorCode, Limits, Match, MemoryFileSystem, Outcome, Pipeline, Probe, ReadContext,
    ReadError, ReaderHelp, Registry, Request, Source, Stream, Strength, TargetReader,
};

/// Does what the first line of a file says.
struct Bad;

static BAD: &dyn TargetReader = &Bad;

/// Where the reader that never returns waits.
static GATE: (Mutex<Gate>, Condvar) = (Mutex::new(Gate { entered: false, open: false }), Condvar::new());

struct Gate {
    /// Somebody waits.
    entered: bool,
    /// The test is over, and nobody needs to wait any more.
    open: bool,
}

impl TargetReader for Bad {
    fn name(&self) -> &'static str {
        "bad"
    }
    fn package(&self) -> &'static str {
        "misbehaving"
    }
    fn help(&self) -> ReaderHelp {
        ReaderHelp::new("nothing well", "a.bad  an error")
    }
    fn probe(&self, probe: &Probe<'_>) -> Option<Match> {
        probe.has_extension(&["bad"]).then_some(Match::new(Strength::Specific, "text/x-bad"))
    }
    fn read(&self, source: &Source, rest: &str, _: &ReadContext<'_>) -> Result<Outcome, ReadError> {
        let inner = |body| source.content("inner", Body::Stream(body));
        let boxed = |stream: Repeat| -> io::Result<Box<dyn Read + Send>> { Ok(Box::new(stream)) };
        match source.to_bytes(1 << 10)?.as_slice() {
            b"panics" => panic!("on purpose"),
            b"panics later" => {
                let open = || -> io::Result<Box<dyn Read + Send>> {
                    Ok(Box::new(Cursor::new(b"text\n".repeat(100_000)).chain(Panics)))
                };
                Ok(Outcome::descend(inner(Stream::decoded(open)), rest))
            }
            b"never returns" => {
                let (gate, moved) = &GATE;
                let mut guard = gate.lock().unwrap();
                guard.entered = true;
                moved.notify_all();
                drop(moved.wait_while(guard, |gate| !gate.open).unwrap());
                Ok(Outcome::Decline)
            }
            b"decodes without end" => {
                Ok(Outcome::descend(inner(Stream::decoded(move || boxed(Repeat(b'x')))), rest))
            }
            b"shows without end" => {
                Ok(Outcome::descend(inner(Stream::view(move || boxed(Repeat(b'x')))), rest))
            }
            b"descends into itself" => Ok(Outcome::descend(source.clone(), rest)),
            _ => Ok(Outcome::Decline),
        }
    }
}

/// One byte for ever.
struct Repeat(u8);

impl Read for Repeat {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        buf.fill(self.0);
        Ok(buf.len())
    }
}

struct Panics;

impl Read for Panics {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        panic!("while decoding")
    }
}

fn host() -> Pipeline {
    let mut files = MemoryFileSystem::new().with("good.txt", "good\n");
    for what in [
        "panics",
        "panics later",
        "never returns",
        "decodes without end",
        "shows without end",
        "descends into itself",
    ] {
        files = files.with(format!("{what}.bad"), what);
    }
    let mut limits = Limits::default();
    limits.timeout = Some(Duration::from_millis(500));
    limits.budget_base = 1 << 20;
    Pipeline::new(files).with_registry(Registry::discovered().with(BAD)).with_limits(limits)
}

fn read(host: &Pipeline, target: &str) -> Result<String, ReadError> {
    host.read(target, &Request::default(), Cancel::new()).map(|output| output.to_text())
}

/// Reads the target: an error of this code that names the reader. Then the host reads on.
fn fails(target: &str, code: ErrorCode) {
    let host = host();
    let error = read(&host, target).unwrap_err();
    assert_eq!(error.code(), code, "{target}: {error}");
    assert!(error.message().contains("'bad'"), "{target}: {error}");
    assert_eq!(read(&host, "good.txt").unwrap(), "good\n");
}

#[test]
fn a_reader_that_panics() {
    fails("panics.bad", ErrorCode::ReaderFailed);
    fails("panics later.bad:100001", ErrorCode::ReaderFailed);
}

#[test]
fn a_reader_whose_stream_has_no_end() {
    fails("decodes without end.bad:2", ErrorCode::TooLarge);
    fails("shows without end.bad:2", ErrorCode::TimedOut);
}

#[test]
fn a_reader_that_descends_into_itself() {
    fails("descends into itself.bad", ErrorCode::TooLarge);
}

/// Nobody can stop a thread from outside, so neither can core: such a read costs its thread. The others go on, and a server
/// answers for it when its deadline has passed.
#[test]
fn a_reader_that_never_returns_costs_its_thread_only() {
    let host = Arc::new(host());
    let (sender, receiver) = mpsc::channel();
    let there = Arc::clone(&host);
    let cancel = Cancel::new();
    let its_cancel = cancel.clone();
    let lost = std::thread::spawn(move || {
        let read = there.read("never returns.bad", &Request::default(), its_cancel);
        sender.send(read.map(|output| output.to_text())).unwrap();
    });
    let (gate, moved) = &GATE;
    drop(moved.wait_while(gate.lock().unwrap(), |gate| !gate.entered).unwrap());
    cancel.cancel();
    assert_eq!(receiver.recv_timeout(Duration::from_millis(50)).unwrap_err(), RecvTimeoutError::Timeout);
    assert_eq!(read(&host, "good.txt").unwrap(), "good\n");
    gate.lock().unwrap().open = true;
    moved.notify_all();
    // Once it does return, what stopped the read is its error.
    assert_eq!(receiver.recv().unwrap().unwrap_err().code(), ErrorCode::Cancelled);
    lost.join().unwrap();
}
