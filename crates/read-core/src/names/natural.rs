//! Natural order: `n2` before `n10`.

use std::cmp::Ordering;

/// Compares names as people sort them: runs of digits by their value, letters without regard to case first, then the
/// bytes themselves, so that the order is total.
pub fn natural_order(a: &[u8], b: &[u8]) -> Ordering {
    folded(a, b).then_with(|| a.cmp(b))
}

fn folded(mut a: &[u8], mut b: &[u8]) -> Ordering {
    loop {
        let (Some(&x), Some(&y)) = (a.first(), b.first()) else {
            return a.len().cmp(&b.len());
        };
        if x.is_ascii_digit() && y.is_ascii_digit() {
            let (left, rest_a) = digits(a);
            let (right, rest_b) = digits(b);
            // Without leading zeros the longer run is the larger number.
            let order = left.len().cmp(&right.len()).then_with(|| left.cmp(right));
            if order.is_ne() {
                return order;
            }
            (a, b) = (rest_a, rest_b);
        } else {
            let order = x.to_ascii_lowercase().cmp(&y.to_ascii_lowercase());
            if order.is_ne() {
                return order;
            }
            (a, b) = (a.get(1..).unwrap_or_default(), b.get(1..).unwrap_or_default());
        }
    }
}

/// The leading digits of `name` without leading zeros, and what follows.
fn digits(name: &[u8]) -> (&[u8], &[u8]) {
    let end = name.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(name.len());
    let (run, rest) = name.split_at(end);
    let zeros = run.iter().take_while(|byte| **byte == b'0').count();
    (run.get(zeros..).unwrap_or_default(), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_by_value_then_bytes() {
        let mut names = ["n10", "n2", "N1", "n02", "a", "", "n", "n99999999999999999999999"];
        names.sort_by(|a, b| natural_order(a.as_bytes(), b.as_bytes()));
        assert_eq!(names, ["", "a", "n", "N1", "n02", "n2", "n10", "n99999999999999999999999"]);
    }
}
