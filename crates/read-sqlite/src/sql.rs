//! SQL as text: its tokens as SQLite cuts them, and names in it.
//!
//! What looks at the text of a statement before SQLite does (is this one expression? how much do these views come to?)
//! must see the words that SQLite will see, so that there is one lexer for all of that.
//! <https://www.sqlite.org/lang_keywords.html>, <https://www.sqlite.org/lang_comment.html>

use std::borrow::Cow;

/// A part of a statement; white space is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    /// A keyword, a name without quotes, a number.
    Word(&'a str),
    /// A name or a text in quotes.
    Quoted(Quoted<'a>),
    /// A comment, by the two characters that begin it.
    Comment(&'static str),
    Open,
    Close,
    Other(char),
}

/// A name or a text in quotes. One that is not closed goes on to the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quoted<'a> {
    /// What opens it: `'`, `"`, a backtick, or `[`.
    pub(crate) quote: char,
    /// What stands within, as it is written.
    written: &'a str,
    pub(crate) is_closed: bool,
}

impl<'a> Quoted<'a> {
    /// What it stands for: a doubled quote within is one.
    pub(crate) fn text(&self) -> Cow<'a, str> {
        let doubled = [self.quote, self.quote].iter().collect::<String>();
        if self.quote == '[' || !self.written.contains(&doubled) {
            return Cow::Borrowed(self.written);
        }
        Cow::Owned(self.written.replace(&doubled, self.quote.encode_utf8(&mut [0; 4])))
    }
}

/// The tokens of a statement.
#[derive(Clone, Debug)]
pub(crate) struct Tokens<'a> {
    rest: &'a str,
}

/// Cuts a statement into tokens.
pub(crate) fn tokens(sql: &str) -> Tokens<'_> {
    Tokens { rest: sql }
}

impl<'a> Tokens<'a> {
    /// What follows the tokens that were taken.
    pub(crate) fn rest(&self) -> &'a str {
        self.rest
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        // Between tokens a byte order mark is white space too.
        self.rest = self.rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '\u{feff}');
        let first = self.rest.chars().next()?;
        let after = self.rest.get(first.len_utf8()..).unwrap_or_default();
        let (token, rest) = match first {
            '\'' | '"' | '`' | '[' => {
                let (quoted, rest) = in_quotes(first, after);
                (Token::Quoted(quoted), rest)
            }
            '-' if after.starts_with('-') => {
                (Token::Comment("--"), after.split_once('\n').map_or("", |(_, rest)| rest))
            }
            '/' if after.starts_with('*') => {
                let inside = after.get(1..).unwrap_or_default();
                (Token::Comment("/*"), inside.split_once("*/").map_or("", |(_, rest)| rest))
            }
            '(' => (Token::Open, after),
            ')' => (Token::Close, after),
            c if is_in_word(c) => {
                let end = self.rest.find(|c| !is_in_word(c)).unwrap_or(self.rest.len());
                let (word, rest) = self.rest.split_at_checked(end).unwrap_or((self.rest, ""));
                (Token::Word(word), rest)
            }
            c => (Token::Other(c), after),
        };
        self.rest = rest;
        Some(token)
    }
}

/// Whether words are made of it: all beyond ASCII is, for SQLite.
fn is_in_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '$') || !c.is_ascii()
}

/// What `quote` opens before `text`, and what follows.
fn in_quotes(quote: char, text: &str) -> (Quoted<'_>, &str) {
    let close = if quote == '[' { ']' } else { quote };
    let mut end = 0;
    let mut rest = text;
    while let Some((part, after)) = rest.split_once(close) {
        end += part.len();
        let Some(doubled) = after.strip_prefix(close).filter(|_| quote != '[') else {
            let written = text.get(..end).unwrap_or(text);
            return (Quoted { quote, written, is_closed: true }, after);
        };
        end += 2 * close.len_utf8();
        rest = doubled;
    }
    (Quoted { quote, written: text, is_closed: false }, "")
}

/// A name as SQL takes it, whatever is in it.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Words of SQL that are no names unless they are quoted.
/// <https://www.sqlite.org/lang_keywords.html>, and what reads as a literal.
const WORDS: [&str; 79] = [
    "add",
    "all",
    "alter",
    "and",
    "as",
    "autoincrement",
    "between",
    "case",
    "check",
    "collate",
    "commit",
    "constraint",
    "create",
    "cross",
    "current_date",
    "current_time",
    "current_timestamp",
    "default",
    "deferrable",
    "delete",
    "distinct",
    "drop",
    "else",
    "escape",
    "except",
    "exists",
    "false",
    "foreign",
    "from",
    "full",
    "group",
    "having",
    "if",
    "in",
    "index",
    "indexed",
    "inner",
    "insert",
    "intersect",
    "into",
    "is",
    "isnull",
    "join",
    "left",
    "limit",
    "materialized",
    "natural",
    "not",
    "nothing",
    "notnull",
    "null",
    "on",
    "or",
    "order",
    "outer",
    "primary",
    "references",
    "returning",
    "right",
    "select",
    "set",
    "table",
    "then",
    "to",
    "transaction",
    "true",
    "union",
    "unique",
    "update",
    "using",
    "values",
    "when",
    "where",
    "with",
    "within",
    "without",
    "raise",
    "replace",
    "cast",
];

/// Whether SQL reads a name as that without quotes.
pub(crate) fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !WORDS.iter().any(|word| name.eq_ignore_ascii_case(word))
}

/// The words that a statement begins with, as far as they say what it does: `CREATE TEMP TABLE`.
pub(crate) fn leading_words(sql: &str) -> String {
    const KINDS: [&str; 9] =
        ["INDEX", "TABLE", "TEMP", "TEMPORARY", "TRIGGER", "UNIQUE", "VIEW", "VIRTUAL", "INTO"];
    let mut words = tokens(sql).filter_map(|token| match token {
        Token::Word(word) => Some(word.to_ascii_uppercase()),
        _ => None,
    });
    let first = words.next().unwrap_or_default();
    let kinds = words.take_while(|word| KINDS.contains(&word.as_str()));
    std::iter::once(first).chain(kinds).collect::<Vec<_>>().join(" ")
}

/// Whether every parenthesis of a statement is closed, and none that was not opened.
pub(crate) fn is_balanced(sql: &str) -> bool {
    let mut depth = 0_i64;
    for token in tokens(sql) {
        depth += match token {
            Token::Open => 1,
            Token::Close => -1,
            _ => 0,
        };
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(sql: &str) -> Vec<String> {
        tokens(sql)
            .map(|token| match token {
                Token::Word(word) => word.to_owned(),
                Token::Quoted(quoted) => {
                    format!("<{}>{}", quoted.text(), if quoted.is_closed { "" } else { "…" })
                }
                Token::Comment(begin) => begin.to_owned(),
                Token::Open => "(".to_owned(),
                Token::Close => ")".to_owned(),
                Token::Other(c) => c.to_string(),
            })
            .collect()
    }

    #[test]
    fn tokens_as_sqlite_cuts_them() {
        for (sql, want) in [
            ("a_1 $x;b", &["a_1", "$x", ";", "b"][..]),
            ("'it''s'\"q\"\"\"`b```[c]]", &["<it's>", "<q\">", "<b`>", "<c>", "]"]),
            ("'open ''", &["<open '>…"]),
            ("a--b\nc/*d\n*/e/*f", &["a", "--", "c", "/*", "e", "/*"]),
            ("/*/ a */b", &["/*", "b"]),
            ("v\u{1f600}\u{a0}x - 1/2", &["v\u{1f600}\u{a0}x", "-", "1", "/", "2"]),
            ("a \u{feff}LIMIT\u{feff}", &["a", "LIMIT\u{feff}"]),
            ("x'00'(y)", &["x", "<00>", "(", "y", ")"]),
            ("", &[]),
        ] {
            assert_eq!(texts(sql), want, "{sql}");
        }
    }

    #[test]
    fn what_a_statement_begins_with() {
        for (sql, words) in [
            ("create  temp table t(x)", "CREATE TEMP TABLE"),
            (" /* why */ DROP TABLE t", "DROP TABLE"),
            ("(SELECT 1)", "SELECT"),
            ("", ""),
        ] {
            assert_eq!(leading_words(sql), words, "{sql}");
        }
    }

    #[test]
    fn parentheses_within_quotes_and_comments_balance_nothing() {
        for sql in ["(a)", "('(' -- (\n)", "", "/* ) */"] {
            assert!(is_balanced(sql), "{sql}");
        }
        for sql in ["(", ")(", "(a))", "(')'"] {
            assert!(!is_balanced(sql), "{sql}");
        }
    }

    proptest! {
        #[test]
        fn a_quoted_name_is_one_token(name in any::<String>()) {
            let sql = quoted(&name);
            let mut tokens = tokens(&sql);
            let Some(Token::Quoted(token)) = tokens.next() else { panic!("{sql}") };
            prop_assert_eq!(token.text(), name.as_str());
            prop_assert!(token.is_closed && tokens.next().is_none());
        }

        #[test]
        fn every_text_has_an_end(sql in any::<String>()) {
            prop_assert!(tokens(&sql).count() <= sql.chars().count());
        }
    }
}
