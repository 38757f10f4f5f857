//! Words that are the same on every machine and compress as prose does.

const SYLLABLES: [&str; 16] =
    ["ta", "re", "min", "so", "ler", "a", "ko", "ven", "i", "du", "pes", "or", "na", "quel", "bi", "sto"];

/// A source of words: a generator of Sebastiano Vigna's xorshift64* kind.
#[derive(Debug)]
pub(super) struct Words(u64);

impl Words {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number below the bound, which is small.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() >> 40).unwrap_or(0) % bound.max(1)
    }

    /// Appends this many bytes of words with blanks between.
    pub(super) fn fill(&mut self, text: &mut Vec<u8>, length: usize) {
        let end = text.len() + length;
        while text.len() < end {
            let mut bits = self.next();
            for _ in 0..=(bits >> 61) % 3 {
                let syllable = usize::try_from(bits & 15).unwrap_or(0);
                text.extend(SYLLABLES.get(syllable).copied().unwrap_or_default().as_bytes());
                bits >>= 4;
            }
            text.push(b' ');
        }
        text.truncate(end);
        if let Some(last) = text.last_mut() {
            *last = b'.';
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_of_the_length_asked_for_and_repeat_with_their_seed() {
        let fill = |seed| {
            let mut text = Vec::new();
            Words::new(seed).fill(&mut text, 50);
            text
        };
        assert_eq!(fill(1).len(), 50);
        assert_eq!(fill(1), fill(1));
        assert_ne!(fill(1), fill(2));
        assert!(fill(1).iter().all(u8::is_ascii));
    }

    #[test]
    fn numbers_stay_below_their_bound() {
        let mut words = Words::new(7);
        assert!((0..1_000).all(|_| words.below(5) < 5));
        assert_eq!(words.below(0), 0);
    }
}
