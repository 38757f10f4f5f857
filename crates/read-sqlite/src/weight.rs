//! How much a statement grows when the views and common tables that it names are put in their places.
//!
//! SQLite does that while it prepares a statement, and neither a deadline nor a bound on memory reaches it there: fifteen
//! views that each name the one before twice make thirty thousand, and minutes. So it is estimated before, by names alone.

use std::collections::{HashMap, HashSet};

use crate::limits::{MAX_SELECTS, MAX_VIEW_DEPTH};
use crate::sql::{Token, quoted, tokens};

/// The statements that made views and virtual tables, by their names in lower case.
#[derive(Debug, Default)]
pub(crate) struct Definitions(HashMap<String, String>);

impl Definitions {
    /// Adds what `sql` defines under `name`.
    pub(crate) fn add(&mut self, name: &str, sql: String) {
        self.0.insert(name.to_ascii_lowercase(), sql);
    }

    /// Whether the view or virtual table of that name comes to more than [`MAX_SELECTS`].
    pub(crate) fn is_too_heavy(&self, name: &str) -> bool {
        self.0.contains_key(&name.to_ascii_lowercase()) && self.are_too_heavy(&quoted(name))
    }

    /// Whether all of them, one after the other, come to more than [`MAX_SELECTS`].
    pub(crate) fn are_too_heavy_together(&self) -> bool {
        let mut scale = Scale { definitions: self, known: HashMap::new(), open: HashSet::new() };
        let mut weight = 0_u64;
        for name in self.0.keys() {
            weight = weight.saturating_add(scale.named(name, 0));
            if weight > MAX_SELECTS {
                return true;
            }
        }
        false
    }

    /// Whether `sql` comes to more than [`MAX_SELECTS`].
    pub(crate) fn are_too_heavy(&self, sql: &str) -> bool {
        Scale { definitions: self, known: HashMap::new(), open: HashSet::new() }.text(sql, 0) > MAX_SELECTS
    }
}

/// A part of a statement that matters here.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// A name or a word, in lower case. A text may be a name too, as in the arguments of a virtual table.
    Name(String),
    Open,
    Close,
    Other,
}

/// The parts of a statement, comments left out.
fn parts(sql: &str) -> Vec<Part> {
    let part = |token| {
        Some(match token {
            Token::Word(word) => Part::Name(word.to_ascii_lowercase()),
            Token::Quoted(text) => Part::Name(text.text().to_ascii_lowercase()),
            Token::Open => Part::Open,
            Token::Close => Part::Close,
            Token::Other(_) => Part::Other,
            Token::Comment(_) => return None,
        })
    };
    tokens(sql).filter_map(part).collect()
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
        let parts = parts(sql);
        let commons = commons(&parts);
        let mut weights: HashMap<&str, u64> = HashMap::new();
        // A common table can name those before it; what names itself or a later one recurs, and is not multiplied.
        for common in &commons {
            let weight = self.range(&parts, common.body, common.end, &commons, &weights, depth);
            weights.insert(&common.name, weight);
        }
        self.range(&parts, 0, parts.len(), &commons, &weights, depth)
    }

    /// The weight of the parts from `from` to `to`, bodies of common tables left out: they count where they are named.
    fn range(
        &mut self,
        parts: &[Part],
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
            if let Some(Part::Name(name)) = parts.get(at) {
                weight = weight.saturating_add(match weights.get(name.as_str()) {
                    Some(common) => *common,
                    None if name == "select" || name == "values" => 1,
                    None => self.named(name, depth),
                });
                if weight > MAX_SELECTS {
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
        if depth >= MAX_VIEW_DEPTH {
            return MAX_SELECTS + 1;
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
fn commons(parts: &[Part]) -> Vec<Common> {
    let is = |at: usize, word: &str| matches!(parts.get(at), Some(Part::Name(name)) if name == word);
    if !parts.iter().any(|token| matches!(token, Part::Name(name) if name == "with")) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (at, token) in parts.iter().enumerate() {
        let Part::Name(name) = token else { continue };
        let mut next = at + 1;
        if parts.get(next) == Some(&Part::Open) {
            next = close(parts, next) + 1;
        }
        if !is(next, "as") {
            continue;
        }
        next += 1;
        while is(next, "not") || is(next, "materialized") {
            next += 1;
        }
        if parts.get(next) == Some(&Part::Open) {
            found.push(Common { name: name.clone(), head: at, body: next, end: close(parts, next) });
        }
    }
    found
}

/// Where the parenthesis that opens at `open` is closed; the end where it is not.
fn close(parts: &[Part], open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, token) in parts.iter().enumerate().skip(open) {
        match token {
            Part::Open => depth += 1,
            Part::Close => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at;
                }
            }
            Part::Name(_) | Part::Other => {}
        }
    }
    parts.len()
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
