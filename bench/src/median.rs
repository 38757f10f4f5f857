//! The middle of what was measured.

use std::time::Duration;

/// The middle value; the mean of the two middle ones where their number is even; zero of nothing.
pub(crate) fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    let middle = times.len() / 2;
    let upper = times.get(middle).copied().unwrap_or_default();
    if times.len() % 2 == 1 {
        return upper;
    }
    let lower = middle.checked_sub(1).and_then(|index| times.get(index)).copied().unwrap_or_default();
    (lower + upper) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_is_found_in_any_order() {
        let of = |millis: &[u64]| median(millis.iter().copied().map(Duration::from_millis).collect());
        assert_eq!(of(&[9, 1, 5]), Duration::from_millis(5));
        assert_eq!(of(&[4, 1, 2, 9]), Duration::from_millis(3));
        assert_eq!(of(&[7]), Duration::from_millis(7));
        assert_eq!(of(&[]), Duration::ZERO);
    }
}
