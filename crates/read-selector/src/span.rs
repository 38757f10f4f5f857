//! The shape of a range, before its numbers have a value.

use crate::error::Fault;

/// The shape that ranges of lines and of bytes share: a start and what follows it.
pub(crate) struct Span<'a> {
    pub(crate) start: Number<'a>,
    pub(crate) extent: Extent<'a>,
}

pub(crate) enum Extent<'a> {
    /// `N`, `N-`, `N..`
    Open,
    /// `N-M`, `N..M`
    To(Number<'a>),
    /// `N+M`
    Count(Number<'a>),
}

impl<'a> Span<'a> {
    /// Reads `text` as a span whose numbers are read by `number`.
    pub(crate) fn of(text: &'a str, number: fn(&'a str) -> Option<(Number<'a>, &'a str)>) -> Option<Self> {
        let whole = |text| number(text).filter(|(_, after)| after.is_empty()).map(|(number, _)| number);
        let (start, tail) = number(text)?;
        let extent = if tail.is_empty() {
            Extent::Open
        } else if let Some(count) = tail.strip_prefix('+') {
            Extent::Count(whole(count)?)
        } else {
            match tail.strip_prefix('-').or_else(|| tail.strip_prefix(".."))? {
                "" => Extent::Open,
                end => Extent::To(whole(end)?),
            }
        };
        Some(Self { start, extent })
    }
}

/// The digits of a number, at least one. They become a value only once the whole range or position has the right
/// shape, so that a mistake of shape is reported before one of value.
#[derive(Clone, Copy)]
pub(crate) struct Number<'a>(&'a str);

impl<'a> Number<'a> {
    /// The number at the start of `text`, and what follows it.
    pub(crate) fn prefix(text: &'a str) -> Option<(Self, &'a str)> {
        let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (digits, after) = text.split_at_checked(end)?;
        (!digits.is_empty()).then_some((Self(digits), after))
    }

    /// As [`prefix`](Self::prefix), with an `L` allowed before it.
    pub(crate) fn line_prefix(text: &'a str) -> Option<(Self, &'a str)> {
        Self::prefix(text.strip_prefix(['L', 'l']).unwrap_or(text))
    }

    /// `text`, when it is a number and nothing else.
    pub(crate) fn whole(text: &'a str) -> Option<Self> {
        Self::prefix(text).filter(|(_, after)| after.is_empty()).map(|(number, _)| number)
    }

    pub(crate) fn value(self) -> Result<u64, Fault<'a>> {
        // Digits alone: the only way to fail is to be too large.
        self.0.parse().map_err(|_| Fault::TooLarge(self.0.trim_start_matches('0')))
    }
}
