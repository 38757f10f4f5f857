//! Near names: what somebody may have meant by a name that is not there.

use crate::meter::Meter;

/// Letters in which a near name may differ at most, unless more are asked for.
const MOST_ALLOWED: usize = 4;

/// Names longer than this are not compared: nobody mistypes them, and nobody would read them as an offer (1 KiB).
const LONGEST: usize = 1 << 10;

/// Letters that are looked at for one name asked for, and pairs of them that are compared.
const STEPS: usize = 100_000_000;

/// Steps between two looks at the meter.
const BETWEEN_CHECKS: usize = 1 << 16;

/// Near names that are kept until it is known which of them may be seen.
const KEPT: usize = 64;

/// Kinds of letters that are counted apart.
const KINDS: usize = 128;

/// Finds the names that are nearest to one that was asked for: equal but for case, or by few letters that are wrong, missing,
/// too many, or swapped with the next one. However many names it is offered, and however long they are, its time has an end,
/// and a [`Meter`] that trips ends it sooner; what was near by then is what it gives.
///
/// ```
/// use read_core::Near;
///
/// let near = Near::new("odrers", None).among(["users", "orders", "order", "ORDERS"]);
/// assert_eq!(near.best(2), ["ORDERS", "orders"]);
/// ```
#[derive(Clone, Debug)]
pub struct Near<'a, N> {
    asked: Vec<char>,
    within: usize,
    meter: Option<&'a Meter>,
    steps_left: usize,
    next_check: usize,
    kept: Vec<(Nearness, N)>,
}

impl<'a, N: AsRef<[u8]> + Ord> Near<'a, N> {
    /// What is near to `asked`: by a third of its letters, at least one and at most four.
    pub fn new(asked: impl AsRef<[u8]>, meter: Option<&'a Meter>) -> Self {
        let asked = asked.as_ref();
        let is_offered = (1..=LONGEST).contains(&asked.len());
        let asked = lower(asked);
        let within = (asked.len() / 3).clamp(1, MOST_ALLOWED);
        let steps_left = if is_offered { STEPS } else { 0 };
        Self { asked, within, meter, steps_left, next_check: STEPS, kept: Vec::new() }
    }

    /// The same by that many letters.
    #[must_use]
    pub fn within(mut self, letters: usize) -> Self {
        self.within = letters.min(LONGEST);
        self
    }

    /// The same after a look at each of `names`.
    #[must_use]
    pub fn among(mut self, names: impl IntoIterator<Item = N>) -> Self {
        for name in names {
            self.offer(name);
        }
        self
    }

    /// Looks at one more name.
    pub fn offer(&mut self, name: N) {
        let bytes = name.as_ref();
        if bytes.len() > LONGEST || !self.goes_on() {
            return;
        }
        let letters = lower(bytes);
        self.steps_left = self.steps_left.saturating_sub(letters.len() + self.asked.len());
        if least_distance(&letters, &self.asked) > self.within {
            return;
        }
        if let Some(nearness) = Nearness::of(&letters, &self.asked, self.within, &mut self.steps_left) {
            let at = self.kept.partition_point(|(known, other)| (known, other) <= (&nearness, &name));
            self.kept.insert(at, (nearness, name));
            self.kept.truncate(KEPT);
        }
    }

    /// The `n` nearest names, the nearest first.
    pub fn best(self, n: usize) -> Vec<N> {
        self.ranked().take(n).map(|(name, _)| name).collect()
    }

    /// The nearest names, the nearest first, each with the letters in which it differs: for a caller that may not name all of
    /// them. There are 64 at most.
    pub fn ranked(self) -> impl Iterator<Item = (N, usize)> {
        self.kept.into_iter().map(|(nearness, name)| (name, nearness.distance))
    }

    /// Whether there are time and steps left.
    fn goes_on(&mut self) -> bool {
        if self.steps_left <= self.next_check {
            self.next_check = self.steps_left.saturating_sub(BETWEEN_CHECKS);
            if self.meter.is_some_and(|meter| meter.check().is_err()) {
                self.steps_left = 0;
            }
        }
        self.steps_left > 0
    }
}

/// A name in lower case, letter by letter.
fn lower(name: &[u8]) -> Vec<char> {
    String::from_utf8_lossy(name).chars().flat_map(char::to_lowercase).collect()
}

/// Letters in which two names differ at least: those that one has and the other has not, in whatever order.
fn least_distance(name: &[char], asked: &[char]) -> usize {
    let mut count = [0_i32; KINDS];
    let mut add = |letters: &[char], by: i32| {
        for letter in letters {
            if let Some(kind) = count.get_mut(*letter as usize % KINDS) {
                *kind = kind.saturating_add(by);
            }
        }
    };
    add(name, 1);
    add(asked, -1);
    let over: u32 = count.iter().filter(|kind| **kind > 0).map(|kind| kind.unsigned_abs()).sum();
    let under: u32 = count.iter().filter(|kind| **kind < 0).map(|kind| kind.unsigned_abs()).sum();
    usize::try_from(over.max(under)).unwrap_or(usize::MAX)
}

/// How near a name is to the one asked for; the nearest sorts first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Nearness {
    /// Letters that are wrong, missing, too many, or swapped with the next one.
    distance: usize,
    /// Letters from the first difference to the last: of two names with as many wrong letters, that one is nearer in which
    /// they stand together.
    spread: usize,
}

impl Nearness {
    /// The nearness of two names in lower case; `None` where they differ by more than `within` letters.
    fn of(name: &[char], asked: &[char], within: usize, steps_left: &mut usize) -> Option<Self> {
        // What both begin and end with costs nothing.
        let same = name.iter().zip(asked).take_while(|(a, b)| a == b).count();
        let (name_end, asked_end) = (name.get(same..)?, asked.get(same..)?);
        let same = name_end.iter().rev().zip(asked_end.iter().rev()).take_while(|(a, b)| a == b).count();
        let spread = name_end.len().max(asked_end.len()).saturating_sub(same);
        let middle = |end: &'_ [char]| end.len().saturating_sub(same);
        let (name_middle, asked_middle) =
            (name_end.get(..middle(name_end))?, asked_end.get(..middle(asked_end))?);
        let distance = distance_within(name_middle, asked_middle, within, steps_left)?;
        // Of a name of one letter, one wrong letter leaves nothing.
        let is_alike = distance == 0 || distance < name.len().max(asked.len());
        is_alike.then_some(Self { distance, spread })
    }
}

/// How many letters must be put in, left out, replaced or swapped with their neighbour to make one name of the other; `None`
/// when they are more than `limit`, or when the steps are used up. Only the band of the table is filled in which the answer
/// can lie, so that the time grows with the length times the limit.
fn distance_within(a: &[char], b: &[char], limit: usize, steps_left: &mut usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > limit {
        return None;
    }
    let far = limit.saturating_add(1);
    let band = limit.saturating_mul(2).saturating_add(1);
    let first_row = (0..=b.len()).map(|cost| cost.min(far)).collect();
    let mut rows: [Vec<usize>; 3] = [vec![far; b.len() + 1], first_row, vec![far; b.len() + 1]];
    for (row, letter) in a.iter().enumerate() {
        *steps_left = steps_left.checked_sub(band.min(b.len()))?;
        let [before, above, here] = &mut rows;
        let cost_at = |row: &[usize], column: usize| row.get(column).copied().unwrap_or(far);
        let from = row.saturating_sub(limit);
        // What stands left of the band is of an older row.
        if let Some(left) = here.get_mut(from) {
            *left = if from == 0 { (row + 1).min(far) } else { far };
        }
        let mut least = cost_at(here, from);
        for (column, other) in b.iter().enumerate().skip(from).take(band) {
            let mut cost = cost_at(above, column) + usize::from(letter != other);
            cost = cost.min(cost_at(above, column + 1) + 1).min(cost_at(here, column) + 1);
            let is_swapped =
                row > 0 && column > 0 && a.get(row - 1) == Some(other) && b.get(column - 1) == Some(letter);
            if is_swapped {
                cost = cost.min(cost_at(before, column - 1) + 1);
            }
            if let Some(cell) = here.get_mut(column + 1) {
                *cell = cost.min(far);
            }
            least = least.min(cost);
        }
        // So is what stands right of it.
        if let Some(right) = here.get_mut(from.saturating_add(band).saturating_add(1)) {
            *right = far;
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
    use super::*;
    use crate::meter::{Bounds, Cancel};
    use proptest::prelude::*;

    fn near(asked: &str, names: &[&'static str]) -> Vec<&'static str> {
        Near::new(asked, None).among(names.iter().copied()).best(3)
    }

    #[test]
    fn the_nearest_comes_first() {
        assert_eq!(near("user", &["users", "user", "orders", "USERS_old", "x"]), ["user", "users"]);
        assert_eq!(near("odrers", &["users", "orders"]), ["orders"]);
        assert_eq!(near("nothing_like_it", &["users"]), [""; 0]);
        assert_eq!(near("D", &["d", "ab"]), ["d"]);
        assert_eq!(near("q", &["d", "ab"]), [""; 0], "one wrong letter of one leaves nothing");
        assert_eq!(near("", &["d"]), [""; 0]);
    }

    #[test]
    fn a_wider_limit_offers_more() {
        let near = Near::new("lim", None).within(2).among(["limit"]);
        assert_eq!(near.ranked().collect::<Vec<_>>(), [("limit", 2)]);
    }

    #[test]
    fn long_names_cost_nothing_and_a_meter_that_trips_ends_it() {
        let long = "x".repeat(60_000);
        let mut endless = Near::new(&long, None).within(usize::MAX);
        (0..1_000).for_each(|_| endless.offer(&long));
        assert!(endless.best(1).is_empty());

        let alike = "ab".repeat(500);
        let turned = "ba".repeat(500);
        let mut wide = Near::new(&alike, None).within(1_000);
        wide.steps_left = 500_000;
        (0..1_000_000).for_each(|_| wide.offer(&turned));
        assert_eq!(wide.steps_left, 0, "steps have an end");

        let cancel = Cancel::new();
        let meter = Meter::start(Bounds { cancel: cancel.clone(), ..Bounds::default() });
        cancel.cancel();
        let mut stopped = Near::new("user", Some(&meter));
        stopped.offer("users");
        assert!(stopped.best(1).is_empty());
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
            let (a, b) = (lower(a.as_bytes()), lower(b.as_bytes()));
            let whole = distance(&a, &b);
            prop_assert_eq!(distance_within(&a, &b, limit, &mut STEPS.clone()), (whole <= limit).then_some(whole));
        }

        #[test]
        fn the_bound_is_one(name in "[abcé0-3]{0,12}", asked in "[abcé0-3]{0,12}") {
            let (a, b) = (lower(name.as_bytes()), lower(asked.as_bytes()));
            let distance = distance(&a, &b);
            prop_assert!(least_distance(&a, &b) <= distance);
            if let Some(nearness) = Nearness::of(&a, &b, MOST_ALLOWED, &mut STEPS.clone()) {
                prop_assert_eq!(nearness.distance, distance);
            }
        }
    }
}
