//! A worker: it tries one input after the other, says what it finds, and may die of any of them.

use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::json;

use super::frames::Frames;
use super::input::Input;
use super::options::Work;
use super::oracle::{Fault, Witness, keep_panics};
use super::record::{Figures, Record};
use super::target::Target;
use super::trial::trial;
use super::{files, seeds};
use crate::usage;

/// Address space of a worker: an allocation beyond it ends the worker, and not the machine.
const ADDRESS_SPACE: u64 = 6 << 30;
/// Resident memory that no input may take.
pub(crate) const MEMORY: u64 = 1 << 30;

/// Does what it is told.
pub(crate) fn work(work: &Work) -> Result<()> {
    usage::limit_address_space(ADDRESS_SPACE)?;
    keep_panics();
    let seeds = seeds::of(work.target, &work.seeds)?;
    let mut frames = match (work.target, &work.tool) {
        (Target::Frames, Some(tool)) => Some(Frames::new(tool, Duration::from_secs_f64(work.patience))?),
        _ => None,
    };
    let mut teller = Teller { record: Record::create(&work.record)?, figures: Figures::default() };
    let end = work.seconds.map(|seconds| Instant::now() + Duration::from_secs_f64(seconds));
    let mut number = work.from;
    while work.until.is_none_or(|until| number < until) && end.is_none_or(|end| Instant::now() < end) {
        teller.figures.number = number;
        let input = Input::make(work.target, &seeds, work.seed, number)?;
        let plant = work.plant.filter(|_| number == work.plant_at);
        let before = teller.figures.peak;
        let mut faults = match &mut frames {
            Some(frames) => frames.trial(&input, number, &mut teller)?,
            None => trial(work.target, &input, false, plant, &mut teller)?,
        };
        teller.figures.inputs += 1;
        teller.figures.peak = usage::peak()?;
        if before < MEMORY && teller.figures.peak >= MEMORY {
            let message = format!(
                "{} bytes are resident after {:?}",
                teller.figures.peak,
                files::limits(input.profile)
            );
            faults.push(Fault { kind: "memory", form: String::new(), message });
        }
        tell(number, &faults)?;
        number = number.saturating_add(work.step);
    }
    drop(frames);
    teller.figures.peak = teller.figures.peak.max(usage::peak()?);
    teller.figures.done = 1;
    teller.record.write(&teller.figures).context("the record cannot be written")
}

fn tell(number: u64, faults: &[Fault]) -> Result<()> {
    let mut out = std::io::stdout().lock();
    for fault in faults {
        let line =
            json!({ "number": number, "kind": fault.kind, "form": fault.form, "message": fault.message });
        writeln!(out, "{line}").context("nobody listens")?;
    }
    Ok(())
}

/// Keeps the record.
struct Teller {
    record: Record,
    figures: Figures,
}

impl Witness for Teller {
    fn begins(&mut self) {
        self.figures.reads += 1;
        // Without a record a crash cannot be told from a crash of another input; with an old one the numbers are near.
        let _ = self.record.write(&self.figures);
    }

    fn ends(&mut self, took: Duration, answered: bool) {
        if answered {
            self.figures.answers += 1;
        } else {
            self.figures.errors += 1;
        }
        let took = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        if took > self.figures.worst {
            (self.figures.worst, self.figures.worst_number) = (took, self.figures.number);
        }
    }
}
