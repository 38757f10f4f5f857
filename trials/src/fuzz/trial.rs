//! One input, read in every way that chance chooses, or in all.

use anyhow::Result;
use read_tool::Arguments;

use super::files::tool;
use super::forms;
use super::input::Input;
use super::oracle::{Fault, Judge, Witness};
use super::plant::Plant;
use super::target::Target;
use crate::random::Random;

/// Names of a listing that are asked for.
const ASKED: usize = 2;

/// Reads the input; what does not hold.
pub(crate) fn trial(
    target: Target,
    input: &Input,
    all: bool,
    plant: Option<Plant>,
    witness: &mut dyn Witness,
) -> Result<Vec<Fault>> {
    let tool = tool(target, input)?;
    let mut judge = Judge::new(&tool, witness, plant);
    match target {
        Target::Target => {
            let _ = judge.judge(&Arguments::new(String::from_utf8_lossy(&input.bytes)));
        }
        Target::Arguments => {
            // What is no JSON never becomes arguments.
            if let Ok(value) = serde_json::from_slice(&input.bytes) {
                match Arguments::from_json(&value) {
                    Ok(arguments) => drop(judge.judge(&arguments)),
                    Err(error) => judge.refused(&value, &error),
                }
            }
        }
        _ => files(target, input, all, &mut judge),
    }
    Ok(judge.faults)
}

fn files(target: Target, input: &Input, all: bool, judge: &mut Judge<'_>) {
    let mut random = Random::new(&[input.random]);
    let whole = judge.judge(&Arguments::new(target.file()));
    let listing = whole.and_then(Result::ok).map(|output| output.to_text()).unwrap_or_default();
    let is_container = matches!(target, Target::Zip | Target::Tar | Target::Gzip | Target::Sqlite);
    let entries = if is_container { forms::entries(target, &listing) } else { Vec::new() };
    let forms = if all { forms::all(target, &entries) } else { forms::some(target, &entries, &mut random) };
    for form in &forms {
        let _ = judge.judge(form);
    }
    judge.length(target.file());
    if matches!(target, Target::Zip | Target::Tar) {
        let asked = if all { usize::MAX } else { ASKED };
        for name in forms::must_be_found(&listing).take(asked) {
            judge.must_be_found(&Arguments::new(format!("{}:{name}:stat", target.file())));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::fuzz::seeds;

    #[derive(Default)]
    struct Count(u64);

    impl Witness for Count {
        fn begins(&mut self) {
            self.0 += 1;
        }
        fn ends(&mut self, _: Duration, _: bool) {}
    }

    #[test]
    fn seeds_have_no_faults_in_any_form() {
        for target in [Target::Text, Target::Zip, Target::Tar, Target::Gzip, Target::Image] {
            for (number, seed) in seeds::of(target, &[]).unwrap().iter().enumerate() {
                let mut input = Input::make(target, std::slice::from_ref(seed), 1, 0).unwrap();
                input.profile = crate::fuzz::input::Profile::Usual;
                let mut count = Count::default();
                let faults = trial(target, &input, false, None, &mut count).unwrap();
                assert_eq!(faults, [], "{target:?} {number}");
                assert!(count.0 > 5);
            }
        }
    }
}
