//! Probes, with heads and names that nobody would write.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::conformance::bench::{Sample, Subject, spread};
use crate::conformance::report::Rule;
use crate::conformance::watch::{Log, said};
use crate::limits::HEAD;
use crate::reader::{Match, Probe, Strength};
use crate::source::{Body, Entries, Entry, Noun, ReadAt, Slice, Source, Stream};

/// How often a probe may look at the end of a source.
const TAILS: u64 = 2;

/// How many bytes of it, in all (128 KiB: what the longest trailer of a known format needs, and its comment).
const TAIL_BYTES: u64 = 128 << 10;

/// Bytes behind the head of a source that is longer.
const BEHIND: u64 = 1 << 20;

pub(in crate::conformance) fn check(subject: &Subject, log: &Log) {
    let usual = subject.samples.first().map_or("x", |sample| sample.path.as_str());
    let usual = usual.rsplit('/').next().unwrap_or(usual).as_bytes();
    for (what, head) in heads(subject) {
        log.case(Rule::Probing, &what);
        probe(subject, log, usual, &head);
    }
    for name in names(subject) {
        for (what, head) in [("nothing", &[][..])]
            .into_iter()
            .chain(subject.samples.iter().map(|sample| (sample.path.as_str(), head_of(sample))))
        {
            log.case(
                Rule::Probing,
                format!("{what} under the name {:?}", String::from_utf8_lossy(shorten(&name))),
            );
            probe(subject, log, &name, head);
        }
    }
    log.case(Rule::Probing, "a directory");
    let _ =
        caught(subject, log, &Source::new(usual, "d", Noun::Directory, Body::Dir(Arc::new(Nothing))), &[]);
    empty(subject, log, usual);
    by_signature_alone(subject, log);
}

/// Probes one head in every kind of source.
fn probe(subject: &Subject, log: &Log, name: &[u8], head: &[u8]) {
    let behind = Arc::new(Refusing::default());
    let longer =
        Slice::new(Arc::clone(&behind) as Arc<dyn ReadAt>, (head.len() as u64).saturating_add(BEHIND));
    let stream = {
        let bytes = head.to_vec();
        Stream::view(move || Ok(Box::new(io::Cursor::new(bytes.clone()))))
    };
    for body in [Body::Slice(longer), Body::Stream(stream), Body::Slice(Slice::from_bytes(head))] {
        let source = Source::new(name, "x", Noun::File, body);
        let first = caught(subject, log, &source, head);
        if caught(subject, log, &source, head) != first {
            log.finding("is claimed one time and not, or otherwise, the next");
        }
        let Probed::Returned(Some(Match { media_type, .. })) = first else { continue };
        let is_token = |part: &str| {
            !part.is_empty()
                && part.bytes().all(|b| b.is_ascii_graphic() && !b.is_ascii_uppercase() && b != b'/')
        };
        if !media_type.split_once('/').is_some_and(|(kind, sub)| is_token(kind) && is_token(sub)) {
            log.finding(format!("is claimed as '{media_type}', which is no media type in lower case"));
        }
    }
    // Each of the two probes of the longer source may look.
    if behind.reads.load(Relaxed) > TAILS.saturating_mul(2)
        || behind.bytes.load(Relaxed) > TAIL_BYTES.saturating_mul(2)
    {
        log.finding(format!(
            "the probe reads more than {TAILS} times, or more than {TAIL_BYTES} bytes, at the end of the source"
        ));
    }
}

/// How a probe ended.
#[derive(PartialEq, Eq)]
enum Probed {
    Returned(Option<Match>),
    Panicked,
}

/// One probe, of the end where the first bytes said nothing, under a catch.
fn caught(subject: &Subject, log: &Log, source: &Source, head: &[u8]) -> Probed {
    let probe = Probe::new(source, head);
    let claim = || subject.reader.probe(&probe).or_else(|| subject.reader.probe_end(&probe));
    match catch_unwind(AssertUnwindSafe(claim)) {
        Ok(found) => Probed::Returned(found),
        Err(panic) => {
            log.finding(format!("the probe panics: {}", said(panic.as_ref())));
            Probed::Panicked
        }
    }
}

/// Nothing has no signature.
fn empty(subject: &Subject, log: &Log, name: &[u8]) {
    log.case(Rule::Probing, "an empty file");
    let source = Source::from_bytes(name, "x", Noun::File, [].as_slice());
    if let Probed::Returned(Some(found)) = caught(subject, log, &source, &[])
        && found.strength >= Strength::Signature
    {
        log.finding(format!("is claimed as {:?}, and has no signature", found.strength));
    }
}

/// What is claimed by its first bytes is claimed under any name.
fn by_signature_alone(subject: &Subject, log: &Log) {
    for sample in &subject.samples {
        log.case(Rule::Probing, format!("{} under another name", sample.path));
        let strength = |name: &str| {
            let source = Source::from_bytes(name, name, Noun::File, Arc::clone(&sample.bytes));
            match caught(subject, log, &source, head_of(sample)) {
                Probed::Returned(found) => found.map(|found| found.strength),
                Probed::Panicked => None,
            }
        };
        let (own, other) = (strength(sample.path.rsplit('/').next().unwrap_or_default()), strength("x"));
        if own.is_some_and(|own| own >= Strength::Signature)
            && other.is_none_or(|other| other < Strength::Signature)
        {
            log.finding(
                "is claimed by signature under its own name only: the name decides, so say Extension",
            );
        }
    }
}

fn head_of(sample: &Sample) -> &[u8] {
    sample.bytes.get(..HEAD).unwrap_or(&sample.bytes)
}

/// First bytes that are not, not quite, or not any more what the reader knows.
fn heads(subject: &Subject) -> Vec<(String, Vec<u8>)> {
    let mut heads: Vec<(String, Vec<u8>)> =
        (0..=u8::MAX).map(|byte| (format!("the byte {byte:#04x}"), vec![byte])).collect();
    for byte in [0, b' ', b'\n', b'"', 0xff] {
        heads.push((format!("64 KiB of {byte:#04x}"), vec![byte; HEAD]));
    }
    let mut noise = Noise(0x9e37_79b9_7f4a_7c15);
    for length in (0..32).map(|at| at * 41).chain([HEAD]) {
        heads.push((format!("{length} random bytes"), noise.bytes(length)));
    }
    for sample in &subject.samples {
        let head = head_of(sample);
        let positions = || spread(head.len() as u64, subject.steps).filter_map(|at| usize::try_from(at).ok());
        for at in positions() {
            let cut = head.get(..at).unwrap_or_default().to_vec();
            heads.push((format!("{} cut after {at} bytes", sample.path), cut));
            let mut flipped = head.to_vec();
            flipped.iter_mut().skip(at).take(1).for_each(|byte| *byte = !*byte);
            heads.push((format!("{} with byte {at} flipped", sample.path), flipped));
        }
    }
    heads
}

/// Names that sources can have.
fn names(subject: &Subject) -> Vec<Vec<u8>> {
    let mut names: Vec<Vec<u8>> =
        [&b""[..], b".", b"..", b"...", b"/", b"\0", b"\n", b"\xff\xfe", b"a.\xff", b"\xe2\x80\xae.txt"]
            .map(<[u8]>::to_vec)
            .to_vec();
    names.push(vec![b'x'; 5_000]);
    names.push(vec![b'.'; 5_000]);
    for sample in &subject.samples {
        let name = sample.path.rsplit('/').next().unwrap_or_default();
        let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
        names.extend(
            [name.to_uppercase(), format!(".{extension}"), format!("{name}."), format!("{name}.txt")]
                .map(String::into_bytes),
        );
    }
    names
}

fn shorten(name: &[u8]) -> &[u8] {
    name.get(..40).unwrap_or(name)
}

/// Fails every read, and counts them.
#[derive(Default)]
struct Refusing {
    reads: AtomicU64,
    bytes: AtomicU64,
}

impl ReadAt for Refusing {
    fn read_at(&self, buf: &mut [u8], _: u64) -> io::Result<usize> {
        self.reads.fetch_add(1, Relaxed);
        self.bytes.fetch_add(buf.len() as u64, Relaxed);
        Err(io::ErrorKind::Other.into())
    }
}

struct Nothing;

impl Entries for Nothing {
    fn list(&self) -> Result<Vec<Entry>, crate::ReadError> {
        Ok(Vec::new())
    }
}

/// Bytes without a pattern, the same in each run (xorshift64).
struct Noise(u64);

impl Noise {
    fn bytes(&mut self, length: usize) -> Vec<u8> {
        let next = || {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            self.0.to_le_bytes()
        };
        std::iter::repeat_with(next).flatten().take(length).collect()
    }
}
