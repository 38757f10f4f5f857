//! Rust source with what is no code blanked out, so that searching it finds code.
//!
//! This is a scanner, not a parser: it knows comments, literals and brackets, and nothing of macros or names. Blanked
//! bytes become spaces, so that lines keep their numbers.

/// One source file, masked three ways.
#[derive(Debug)]
pub(crate) struct Masked {
    /// Code alone: no comments, no literals, nothing under `#[cfg(test)]`.
    pub(crate) code: String,
    /// Code and literals, nothing under `#[cfg(test)]`.
    pub(crate) spoken: String,
    /// Code alone, tests included.
    pub(crate) all: String,
}

/// A path that a file imports, and the name it has there.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Import {
    pub(crate) path: String,
    pub(crate) name: String,
    /// Counted from 1.
    pub(crate) line: usize,
}

impl Masked {
    pub(crate) fn new(text: &str) -> Self {
        let kinds = kinds(text.as_bytes());
        let all = blank(text, |at| kinds.get(at) != Some(&Kind::Code));
        let tests = test_items(&all);
        let in_tests = |at: usize| tests.iter().any(|(start, end)| (*start..*end).contains(&at));
        let code = blank(&all, in_tests);
        let spoken = blank(text, |at| kinds.get(at) == Some(&Kind::Comment) || in_tests(at));
        Self { code, spoken, all }
    }
}

/// The names of the modules that are declared for tests alone, and lie in files of their own.
pub(crate) fn test_modules(all: &str) -> Vec<String> {
    test_items(all)
        .into_iter()
        .filter_map(|(start, end)| {
            let item = all.get(start..end)?.strip_suffix(';')?;
            let (_, name) = item.rsplit_once("mod ")?;
            Some(name.trim().to_owned())
        })
        .collect()
}

/// The lines on which `pattern` stands as a path or a macro of its own: `fs::read` is found in `std::fs::read(x)`, but
/// neither in `fs::read_dir` nor in `offs::read`.
pub(crate) fn lines_with(code: &str, pattern: &str) -> Vec<usize> {
    code.lines()
        .enumerate()
        .filter(|(_, line)| contains_word(line, pattern))
        .map(|(at, _)| at.saturating_add(1))
        .collect()
}

/// Whether `pattern` stands in `line` with no letter, digit or underscore against its ends.
pub(crate) fn contains_word(line: &str, pattern: &str) -> bool {
    line.match_indices(pattern).any(|(at, _)| {
        let before = line.get(..at).and_then(|text| text.chars().next_back());
        let after = line.get(at.saturating_add(pattern.len())..).and_then(|text| text.chars().next());
        let open = |edge: Option<char>, next: Option<char>| {
            !(edge.is_some_and(is_word) && next.is_some_and(is_word))
        };
        open(pattern.chars().next(), before) && open(pattern.chars().next_back(), after)
    })
}

/// Every path that `code` imports, its braces expanded.
pub(crate) fn imports(code: &str) -> Vec<Import> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = code.get(from..).and_then(|rest| rest.find("use ")).map(|at| from.saturating_add(at))
    {
        from = at.saturating_add("use ".len());
        let begins = code.get(..at).is_none_or(|before| !before.ends_with(|c: char| is_word(c) || c == '!'));
        let Some((tree, _)) = code.get(from..).and_then(|rest| rest.split_once(';')) else { break };
        if begins {
            let line = code.get(..at).map_or(0, |before| before.matches('\n').count()).saturating_add(1);
            expand("", tree, line, &mut found);
        }
    }
    found
}

/// Adds what the import tree `tree` under `prefix` names.
fn expand(prefix: &str, tree: &str, line: usize, found: &mut Vec<Import>) {
    let tree = tree.trim();
    if let Some((path, group)) = tree.split_once('{') {
        let prefix = format!("{prefix}{}", path.trim());
        let group = group.trim_end().strip_suffix('}').unwrap_or(group);
        for part in split_outside_braces(group) {
            expand(&prefix, part, line, found);
        }
        return;
    }
    if tree.is_empty() {
        return;
    }
    let (path, alias) =
        tree.split_once(" as ").map_or((tree, None), |(path, alias)| (path.trim(), Some(alias.trim())));
    let path = format!("{prefix}{path}");
    let path = path.strip_suffix("::self").map_or(path.clone(), str::to_owned);
    let path = path.trim_start_matches("::").to_owned();
    let name = alias.or_else(|| path.rsplit("::").next()).unwrap_or_default().to_owned();
    found.push(Import { path, name, line });
}

fn split_outside_braces(group: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    group
        .split(|c| {
            match c {
                '{' => depth = depth.saturating_add(1),
                '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            c == ',' && depth == 0
        })
        .collect()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Code,
    Comment,
    Literal,
}

/// What each byte of a source belongs to.
fn kinds(text: &[u8]) -> Vec<Kind> {
    let mut scan = Scan { text, at: 0, kinds: Vec::with_capacity(text.len()) };
    while let Some(byte) = scan.peek(0) {
        match byte {
            b'/' if scan.peek(1) == Some(b'/') => scan.line_comment(),
            b'/' if scan.peek(1) == Some(b'*') => scan.block_comment(),
            b'"' => scan.string(),
            b'\'' => scan.character_or_lifetime(),
            _ if byte.is_ascii_alphabetic() || byte == b'_' => scan.word(),
            _ => scan.take(1, Kind::Code),
        }
    }
    scan.kinds
}

struct Scan<'a> {
    text: &'a [u8],
    at: usize,
    kinds: Vec<Kind>,
}

impl Scan<'_> {
    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.get(self.at.saturating_add(ahead)).copied()
    }

    fn take(&mut self, count: usize, kind: Kind) {
        let end = self.at.saturating_add(count).min(self.text.len());
        self.kinds.resize(end, kind);
        self.at = end;
    }

    /// How many bytes from here on are such.
    fn run_of(&self, is_such: impl Fn(u8) -> bool) -> usize {
        let rest = self.text.get(self.at..).unwrap_or_default();
        rest.iter().take_while(|byte| is_such(**byte)).count()
    }

    fn line_comment(&mut self) {
        while self.peek(0).is_some_and(|byte| byte != b'\n') {
            self.take(1, Kind::Comment);
        }
    }

    fn block_comment(&mut self) {
        let mut depth = 0_usize;
        loop {
            match (self.peek(0), self.peek(1)) {
                (Some(b'/'), Some(b'*')) => {
                    depth = depth.saturating_add(1);
                    self.take(2, Kind::Comment);
                }
                (Some(b'*'), Some(b'/')) => {
                    depth = depth.saturating_sub(1);
                    self.take(2, Kind::Comment);
                    if depth == 0 {
                        return;
                    }
                }
                (Some(_), _) => self.take(1, Kind::Comment),
                (None, _) => return,
            }
        }
    }

    /// A string with escapes, from its opening quote.
    fn string(&mut self) {
        self.take(1, Kind::Literal);
        while let Some(byte) = self.peek(0) {
            match byte {
                b'\\' => self.take(2, Kind::Literal),
                b'"' => return self.take(1, Kind::Literal),
                _ => self.take(1, Kind::Literal),
            }
        }
    }

    /// A raw string from its first `#` or quote.
    fn raw_string(&mut self, hashes: usize) {
        self.take(hashes.saturating_add(1), Kind::Literal);
        while let Some(byte) = self.peek(0) {
            self.take(1, Kind::Literal);
            if byte == b'"' && (0..hashes).all(|ahead| self.peek(ahead) == Some(b'#')) {
                return self.take(hashes, Kind::Literal);
            }
        }
    }

    fn character_or_lifetime(&mut self) {
        if self.peek(1) == Some(b'\\') {
            self.take(3, Kind::Literal);
            while self.peek(0).is_some_and(|byte| byte != b'\'' && byte != b'\n') {
                self.take(1, Kind::Literal);
            }
            return self.take(1, Kind::Literal);
        }
        // One character of one to four bytes, then a quote; anything else is a lifetime.
        let width = self.peek(1).map_or(1_usize, |byte| match byte {
            0xF0.. => 4,
            0xE0.. => 3,
            0xC0.. => 2,
            _ => 1,
        });
        let closing = width.saturating_add(1);
        if self.peek(closing) == Some(b'\'') {
            self.take(closing.saturating_add(1), Kind::Literal);
        } else {
            self.take(1, Kind::Code);
        }
    }

    /// An identifier, or the prefix of a literal such as `br#"…"#` and `b'x'`.
    fn word(&mut self) {
        let length = self.run_of(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let word = self.text.get(self.at..self.at.saturating_add(length)).unwrap_or_default();
        let raw = matches!(word, b"r" | b"br" | b"cr");
        let plain = matches!(word, b"b" | b"c");
        self.take(length, Kind::Code);
        if raw {
            let hashes = self.run_of(|byte| byte == b'#');
            if self.peek(hashes) == Some(b'"') {
                self.raw_string(hashes);
            }
        } else if plain && self.peek(0) == Some(b'"') {
            self.string();
        }
    }
}

/// The same text with the bytes for which `gone` holds as spaces, line ends kept.
fn blank(text: &str, gone: impl Fn(usize) -> bool) -> String {
    let mut masked = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        if c == '\n' || !gone(at) {
            masked.push(c);
        } else {
            masked.extend(std::iter::repeat_n(' ', c.len_utf8()));
        }
    }
    masked
}

/// Where the items stand that only tests compile: from the attribute to the end of what it is on.
fn test_items(code: &str) -> Vec<(usize, usize)> {
    let mut items = Vec::new();
    let mut from = 0;
    while let Some(at) =
        code.get(from..).and_then(|rest| rest.find("#[cfg(")).map(|at| from.saturating_add(at))
    {
        from = at.saturating_add(1);
        let Some(condition) =
            code.get(at..).and_then(|rest| rest.split_once(']')).map(|(condition, _)| condition)
        else {
            break;
        };
        let only_tests = condition.starts_with("#[cfg(test)") || condition.starts_with("#[cfg(all(test,");
        if only_tests && let Some(end) = end_of_item(code, at) {
            items.push((at, end));
            from = end;
        }
    }
    items
}

/// The end of the item whose first attribute begins at `start`: its closing brace, or its semicolon, or the comma of a
/// field or an arm, outside any bracket.
fn end_of_item(code: &str, start: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in code.get(start..)?.char_indices() {
        let end = start.saturating_add(at).saturating_add(c.len_utf8());
        match c {
            '{' | '(' | '[' => depth = depth.saturating_add(1),
            '}' | ')' | ']' if depth == 0 => return Some(end.saturating_sub(1)),
            ')' | ']' => depth = depth.saturating_sub(1),
            '}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(end);
                }
            }
            ';' | ',' if depth == 0 => return Some(end),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_no_code() {
        let source = concat!(
            "fn a() { b(\"one // two\"); } // three\n",
            "/* four /* five */ six */ let c = 'x'; let d: &'static str = r#\"seven \" eight\"#;\n",
            "let e = b\"nine\"; let f = '\\''; let g = \"ten \\\" eleven\"; let h = 'é'; twelve();\n",
        );
        let masked = Masked::new(source);
        for word in
            ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "é"]
        {
            assert!(!contains_word(&masked.code, word), "{word}: {}", masked.code);
        }
        for word in ["a", "b", "c", "'static", "str", "twelve"] {
            assert!(contains_word(&masked.code, word), "{word}: {}", masked.code);
        }
        for word in ["one", "two", "seven", "eight", "nine", "eleven"] {
            assert!(contains_word(&masked.spoken, word), "{word}");
        }
        for word in ["three", "four", "six"] {
            assert!(!contains_word(&masked.spoken, word), "{word}");
        }
        assert_eq!(masked.code.lines().count(), source.lines().count());
        assert_eq!(masked.code.len(), source.len());
    }

    #[test]
    fn what_only_tests_compile_is_left_out() {
        let source = concat!(
            "fn kept() {}\n",
            "#[cfg(test)]\n#[derive(Debug)]\nstruct Gone { a: [u8; 2] }\n",
            "#[cfg(all(test, unix))]\nuse gone::there;\n",
            "#[cfg(not(test))]\nfn kept_too() {}\n",
            "#[cfg(test)]\nmod tests { fn inside() { { } } }\n",
            "fn last() {}\n",
            "#[cfg(test)]\nmod apart;\n",
        );
        let masked = Masked::new(source);
        for word in ["Gone", "there", "inside", "apart"] {
            assert!(!contains_word(&masked.code, word), "{word}");
            assert!(contains_word(&masked.all, word), "{word}");
        }
        for word in ["kept", "kept_too", "last"] {
            assert!(contains_word(&masked.code, word), "{word}");
        }
        assert_eq!(test_modules(&masked.all), ["apart"]);
    }

    #[test]
    fn a_word_is_found_whole() {
        assert!(contains_word("std::fs::read(x)", "fs::read"));
        assert!(!contains_word("std::fs::read_dir(x)", "fs::read"));
        assert!(!contains_word("offs::read(x)", "fs::read"));
        assert!(contains_word("println!(\"\")", "println!"));
        assert!(!contains_word("eprintln!(\"\")", "println!"));
        assert!(contains_word("tempfile::x; zip::Y", "zip::"));
        assert_eq!(lines_with("a\nfs::read()\n\nfs::read()", "fs::read"), [2, 4]);
    }

    #[test]
    fn imports_are_expanded() {
        let code = "use std::fs::{self, read as slurp, File};\npub use zip::{read::{Archive}, Error};\nlet because = 1;\n";
        let found: Vec<_> = imports(code).into_iter().map(|i| (i.path, i.name, i.line)).collect();
        let expected = [
            ("std::fs", "fs", 1),
            ("std::fs::read", "slurp", 1),
            ("std::fs::File", "File", 1),
            ("zip::read::Archive", "Archive", 2),
            ("zip::Error", "Error", 2),
        ]
        .map(|(path, name, line)| (path.to_owned(), name.to_owned(), line));
        assert_eq!(found, expected);
    }
}
