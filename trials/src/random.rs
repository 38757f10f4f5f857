//! Random numbers that are the same on every machine.

/// A generator of Sebastiano Vigna's splitmix64 kind.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    /// One that is decided by all of `parts`, and by their order.
    pub(crate) fn new(parts: &[u64]) -> Self {
        let mut random = Self(0x5EED);
        for part in parts {
            random.0 ^= part.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            random.0 = random.next();
        }
        random
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below the bound; 0 where the bound is 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() >> 16).unwrap_or(0) % bound.max(1)
    }

    /// True one time in `times`.
    pub(crate) fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of them; `None` where there is none.
    pub(crate) fn pick<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        of.get(self.below(of.len()))
    }

    /// One of them; the empty one where there is none.
    pub(crate) fn word<'a>(&mut self, of: &[&'a str]) -> &'a str {
        self.pick(of).copied().unwrap_or_default()
    }

    pub(crate) fn byte(&mut self) -> u8 {
        let [byte, ..] = self.next().to_be_bytes();
        byte
    }

    pub(crate) fn bytes(&mut self, length: usize) -> Vec<u8> {
        (0..length).map(|_| self.byte()).collect()
    }

    /// A length up to `most`, small ones far more often.
    pub(crate) fn length(&mut self, most: usize) -> usize {
        let bits = usize::BITS - most.leading_zeros();
        let bits = self.below(usize::try_from(bits).unwrap_or(0) + 1);
        self.below(1_usize.checked_shl(u32::try_from(bits).unwrap_or(0)).unwrap_or(most)).min(most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_decides_it_decides_all_of_it() {
        assert_eq!(Random::new(&[1, 2]).bytes(40), Random::new(&[1, 2]).bytes(40));
        assert_ne!(Random::new(&[1, 2]).bytes(40), Random::new(&[2, 1]).bytes(40));
    }

    #[test]
    fn bounds_hold_where_they_are_odd() {
        let mut random = Random::new(&[3]);
        assert!((0..1_000).all(|_| random.below(7) < 7 && random.length(100) <= 100));
        assert_eq!((random.below(0), random.length(0)), (0, 0));
        assert_eq!(random.pick::<u8>(&[]), None);
    }
}
