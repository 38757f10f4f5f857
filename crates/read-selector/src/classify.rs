//! Whether the rest of a target is a selector, meant to be one, or something else.

use crate::error::SelectorError;
use crate::parse::{Word, parse};
use crate::selector::Selector;

/// What the rest of a target is; see [`classify`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Classified {
    /// Nothing: the whole source is meant.
    Empty,
    /// A selector.
    Selector(Selector),
    /// It looks like a selector, but is not one. It must never be taken for "the whole source".
    Malformed(SelectorError),
    /// It does not look like a selector: a member's name, a table, or a mistake, as a reader may decide.
    NotSelector,
}

/// Reads the rest of a target, as [`cuts`](crate::cuts) gives it: without its first colon.
///
/// A rest *looks like* a selector when its part before the first `:` is
///
/// * `raw`, `hex` or `stat`, in any case; or
/// * a number, which may have `-`, `L` or `-L` (lines) or `@` (bytes) before it, followed by nothing but digits
///   and the characters `L`, `-`, `.`, `+`, `,` and `@`.
///
/// So `raw:raw`, `1-5:9:9`, `3.14` and `0` look like selectors and are malformed, while `2024-report.txt`,
/// `7z/file`, `@2x.png`, `10-x` and `users:42` do not look like one.
///
/// ```
/// use read_selector::{Classified, classify};
///
/// assert_eq!(classify(""), Classified::Empty);
/// assert!(matches!(classify("10-20:raw"), Classified::Selector(_)));
/// assert!(matches!(classify("raw:raw"), Classified::Malformed(_)));
/// assert_eq!(classify("2024-report.txt:5"), Classified::NotSelector);
/// ```
pub fn classify(rest: &str) -> Classified {
    if rest.is_empty() {
        return Classified::Empty;
    }
    if !looks_like_selector(rest) {
        return Classified::NotSelector;
    }
    match parse(rest) {
        Ok(selector) => Classified::Selector(selector),
        Err(error) => Classified::Malformed(error),
    }
}

/// `target` without its longest tail that looks like a selector, well-formed or not, or is empty.
///
/// This is a guess at the path that was meant, for messages about a target of which no path exists; where
/// something exists, [`cuts`](crate::cuts) decides.
///
/// ```
/// use read_selector::head;
///
/// assert_eq!(head("src/a.rs:1-40"), "src/a.rs");
/// assert_eq!(head("a.rs:raw:5"), "a.rs");
/// assert_eq!(head("x:abc"), "x:abc");
/// ```
pub fn head(target: &str) -> &str {
    // From the left, the first tail that fits is the longest; each test looks no further than the next colon.
    target
        .match_indices(':')
        .filter(|&(at, _)| at > 0)
        .filter_map(|(at, _)| Some((target.get(..at)?, target.get(at.checked_add(1)?..)?)))
        .find(|(_, tail)| tail.is_empty() || looks_like_selector(tail))
        .map_or(target, |(path, _)| path)
}

fn looks_like_selector(rest: &str) -> bool {
    let part = rest.split(':').next().unwrap_or_default();
    if Word::of(part).is_some() {
        return true;
    }
    let number = part.strip_prefix('@').unwrap_or_else(|| {
        let line = part.strip_prefix('-').unwrap_or(part);
        line.strip_prefix(['L', 'l']).unwrap_or(line)
    });
    number.starts_with(|c: char| c.is_ascii_digit())
        && number.bytes().all(|b| matches!(b, b'0'..=b'9' | b'L' | b'l' | b'-' | b'.' | b'+' | b',' | b'@'))
}

#[cfg(test)]
mod tests {
    use super::{Classified, classify, head};
    use crate::error::SelectorErrorKind;

    #[test]
    fn nothing_is_empty() {
        assert_eq!(classify(""), Classified::Empty);
    }

    #[test]
    fn names_are_no_selectors() {
        for rest in [
            "abc",
            "users:42",
            "users:42:raw",
            "2024-report.txt",
            "2024-report.txt:1-5",
            "1abc.txt",
            "7z/file",
            "10-x",
            "L10n/de.po",
            "L",
            "L-5",
            "@2x.png",
            "@",
            "@L5",
            "LL5",
            "@-5",
            "-",
            "-x",
            "--5",
            "-@5",
            "+5",
            "..5",
            ",5",
            ".5",
            ":",
            ":5",
            "raws",
            "hexdump",
            "stat.txt",
            "raw ",
            " 5",
            "5 ",
            "1, 2",
            "?q=SELECT 1",
            "5?limit=2",
            "\u{0665}",
            "5\u{0665}",
            "\u{202e}5",
        ] {
            assert_eq!(classify(rest), Classified::NotSelector, "{rest:?}");
        }
    }

    #[test]
    fn what_looks_like_a_selector_is_never_widened() {
        for rest in [
            "raw:raw",
            "RAW:Raw",
            "raw:",
            "raw:abc",
            "raw:5:raw",
            "raw:5:",
            "raw:1:2",
            "raw:@5",
            "raw:hex",
            "raw:stat",
            "hex:",
            "hex:5",
            "hex:1-5",
            "hex:hex",
            "hex:raw",
            "hex:@",
            "hex:@5:",
            "hex:@5:@6",
            "stat:",
            "stat:5",
            "stat:raw",
            "5:hex",
            "5:stat",
            "@5:raw",
            "@5:",
            "@5:hex",
            "@5:3",
            "1-5:9",
            "1-5:9:9",
            "1:2:3",
            "1:2:3:",
            "1::",
            "1::2",
            "1:abc",
            "12:fn main() {",
            "4:2: error",
            "1-5:",
            "-5:",
            "-5:3",
            "1,2:3",
            "5:raw:",
            "5:raw:raw",
            "3.14",
            "1.2.3",
            "5.",
            "5...",
            "5...7",
            "5--7",
            "5-+7",
            "5+",
            "5+3+1",
            "5-7-9",
            "5-7+1",
            "1,",
            "1,,2",
            "1-2,",
            "1-2,-5",
            "-5,1",
            "-5-3",
            "-5..",
            "-5+1",
            "1,@5",
            "@5,@9",
            "@5,9",
            "@5+",
            "@5+L3",
            "@5-L9",
            "@5@6",
            "5@6",
            "5L",
            "5L6",
            "L5-LL6",
            "L5L",
        ] {
            let Classified::Malformed(error) = classify(rest) else { panic!("{rest:?} is not malformed") };
            assert_eq!(error.kind(), SelectorErrorKind::Malformed, "{rest:?}");
        }
    }

    #[test]
    fn mistakes_of_value_are_malformed_too() {
        for (rest, kind) in [
            ("0", SelectorErrorKind::ZeroLine),
            ("5-2", SelectorErrorKind::Reversed),
            ("3+0", SelectorErrorKind::ZeroCount),
            ("1000000000000000000000000000000", SelectorErrorKind::TooLarge),
        ] {
            let Classified::Malformed(error) = classify(rest) else { panic!("{rest} is not malformed") };
            assert_eq!(error.kind(), kind, "{rest}");
        }
    }

    #[test]
    fn head_takes_off_the_longest_selector_tail() {
        for (target, expected) in [
            ("src/a.rs", "src/a.rs"),
            ("src/a.rs:1-40", "src/a.rs"),
            ("a.rs:raw:5", "a.rs"),
            ("a.rs:5:RAW", "a.rs"),
            ("a.rs:raw:raw", "a.rs"),
            ("a.rs:12:5: error: expected", "a.rs"),
            ("a.rs:0", "a.rs"),
            ("a.rs:", "a.rs"),
            ("x:abc", "x:abc"),
            ("a.zip:m.txt:@0+5", "a.zip:m.txt"),
            ("a.zip:2024-x.txt:-5", "a.zip:2024-x.txt"),
            ("d.db?q=SELECT 1", "d.db?q=SELECT 1"),
            (r"C:\x.rs:5", r"C:\x.rs"),
            ("C:/x.rs", "C:/x.rs"),
            (":5", ":5"),
            (":", ":"),
            ("", ""),
            ("é:5", "é"),
        ] {
            assert_eq!(head(target), expected, "{target:?}");
        }
    }
}
