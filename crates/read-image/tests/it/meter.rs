//! Cancellation and deadlines reach into the decoding.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use read_core::{
    Body, Cancel, ErrorCode, Match, MemoryFileSystem, Noun, Outcome, Pipeline, Probe, ReadAt, ReadContext,
    ReadError, ReaderHelp, Registry, Request, Slice, Source, Strength, TargetReader,
};

use crate::made::{encoded, noise, png};

/// Bytes that cancel the read after so many of them were read.
struct CancelsAfter {
    bytes: Vec<u8>,
    after: u64,
    read: AtomicU64,
    cancel: Cancel,
}

impl ReadAt for CancelsAfter {
    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<usize> {
        let rest = self.bytes.get(usize::try_from(offset).unwrap()..).unwrap_or_default();
        let n = rest.len().min(buf.len());
        buf[..n].copy_from_slice(&rest[..n]);
        if self.read.fetch_add(n as u64, Ordering::Relaxed) + n as u64 > self.after {
            self.cancel.cancel();
        }
        Ok(n)
    }
}

/// A container of one member, which cancels.
struct Box1 {
    bytes: Vec<u8>,
    after: u64,
    cancel: Cancel,
}

impl TargetReader for Box1 {
    fn name(&self) -> &'static str {
        "box"
    }
    fn package(&self) -> &'static str {
        "test"
    }
    fn help(&self) -> ReaderHelp {
        ReaderHelp::new("", "")
    }
    fn probe(&self, probe: &Probe<'_>) -> Option<Match> {
        (probe.head() == b"box").then_some(Match::new(Strength::Signature, "application/x-box"))
    }
    fn read(&self, source: &Source, rest: &str, _: &ReadContext<'_>) -> Result<Outcome, ReadError> {
        let at = CancelsAfter {
            bytes: self.bytes.clone(),
            after: self.after,
            read: AtomicU64::new(0),
            cancel: self.cancel.clone(),
        };
        let slice = Slice::new(Arc::new(at), self.bytes.len() as u64);
        Ok(Outcome::descend(source.member(b"image", Noun::ArchiveEntry, Body::Slice(slice)), rest))
    }
}

#[test]
fn cancelled_in_the_middle_of_every_format() {
    let picture = image::DynamicImage::ImageRgb8(noise(2_100, 200));
    for format in [
        image::ImageFormat::Png,
        image::ImageFormat::Jpeg,
        image::ImageFormat::WebP,
        image::ImageFormat::Bmp,
        image::ImageFormat::Tiff,
    ] {
        let bytes = encoded(&picture, format);
        // Some formats are walked over before they are decoded: cancel in the walk, and in the decoding.
        for after in [0, bytes.len() as u64 / 2, bytes.len() as u64 * 3 / 2] {
            let cancel = Cancel::new();
            let container = Box::leak(Box::new(Box1 { bytes: bytes.clone(), after, cancel: cancel.clone() }));
            let pipeline = Pipeline::new(MemoryFileSystem::new().with("b", b"box".as_slice()))
                .with_registry(Registry::core().with(read_image::READER).with(container));
            match pipeline.read("b", &Request::default(), cancel.clone()) {
                Err(error) => assert_eq!(error.code(), ErrorCode::Cancelled, "{format:?} after {after}"),
                Ok(_) => assert!(!cancel.is_cancelled(), "{format:?} after {after}: it went on"),
            }
        }
    }
}

#[test]
fn a_deadline_in_the_past() {
    let mut limits = read_core::Limits::default();
    limits.timeout = Some(std::time::Duration::ZERO);
    let pipeline = Pipeline::new(MemoryFileSystem::new().with("a.png", png(40, 30)))
        .with_registry(Registry::core().with(read_image::READER))
        .with_limits(limits);
    let error = pipeline.read("a.png", &Request::default(), Cancel::new()).unwrap_err();
    assert_eq!(error.code(), ErrorCode::TimedOut);
}

#[test]
fn a_host_that_reads_no_further() {
    let mut limits = read_core::Limits::default();
    limits.max_read_bytes = Some(50);
    let pipeline = Pipeline::new(MemoryFileSystem::new().with("a.png", png(40, 30)))
        .with_registry(Registry::core().with(read_image::READER))
        .with_limits(limits);
    let error = pipeline.read("a.png", &Request::default(), Cancel::new()).unwrap_err();
    assert_eq!(error.code(), ErrorCode::TooLarge);
}
