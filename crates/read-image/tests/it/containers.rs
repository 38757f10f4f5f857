//! Images inside containers, and readers that fail, come for free through dispatch.

use std::io::{Cursor, Read};

use read_core::{
    Body, Cancel, ErrorCode, Match, MemoryFileSystem, Noun, Outcome, Pipeline, Probe, ReadContext, ReadError,
    ReaderHelp, Registry, Request, Source, Stream, Strength, TargetReader,
};

use crate::made::{block, encoded, gradient, png};

/// A container: four bytes of magic, then its one member `pic` as a stream that a decoder gives.
struct Wrapped;

impl TargetReader for Wrapped {
    fn name(&self) -> &'static str {
        "wrapped"
    }
    fn package(&self) -> &'static str {
        "test"
    }
    fn help(&self) -> ReaderHelp {
        ReaderHelp::new("", "")
    }
    fn probe(&self, probe: &Probe<'_>) -> Option<Match> {
        probe.head().starts_with(b"WRAP").then_some(Match::new(Strength::Signature, "application/x-wrapped"))
    }
    fn read(&self, source: &Source, rest: &str, _: &ReadContext<'_>) -> Result<Outcome, ReadError> {
        let Some(rest) = rest.strip_prefix("pic") else { return Ok(Outcome::Decline) };
        let bytes = source.to_bytes(1 << 20)?[4..].to_vec();
        let stream =
            Stream::decoded(move || Ok(Box::new(Cursor::new(bytes.clone())) as Box<dyn Read + Send>));
        let member = source.member(b"pic", Noun::ArchiveEntry, Body::Stream(stream));
        Ok(Outcome::descend(member, rest.strip_prefix(':').unwrap_or(rest)))
    }
}

fn pipeline(bytes: Vec<u8>) -> Pipeline {
    let file = [b"WRAP".to_vec(), bytes].concat();
    Pipeline::new(MemoryFileSystem::new().with("w", file))
        .with_registry(Registry::core().with(read_image::READER).with(&Wrapped))
}

#[test]
fn a_member_is_shown() {
    let picture = png(40, 30);
    let output = pipeline(picture.clone()).read("w:pic", &Request::default(), Cancel::new()).unwrap();
    assert_eq!(output.to_text(), "[Image: w:pic, 40x30, image/png]");
    assert_eq!(block(&output).data, picture);
    assert_eq!(output.details.reader, "image");
}

#[test]
fn a_member_is_scaled_and_its_selectors_are_judged() {
    let pipeline = pipeline(encoded(&gradient(3_000, 30).into(), image::ImageFormat::Jpeg));
    let output = pipeline.read("w:pic", &Request::default(), Cancel::new()).unwrap();
    assert_eq!(output.details.image.unwrap().width, 2_000);
    let error = pipeline.read("w:pic:1-5", &Request::default(), Cancel::new()).unwrap_err();
    assert_eq!(error.code(), ErrorCode::InvalidSelector);
    let dump = pipeline.read("w:pic:hex:@0+4", &Request::default(), Cancel::new()).unwrap();
    assert!(dump.to_text().starts_with("00000000  ff d8 ff"));
}

#[test]
fn a_member_over_what_may_be_held() {
    let mut limits = read_core::Limits::default();
    limits.max_buffered = 100;
    let pipeline = pipeline(png(40, 30)).with_limits(limits);
    let error = pipeline.read("w:pic", &Request::default(), Cancel::new()).unwrap_err();
    assert_eq!(error.code(), ErrorCode::TooLarge);
}

/// A stream that panics as a decoder might.
struct Panics;

impl TargetReader for Panics {
    fn name(&self) -> &'static str {
        "panics"
    }
    fn package(&self) -> &'static str {
        "test"
    }
    fn help(&self) -> ReaderHelp {
        ReaderHelp::new("", "")
    }
    fn probe(&self, probe: &Probe<'_>) -> Option<Match> {
        (probe.head() == b"boom").then_some(Match::new(Strength::Signature, "application/x-boom"))
    }
    fn read(&self, source: &Source, rest: &str, _: &ReadContext<'_>) -> Result<Outcome, ReadError> {
        struct Boom(Cursor<Vec<u8>>);
        impl Read for Boom {
            fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
                let n = self.0.read(buf)?;
                assert!(n > 0, "the decoder of this test panics");
                Ok(n)
            }
        }
        let bytes = png(200, 200);
        let bytes = bytes[..bytes.len() - 20].to_vec();
        let stream =
            Stream::view(move || Ok(Box::new(Boom(Cursor::new(bytes.clone()))) as Box<dyn Read + Send>));
        Ok(Outcome::descend(source.content(b"x.png".to_vec(), Body::Stream(stream)), rest))
    }
}

#[test]
fn a_decoder_that_panics_is_an_error() {
    let pipeline = Pipeline::new(MemoryFileSystem::new().with("b", b"boom".as_slice()))
        .with_registry(Registry::core().with(read_image::READER).with(&Panics));
    let error = pipeline.read("b", &Request::default(), Cancel::new()).unwrap_err();
    assert_eq!(error.code(), ErrorCode::ReaderFailed);
    assert!(error.message().contains("the decoder of this test panics"), "{error}");
}

#[test]
fn readers_cross_threads() {
    fn crosses<T: Send + Sync + 'static>() {}
    crosses::<read_image::ImageReader>();
    crosses::<read_image::ImageLimits>();
}
