//! What is odd about the lines shown, and the notices about it.

use read_selector::escape::is_invisible;

use super::newline::Endings;
use crate::names::count;
use crate::output::{Notice, Rank};

/// Lines with invisible characters that are named; further ones are only said to be there.
const NAMED_LINES: usize = 20;

/// What was met in the lines shown.
#[derive(Clone, Debug, Default)]
pub(super) struct Oddities {
    /// Sequences that U+FFFD stands for.
    pub(super) malformed: u64,
    /// The offset of the first of them in the source.
    pub(super) first_malformed: Option<u64>,
    /// NULs that ␀ stands for.
    pub(super) nuls: u64,
    pub(super) endings: Endings,
    /// Lines with characters that the eye does not see: inclusive ranges.
    invisible: Vec<(u64, u64)>,
    more_invisible: bool,
}

impl Oddities {
    pub(super) fn is_lossy(&self) -> bool {
        self.malformed > 0 || self.nuls > 0
    }

    /// Notes the lines of `text`, of which the first has the number `first`, that have invisible characters.
    pub(super) fn look_for_invisible(&mut self, text: &str, first: u64) {
        if text.is_ascii() {
            return;
        }
        for (number, line) in (first..).zip(text.split('\n')) {
            if line.chars().any(is_invisible) {
                self.add_invisible(number);
            }
        }
    }

    fn add_invisible(&mut self, line: u64) {
        let named = self.invisible.len();
        match self.invisible.last_mut() {
            Some((_, last)) if last.saturating_add(1) >= line => *last = line,
            _ if named >= NAMED_LINES => self.more_invisible = true,
            _ => self.invisible.push((line, line)),
        }
    }

    /// The notices, in order. `encoding` is the name of the charset.
    pub(super) fn notices(&self, encoding: &str) -> Vec<Notice> {
        let mut notices = Vec::new();
        if self.malformed > 0 {
            let what = count(self.malformed, &format!("invalid {encoding} sequence"));
            notices.push(Notice::new(Rank::Odd, format!("{what} shown as U+FFFD")));
        }
        if self.nuls > 0 {
            notices.push(Notice::new(Rank::Odd, format!("{} shown as ␀", count(self.nuls, "NUL byte"))));
        }
        if !self.invisible.is_empty() {
            let mut lines: Vec<String> = self
                .invisible
                .iter()
                .map(
                    |(first, last)| if first == last { first.to_string() } else { format!("{first}-{last}") },
                )
                .collect();
            if self.more_invisible {
                lines.push("…".to_owned());
            }
            notices.push(Notice::new(
                Rank::Odd,
                format!("Invisible or bidirectional characters on lines {}", lines.join(", ")),
            ));
        }
        notices
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_invisible_characters_are_named_as_ranges() {
        let mut oddities = Oddities::default();
        oddities.look_for_invisible("a\nb\u{202e}\nc\u{200b}\nd\n\u{e0041}", 7);
        let notices = oddities.notices("UTF-8");
        assert_eq!(notices[0].text(), "Invisible or bidirectional characters on lines 8-9, 11");
    }

    #[test]
    fn the_list_is_bounded() {
        let mut oddities = Oddities::default();
        oddities.look_for_invisible(&"\u{202e}\n\n".repeat(1000), 1);
        let notice = oddities.notices("UTF-8").remove(0);
        assert!(notice.text().ends_with(", 39, …"), "{}", notice.text());
    }

    #[test]
    fn counts_agree_in_number() {
        let oddities = Oddities { malformed: 1, nuls: 2, ..Oddities::default() };
        let notices = oddities.notices("UTF-8");
        let texts: Vec<_> = notices.iter().map(Notice::text).collect();
        assert_eq!(texts, ["1 invalid UTF-8 sequence shown as U+FFFD", "2 NUL bytes shown as ␀"]);
    }
}
