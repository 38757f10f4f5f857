//! Which table the rest of a target names, and what follows it.

use std::borrow::Cow;

use read_core::{decoded, printed, selector::inner_cuts};

use crate::schema::{Object, Schema};
use crate::sql::{Token, tokens};

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

/// A table or view that a target names.
#[derive(Debug)]
pub(crate) struct Named<'a> {
    pub(crate) object: Object,
    /// Its name as the target spells it, which calls that go on keep: in another case they might be the names of files.
    pub(crate) spelling: String,
    /// What follows it.
    pub(crate) tail: Tail<'a>,
}

/// The table that `rest` begins with, and what follows: the longest name that exists; then the longest that is one when
/// read as it is printed; then a name in SQL's quotes; then, where nothing stands before the first separator, the empty
/// name.
pub(crate) fn table<'a>(rest: &'a str, schema: &Schema) -> Option<Named<'a>> {
    let longest = schema.longest_name();
    // Printed, a character takes at most `\u{10ffff}` for its one byte or more.
    let longest_printed = longest.saturating_mul(10);
    let named = |name: &str, spelling: &str, after: &'a str| {
        let object = schema.find(name)?;
        Some(Named { object, spelling: spelling.to_owned(), tail: Tail::of(after) })
    };
    let after = |path: &str| rest.get(path.len()..).unwrap_or_default();
    let literal = inner_cuts(rest)
        .filter(|cut| cut.path.len() <= longest)
        .find_map(|cut| named(cut.path, cut.path, after(cut.path)));
    let escaped = || {
        inner_cuts(rest).filter(|cut| cut.path.len() <= longest_printed).find_map(|cut| {
            let name = String::from_utf8(decoded(cut.path)?).ok()?;
            named(&name, &name, after(cut.path))
        })
    };
    let quoted = || {
        let (name, after) = unquoted(rest)?;
        // What needs escapes cannot be printed within quotes, where a backslash is one.
        let spelling = rest.strip_suffix(after).filter(|text| printed(text.as_bytes()) == **text);
        named(&name, spelling.unwrap_or(&name), after)
    };
    let empty = || rest.starts_with([':', '?']).then(|| named("", "", rest))?;
    literal.or_else(escaped).or_else(quoted).or_else(empty)
}

/// A name in SQL's quotes at the start of `text`, and what follows it.
fn unquoted(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let mut tokens = tokens(text);
    match tokens.next()? {
        Token::Quoted(quoted)
            if quoted.is_closed && quoted.quote != '\'' && text.starts_with(quoted.quote) =>
        {
            Some((quoted.text(), tokens.rest()))
        }
        _ => None,
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
            assert_eq!(unquoted(text).as_ref().map(|(name, rest)| (name.as_ref(), *rest)), want, "{text}");
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
