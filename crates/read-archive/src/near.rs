//! Near names: what a caller may have meant by a member that is not there.

use read_core::{Meter, Near};

use crate::archive::Archive;
use crate::limits::NEAR_COMPARED;
use crate::lookup::resolve;
use crate::names::parent;
use crate::tree::Found;

/// Names offered at most.
const OFFERED: usize = 3;

/// Up to three paths near `asked`, best first: in its directory by few letters, then of the same last name elsewhere.
/// `visible` says which may be named at all. When the read's time is over, those that were found by then.
pub(crate) fn near(
    archive: &dyn Archive,
    asked: &[u8],
    meter: &Meter,
    visible: &dyn Fn(&[u8]) -> bool,
) -> Vec<Vec<u8>> {
    // A query was not meant.
    let unmarked = asked.strip_prefix(b"?").filter(|path| !path.is_empty());
    let meant = unmarked.filter(|path| matches!(resolve(archive, path, false), Ok(Some(_))));
    let mut near: Vec<Vec<u8>> = meant.map(<[u8]>::to_vec).into_iter().collect();
    let beside = beside(archive, asked, meter);
    near.extend(beside.into_iter().filter(|path| Some(path.as_slice()) != meant));
    near.retain(|path| visible(path));
    let leaf = last(asked);
    if near.len() < OFFERED && !leaf.is_empty() && meter.check().is_ok() {
        let elsewhere =
            archive.tree().paths().take(NEAR_COMPARED).filter(|path| last(path).eq_ignore_ascii_case(leaf));
        for path in elsewhere {
            if near.len() < OFFERED && !near.iter().any(|other| other == path) && visible(path) {
                near.push(path.to_vec());
            }
        }
    }
    near.truncate(OFFERED);
    near
}

/// The names in the directory of `asked` that are near to its last one.
fn beside(archive: &dyn Archive, asked: &[u8], meter: &Meter) -> Vec<Vec<u8>> {
    // Where a link leads to the directory, that is where the names are.
    let Ok(Some((Found::Directory, directory))) = resolve(archive, parent(asked), true) else {
        return Vec::new();
    };
    let directory = directory.as_slice();
    let names = archive.tree().children(directory).take(NEAR_COMPARED).map(|child| child.name);
    let mut near = Near::new(last(asked), Some(meter)).among(names).best(2 * OFFERED);
    // A name may be that of a file and of a directory.
    near.dedup();
    near.into_iter()
        .take(OFFERED)
        .map(|name| if directory.is_empty() { name.to_vec() } else { [directory, name].join(&b'/') })
        .collect()
}

fn last(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or_default()
}
