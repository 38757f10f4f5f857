//! Which table the rest of a target names, and what follows it.

use read_core::{decoded, selector::cuts};

use crate::schema::{Object, Schema};

/// What follows a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tail<'a> {
    /// Nothing.
    Nothing,
    /// A query string, without its `?`.
    Page(&'a str),
    /// A key, and perhaps a column, without the `:` before them.
    Key(&'a str),
}

impl<'a> Tail<'a> {
    /// `text` begins with the character that the rest was cut at.
    fn of(text: &'a str) -> Self {
        match (text.strip_prefix('?'), text.strip_prefix(':')) {
            (Some(page), _) => Self::Page(page),
            (None, Some(key)) if !key.is_empty() => Self::Key(key),
            _ => Self::Nothing,
        }
    }
}

/// The table that `rest` begins with, and what follows: the longest name that exists; then the longest that is one when
/// read as it is printed; then a name in SQL's quotes; then, where nothing stands before the first separator, the empty
/// name.
pub(crate) fn table<'a>(rest: &'a str, schema: &Schema) -> Option<(Object, Tail<'a>)> {
    let longest = schema.longest_name();
    // Printed, a character takes at most `\u{10ffff}` for its one byte or more.
    let printed = longest.saturating_mul(10);
    let tail = |path: &str| Tail::of(rest.get(path.len()..).unwrap_or_default());
    let literal = cuts(rest)
        .filter(|cut| cut.path.len() <= longest)
        .find_map(|cut| Some((schema.find(cut.path)?, tail(cut.path))));
    let escaped = || {
        cuts(rest).filter(|cut| cut.path.len() <= printed).find_map(|cut| {
            let name = String::from_utf8(decoded(cut.path)?).ok()?;
            Some((schema.find(&name)?, tail(cut.path)))
        })
    };
    let quoted = || {
        let (name, after) = unquoted(rest)?;
        Some((schema.find(&name)?, Tail::of(after)))
    };
    let empty = || rest.starts_with([':', '?']).then(|| Some((schema.find("")?, Tail::of(rest))))?;
    literal.or_else(escaped).or_else(quoted).or_else(empty)
}

/// A name in SQL's quotes at the start of `text`, and what follows it.
fn unquoted(text: &str) -> Option<(String, &str)> {
    let open = text.chars().next()?;
    let close = match open {
        '"' | '`' => open,
        '[' => ']',
        _ => return None,
    };
    let mut name = String::new();
    let mut rest = text.get(open.len_utf8()..)?;
    loop {
        let (part, after) = rest.split_once(close)?;
        name.push_str(part);
        match after.strip_prefix(close).filter(|_| close == open) {
            Some(after) => {
                name.push(close);
                rest = after;
            }
            None => return Some((name, after)),
        }
    }
}

/// The name that was probably meant by a rest that names no table.
pub(crate) fn head(rest: &str) -> &str {
    rest.split([':', '?']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_taken_off() {
        for (text, want) in [
            ("\"a:b\":5", Some(("a:b", ":5"))),
            ("\"a\"\"b\"", Some(("a\"b", ""))),
            ("[a]]:5", Some(("a", "]:5"))),
            ("`x`?limit=5", Some(("x", "?limit=5"))),
            ("\"open", None),
            ("plain", None),
        ] {
            assert_eq!(unquoted(text).as_ref().map(|(name, rest)| (name.as_str(), *rest)), want, "{text}");
        }
    }

    #[test]
    fn tails() {
        for (text, want) in [
            ("", Tail::Nothing),
            (":", Tail::Nothing),
            (":5", Tail::Key("5")),
            (":?x", Tail::Key("?x")),
            ("?limit=5", Tail::Page("limit=5")),
            ("?", Tail::Page("")),
        ] {
            assert_eq!(Tail::of(text), want, "{text}");
        }
    }
}
