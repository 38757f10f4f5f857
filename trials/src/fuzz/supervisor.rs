//! The supervisor of workers: whatever one dies of, or hangs on, is a finding, and another goes on behind it.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::Value;

use super::options::Options;
use super::record::{self, Figures};
use super::target::Target;

/// A lane gives up after so many deaths of its workers: the target is broken, and each death costs a start.
const DEATHS: u64 = 50;
/// How often a worker is looked at.
const LOOK: Duration = Duration::from_millis(100);
/// What a worker may take to end when its time is over, beside the patience for one read.
const GRACE: Duration = Duration::from_secs(60);

/// Something that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) target: Target,
    pub(crate) number: u64,
    pub(crate) kind: String,
    pub(crate) form: String,
    pub(crate) message: String,
}

/// What became of one target.
#[derive(Debug, Clone)]
pub(crate) struct Outcome {
    pub(crate) target: Target,
    pub(crate) figures: Figures,
    pub(crate) findings: Vec<Finding>,
}

/// Tries one target with workers side by side, for `time` or for the number of inputs that the options name.
pub(crate) fn supervise(
    target: Target,
    options: &Options,
    tool: Option<&Path>,
    time: Duration,
) -> Result<Outcome> {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u64);
    let workers = options.workers.unwrap_or(cores).max(1);
    let folder = tempfile::tempdir().context("no folder for records")?;
    let lanes: Vec<Lane<'_>> = (0..workers)
        .map(|index| Lane {
            target,
            options,
            tool,
            step: workers,
            record: folder.path().join(format!("record-{index}")),
            end: options.inputs.is_none().then(|| Instant::now() + time),
            first: options.first + index,
        })
        .collect();
    let outcomes: Vec<Result<Outcome>> = std::thread::scope(|scope| {
        let threads: Vec<_> = lanes.iter().map(|lane| scope.spawn(|| lane.run())).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| anyhow::bail!("a lane failed")))
            .collect()
    });
    let mut sum = Outcome { target, figures: Figures::default(), findings: Vec::new() };
    for outcome in outcomes {
        let outcome = outcome?;
        sum.figures.add(&outcome.figures);
        sum.findings.extend(outcome.findings);
    }
    sum.findings.sort_by(|a, b| (a.number, &a.form).cmp(&(b.number, &b.form)));
    Ok(sum)
}

/// One worker after the other.
struct Lane<'a> {
    target: Target,
    options: &'a Options,
    tool: Option<&'a Path>,
    step: u64,
    record: PathBuf,
    end: Option<Instant>,
    first: u64,
}

impl Lane<'_> {
    fn run(&self) -> Result<Outcome> {
        let mut outcome = Outcome { target: self.target, figures: Figures::default(), findings: Vec::new() };
        let mut from = self.first;
        for _ in 0..DEATHS {
            let _ = std::fs::remove_file(&self.record);
            let mut child = self.start(from)?;
            let output = child.stdout.take().context("a worker has no output")?;
            let target = self.target;
            let listener = std::thread::spawn(move || {
                let lines = BufReader::new(output).lines().map_while(Result::ok);
                lines.filter_map(|line| finding(target, &line)).collect::<Vec<_>>()
            });
            let death = self.watch(&mut child)?;
            outcome.findings.extend(listener.join().unwrap_or_default());
            let figures = record::read(&self.record).unwrap_or_default();
            outcome.figures.add(&figures);
            let Some((kind, message)) = death else { return Ok(outcome) };
            if figures.reads == 0 {
                anyhow::bail!("a worker of {} cannot begin: {message}", self.target.name());
            }
            let (number, form) = (figures.number, String::new());
            outcome.findings.push(Finding { target, number, kind: kind.to_owned(), form, message });
            from = figures.number.saturating_add(self.step);
        }
        Ok(outcome)
    }

    fn start(&self, from: u64) -> Result<Child> {
        let this = std::env::current_exe().context("this program's own path is not known")?;
        let options = self.options;
        let mut command = Command::new(this);
        command.arg("worker").args(["--target", self.target.name()]).arg("--record").arg(&self.record);
        for (name, number) in [("--seed", options.seed), ("--from", from), ("--step", self.step)] {
            command.arg(name).arg(number.to_string());
        }
        command.arg("--patience").arg(options.patience.to_string());
        if let Some(inputs) = options.inputs {
            command.arg("--until").arg(options.first.saturating_add(inputs).to_string());
        }
        if let Some(end) = self.end {
            let left = end.saturating_duration_since(Instant::now());
            command.arg("--seconds").arg(left.as_secs_f64().to_string());
        }
        for folder in &options.seeds {
            command.arg("--seeds").arg(folder);
        }
        if let Some(tool) = self.tool {
            command.arg("--tool").arg(tool);
        }
        if let Some(plant) = options.plant {
            let name = clap::ValueEnum::to_possible_value(&plant).map(|value| value.get_name().to_owned());
            command.arg("--plant").arg(name.unwrap_or_default());
            command.arg("--plant-at").arg(options.plant_at.to_string());
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        command.spawn().context("a worker cannot be started")
    }

    /// Waits for its end; what it died of, where it did not end by itself.
    fn watch(&self, child: &mut Child) -> Result<Option<(&'static str, String)>> {
        let patience = Duration::from_secs_f64(self.options.patience);
        let mut seen = (Figures::default(), Instant::now());
        loop {
            if let Some(status) = child.try_wait().context("a worker is not to be waited for")? {
                return Ok(self.verdict(status));
            }
            std::thread::sleep(LOOK);
            let figures = record::read(&self.record).unwrap_or_default();
            let overdue = self.end.is_some_and(|end| Instant::now() > end + GRACE + patience);
            if figures.reads != seen.0.reads {
                seen = (figures, Instant::now());
            } else if seen.1.elapsed() > patience + self.slack() && figures.reads > 0 || overdue {
                child.kill().context("a worker cannot be ended")?;
                child.wait().context("a worker is not to be waited for")?;
                return Ok(Some(("hang", format!("no end after {:.1} s", seen.1.elapsed().as_secs_f64()))));
            }
        }
    }

    /// What the worker's own watch over its server needs to bite first.
    fn slack(&self) -> Duration {
        if self.target == Target::Frames { Duration::from_secs(20) } else { Duration::ZERO }
    }

    fn verdict(&self, status: ExitStatus) -> Option<(&'static str, String)> {
        let done = record::read(&self.record).is_some_and(|figures| figures.done == 1);
        (!status.success() || !done).then(|| ("crash", format!("the process ended with {status}")))
    }
}

/// What a worker said.
fn finding(target: Target, line: &str) -> Option<Finding> {
    let said: Value = serde_json::from_str(line).ok()?;
    let text = |name: &str| said.get(name).and_then(Value::as_str).map(str::to_owned);
    Some(Finding {
        target,
        number: said.get("number")?.as_u64()?,
        kind: text("kind")?,
        form: text("form")?,
        message: text("message")?,
    })
}
