//! A caller's text inside a message.

use core::fmt::{self, Write as _};

/// The most characters that an [`Excerpt`] prints, its closing `…` not counted.
pub const EXCERPT_CHARS: usize = 80;

/// A caller's text, fit to stand in a one-line message: at most [`EXCERPT_CHARS`] characters, then `…`.
///
/// Control, line-separator, bidirectional, zero-width and tag characters are printed as `\n`, `\t`, `\r`,
/// `\x1b` or `\u{202e}`, and a backslash is doubled, so that the text can neither break the line nor forge what
/// stands around it.
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
        for c in self.0.chars() {
            let mut width = Width(0);
            write_escaped(&mut width, c)?;
            let Some(left) = room.checked_sub(width.0) else {
                return f.write_char('…');
            };
            room = left;
            write_escaped(f, c)?;
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

fn write_escaped(out: &mut impl fmt::Write, c: char) -> fmt::Result {
    match c {
        '\n' => out.write_str(r"\n"),
        '\t' => out.write_str(r"\t"),
        '\r' => out.write_str(r"\r"),
        '\\' => out.write_str(r"\\"),
        _ if c.is_ascii_control() => write!(out, r"\x{:02x}", u32::from(c)),
        _ if hides(c) => write!(out, r"\u{{{:x}}}", u32::from(c)),
        _ => out.write_char(c),
    }
}

/// Whether `c` shows nothing of itself, or changes how its line is laid out.
fn hides(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' // direction
            | '\u{2028}' | '\u{2029}' // line and paragraph separator
            | '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}' | '\u{feff}' // zero width
            | '\u{e0000}'..='\u{e007f}' // tags
        )
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
