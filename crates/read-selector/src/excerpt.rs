//! A caller's text inside a message.

use core::fmt::{self, Write as _};

use crate::escape::write_first;

/// The most characters that an [`Excerpt`] prints, its closing `…` not counted.
pub const EXCERPT_CHARS: usize = 80;

/// A caller's text, fit to stand in a one-line message: at most [`EXCERPT_CHARS`] characters, then `…`.
///
/// Control, line-separator, bidirectional, zero-width and tag characters are printed as `\n`, `\t`, `\r`,
/// `\x1b` or `\u{202e}` (a backslash before such a form is doubled), so that the text can neither break the line nor forge
/// what stands around it. The forms are those of [`escape`](crate::escape).
///
/// ```
/// use read_selector::Excerpt;
///
/// assert_eq!(Excerpt::new("1\n[End]").to_string(), r"1\n[End]");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Excerpt<'a>(&'a str);

impl<'a> Excerpt<'a> {
    /// The excerpt of `text`.
    pub fn new(text: &'a str) -> Self {
        Self(text)
    }
}

impl fmt::Display for Excerpt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut room = EXCERPT_CHARS;
        for (at, _) in self.0.char_indices() {
            let rest = self.0.get(at..).unwrap_or_default();
            let mut width = Width(0);
            write_first(&mut width, rest, false)?;
            let Some(left) = room.checked_sub(width.0) else {
                return f.write_char('…');
            };
            room = left;
            write_first(f, rest, false)?;
        }
        Ok(())
    }
}

/// Counts the characters written to it.
struct Width(usize);

impl fmt::Write for Width {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        self.0 = self.0.saturating_add(s.chars().count());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{EXCERPT_CHARS, Excerpt};
    use alloc::string::ToString;

    #[test]
    fn ordinary_text_is_untouched() {
        assert_eq!(Excerpt::new("1-5:é 漢'x'").to_string(), "1-5:é 漢'x'");
    }

    #[test]
    fn what_hides_is_named() {
        assert_eq!(
            Excerpt::new("\n\t\r\u{1b}\u{7f}\u{85}\u{202e}\u{2028}\u{200b}\u{e0041}\\n").to_string(),
            r"\n\t\r\x1b\x7f\u{85}\u{202e}\u{2028}\u{200b}\u{e0041}\\n"
        );
    }

    #[test]
    fn a_backslash_that_forges_nothing_is_itself() {
        assert_eq!(Excerpt::new(r"C:\dir \d+ \t").to_string(), r"C:\dir \d+ \\t");
    }

    #[test]
    fn long_text_is_cut_between_characters() {
        let exact = "é".repeat(EXCERPT_CHARS);
        assert_eq!(Excerpt::new(&exact).to_string(), exact);
        let over = "é".repeat(EXCERPT_CHARS + 1);
        assert_eq!(Excerpt::new(&over).to_string(), exact + "…");
        // An escape is printed whole or not at all, and counts as printed.
        let escapes = "\u{202e}".repeat(100);
        assert_eq!(Excerpt::new(&escapes).to_string(), r"\u{202e}".repeat(EXCERPT_CHARS / 8) + "…");
    }
}
