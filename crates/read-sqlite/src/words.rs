//! Names in words.

use read_core::{Near, printed};

use crate::database::Database;

/// Names offered at most.
const OFFERED: usize = 3;

/// Names near `asked`, the nearest first: equal but for case, or by few letters.
pub(crate) fn near<'a>(
    asked: &str,
    names: impl Iterator<Item = &'a str>,
    database: &Database,
) -> Vec<&'a str> {
    Near::new(asked, Some(database.watch.meter())).among(names).best(OFFERED)
}

/// Some of `names`, for a message: all of a few, the first of many.
pub(crate) fn some<'a>(mut names: impl Iterator<Item = &'a str>) -> String {
    const SHOWN: usize = 20;
    let first: Vec<_> = names.by_ref().take(SHOWN).map(|name| printed(name.as_bytes())).collect();
    let more = if names.next().is_some() { ", …" } else { "" };
    format!("{}{more}", first.join(", "))
}
