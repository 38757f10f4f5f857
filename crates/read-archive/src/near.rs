//! Near names: what a caller may have meant by a member that is not there.

use read_core::Meter;

use crate::archive::Archive;
use crate::limits::{NEAR_COMPARED, NEAR_LONGEST};
use crate::lookup::resolve;
use crate::names::parent;
use crate::tree::Found;

/// Names offered at most.
const OFFERED: usize = 3;

/// Names between two looks at the meter.
const CHECKED: usize = 256;

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

fn beside(archive: &dyn Archive, asked: &[u8], meter: &Meter) -> Vec<Vec<u8>> {
    if last(asked).len() > NEAR_LONGEST {
        return Vec::new();
    }
    // Where a link leads to the directory, that is where the names are.
    let Ok(Some((Found::Directory, directory))) = resolve(archive, parent(asked), true) else {
        return Vec::new();
    };
    let directory = directory.as_slice();
    let wanted: Vec<char> = letters(last(asked));
    let allowed = (wanted.len() / 3).clamp(1, 4);
    let mut near: Vec<(usize, Vec<u8>)> = Vec::new();
    for (number, child) in archive.tree().children(directory).take(NEAR_COMPARED).enumerate() {
        if number % CHECKED == 0 && meter.check().is_err() {
            break;
        }
        // A letter has at most four bytes.
        if child.name.len().abs_diff(last(asked).len()) > allowed.saturating_mul(4)
            || child.name.len() > NEAR_LONGEST
        {
            continue;
        }
        if let Some(distance) = distance_within(&letters(child.name), &wanted, allowed) {
            let path =
                if directory.is_empty() { child.name.to_vec() } else { [directory, child.name].join(&b'/') };
            near.push((distance, path));
        }
    }
    near.sort();
    near.dedup();
    near.into_iter().take(OFFERED).map(|(_, path)| path).collect()
}

fn letters(name: &[u8]) -> Vec<char> {
    String::from_utf8_lossy(name).to_lowercase().chars().collect()
}

fn last(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or_default()
}

/// How many letters must be put in, left out, replaced or exchanged with their neighbour to make one name of the other;
/// `None` when they are more than `limit`. The time grows with the length times the limit, not with the square.
fn distance_within(a: &[char], b: &[char], limit: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > limit {
        return None;
    }
    let far = limit.saturating_add(1);
    // Rows of the table, of which only what lies around the diagonal is filled: the one before last, the last, this one.
    let mut rows =
        [vec![far; b.len() + 1], (0..=b.len()).map(|n| n.min(far)).collect(), vec![far; b.len() + 1]];
    for (row, letter) in a.iter().enumerate() {
        let [before, above, here] = &mut rows;
        let get = |row: &[usize], at: usize| row.get(at).copied().unwrap_or(far);
        here.fill(far);
        let first = row.saturating_sub(limit);
        let mut least = far;
        if let Some(start) = here.first_mut().filter(|_| row < limit) {
            *start = row + 1;
            least = row + 1;
        }
        for (column, other) in b.iter().enumerate().skip(first).take(limit.saturating_mul(2) + 1) {
            let mut cost = (get(above, column) + usize::from(letter != other))
                .min(get(above, column + 1) + 1)
                .min(get(here, column) + 1);
            let exchanged =
                row > 0 && column > 0 && a.get(row - 1) == Some(other) && b.get(column - 1) == Some(letter);
            if exchanged {
                cost = cost.min(get(before, column - 1) + 1);
            }
            if let Some(cell) = here.get_mut(column + 1) {
                *cell = cost.min(far);
                least = least.min(cost);
            }
        }
        if least > limit {
            return None;
        }
        rows.rotate_left(1);
    }
    let [_, last, _] = &rows;
    last.last().copied().filter(|distance| *distance <= limit)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn chars(text: &str) -> Vec<char> {
        text.chars().collect()
    }

    #[test]
    fn letters_are_counted() {
        for (a, b, distance) in [
            ("main", "main", 0),
            ("mian", "main", 1),
            ("", "abc", 3),
            ("kitten", "sitting", 3),
            ("ca", "abc", 3),
        ] {
            assert_eq!(distance_within(&chars(a), &chars(b), 4), Some(distance), "{a} {b}");
            assert_eq!(distance_within(&chars(b), &chars(a), distance), Some(distance), "{b} {a}");
            if let Some(less) = distance.checked_sub(1) {
                assert_eq!(distance_within(&chars(a), &chars(b), less), None, "{a} {b}");
            }
        }
    }

    /// The whole table.
    fn distance(a: &[char], b: &[char]) -> usize {
        let mut table = vec![vec![0; b.len() + 1]; a.len() + 1];
        for i in 0..=a.len() {
            for j in 0..=b.len() {
                table[i][j] = if i == 0 || j == 0 {
                    i.max(j)
                } else {
                    let replaced = table[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                    replaced.min(table[i - 1][j] + 1).min(table[i][j - 1] + 1)
                };
                if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    table[i][j] = table[i][j].min(table[i - 2][j - 2] + 1);
                }
            }
        }
        table[a.len()][b.len()]
    }

    proptest! {
        #[test]
        fn a_limit_changes_nothing_within_it(a in "[abc]{0,12}", b in "[abc]{0,12}", limit in 0_usize..6) {
            let (a, b) = (chars(&a), chars(&b));
            let whole = distance(&a, &b);
            prop_assert_eq!(distance_within(&a, &b, limit), (whole <= limit).then_some(whole));
        }
    }
}
