//! One input: decided by the seed of the run, the target and its number, and by nothing else.

use anyhow::Result;

use super::mutate::mutate;
use super::repair::repair;
use super::seeds::Seed;
use super::target::Target;
use super::{arguments, grammar, wrap};
use crate::random::Random;

/// The limits under which an input is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Profile {
    /// The defaults.
    Usual,
    /// Caps so small that nearly every answer is cut.
    Tight,
    /// Budgets so small that nearly every container is too large.
    Poor,
}

impl Profile {
    pub(crate) const ALL: [Self; 3] = [Self::Usual, Self::Tight, Self::Poor];
}

/// Bytes to be read, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Input {
    pub(crate) bytes: Vec<u8>,
    /// Files beside the file, by what is added to its name.
    pub(crate) sides: Vec<(&'static str, Vec<u8>)>,
    /// Decides which forms of target are tried.
    pub(crate) random: u64,
    pub(crate) profile: Profile,
}

impl Input {
    /// The input of this number. The first ones are the seeds as they are.
    pub(crate) fn make(target: Target, seeds: &[Seed], seed: u64, number: u64) -> Result<Self> {
        let mut random = Random::new(&[seed, target.salt(), number]);
        let profile = match random.below(6) {
            0 => Profile::Poor,
            1 | 2 => Profile::Tight,
            _ => Profile::Usual,
        };
        let untouched = usize::try_from(number).ok().and_then(|number| seeds.get(number));
        let seed = match (target, untouched) {
            (Target::Target, _) => {
                Seed { bytes: grammar::target(&mut random).into_bytes(), sides: Vec::new() }
            }
            (Target::Arguments, _) => Seed { bytes: arguments::bytes(&mut random), sides: Vec::new() },
            (_, Some(seed)) => seed.clone(),
            (_, None) => mutated(target, seeds, &mut random)?,
        };
        Ok(Self { bytes: seed.bytes, sides: seed.sides, random: random.next(), profile })
    }
}

fn mutated(target: Target, seeds: &[Seed], random: &mut Random) -> Result<Seed> {
    let mut seed = random.pick(seeds).cloned().unwrap_or_default();
    let other = random.pick(seeds).cloned().unwrap_or_default();
    // What is compressed is broken inside, too: otherwise nearly all that is tried is the decompressor.
    if target == Target::Gzip && random.one_in(2) {
        let mut inside = wrap::inflated(&seed.bytes);
        mutate(&mut inside, &wrap::inflated(&other.bytes), random);
        if random.one_in(4) {
            repair(&mut inside);
        }
        seed.bytes = crate::make::gzipped(&inside)?;
        return Ok(seed);
    }
    let side = if seed.sides.is_empty() { None } else { Some(random.below(3)) };
    if side != Some(0) {
        mutate(&mut seed.bytes, &other.bytes, random);
        if random.one_in(3) {
            repair(&mut seed.bytes);
        }
    }
    if side != Some(1) {
        for (suffix, bytes) in &mut seed.sides {
            mutate(bytes, &other.bytes, random);
            if *suffix == "-wal" && random.one_in(2) {
                crate::make::wal::seal(bytes);
            }
        }
    }
    if random.one_in(10) && target != Target::Frames {
        seed.bytes = wrap::wrapped(seed.bytes, random)?;
    }
    Ok(seed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuzz::seeds;

    #[test]
    fn a_number_decides_the_input() {
        for target in Target::ALL {
            let (seeds, again) = (seeds::of(target, &[]).unwrap(), seeds::of(target, &[]).unwrap());
            let make = |seeds: &[Seed], seed, number| Input::make(target, seeds, seed, number).unwrap();
            let mut same = 0;
            for number in 50..80 {
                assert_eq!(make(&seeds, 1, number), make(&again, 1, number), "{target:?} {number}");
                same += usize::from(make(&seeds, 1, number).bytes == make(&seeds, 2, number).bytes);
            }
            assert!(same < 10, "{target:?}: {same} of 30 are the same under another seed");
        }
    }

    #[test]
    fn seeds_come_first() {
        let seeds = seeds::of(Target::Zip, &[]).unwrap();
        for (number, seed) in seeds.iter().enumerate() {
            assert_eq!(Input::make(Target::Zip, &seeds, 9, number as u64).unwrap().bytes, seed.bytes);
        }
    }
}
