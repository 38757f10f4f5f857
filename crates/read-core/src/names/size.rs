//! Sizes and counts in words.

/// `bytes` for people: `512B`, `50.0KB`, `3.2MB`, `1.5GB`; 1024-based, one decimal, the unit chosen by the unrounded
/// value.
pub fn size(bytes: u64) -> String {
    const UNITS: [(&str, u32); 6] = [("EB", 60), ("PB", 50), ("TB", 40), ("GB", 30), ("MB", 20), ("KB", 10)];
    for (unit, shift) in UNITS {
        let one = 1_u128 << shift;
        let bytes = u128::from(bytes);
        if bytes >= one {
            // Rounded half up in integers: a float would round 2^60 - 1 wrongly.
            let tenths = (bytes * 10 + one / 2) / one;
            return format!("{}.{}{unit}", tenths / 10, tenths % 10);
        }
    }
    format!("{bytes}B")
}

/// `n` of something, agreeing in number: `1 more line`, `2 more lines`. `one` is the singular, which takes an `s`
/// unless it ends in `y`.
///
/// ```
/// assert_eq!(read_core::count(2, "row"), "2 rows");
/// assert_eq!(read_core::count(3, "more entry"), "3 more entries");
/// ```
pub fn count(n: u64, one: &str) -> String {
    match one.strip_suffix('y') {
        _ if n == 1 => format!("1 {one}"),
        Some(stem) => format!("{n} {stem}ies"),
        None => format!("{n} {one}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_as_the_contract_prints_them() {
        for (bytes, printed) in [
            (0, "0B"),
            (512, "512B"),
            (1023, "1023B"),
            (1024, "1.0KB"),
            (51_200, "50.0KB"),
            (13_893, "13.6KB"),
            (200_000, "195.3KB"),
            (1_048_575, "1024.0KB"),
            (3_355_443, "3.2MB"),
            (1_610_612_736, "1.5GB"),
            (u64::MAX, "16.0EB"),
        ] {
            assert_eq!(size(bytes), printed, "{bytes}");
        }
    }

    #[test]
    fn counts_agree_in_number() {
        assert_eq!(count(1, "more line"), "1 more line");
        assert_eq!(count(0, "more line"), "0 more lines");
        assert_eq!(count(2, "more entry"), "2 more entries");
    }
}
