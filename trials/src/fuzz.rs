//! Fuzzing: inputs that are nearly right, read in processes that may die of them.

mod arguments;
pub(crate) mod files;
mod forms;
mod frames;
mod grammar;
pub(crate) mod input;
mod keep;
mod mutate;
mod options;
mod oracle;
mod plant;
mod record;
mod repair;
mod report;
pub(crate) mod seeds;
mod supervisor;
pub(crate) mod target;
mod trial;
mod worker;
mod wrap;

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};

pub(crate) use self::options::{Options, Work};
pub(crate) use self::worker::work;

use self::oracle::{Fault, Witness};
use self::report::Report;
use self::target::Target;
use crate::server;

/// Tries the targets one after the other, each for its share of the time.
pub(crate) fn run(options: &Options) -> Result<()> {
    if let Some(path) = &options.replay {
        return replay(path, options);
    }
    let targets = options.targets();
    let tool = if targets.contains(&Target::Frames) {
        Some(server::program(options.tool.as_deref())?)
    } else {
        None
    };
    if !options.minutes.is_finite() || options.minutes < 0.0 {
        bail!("--minutes must be a number that is not negative");
    }
    let share = Duration::from_secs_f64(options.minutes * 60.0) / u32::try_from(targets.len().max(1))?;
    let mut outcomes = Vec::new();
    for target in targets {
        eprintln!("{} …", target.name());
        outcomes.push(supervisor::supervise(target, options, tool.as_deref(), share)?);
    }
    let findings: Vec<_> = outcomes.iter().flat_map(|outcome| outcome.findings.clone()).collect();
    let kept = keep::keep(&findings, options)?;
    let report = Report { seed: options.seed, outcomes, kept };
    println!("{}", report.text(options.markdown));
    if let Some(path) = &options.json {
        std::fs::write(path, report.json())
            .with_context(|| format!("{} cannot be written", path.display()))?;
    }
    match report.findings() {
        0 => Ok(()),
        1 => bail!("1 finding"),
        many => bail!("{many} findings"),
    }
}

/// Reads a kept input again, in this process.
fn replay(path: &Path, options: &Options) -> Result<()> {
    oracle::keep_panics();
    let faults = faults_of(path, options)?;
    for fault in &faults {
        println!("{} {}: {}", fault.kind, fault.form, fault.message);
    }
    if faults.is_empty() { Ok(()) } else { bail!("{} faults", faults.len()) }
}

/// What does not hold of a kept input, read by every form of target under every profile.
fn faults_of(path: &Path, options: &Options) -> Result<Vec<Fault>> {
    let target = keep::target(path)?;
    let mut faults = Vec::new();
    for input in keep::inputs(path)? {
        if target == Target::Frames {
            let tool = server::program(options.tool.as_deref())?;
            let mut frames = frames::Frames::new(&tool, Duration::from_secs_f64(options.patience))?;
            faults.extend(frames.trial(&input, 0, &mut Nobody)?);
            break;
        }
        faults.extend(trial::trial(target, &input, true, None, &mut Nobody)?);
    }
    Ok(faults)
}

/// Keeps no record.
struct Nobody;

impl Witness for Nobody {
    fn begins(&mut self) {}
    fn ends(&mut self, _: Duration, _: bool) {}
}
