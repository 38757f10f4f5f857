//! Notices: the bracketed lines that say how something was opened and what was left out.

/// Where a notice stands among others: how it was opened and decoded, what is odd, what was left out, how to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Rank {
    /// How the target was opened.
    Opened,
    /// How the content was decoded.
    Decoded,
    /// What is odd about the content.
    Odd,
    /// What was left out.
    LeftOut,
    /// The call to continue: always the last line.
    Continue,
}

/// One notice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    rank: Rank,
    text: String,
    in_text: bool,
}

impl Notice {
    /// A notice that stands in the text, as a bracketed line, and in the details.
    pub fn new(rank: Rank, text: impl Into<String>) -> Self {
        Self { rank, text: text.into(), in_text: true }
    }

    /// A notice that stands in the details only.
    pub fn detail(rank: Rank, text: impl Into<String>) -> Self {
        Self { rank, text: text.into(), in_text: false }
    }

    /// Its place among others.
    pub fn rank(&self) -> Rank {
        self.rank
    }

    /// The notice without its brackets.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it stands in the text too.
    pub fn is_in_text(&self) -> bool {
        self.in_text
    }
}

/// Puts notices in order; notices of one rank stay in the order in which they arose.
pub(crate) fn sort(notices: &mut [Notice]) {
    notices.sort_by_key(Notice::rank);
}

/// The notices as they end a text: one bracketed line each, after one blank line when something precedes them.
pub(crate) fn append(text: &mut String, notices: &[Notice]) {
    let mut separated = text.is_empty();
    for notice in notices.iter().filter(|notice| notice.in_text) {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        if !separated {
            text.push('\n');
            separated = true;
        }
        text.push('[');
        text.push_str(&notice.text);
        text.push(']');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notices_follow_after_one_blank_line() {
        let notices = [
            Notice::new(Rank::Odd, "odd"),
            Notice::detail(Rank::LeftOut, "quiet"),
            Notice::new(Rank::Continue, "go on"),
        ];
        for (body, want) in [
            ("a\n", "a\n\n[odd]\n[go on]"),
            ("a", "a\n\n[odd]\n[go on]"),
            ("a\n\n", "a\n\n\n[odd]\n[go on]"),
            ("", "[odd]\n[go on]"),
        ] {
            let mut text = body.to_owned();
            append(&mut text, &notices);
            assert_eq!(text, want);
        }
    }

    #[test]
    fn the_call_to_continue_comes_last() {
        let mut notices = [
            Notice::new(Rank::Continue, "c"),
            Notice::new(Rank::Opened, "o1"),
            Notice::new(Rank::Opened, "o2"),
        ];
        sort(&mut notices);
        assert_eq!(notices.each_ref().map(Notice::text), ["o1", "o2", "c"]);
    }
}
