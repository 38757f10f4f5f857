//! Near names: what a caller may have meant by a member that is not there.

use crate::answer::Archive;
use crate::names::parent;

/// Names offered at most.
const OFFERED: usize = 3;

/// Names of one directory, or of the whole archive, that are compared.
const COMPARED: usize = 10_000;

/// Up to three paths near `asked`, best first: in its directory by few letters, then of the same last name elsewhere.
/// `visible` says which may be named at all.
pub(crate) fn near(archive: &dyn Archive, asked: &[u8], visible: &dyn Fn(&[u8]) -> bool) -> Vec<Vec<u8>> {
    let mut near = beside(archive, asked);
    near.retain(|path| visible(path));
    if near.len() < OFFERED {
        let leaf = last(asked);
        let elsewhere = archive
            .tree()
            .paths()
            .take(COMPARED)
            .filter(|path| !leaf.is_empty() && last(path).eq_ignore_ascii_case(leaf));
        for path in elsewhere {
            if near.len() < OFFERED && !near.iter().any(|other| other == path) && visible(path) {
                near.push(path.to_vec());
            }
        }
    }
    near.truncate(OFFERED);
    near
}

fn beside(archive: &dyn Archive, asked: &[u8]) -> Vec<Vec<u8>> {
    let directory = parent(asked);
    let wanted = String::from_utf8_lossy(last(asked)).to_lowercase();
    let allowed = (wanted.chars().count() / 3).clamp(1, 4);
    let mut near: Vec<(usize, Vec<u8>)> = archive
        .tree()
        .children(directory)
        .take(COMPARED)
        .filter_map(|child| {
            let name = String::from_utf8_lossy(child.name).to_lowercase();
            if name.len().abs_diff(wanted.len()) > allowed.saturating_mul(4) {
                return None;
            }
            let distance = strsim::osa_distance(&name, &wanted);
            let path =
                if directory.is_empty() { child.name.to_vec() } else { [directory, child.name].join(&b'/') };
            (distance <= allowed).then_some((distance, path))
        })
        .collect();
    near.sort();
    near.dedup();
    near.into_iter().take(OFFERED).map(|(_, path)| path).collect()
}

fn last(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or_default()
}
