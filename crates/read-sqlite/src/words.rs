//! Counts and near names in words.

use read_core::printed;

/// Names offered at most.
const OFFERED: usize = 3;

/// `n` of something, agreeing in number.
pub(crate) fn count(n: u64, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// Names near `asked`, the nearest first: equal but for case, by few letters, or by their beginning.
pub(crate) fn near<'a>(asked: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let lower = asked.to_lowercase();
    let allowed = (lower.chars().count() / 3).clamp(1, 4);
    let mut near: Vec<(usize, &str)> = names
        .filter_map(|name| {
            let other = name.to_lowercase();
            if other.len().abs_diff(lower.len()) > allowed * 4 {
                return None;
            }
            let distance = strsim::osa_distance(&other, &lower);
            (distance <= allowed).then_some((distance, name))
        })
        .collect();
    near.sort_unstable();
    near.into_iter().take(OFFERED).map(|(_, name)| name).collect()
}

/// Some of `names`, for a message: all of a few, the first of many.
pub(crate) fn some<'a>(mut names: impl Iterator<Item = &'a str>) -> String {
    const SHOWN: usize = 20;
    let first: Vec<_> = names.by_ref().take(SHOWN).map(|name| printed(name.as_bytes())).collect();
    let more = if names.next().is_some() { ", …" } else { "" };
    format!("{}{more}", first.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_come_nearest_first() {
        let names = ["users", "user", "orders", "USERS_old", "x"];
        assert_eq!(near("user", names.into_iter()), ["user", "users"]);
        assert_eq!(near("odrers", names.into_iter()), ["orders"]);
        assert!(near("nothing_like_it", names.into_iter()).is_empty());
    }

    #[test]
    fn counts_agree_in_number() {
        assert_eq!((count(1, "row", "rows"), count(0, "row", "rows")), ("1 row".into(), "0 rows".into()));
    }
}
