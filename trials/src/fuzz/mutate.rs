//! Changes that break formats: of bits, of fields, of blocks.

use crate::random::Random;

/// No input grows beyond this.
const MOST: usize = 1 << 20;

/// Where fields go wrong: at nothing, at signs, at the ends of widths, and just beside them.
const INTERESTING: [u64; 24] = [
    0,
    1,
    2,
    7,
    16,
    64,
    100,
    0x7F,
    0x80,
    0xFF,
    0x100,
    0x7FFF,
    0x8000,
    0xFFFF,
    0x1_0000,
    0x7FFF_FFFF,
    0x8000_0000,
    0xFFFF_FFFE,
    0xFFFF_FFFF,
    0x1_0000_0000,
    0x7FFF_FFFF_FFFF_FFFF,
    0x8000_0000_0000_0000,
    u64::MAX - 1,
    u64::MAX,
];

/// What text formats stumble over.
const WORDS: [&str; 22] = [
    "-1",
    "0",
    "99999999999",
    "7777777777777",
    "18446744073709551616",
    "../",
    "/",
    "\0",
    "\n",
    "\r\n",
    "\r",
    ":",
    "?",
    "%00",
    "{",
    "[",
    "\"",
    "\u{feff}",
    "\u{202e}",
    "e\u{301}",
    "\u{2028}",
    "\\x1b",
];

/// Changes `bytes` in one to some places; `other` is what may be spliced in.
pub(crate) fn mutate(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let changes = 1 + random.length(15);
    for _ in 0..changes {
        change(bytes, other, random);
        bytes.truncate(MOST);
    }
}

fn change(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    let at = random.below(bytes.len() + 1);
    match random.below(13) {
        0 | 1 => {
            let bit = 1_u8.checked_shl(u32::from(random.byte() & 7)).unwrap_or(1);
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= bit;
            }
        }
        2 => overwrite(bytes, at, &[random.byte()]),
        3 | 4 => {
            let value = random.pick(&INTERESTING).copied().unwrap_or(0);
            overwrite(bytes, at, &field(value, random));
        }
        5 => bytes.truncate(at),
        6 => drop(block(bytes, random, at, 256).map(|range| bytes.drain(range))),
        7 => {
            let length = random.length(64);
            let new = random.bytes(length);
            drop(bytes.splice(at..at, new));
        }
        8 => {
            if let Some(copy) = block(bytes, random, at, 4_096).and_then(|range| bytes.get(range)) {
                let copy = copy.to_vec();
                let to = random.below(bytes.len() + 1);
                // Rarely very often: lists that have no end.
                let times = if random.one_in(8) { 1 + random.length(200) } else { 1 };
                let room = MOST / copy.len().max(1);
                let copies = copy.repeat(times.min(room));
                drop(bytes.splice(to..to, copies));
            }
        }
        9 => {
            let from = random.below(other.len() + 1);
            bytes.truncate(at);
            bytes.extend_from_slice(other.get(from..).unwrap_or_default());
        }
        10 => {
            let from = random.below(other.len() + 1);
            if let Some(part) = block(other, random, from, 512).and_then(|range| other.get(range)) {
                overwrite(bytes, at, part);
            }
        }
        11 => {
            let word = random.word(&WORDS).as_bytes();
            if random.one_in(2) {
                overwrite(bytes, at, word);
            } else {
                drop(bytes.splice(at..at, word.iter().copied()));
            }
        }
        // A field that another change may have hit is counted up or down.
        _ => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte = if random.one_in(2) { byte.wrapping_add(1) } else { byte.wrapping_sub(1) };
            }
        }
    }
}

/// The value as a field of some width, in some order.
fn field(value: u64, random: &mut Random) -> Vec<u8> {
    let width = random.pick(&[1, 2, 4, 8]).copied().unwrap_or(1);
    let mut field: Vec<u8> = value.to_le_bytes().into_iter().take(width).collect();
    if random.one_in(2) {
        field.reverse();
    }
    field
}

fn block(bytes: &[u8], random: &mut Random, at: usize, most: usize) -> Option<std::ops::Range<usize>> {
    let length = random.length(most.min(bytes.len().checked_sub(at)?));
    (length > 0).then(|| at..at + length)
}

fn overwrite(bytes: &mut [u8], at: usize, with: &[u8]) {
    for (byte, new) in bytes.iter_mut().skip(at).zip(with) {
        *byte = *new;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mutated(seed: u64) -> Vec<u8> {
        let mut bytes: Vec<u8> = (0..=255).collect();
        mutate(&mut bytes, b"something other", &mut Random::new(&[seed]));
        bytes
    }

    #[test]
    fn a_seed_decides_the_change() {
        assert_eq!(mutated(1), mutated(1));
        let same = (0..200).filter(|seed| mutated(*seed) == mutated(seed + 1_000)).count();
        assert!(same < 20, "{same}");
    }

    #[test]
    fn all_kinds_of_change_happen_and_none_runs_away() {
        let (mut shorter, mut longer, mut spliced) = (0, 0, 0);
        for seed in 0..500 {
            let bytes = mutated(seed);
            assert!(bytes.len() <= MOST);
            shorter += usize::from(bytes.len() < 256);
            longer += usize::from(bytes.len() > 256);
            spliced += usize::from(bytes.windows(5).any(|window| window == b"other"));
        }
        assert!(shorter > 50 && longer > 50 && spliced > 20, "{shorter} {longer} {spliced}");
    }

    #[test]
    fn nothing_can_be_mutated_too() {
        for seed in 0..200 {
            let mut nothing = Vec::new();
            mutate(&mut nothing, &[], &mut Random::new(&[seed]));
        }
    }
}
