//! Whether the text of a `where` is one expression and nothing more.

use crate::sql::{Quoted, Token, tokens};

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
    for token in tokens(text) {
        match token {
            Token::Quoted(Quoted { quote, is_closed: false, .. }) => {
                return Some(format!("where has a {quote} that is not closed."));
            }
            Token::Comment(comment) => {
                return Some(format!("where is one expression; a comment ({comment}) is none."));
            }
            Token::Other(';') => return Some("where is one expression; a ';' ends it.".into()),
            Token::Other('\0') => return Some("where holds a NUL character.".into()),
            Token::Open => depth = depth.saturating_add(1),
            Token::Close => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return Some("where closes a parenthesis that it did not open.".into()),
            },
            Token::Word(word) if CLAUSES.contains(&word.to_ascii_lowercase().as_str()) => {
                let word = word.to_ascii_uppercase();
                return Some(format!("where is one expression; {word} begins another clause."));
            }
            Token::Word(_) | Token::Quoted(_) | Token::Other(_) => {}
        }
    }
    (depth > 0).then(|| "where opens a parenthesis that it does not close.".into())
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
