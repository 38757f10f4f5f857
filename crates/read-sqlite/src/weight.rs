//! How much a statement grows when the views and common tables that it names are put in their places.
//!
//! SQLite does that while it prepares a statement, and neither a deadline nor a bound on memory reaches it there: fifteen
//! views that each name the one before twice make thirty thousand, and minutes. So it is estimated before, by names alone.

use std::collections::{HashMap, HashSet};

/// SELECTs that a statement may come to. SQLite is done with so many in about a tenth of a second.
pub(crate) const MOST: u64 = 1_500;

/// How deep views may lie in each other.
const DEEPEST: usize = 64;

/// The statements that made views and virtual tables, by their names in lower case.
#[derive(Debug, Default)]
pub(crate) struct Definitions(HashMap<String, String>);

impl Definitions {
    /// Adds what `sql` defines under `name`.
    pub(crate) fn add(&mut self, name: &str, sql: String) {
        self.0.insert(name.to_ascii_lowercase(), sql);
    }

    /// Whether the view or virtual table of that name comes to more than [`MOST`].
    pub(crate) fn is_too_heavy(&self, name: &str) -> bool {
        self.0.contains_key(&name.to_ascii_lowercase())
            && self.are_too_heavy(&format!("\"{}\"", name.replace('"', "\"\"")))
    }

    /// Whether all of them, one after the other, come to more than [`MOST`].
    pub(crate) fn are_too_heavy_together(&self) -> bool {
        let mut scale = Scale { definitions: self, known: HashMap::new(), open: HashSet::new() };
        let mut weight = 0_u64;
        for name in self.0.keys() {
            weight = weight.saturating_add(scale.named(name, 0));
            if weight > MOST {
                return true;
            }
        }
        false
    }

    /// Whether `sql` comes to more than [`MOST`].
    pub(crate) fn are_too_heavy(&self, sql: &str) -> bool {
        Scale { definitions: self, known: HashMap::new(), open: HashSet::new() }.text(sql, 0) > MOST
    }
}

/// A part of a statement that matters here.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    /// A name or a word, in lower case. A text may be a name too, as in the arguments of a virtual table.
    Name(String),
    Open,
    Close,
    Other,
}

struct Scale<'a> {
    definitions: &'a Definitions,
    /// What was weighed already.
    known: HashMap<String, u64>,
    /// What is being weighed: a name in itself is another table.
    open: HashSet<String>,
}

impl Scale<'_> {
    fn text(&mut self, sql: &str, depth: usize) -> u64 {
        let tokens = tokens(sql);
        let commons = commons(&tokens);
        let mut weights: HashMap<&str, u64> = HashMap::new();
        // A common table can name those before it; what names itself or a later one recurs, and is not multiplied.
        for common in &commons {
            let weight = self.range(&tokens, common.body, common.end, &commons, &weights, depth);
            weights.insert(&common.name, weight);
        }
        self.range(&tokens, 0, tokens.len(), &commons, &weights, depth)
    }

    /// The weight of the tokens from `from` to `to`, bodies of common tables left out: they count where they are named.
    fn range(
        &mut self,
        tokens: &[Token],
        from: usize,
        to: usize,
        commons: &[Common],
        weights: &HashMap<&str, u64>,
        depth: usize,
    ) -> u64 {
        let mut weight = 0_u64;
        let mut at = from;
        while at < to {
            if let Some(common) = commons.iter().find(|common| common.head == at) {
                at = common.end.max(at + 1);
                continue;
            }
            if let Some(Token::Name(name)) = tokens.get(at) {
                weight = weight.saturating_add(match weights.get(name.as_str()) {
                    Some(common) => *common,
                    None if name == "select" || name == "values" => 1,
                    None => self.named(name, depth),
                });
                if weight > MOST {
                    return weight;
                }
            }
            at += 1;
        }
        weight
    }

    fn named(&mut self, name: &str, depth: usize) -> u64 {
        if let Some(weight) = self.known.get(name) {
            return *weight;
        }
        let definitions = self.definitions;
        let Some(sql) = definitions.0.get(name) else { return 0 };
        if depth >= DEEPEST {
            return MOST + 1;
        }
        if !self.open.insert(name.to_owned()) {
            return 0;
        }
        let weight = self.text(sql, depth + 1);
        self.open.remove(name);
        self.known.insert(name.to_owned(), weight);
        weight
    }
}

/// A common table of a statement, and where its name stands, its body begins, and ends.
#[derive(Debug)]
struct Common {
    name: String,
    head: usize,
    body: usize,
    end: usize,
}

/// The common tables of a statement: `name AS (`, `name (columns) AS (`, with `NOT` and `MATERIALIZED` between.
fn commons(tokens: &[Token]) -> Vec<Common> {
    let is = |at: usize, word: &str| matches!(tokens.get(at), Some(Token::Name(name)) if name == word);
    if !tokens.iter().any(|token| matches!(token, Token::Name(name) if name == "with")) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let Token::Name(name) = token else { continue };
        let mut next = at + 1;
        if tokens.get(next) == Some(&Token::Open) {
            next = close(tokens, next) + 1;
        }
        if !is(next, "as") {
            continue;
        }
        next += 1;
        while is(next, "not") || is(next, "materialized") {
            next += 1;
        }
        if tokens.get(next) == Some(&Token::Open) {
            found.push(Common { name: name.clone(), head: at, body: next, end: close(tokens, next) });
        }
    }
    found
}

/// Where the parenthesis that opens at `open` is closed; the end where it is not.
fn close(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token {
            Token::Open => depth += 1,
            Token::Close => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at;
                }
            }
            Token::Name(_) | Token::Other => {}
        }
    }
    tokens.len()
}

/// The names and words of a statement in lower case, in quotes or not, comments left out.
pub(crate) fn words(sql: &str) -> impl Iterator<Item = String> {
    tokens(sql).into_iter().filter_map(|token| match token {
        Token::Name(name) => Some(name),
        Token::Open | Token::Close | Token::Other => None,
    })
}

/// Whether every parenthesis of a statement is closed, and none that was not opened.
pub(crate) fn is_balanced(sql: &str) -> bool {
    let mut depth = 0_i64;
    for token in tokens(sql) {
        depth += match token {
            Token::Open => 1,
            Token::Close => -1,
            Token::Name(_) | Token::Other => 0,
        };
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}

fn tokens(sql: &str) -> Vec<Token> {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let mut tokens = Vec::new();
    let mut rest = sql;
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        rest = match c {
            '-' if after.starts_with('-') => after.split_once('\n').map_or("", |(_, after)| after),
            '/' if after.starts_with('*') => after.split_once("*/").map_or("", |(_, after)| after),
            '(' | ')' => {
                tokens.push(if c == '(' { Token::Open } else { Token::Close });
                after
            }
            '"' | '`' | '\'' | '[' => {
                let close = if c == '[' { ']' } else { c };
                let (name, after) = quoted(after, close);
                tokens.push(Token::Name(name.to_ascii_lowercase()));
                after
            }
            c if is_word(c) => {
                let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                let (word, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
                tokens.push(Token::Name(word.to_ascii_lowercase()));
                after
            }
            c if c.is_whitespace() => after,
            _ => {
                tokens.push(Token::Other);
                after
            }
        };
    }
    tokens
}

/// The text up to `close`, where a doubled one stands for itself, and what follows.
fn quoted(text: &str, close: char) -> (String, &str) {
    let mut name = String::new();
    let mut rest = text;
    loop {
        let (part, after) = rest.split_once(close).unwrap_or((rest, ""));
        name.push_str(part);
        match after.strip_prefix(close).filter(|_| close != ']') {
            Some(after) => {
                name.push(close);
                rest = after;
            }
            None => return (name, after),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn doubling(n: usize) -> Definitions {
        let mut definitions = Definitions::default();
        definitions.add("V0", "CREATE VIEW V0 AS SELECT * FROM t".into());
        for n in 1..=n {
            let sql = format!("CREATE VIEW v{n} AS SELECT a.x FROM v{0} a, \"V{0}\" b", n - 1);
            definitions.add(&format!("v{n}"), sql);
        }
        definitions
    }

    #[test]
    fn views_that_multiply_are_heavy() {
        let definitions = doubling(40);
        assert!(!definitions.are_too_heavy("SELECT * FROM v5"));
        assert!(!definitions.are_too_heavy("SELECT * FROM v9 -- v40"));
        let mut definitions = definitions;
        definitions.add("a\"b", "CREATE VIEW \"a\"\"b\" AS SELECT * FROM v30".into());
        for name in ["v11", "V40", "[v20]", "'v20'", "\"a\"\"b\""] {
            assert!(definitions.are_too_heavy(&format!("SELECT 1 FROM {name}")), "{name}");
        }
    }

    #[test]
    fn common_tables_that_multiply_are_heavy() {
        let chain = |n: usize| {
            let rest: Vec<String> = (1..=n)
                .map(|n| format!("a{n}(x) AS NOT MATERIALIZED (SELECT p.x FROM a{0} p, a{0} q)", n - 1))
                .collect();
            format!("WITH a0 AS (SELECT 1 AS x), {} SELECT x FROM a{n}", rest.join(", "))
        };
        let none = Definitions::default();
        assert!(!none.are_too_heavy(&chain(8)));
        assert!(none.are_too_heavy(&chain(11)) && none.are_too_heavy(&chain(200)));
        assert!(!none.are_too_heavy(
            "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT * FROM c, c AS d"
        ));
    }

    #[test]
    fn deep_and_circular_definitions_end() {
        let mut definitions = Definitions::default();
        for n in 0..5_000 {
            definitions.add(&format!("v{n}"), format!("CREATE VIEW v{n} AS SELECT * FROM v{}", n + 1));
        }
        assert!(definitions.are_too_heavy("SELECT * FROM v0"));
        definitions.add("a", "CREATE VIEW a AS SELECT * FROM b".into());
        definitions.add("b", "CREATE VIEW b AS SELECT * FROM a".into());
        assert!(!definitions.are_too_heavy("SELECT * FROM a, b"));
    }

    #[test]
    fn ordinary_statements_are_light() {
        let none = Definitions::default();
        assert!(!none.are_too_heavy("SELECT ((((1)))) AS a, count(*) AS (b) FROM t WHERE x IN (SELECT 1)"));
        assert!(!none.are_too_heavy(&vec!["SELECT 1"; 500].join(" UNION ALL ")));
    }
}
