//! Target strings: names that exist, names that do not, and everything that may follow, in any order.

use super::files::NAMES;
use super::mutate::mutate;
use crate::random::Random;

const PLACES: [&str; 14] = [
    "",
    "./",
    "../",
    "/",
    "dir/../",
    "file://",
    "file:///",
    "builtin://",
    "https://x/",
    "~/",
    "@",
    "C:\\",
    "\\\\?\\",
    "nowhere/",
];

const INSIDE: [&str; 14] = [
    "a.txt",
    "a:1-2",
    "dir/b?c.txt",
    "dir",
    "dir/",
    "in/t.txt",
    "l/t.txt",
    "users",
    "pairs",
    "1",
    "name",
    "..",
    "",
    "users:3:name",
];

const QUERIES: [&str; 12] = [
    "?q=SELECT * FROM users",
    "?q=SELECT '/../x'",
    "?limit=3&offset=2",
    "?where=id>3&order=name:desc",
    "?where=name LIKE '%a+b%'",
    "?order=nothing",
    "?limit=-1",
    "?limit=99999999999999999999",
    "?q=",
    "?q=WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c LIMIT 50) SELECT x FROM c",
    "?q=DROP TABLE users",
    "?a%00b=%zz&&=",
];

const NUMBERS: [&str; 12] = [
    "0",
    "1",
    "2",
    "3",
    "5",
    "29",
    "30",
    "31",
    "4294967296",
    "18446744073709551615",
    "18446744073709551616",
    "007",
];

/// A selector, or what looks like one.
pub(super) fn selector(random: &mut Random) -> String {
    let number = |random: &mut Random| random.word(&NUMBERS).to_owned();
    let range = |random: &mut Random| {
        let (a, b) = (number(random), number(random));
        match random.below(8) {
            0 => a,
            1 => format!("{a}-"),
            2 => format!("{a}.."),
            3 => format!("{a}+{b}"),
            4 => format!("-{a}"),
            5 => format!("L{a}-L{b}"),
            6 => format!("{a}..{b}"),
            _ => format!("{a}-{b}"),
        }
    };
    let (a, b) = (number(random), number(random));
    match random.below(13) {
        0 => "raw".to_owned(),
        1 => format!("raw:{}", range(random)),
        2 => format!("{}:raw", range(random)),
        3 => "stat".to_owned(),
        4 => "hex".to_owned(),
        5 => format!("hex:@{a}+{b}"),
        6 => format!("@{a}+{b}"),
        7 => format!("@{a}-{b}"),
        8 => format!("@{a}"),
        9 => format!("{a}:{b}"),
        10 => {
            let ranges: Vec<String> = (0..=random.length(30)).map(|_| range(random)).collect();
            ranges.join(",")
        }
        11 => random
            .word(&["RAW", "raw:raw", "conflicts", "1-5:9:9", "abc", "", "-", "@", "hex:", "+", ","])
            .to_owned(),
        _ => range(random),
    }
}

/// A target.
pub(super) fn target(random: &mut Random) -> String {
    let mut target = random.word(&PLACES).repeat(usize::from(random.one_in(3)));
    target.push_str(if random.one_in(12) { "not-utf8-\\xff.txt" } else { random.word(&NAMES) });
    for _ in 0..random.length(4) {
        if !random.one_in(20) {
            target.push(':');
        }
        match random.below(4) {
            0 => target.push_str(random.word(&INSIDE)),
            1 => target.push_str(random.word(&QUERIES)),
            _ => target.push_str(&selector(random)),
        }
    }
    match random.below(6) {
        0 => {
            let mut bytes = std::mem::take(&mut target).into_bytes();
            mutate(&mut bytes, random.word(&QUERIES).as_bytes(), random);
            String::from_utf8_lossy(&bytes).into_owned()
        }
        1 => target.to_uppercase(),
        _ => target,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_targets_differ_and_many_name_a_file() {
        let targets: std::collections::BTreeSet<String> =
            (0..500).map(|seed| target(&mut Random::new(&[seed]))).collect();
        assert!(targets.len() > 300, "{}", targets.len());
        assert!(targets.iter().filter(|target| target.starts_with("a.txt")).count() > 5);
    }
}
