//! Whether the text of a `where` is one expression and nothing more.

/// Words that begin another clause or another statement. Outside quotes none of them is part of an expression, save
/// subqueries, which are for whole queries.
const CLAUSES: [&str; 10] =
    ["except", "group", "having", "intersect", "limit", "order", "returning", "select", "union", "values"];

/// Why `text` is not one expression; `None` when it is one as far as its shape tells (SQLite parses it after this).
pub(crate) fn refusal(text: &str) -> Option<String> {
    if text.trim().is_empty() {
        return Some("where is empty.".into());
    }
    let mut depth = 0_u32;
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        rest = match c {
            '\'' | '"' | '`' => match quoted_end(after, c) {
                Some(after) => after,
                None => return Some(format!("where has a {c} that is not closed.")),
            },
            '[' => match after.split_once(']') {
                Some((_, after)) => after,
                None => return Some("where has a [ that is not closed.".into()),
            },
            ';' => return Some("where is one expression; a ';' ends it.".into()),
            '-' if after.starts_with('-') => {
                return Some("where is one expression; a comment (--) is none.".into());
            }
            '/' if after.starts_with('*') => {
                return Some("where is one expression; a comment (/*) is none.".into());
            }
            '\0' => return Some("where holds a NUL character.".into()),
            '(' => {
                depth = depth.saturating_add(1);
                after
            }
            ')' => match depth.checked_sub(1) {
                Some(less) => {
                    depth = less;
                    after
                }
                None => return Some("where closes a parenthesis that it did not open.".into()),
            },
            c if is_word(c) => {
                let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                let (word, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
                if CLAUSES.contains(&word.to_ascii_lowercase().as_str()) {
                    return Some(format!(
                        "where is one expression; {} begins another clause.",
                        word.to_ascii_uppercase()
                    ));
                }
                after
            }
            _ => after,
        };
    }
    (depth > 0).then(|| "where opens a parenthesis that it does not close.".into())
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$') || !c.is_ascii()
}

/// What follows the closing `quote`; a doubled one is part of the text.
fn quoted_end(mut text: &str, quote: char) -> Option<&str> {
    loop {
        let (_, after) = text.split_once(quote)?;
        match after.strip_prefix(quote) {
            Some(after) => text = after,
            None => return Some(after),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_pass() {
        for text in [
            "age > 25",
            "name = 'a -- b; LIMIT'",
            "name LIKE 'user00%'",
            "\"order\" = 1 AND [limit] = 2 AND `union` = 3",
            "name = 'it''s; (fine'",
            "(a = 1 OR b = 2) AND c IS NOT DISTINCT FROM d",
            "limits = 1 AND selected = 2",
            "a - -1 > 2 / 3",
            "name = '日本'",
        ] {
            assert_eq!(refusal(text), None, "{text}");
        }
    }

    #[test]
    fn anything_more_is_refused() {
        for text in [
            "",
            "  ",
            "1=1; DROP TABLE users",
            "1=1 LIMIT 1000000 --",
            "1=1 limit 10",
            "1=1) UNION SELECT 1,s FROM secrets --",
            "0 UNION ALL SELECT 1,s FROM secrets",
            "id IN (SELECT 1)",
            "1 /* */",
            "a = 'open",
            "a = \"open",
            "[open",
            "(1",
            "1)",
            "1) OR (1",
            "1 ORDER BY 1",
            "a\0",
        ] {
            assert!(refusal(text).is_some(), "{text}");
        }
    }
}
