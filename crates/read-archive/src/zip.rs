//! Zip archives, and everything that is one: jar, whl, apk, docx, …

mod builder;
mod directory;
mod end;
mod extra;
mod glance;
mod index;
mod local;
mod member;
mod method;
mod number;
mod record;
mod recover;
mod signature;
mod whole;

use std::sync::Arc;

use read_core::{
    Match, Notice, Outcome, Probe, ReadContext, ReadError, ReaderHelp, Slice, Source, Strength, TargetReader,
};

use crate::answer::answer;
use crate::archive::Archive;
use crate::damage::Damage;
use crate::lookup::exact;
use crate::tree::{Found, Tree};
use index::Index;

/// Reads zip archives.
pub static ZIP: &dyn TargetReader = &ZipReader;

#[cfg(feature = "inventory")]
read_core::register_reader!(ZIP);

/// Where indexes are kept between reads.
const SPACE: &str = "zip index";

/// Where it is kept that an archive was glanced at.
const GLANCED: &str = "zip glanced at";

/// What a cache takes that to weigh.
const MARK: u64 = 256;

struct ZipReader;

impl TargetReader for ZipReader {
    fn name(&self) -> &'static str {
        "zip"
    }

    fn package(&self) -> &'static str {
        env!("CARGO_PKG_NAME")
    }

    fn help(&self) -> ReaderHelp {
        ReaderHelp::new(
            "zip archives and what is built on them (jar, whl, apk, docx, …)",
            "\
a.zip                 the entries of its root (also :1-50)
a.zip:dir             a directory in it
a.zip:dir/f.txt:5-9   a member, with any selector; containers in containers likewise",
        )
    }

    fn holds_paths(&self) -> bool {
        true
    }

    fn probe(&self, probe: &Probe<'_>) -> Option<Match> {
        let begins = match probe.head() {
            [b'P', b'K', 3, 4, ..] => true,
            [b'P', b'K', 5, 6, rest @ ..] => rest.len() >= 18,
            // A marker of archives in several volumes, or of those that were meant to be.
            [b'P', b'K', marker @ ..] => {
                matches!(marker, [7, 8, b'P', b'K', 3, 4, ..] | [b'0', b'0', b'P', b'K', 3, 4, ..])
            }
            _ => false,
        };
        begins.then_some(Match::new(Strength::Signature, "application/zip"))
    }

    // Behind something else: a program that unpacks it, a script.
    fn probe_end(&self, probe: &Probe<'_>) -> Option<Match> {
        let ends = may_precede_a_zip(probe.head(), probe.length()) && end::closes(probe);
        ends.then_some(Match::new(Strength::Extension, "application/zip"))
    }

    fn read(&self, source: &Source, rest: &str, cx: &ReadContext<'_>) -> Result<Outcome, ReadError> {
        // A zip is read from its end.
        let slice = cx.held(source)?;
        let kept = source.identity().and_then(|identity| cx.cache().get::<Index>(SPACE, identity));
        let archive = match kept {
            Some(index) => OpenZip::opened(index, slice, source),
            None => match glanced(source, &slice, rest, cx)? {
                Some(archive) => archive,
                None => match indexed(source, &slice, cx)? {
                    Some(index) => OpenZip::opened(index, slice, source),
                    None => return Ok(Outcome::Decline),
                },
            },
        };
        answer(&archive, source, rest, cx)
    }
}

/// Whether it is worth looking at the end of a file that begins so: a short one costs nothing, and long texts have no zip
/// behind them unless they are scripts.
fn may_precede_a_zip(head: &[u8], length: Option<u64>) -> bool {
    length == Some(head.len() as u64) || head.starts_with(b"#!") || memchr::memchr(0, head).is_some()
}

/// The archive as far as a glance shows the member that `rest` means. Whoever comes back is given the index.
fn glanced(
    source: &Source,
    slice: &Slice,
    rest: &str,
    cx: &ReadContext<'_>,
) -> Result<Option<Arc<dyn Archive>>, ReadError> {
    if source.identity().is_some_and(|identity| cx.cache().get::<()>(GLANCED, identity).is_some()) {
        return Ok(None);
    }
    let Some(index) = glance::look(slice, rest, source.path(), cx.meter())? else { return Ok(None) };
    let archive = OpenZip::opened(Arc::new(index), slice.clone(), source);
    let hit = exact(&*archive, rest, cx.meter())?;
    // A directory is listed from the index.
    if !hit.is_some_and(|hit| matches!(hit.found, Found::Member(_))) {
        return Ok(None);
    }
    if let Some(identity) = source.identity() {
        cx.cache().put(GLANCED, identity, Arc::new(()), MARK);
    }
    Ok(Some(archive))
}

/// The archive's index, read and kept; `None` when this is no zip after all.
fn indexed(source: &Source, slice: &Slice, cx: &ReadContext<'_>) -> Result<Option<Arc<Index>>, ReadError> {
    let Some(index) = whole::read(slice, source.path(), cx.meter())? else { return Ok(None) };
    let index = Arc::new(index);
    if let Some(identity) = source.identity().filter(|_| !source.has_changed()) {
        cx.cache().put(SPACE, identity, Arc::clone(&index), index.weight());
    }
    Ok(Some(index))
}

/// A zip with its bytes.
struct OpenZip {
    index: Arc<Index>,
    slice: Slice,
    path: String,
}

impl OpenZip {
    fn opened(index: Arc<Index>, slice: Slice, source: &Source) -> Arc<dyn Archive> {
        Arc::new(Self { index, slice, path: source.path().to_owned() })
    }
}

impl Archive for OpenZip {
    fn tree(&self) -> &Tree {
        &self.index.tree
    }

    fn size(&self, number: u32) -> Option<u64> {
        self.index.record(number)?.size()
    }

    fn remark(&self, number: u32) -> Option<String> {
        let record = self.index.record(number)?;
        if record.is_encrypted() {
            return Some("encrypted".to_owned());
        }
        method::unsupported(record.method)
            .or_else(|| record.is_cut(self.slice.len()).then(|| "cut".to_owned()))
    }

    fn link(&self, number: u32) -> Result<Vec<u8>, ReadError> {
        let name = self.index.tree.path(number);
        let record = self.index.record(number).ok_or_else(|| member::gone(&self.path, name))?;
        let target = member::link_target(&self.slice, self.index.place, record, &self.path, name)?;
        Ok(self.index.link_text(target))
    }

    fn open(&self, source: &Source, number: u32, path: &[u8]) -> Result<Source, ReadError> {
        let record = self.index.record(number).ok_or_else(|| member::gone(&self.path, path))?;
        member::open(&self.slice, self.index.place, record, source, path)
    }

    fn damage(&self) -> Option<&Damage> {
        self.index.damage.as_ref()
    }

    fn notices(&self) -> Vec<Notice> {
        self.index.notices()
    }
}
