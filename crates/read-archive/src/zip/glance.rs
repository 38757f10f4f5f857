//! A glance at an archive for the one member that a target means.
//!
//! An index of all members is worth its time when more than one is asked for. For one it is enough to go over the central
//! directory once and to keep the members whose paths begin as the target does, those beside it included: from them the
//! answer is the very same. Wherever that is not certain there is no glance, and the index answers.

use memchr::memmem::Finder;
use read_core::{Meter, ReadError, Slice};
use read_selector::{Classified, classify, inner_cuts};

use super::builder::Builder;
use super::directory::{CHECKED, Entries, Entry};
use super::end;
use super::index::{Index, Place};
use super::record::{Mode, Record};
use crate::limits::MAX_INDEX;
use crate::lookup::candidates;
use crate::names::{Backslash, clean};

/// The largest directory that is glanced at (24 MiB): an index of its members, whatever their names, is never too large.
const DIRECTORY: u64 = MAX_INDEX / 8;

/// Members that are kept at most; a directory with more is listed from the index.
const KEPT: u32 = 256;

/// Ways to cut a target that are looked at. One of colons has thousands.
const CUTS: usize = 16;

/// Texts that are searched for at most.
const SEARCHED: usize = 4;

/// An index of the members that `rest` may mean and of those whose paths go on from theirs; `None` where only the whole
/// index can tell.
pub(super) fn look(slice: &Slice, rest: &str, path: &str, meter: &Meter) -> Result<Option<Index>, ReadError> {
    let error = |error| ReadError::io(path, error);
    let Some(wanted) = Wanted::of(rest) else { return Ok(None) };
    let ends = end::directories(slice).map_err(error)?;
    let Some(end) = ends.first().filter(|end| !end.is_volume && end.size <= DIRECTORY) else {
        return Ok(None);
    };
    let place = Place { len: slice.len(), base: end.base, is_volume: false };
    let mut builder = Builder::default();
    let mut entries = Entries::new(slice, end);
    let mut met = 0_u32;
    while entries.position() < end.size {
        // Damage is told from the index.
        let Some(entry) = entries.next().map_err(error)? else { return Ok(None) };
        if !wanted.take(entry, place, &mut builder)? || builder.len() > KEPT {
            return Ok(None);
        }
        met = met.saturating_add(1);
        if met.is_multiple_of(CHECKED) {
            meter.check()?;
        }
    }
    if u64::from(met) < end.count {
        return Ok(None);
    }
    builder.finish(None, end::are_several(&ends), place).map(Some)
}

/// What a target may mean.
struct Wanted {
    /// The paths, clean.
    paths: Vec<Vec<u8>>,
    /// Texts of which one stands in the record of every member whose path begins with one of `paths`: a part of each
    /// path. Cleaning a name leaves out and joins parts, it changes none.
    parts: Vec<Finder<'static>>,
    /// Whether names that are no UTF-8 may hold such a part in an encoding of their own.
    needs_text: bool,
}

impl Wanted {
    /// What `rest` may mean, where that is a member by its name.
    fn of(rest: &str) -> Option<Self> {
        if inner_cuts(rest).nth(CUTS).is_some() || !matches!(classify(rest), Classified::NotSelector) {
            return None;
        }
        let paths: Vec<Vec<u8>> = candidates(rest).into_iter().map(|candidate| candidate.path).collect();
        let mut parts: Vec<&[u8]> = paths.iter().map(|path| telling_part(path)).collect();
        parts.sort_by_key(|part| part.len());
        let mut fewest: Vec<&[u8]> = Vec::new();
        for part in parts {
            if !fewest.iter().any(|other| memchr::memmem::find(part, other).is_some()) {
                fewest.push(part);
            }
        }
        // The root is listed, and an empty part stands everywhere.
        let is_member = fewest.first().is_some_and(|part| !part.is_empty());
        let needs_text = fewest.iter().any(|part| !part.is_ascii());
        let parts: Vec<_> = fewest.iter().map(|part| Finder::new(part).into_owned()).collect();
        (is_member && parts.len() <= SEARCHED).then_some(Self { paths, parts, needs_text })
    }

    /// Keeps the member of this record, if its path begins as one that is wanted; false where the index must answer.
    fn take(&self, entry: Entry<'_>, place: Place, builder: &mut Builder) -> Result<bool, ReadError> {
        let (extra, wide) = entry.extra();
        // Such members are told beside any other.
        let end_of_data = wide.header.saturating_add(place.base).saturating_add(wide.compressed);
        if extra.is_damaged || wide.compressed == Record::UNKNOWN || end_of_data > place.len {
            return Ok(false);
        }
        let mode = entry.mode();
        let is_needed = self.parts.iter().any(|part| part.find(entry.names()).is_some());
        if !is_needed && mode != Mode::Symlink && !self.needs_text {
            return Ok(true);
        }
        let name = extra.name(entry.name(), entry.is_utf8());
        // What such a name says is told by all of them together.
        if std::str::from_utf8(name).is_err() {
            return Ok(false);
        }
        let path = clean(name, Backslash::Separates).path;
        if mode == Mode::Symlink && self.paths.iter().any(|wanted| is_on_the_way(&path, wanted)) {
            return Ok(false);
        }
        if self.paths.iter().any(|wanted| path.starts_with(wanted)) {
            builder.add(entry.record(&extra, wide, place.base), entry.name(), &extra, mode)?;
        }
        Ok(true)
    }
}

/// The longest part of a path, one in ASCII before all others: it is the same in every encoding.
fn telling_part(path: &[u8]) -> &[u8] {
    let parts = path.split(|byte| *byte == b'/');
    parts.max_by_key(|part| (part.is_ascii(), part.len())).unwrap_or_default()
}

/// Whether `path` is `wanted`, or a directory above it.
fn is_on_the_way(path: &[u8], wanted: &[u8]) -> bool {
    wanted.strip_prefix(path).is_some_and(|rest| matches!(rest, [] | [b'/', ..]))
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;

    fn slice(members: &[&str]) -> Slice {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for member in members {
            if let Some((name, target)) = member.split_once(" -> ") {
                writer.add_symlink(name, target, SimpleFileOptions::default()).unwrap();
            } else {
                writer.start_file(*member, SimpleFileOptions::default()).unwrap();
                writer.write_all(member.as_bytes()).unwrap();
            }
        }
        Slice::from_bytes(writer.finish().unwrap().into_inner())
    }

    fn kept(slice: &Slice, rest: &str) -> Option<Vec<String>> {
        let index = look(slice, rest, "a.zip", &Meter::unbounded()).unwrap()?;
        Some(index.tree.paths().map(|path| String::from_utf8_lossy(path).into_owned()).collect())
    }

    #[test]
    fn what_begins_as_the_target_is_kept() {
        let slice = slice(&["d/a.db", "d/a.db-wal", "e/a.db", "./d/a.db/x", "b -> d", "d/ü"]);
        assert_eq!(kept(&slice, "d/a.db:5").unwrap(), ["d/a.db", "d/a.db-wal", "d/a.db/x"]);
        assert_eq!(kept(&slice, "d/none").unwrap(), Vec::<String>::new());
        assert_eq!(kept(&slice, "d/ü").unwrap(), ["d/ü"]);
    }

    #[test]
    fn what_the_index_must_tell_is_not_glanced_at() {
        let slice = slice(&["d/a", "b -> d", "c/d -> e"]);
        for rest in ["", "5-9", "hex", "/", ".", "b", "b/a", "b/a:1", "c/d/e/f"] {
            assert_eq!(kept(&slice, rest), None, "{rest}");
        }
        let many: Vec<String> = (0..=KEPT).map(|number| format!("d/{number}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(kept(&self::slice(&many), "d"), None);
    }
}
