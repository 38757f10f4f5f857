//! Digests of texts, and the short tags cut from them.

use std::fmt;
use std::str::FromStr;

/// Hex digits of a tag unless a collision lengthened it.
pub const TAG_DIGITS: usize = 4;

/// Hex digits of a whole digest, the longest a tag can get.
pub const DIGEST_DIGITS: usize = 64;

/// The SHA-256 of a whole text in its [normal form](crate::normalize).
///
/// Made by [`Tagger::finish`](crate::Tagger::finish) or [`Digest::of`]. It prints as 64 uppercase hex digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest with these bytes, for hosts that keep digests elsewhere.
    ///
    /// ```
    /// # use read_hashline::Digest;
    /// let digest = Digest::of("a\n");
    /// assert_eq!(Digest::from_bytes(*digest.as_bytes()), digest);
    /// ```
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes of the digest.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The tag shown by default: the first [`TAG_DIGITS`] hex digits.
    #[must_use]
    pub fn tag(&self) -> Tag {
        self.tag_with(TAG_DIGITS)
    }

    /// The tag of the first `digits` hex digits. Values outside 4 to 64 are taken as the nearest of them.
    #[must_use]
    pub fn tag_with(&self, digits: usize) -> Tag {
        let digits = digits.clamp(TAG_DIGITS, DIGEST_DIGITS);
        let mut kept = [0; 32];
        for (index, (kept, byte)) in kept.iter_mut().zip(self.0).enumerate() {
            *kept = match digits.saturating_sub(index * 2) {
                0 => break,
                1 => byte & 0xF0,
                _ => byte,
            };
        }
        Tag { kept, digits: u8::try_from(digits).unwrap_or(u8::MAX) }
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tag_with(DIGEST_DIGITS).fmt(f)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

/// The first 4 to 64 hex digits of a [`Digest`], as they are shown in a header.
///
/// Two tags are equal when they print alike; a tag is not equal to its own longer form. It is an index to a text,
/// never a proof of it: the [store](crate::SnapshotStore) compares whole texts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tag {
    /// The digits that are shown, two a byte; all that follows is zero.
    kept: [u8; 32],
    digits: u8,
}

impl Tag {
    /// How many hex digits the tag shows: 4 to 64.
    #[must_use]
    pub fn digits(&self) -> usize {
        usize::from(self.digits)
    }

    /// Whether `digest` begins with this tag's digits.
    #[must_use]
    pub fn begins(&self, digest: &Digest) -> bool {
        digest.tag_with(self.digits()) == *self
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::with_capacity(self.digits());
        let nibbles = self.kept.iter().flat_map(|byte| [byte >> 4, byte & 0xF]);
        text.extend(
            nibbles
                .take(self.digits())
                .filter_map(|nibble| char::from_digit(u32::from(nibble), 16))
                .map(|digit| digit.to_ascii_uppercase()),
        );
        f.pad(&text)
    }
}

impl fmt::Debug for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tag({self})")
    }
}

/// The text is no tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a tag is 4 to 64 hex digits, such as 9111")]
pub struct TagError;

impl FromStr for Tag {
    type Err = TagError;

    /// Reads a tag in either case, since callers type it back by hand; it prints in uppercase.
    fn from_str(text: &str) -> Result<Self, TagError> {
        if !(TAG_DIGITS..=DIGEST_DIGITS).contains(&text.len()) {
            return Err(TagError);
        }
        let mut kept = [0_u8; 32];
        for (pair, kept) in text.as_bytes().chunks(2).zip(&mut kept) {
            for (digit, shift) in pair.iter().zip([4, 0]) {
                let nibble = char::from(*digit).to_digit(16).ok_or(TagError)?;
                *kept |= u8::try_from(nibble).map_err(|_| TagError)? << shift;
            }
        }
        Ok(Self { kept, digits: u8::try_from(text.len()).map_err(|_| TagError)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_shows_as_many_digits_as_it_has() {
        let digest = Digest::from_bytes(std::array::from_fn(|i| u8::try_from(0xA0 + i).unwrap()));
        assert_eq!(digest.tag().to_string(), "A0A1");
        assert_eq!(digest.tag_with(5).to_string(), "A0A1A");
        assert_eq!(digest.tag_with(0), digest.tag());
        assert_eq!(digest.tag_with(99).to_string(), digest.to_string());
        assert_eq!(digest.to_string().len(), 64);
        assert_eq!(format!("{:>6}", digest.tag()), "  A0A1");
    }

    #[test]
    fn tags_are_equal_when_they_print_alike() {
        let digest = Digest::from_bytes([0xAB; 32]);
        let other = Digest::from_bytes(std::array::from_fn(|i| if i < 2 { 0xAB } else { 0 }));
        assert_eq!(digest.tag(), other.tag());
        assert_ne!(digest.tag_with(5), other.tag_with(5));
        assert_ne!(digest.tag(), digest.tag_with(5));
        assert!(digest.tag().begins(&other) && !digest.tag_with(6).begins(&other));
    }

    #[test]
    fn a_tag_reads_back_in_either_case_and_nothing_else_does() {
        for text in ["9111", "86DC", "ABCDE", &"F".repeat(64)] {
            assert_eq!(text.parse::<Tag>().unwrap().to_string(), text);
            assert_eq!(text.to_lowercase().parse::<Tag>(), text.parse::<Tag>());
        }
        for text in ["", "911", "911G", "+911", " 9111", "９１１１", &"F".repeat(65)] {
            assert_eq!(text.parse::<Tag>(), Err(TagError), "{text}");
        }
    }
}
