//! The patterns of LIKE and GLOB.

use super::Steps;
use super::utf8::{first, until_nul};

/// How a pattern is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// `%`, `_`, perhaps an escape character; letters of ASCII match in either case.
    Like,
    /// `*`, `?`, `[…]`.
    Glob,
}

/// A pattern that was read.
#[derive(Debug)]
pub(super) struct Pattern {
    parts: Vec<Part>,
    ignores_case: bool,
}

#[derive(Debug)]
enum Part {
    /// Any number of characters.
    Any,
    One,
    Char(u32),
    /// Characters from and to; whether all others are meant.
    Set(Vec<(u32, u32)>, bool),
    /// Nothing matches what is not closed.
    Nothing,
}

impl Pattern {
    /// Reads a pattern. `escape` is the character that takes their meaning from others.
    pub(super) fn new(pattern: &[u8], style: Style, escape: Option<u32>) -> Self {
        let (any, one) = match style {
            Style::Like => ('%', '_'),
            Style::Glob => ('*', '?'),
        };
        let mut parts: Vec<Part> = Vec::new();
        let mut rest = Rest(until_nul(pattern));
        while let Some(c) = rest.next() {
            parts.push(if Some(c) == escape {
                rest.next().map_or(Part::Nothing, Part::Char)
            } else if c == u32::from(any) {
                Part::Any
            } else if c == u32::from(one) {
                Part::One
            } else if style == Style::Glob && c == u32::from('[') {
                rest.set()
            } else {
                Part::Char(c)
            });
        }
        Self { parts, ignores_case: style == Style::Like }
    }

    /// Whether the pattern is all of `text`; `None` when it is time to stop.
    pub(super) fn matches(&self, text: &[u8], steps: &mut Steps<'_>) -> Option<bool> {
        let text = until_nul(text);
        let (mut at, mut part) = (0_usize, 0_usize);
        // Behind the last `Any`: its part, and the place in the text from which what follows it is tried. Earlier ones need
        // not be tried again: what they passed over could only become longer.
        let mut again: Option<(usize, usize)> = None;
        loop {
            if steps.step() {
                return None;
            }
            let rest = text.get(at..).unwrap_or_default();
            match self.parts.get(part) {
                Some(Part::Any) => {
                    part += 1;
                    if part == self.parts.len() {
                        return Some(true);
                    }
                    let Some(next) = self.candidate(text, part, at) else { return Some(false) };
                    again = Some((part, next));
                    at = next;
                    continue;
                }
                Some(other) => {
                    if let Some((c, len)) = first(rest)
                        && self.fits(other, c)
                    {
                        at += len;
                        part += 1;
                        continue;
                    }
                }
                None if rest.is_empty() => return Some(true),
                None => {}
            }
            let Some((from, tried)) = again else { return Some(false) };
            let Some((_, len)) = first(text.get(tried..).unwrap_or_default()) else { return Some(false) };
            let Some(next) = self.candidate(text, from, tried + len) else { return Some(false) };
            again = Some((from, next));
            (at, part) = (next, from);
        }
    }

    /// The first place from `at` on where the part at `part` may match; `None` where there is none.
    fn candidate(&self, text: &[u8], part: usize, at: usize) -> Option<usize> {
        let rest = text.get(at..)?;
        let found = match self.parts.get(part) {
            // A byte below 0x80 is always a character.
            Some(Part::Char(c)) => match u8::try_from(*c).ok().filter(u8::is_ascii) {
                Some(c) if self.ignores_case => {
                    memchr::memchr2(c.to_ascii_lowercase(), c.to_ascii_uppercase(), rest)
                }
                Some(c) => memchr::memchr(c, rest),
                None => Some(0),
            },
            _ => Some(0),
        };
        Some(at + found?)
    }

    fn fits(&self, part: &Part, c: u32) -> bool {
        match part {
            Part::One => true,
            Part::Char(wanted) => *wanted == c || (self.ignores_case && lower(*wanted) == lower(c)),
            Part::Set(ranges, inverted) => {
                ranges.iter().any(|(from, to)| (*from..=*to).contains(&c)) != *inverted
            }
            Part::Any | Part::Nothing => false,
        }
    }
}

/// A letter of ASCII in lower case; any other character as it is.
fn lower(c: u32) -> u32 {
    u8::try_from(c).map_or(c, |c| u32::from(c.to_ascii_lowercase()))
}

/// What is left of a pattern.
struct Rest<'a>(&'a [u8]);

impl Rest<'_> {
    fn next(&mut self) -> Option<u32> {
        let (c, len) = first(self.0)?;
        self.0 = self.0.get(len..).unwrap_or_default();
        Some(c)
    }

    /// What is in brackets, behind the first. A `]` at its start is a character, a `-` between two is a range.
    fn set(&mut self) -> Part {
        let (close, dash) = (u32::from(']'), u32::from('-'));
        let mut ranges = Vec::new();
        let mut before = None;
        let mut c = self.next();
        let inverted = c == Some(u32::from('^'));
        if inverted {
            c = self.next();
        }
        if c == Some(close) {
            ranges.push((close, close));
            c = self.next();
        }
        while let Some(this) = c.filter(|c| *c != close) {
            let goes_on = self.0.first().is_some_and(|next| u32::from(*next) != close);
            match before {
                Some(from) if this == dash && goes_on => {
                    ranges.extend(self.next().map(|to| (from, to)));
                    before = None;
                }
                _ => {
                    ranges.push((this, this));
                    before = Some(this);
                }
            }
            c = self.next();
        }
        if c.is_none() { Part::Nothing } else { Part::Set(ranges, inverted) }
    }
}
