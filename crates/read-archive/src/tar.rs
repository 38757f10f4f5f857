//! Tar archives, in a file or in whatever a decoder gives.

mod header;
mod index;
mod input;
mod member;
mod pax;
mod sparse;
mod walk;

use std::io::Read;
use std::sync::{Arc, Mutex};

use read_core::{
    Match, Meter, Notice, Outcome, Probe, Rank, ReadContext, ReadError, ReaderHelp, Source, Strength,
    TargetReader, shortened, size,
};
use read_selector::{Classified, Selector, classify};

use crate::answer::answer;
use crate::archive::Archive;
use crate::damage::Damage;
use crate::limits::SEARCHED_WHOLE;
use crate::lookup::candidates;
use crate::tree::{Kind, Tree};
use header::{BLOCK, Header};
use index::{Form, Index};
use input::Input;
use walk::Walk;

/// Reads tar archives.
pub static TAR: &dyn TargetReader = &TarReader;

#[cfg(feature = "inventory")]
read_core::register_reader!(TAR);

/// Where indexes are kept between reads.
const SPACE: &str = "tar index";

struct TarReader;

impl TargetReader for TarReader {
    fn name(&self) -> &'static str {
        "tar"
    }

    fn package(&self) -> &'static str {
        env!("CARGO_PKG_NAME")
    }

    fn help(&self) -> ReaderHelp {
        ReaderHelp::new(
            "tar archives, compressed or not",
            "\
a.tar                 the entries of its root (also :1-50)
a.tar.gz:dir/f.txt:5  a member, with any selector",
        )
    }

    fn holds_paths(&self) -> bool {
        true
    }

    fn tells_damage(&self) -> bool {
        true
    }

    fn probe(&self, probe: &Probe<'_>) -> Option<Match> {
        let block = probe.head().first_chunk::<BLOCK>()?;
        let strength = if Header::begins(block) {
            Strength::Signature
        } else if probe.has_extension(&["tar"]) && probe.head().iter().all(|byte| *byte == 0) {
            // An archive without members is zeros and nothing else.
            Strength::Extension
        } else {
            return None;
        };
        Some(Match::new(strength, "application/x-tar"))
    }

    fn read(&self, source: &Source, rest: &str, cx: &ReadContext<'_>) -> Result<Outcome, ReadError> {
        let search = Search::of(source, rest);
        let (index, reached) = indexed(source, &search, cx)?;
        let open = |index, reached, unsearched| -> Arc<dyn Archive> {
            Arc::new(OpenTar { index, reached: Mutex::new(reached), source: source.clone(), unsearched })
        };
        if index.is_complete() {
            return answer(&open(index, reached, None), source, rest, cx);
        }
        let is_link = |number: &u32| matches!(index.tree.kind(*number), Kind::Symlink | Kind::Hardlink);
        if let Some(number) = search.found(&index).filter(|number| !is_link(number)) {
            let unsearched = unsearched(source, index.tree.path(number));
            return answer(&open(index, reached, Some(unsearched)), source, rest, cx);
        }
        // A link may lead to what stands behind it.
        let index = Arc::new(complete(source, &index, cx.meter())?);
        keep(source, &index, cx);
        answer(&open(index, None, None), source, rest, cx)
    }
}

/// What is said where a later member of the same name may stand behind what was searched.
fn unsearched(source: &Source, path: &[u8]) -> String {
    let length = source.length().or_else(|| source.identity().map(read_core::Identity::size));
    let length = length.map(|length| format!("{} ", size(length))).unwrap_or_default();
    format!("The rest of this {length}archive was not searched for a later '{}'", shortened(path))
}

/// What a walk over a stream looks for, so that it can stop early.
struct Search {
    /// The paths that end it; none: all is wanted.
    paths: Vec<Vec<u8>>,
}

impl Search {
    /// In a file every header is looked at: they are found by seeking. In a stream what precedes them must be decoded.
    fn of(source: &Source, rest: &str) -> Self {
        let lists = rest.is_empty()
            || matches!(
                classify(rest),
                Classified::Selector(Selector::Lines { .. }) | Classified::Malformed(_)
            );
        if source.slice().is_some() || lists {
            return Self { paths: Vec::new() };
        }
        Self {
            paths: candidates(rest).into_iter().filter(|one| !one.directory).map(|one| one.path).collect(),
        }
    }

    /// Whether a member of this path ends the walk.
    fn wants(&self, path: &[u8]) -> bool {
        self.paths.iter().any(|wanted| wanted == path)
    }

    /// The member that was looked for, as far as the index goes.
    fn found(&self, index: &Index) -> Option<u32> {
        self.paths.iter().find_map(|path| match index.tree.find(path, false) {
            Some(crate::tree::Found::Member(member)) => Some(member.number),
            _ => None,
        })
    }
}

/// A stream that stands at the data of a member.
type Reached = Option<(u32, Box<dyn Read + Send>)>;

/// The index as far as the search needs it, from the cache where it is there.
fn indexed(
    source: &Source,
    search: &Search,
    cx: &ReadContext<'_>,
) -> Result<(Arc<Index>, Reached), ReadError> {
    let cached = source.identity().and_then(|identity| cx.cache().get::<Index>(SPACE, identity));
    if let Some(index) = &cached
        && (index.is_complete() || search.found(index).is_some())
    {
        return Ok((Arc::clone(index), None));
    }
    let (index, reached) = walk(source, cached.as_deref(), search, cx.meter())?;
    let index = Arc::new(index);
    keep(source, &index, cx);
    Ok((index, reached))
}

/// The whole index, going on from a part of it.
fn complete(source: &Source, part: &Index, meter: &Meter) -> Result<Index, ReadError> {
    walk(source, Some(part), &Search { paths: Vec::new() }, meter).map(|(index, _)| index)
}

fn keep(source: &Source, index: &Arc<Index>, cx: &ReadContext<'_>) {
    if let Some(identity) = source.identity().filter(|_| !source.has_changed()) {
        cx.cache().put(SPACE, identity, Arc::clone(index), index.weight());
    }
}

/// Walks over the archive, from where `known` ends.
fn walk(
    source: &Source,
    known: Option<&Index>,
    search: &Search,
    meter: &Meter,
) -> Result<(Index, Reached), ReadError> {
    let error = |error| ReadError::io(source.path(), error);
    let from = known.map_or(0, Index::walked_to);
    let input = match source.slice() {
        Some(slice) => Input::of_slice(slice.clone(), from),
        None => Input::of_stream(source.reader_at(from).map_err(error)?, from),
    };
    let mut walk = Walk::new(input, known.cloned().unwrap_or_default(), source.path(), meter);
    let mut first = None;
    while let Some(number) = walk.next_member()? {
        if first.is_none() && search.wants(walk.index().tree.path(number)) {
            first = Some(number);
        }
        // In a short archive a later member of that name may win.
        let too_long = walk.end_of(number) > SEARCHED_WHOLE;
        if let Some(first) = first.filter(|_| too_long) {
            if first != number {
                return Ok((walk.stop()?, None));
            }
            let (index, stream) = walk.stop_at(number)?;
            return Ok((index, stream.map(|stream| (number, stream))));
        }
    }
    Ok((walk.stop()?, None))
}

/// A tar with its bytes.
struct OpenTar {
    index: Arc<Index>,
    reached: Mutex<Reached>,
    source: Source,
    unsearched: Option<String>,
}

impl Archive for OpenTar {
    fn tree(&self) -> &Tree {
        &self.index.tree
    }

    fn size(&self, number: u32) -> Option<u64> {
        self.index
            .record(number)
            .filter(|record| record.form != Form::Unkept)
            .map(|record| self.index.size(record))
    }

    fn remark(&self, number: u32) -> Option<String> {
        self.index.remark(number, self.source.slice().map(read_core::Slice::len))
    }

    fn link(&self, number: u32) -> Result<Vec<u8>, ReadError> {
        Ok(self.index.link(number).to_vec())
    }

    fn open(&self, source: &Source, number: u32, path: &[u8]) -> Result<Source, ReadError> {
        let mut reached = self.reached.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let stream = reached.take_if(|(at, _)| *at == number).map(|(_, stream)| stream);
        member::open(&self.index, number, source, path, stream)
    }

    fn damage(&self) -> Option<&Damage> {
        self.index.damage.as_ref()
    }

    fn notices(&self) -> Vec<Notice> {
        let unsearched = self.unsearched.iter().map(|text| Notice::new(Rank::LeftOut, text.clone()));
        self.index.notices().into_iter().chain(unsearched).collect()
    }

    fn searched_whole(&self, source: &Source, meter: &Meter) -> Result<Option<Arc<dyn Archive>>, ReadError> {
        if self.index.is_complete() {
            return Ok(None);
        }
        let index = Arc::new(complete(source, &self.index, meter)?);
        let reached = Mutex::default();
        Ok(Some(Arc::new(Self { index, reached, source: source.clone(), unsearched: None })))
    }
}
