//! One format inside another.

use std::io::Read;

use anyhow::Result;

use crate::make::zip::{Member, archive};
use crate::make::{self, gzipped};
use crate::random::Random;

/// Nothing is inflated beyond this.
const MOST: u64 = 1 << 20;

/// What is inside a gzip file, as far as it can be read.
pub(super) fn inflated(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    // What precedes the damage is a seed as good as any.
    let _ = flate2::read::MultiGzDecoder::new(bytes).take(MOST).read_to_end(&mut out);
    out
}

/// The bytes as the content of an archive, or of archives in archives.
pub(super) fn wrapped(mut bytes: Vec<u8>, random: &mut Random) -> Result<Vec<u8>> {
    for _ in 0..=random.length(10) {
        bytes = match random.below(4) {
            0 => gzipped(&bytes)?,
            1 => archive(&[Member::stored("a.txt", b"text\n"), Member::stored("inner", &bytes)])?,
            2 => archive(&[Member::deflated("inner", &bytes)?])?,
            _ => make::tar::end(make::tar::member("inner", b'0', "", &bytes)),
        };
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_is_inflated_up_to_the_cut() {
        let bytes = gzipped(&b"some text ".repeat(100)).unwrap();
        assert_eq!(inflated(&bytes), b"some text ".repeat(100));
        assert!(inflated(&bytes[..bytes.len() / 2]).starts_with(b"some"));
        assert!(inflated(b"no gzip").is_empty());
    }

    #[test]
    fn what_is_wrapped_is_a_container() {
        let starts = |bytes: &[u8]| {
            bytes.starts_with(b"PK") || bytes.starts_with(b"\x1F\x8B") || bytes.starts_with(b"inner")
        };
        assert!((0..30).all(|seed| starts(&wrapped(b"x".to_vec(), &mut Random::new(&[seed])).unwrap())));
    }
}
