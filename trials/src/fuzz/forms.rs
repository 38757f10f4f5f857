//! The ways to read one file: whole, in windows, as bytes, and by what it contains.

use read_tool::Arguments;

use super::grammar;
use super::target::Target;
use crate::random::Random;

/// What may follow a file of any kind.
const RESTS: [&str; 14] = [
    ":stat",
    ":hex",
    ":raw",
    ":1-5",
    ":-3",
    ":@10+20",
    ":hex:@100+64",
    ":2,4-6,9",
    ":raw:2-3",
    ":5000000",
    ":9:3",
    ":@100",
    ":3-:raw",
    ":nothing",
];

/// What may follow a database.
const QUERIES: [&str; 10] = [
    "?q=SELECT * FROM users JOIN parts",
    "?q=SELECT count(*), max(note) FROM users GROUP BY name ORDER BY 1",
    "?q=SELECT name, sql FROM sqlite_schema",
    "?q=PRAGMA table_info(users)",
    ":users?limit=3&offset=2&order=name:desc",
    ":users?where=note LIKE '%1%' OR score > 3",
    ":parts?limit=1",
    ":parts?where=a='k'",
    ":users:20:note",
    ":parts:k",
];

/// The forms for a file of this kind, without what depends on its content.
fn general(target: Target) -> Vec<Arguments> {
    let file = target.file();
    let mut forms: Vec<Arguments> =
        RESTS.iter().map(|rest| Arguments::new(format!("{file}{rest}"))).collect();
    let whole = Arguments::new(file);
    forms.push(Arguments { offset: Some(3), limit: Some(4), ..whole.clone() });
    forms.push(Arguments { hashline: Some(true), ..whole.clone() });
    for label in ["gbk", "utf-16le", "shift_jis", "windows-1252"] {
        forms.push(Arguments { encoding: Some(label.to_owned()), ..whole.clone() });
    }
    if target == Target::Sqlite {
        forms.extend(QUERIES.iter().map(|rest| Arguments::new(format!("{file}{rest}"))));
    }
    forms
}

/// Some of the forms, as chance has it, after the file is known to contain `entries`.
pub(super) fn some(target: Target, entries: &[String], random: &mut Random) -> Vec<Arguments> {
    let all = general(target);
    let mut forms: Vec<Arguments> = (0..3).filter_map(|_| random.pick(&all).cloned()).collect();
    forms.push(Arguments::new(format!("{}:{}", target.file(), grammar::selector(random))));
    for _ in 0..3 {
        if let Some(entry) = random.pick(entries) {
            let rest = if random.one_in(2) { "" } else { random.word(&RESTS) };
            forms.push(Arguments::new(format!("{}:{entry}{rest}", target.file())));
        }
    }
    forms
}

/// All of them, for an input that is tried again.
pub(super) fn all(target: Target, entries: &[String]) -> Vec<Arguments> {
    let file = target.file();
    let mut forms = general(target);
    for entry in entries.iter().take(30) {
        for rest in [""].iter().chain(&RESTS) {
            forms.push(Arguments::new(format!("{file}:{entry}{rest}")));
        }
    }
    forms
}

/// What a listing names, as it may be asked for.
pub(super) fn entries(target: Target, listing: &str) -> Vec<String> {
    let lines = listing.lines().filter(|line| !line.is_empty() && !line.starts_with('['));
    let mut entries = Vec::new();
    for line in lines.take(200) {
        let name = match line.rsplit_once(" (") {
            Some((name, _)) => name,
            None => line.split_once(" -> ").map_or(line, |(name, _)| name),
        };
        entries.push(name.to_owned());
        if target == Target::Sqlite {
            entries.extend(["1", "k", "3:name", "20:note", "1:c"].map(|rest| format!("{name}:{rest}")));
            entries.push(format!("{name}?limit=2"));
            entries.push(format!("{name}?limit=2&offset=1"));
        }
    }
    entries
}

/// Whether an entry of a listing must be found when it is asked for: a plain name, and no link.
pub(super) fn must_be_found(listing: &str) -> impl Iterator<Item = &str> {
    let plain = |name: &str| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-/".contains(&byte))
    };
    listing.lines().filter_map(move |line| {
        let name = line.strip_suffix(')').and_then(|line| line.rsplit_once(" (")).map(|(name, _)| name);
        name.filter(|name| plain(name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_taken_from_a_listing() {
        let listing = "dir/\na.txt (12.3KB)\nlink -> a.txt\nodd (1) name (3B)\n\n[Showing entries 1-4 of 9.]";
        assert_eq!(entries(Target::Zip, listing), ["dir/", "a.txt", "link", "odd (1) name"]);
        assert_eq!(must_be_found(listing).collect::<Vec<_>>(), ["a.txt"]);
        assert!(entries(Target::Sqlite, "users (3 rows)\n").contains(&"users:1".to_owned()));
    }

    #[test]
    fn chance_takes_from_all() {
        let entries = ["a.txt".to_owned()];
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..400 {
            let forms = some(Target::Sqlite, &entries, &mut Random::new(&[seed]));
            seen.extend(forms.into_iter().map(|form| format!("{form:?}")));
        }
        assert!(
            all(Target::Sqlite, &entries).iter().filter(|form| seen.contains(&format!("{form:?}"))).count()
                > 40
        );
    }
}
