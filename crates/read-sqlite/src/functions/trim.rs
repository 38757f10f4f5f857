//! `trim`, `ltrim` and `rtrim`.

use std::collections::{BTreeSet, HashMap};

use super::Steps;
use super::utf8::{first, until_nul};

/// Where to trim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ends {
    Left,
    Right,
    Both,
}

/// What is left of `text` without `characters` at its ends; `None` when it is time to stop.
pub(super) fn trimmed<'a>(
    text: &'a [u8],
    characters: &[u8],
    ends: Ends,
    steps: &mut Steps<'_>,
) -> Option<&'a [u8]> {
    let set = Set::new(until_nul(characters));
    let mut text = text;
    if ends != Ends::Right {
        while let Some(len) = set.matching(|len| text.get(..len), steps) {
            text = text.get(len..).unwrap_or_default();
        }
    }
    if ends != Ends::Left {
        while let Some(len) = set.matching(|len| text.get(text.len().checked_sub(len)?..), steps) {
            text = text.get(..text.len().saturating_sub(len)).unwrap_or_default();
        }
    }
    (!steps.are_over()).then_some(text)
}

/// A set of characters, as bytes. Where they are no UTF-8 one may begin another, and the first given is the one that counts.
struct Set<'a> {
    places: HashMap<&'a [u8], usize>,
    lengths: BTreeSet<usize>,
}

impl<'a> Set<'a> {
    fn new(characters: &'a [u8]) -> Self {
        let mut set = Self { places: HashMap::new(), lengths: BTreeSet::new() };
        let mut rest = characters;
        while let Some((_, len)) = first(rest) {
            let (character, after) = rest.split_at_checked(len).unwrap_or((rest, &[]));
            let place = set.places.len();
            set.places.entry(character).or_insert(place);
            set.lengths.insert(len);
            rest = after;
        }
        set
    }

    /// How long the character at one end of a text is, which `end` gives so many bytes of; `None` where it is none of
    /// these, or it is time to stop.
    fn matching<'t>(&self, end: impl Fn(usize) -> Option<&'t [u8]>, steps: &mut Steps<'_>) -> Option<usize> {
        let mut found: Option<(usize, usize)> = None;
        for len in &self.lengths {
            let Some(bytes) = end(*len) else { break };
            // Long ones are hashed whole.
            for _ in 0..=len / 64 {
                if steps.step() {
                    return None;
                }
            }
            if let Some(place) = self.places.get(bytes) {
                found = Some(found.map_or((*place, *len), |found| found.min((*place, *len))));
            }
        }
        found.map(|(_, len)| len)
    }
}
