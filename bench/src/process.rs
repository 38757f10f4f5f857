//! Whole processes, their start included: runs that alternate, and the peak of each one's memory.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use nix::sys::resource::{UsageWho, getrusage};

use crate::median::median;
use crate::row::{Measured, Row};

/// A command line to be timed.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    pub(crate) program: OsString,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) folder: PathBuf,
}

impl Line {
    pub(crate) fn new(folder: &Path, program: impl Into<OsString>, arguments: &[&str]) -> Self {
        let arguments = arguments.iter().map(OsString::from).collect();
        Self { program: program.into(), arguments, folder: folder.to_owned() }
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).current_dir(&self.folder).stdin(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// Runs it once, with its output thrown away; how long it took.
    pub(crate) fn time(&self) -> Result<Duration> {
        let mut command = self.command();
        command.stdout(Stdio::null());
        let start = Instant::now();
        let status = command.status().with_context(|| format!("{} cannot be started", self.shown()))?;
        let time = start.elapsed();
        if !status.success() {
            bail!("{} failed: {status}", self.shown());
        }
        Ok(time)
    }

    /// The peak of its resident memory, in bytes, its children's included.
    fn memory(&self) -> Result<u64> {
        let this = std::env::current_exe().context("this program's own path is not known")?;
        let mut once = Command::new(this);
        once.arg("once").arg("--").arg(&self.program).args(&self.arguments).current_dir(&self.folder);
        let output = once.stdin(Stdio::null()).output().context("the bench cannot start itself")?;
        let text = String::from_utf8_lossy(&output.stdout);
        text.trim().parse().with_context(|| format!("the memory of {} is not known: {text}", self.shown()))
    }

    fn shown(&self) -> String {
        let mut text = self.program.to_string_lossy().into_owned();
        for argument in &self.arguments {
            text.push(' ');
            text.push_str(&argument.to_string_lossy());
        }
        text
    }
}

/// Another way to do a task.
#[derive(Debug)]
pub(crate) struct Contender {
    pub(crate) name: String,
    pub(crate) line: Line,
    /// What our time over its time may be.
    pub(crate) bar: Option<f64>,
}

/// Something to read, and the ways to read it.
#[derive(Debug)]
pub(crate) struct Task {
    pub(crate) name: String,
    pub(crate) ours: Line,
    /// In bytes.
    pub(crate) memory_bar: u64,
    pub(crate) contenders: Vec<Contender>,
}

/// Runs all contenders in turn, `runs` times after one that warms the caches.
pub(crate) fn compare(task: &Task, runs: usize) -> Result<Vec<Row>> {
    eprintln!("{} …", task.name);
    let lines: Vec<&Line> =
        std::iter::once(&task.ours).chain(task.contenders.iter().map(|contender| &contender.line)).collect();
    let mut times = vec![Vec::with_capacity(runs); lines.len()];
    for run in 0..=runs {
        for (line, times) in lines.iter().zip(&mut times) {
            let time = line.time()?;
            if run > 0 {
                times.push(time);
            }
        }
    }
    let mut measured = Vec::with_capacity(lines.len());
    for (line, times) in lines.iter().zip(times) {
        measured.push(Measured { time: median(times), memory: Some(line.memory()?) });
    }
    let mut measured = measured.into_iter();
    let ours = measured.next().context("nothing was measured")?;
    let row = |(contender, theirs): (&Contender, Measured)| Row {
        task: task.name.clone(),
        ours: ours.clone(),
        beside: contender.name.clone(),
        theirs,
        bar: contender.bar,
        memory_bar: Some(task.memory_bar),
    };
    Ok(task.contenders.iter().zip(measured).map(row).collect())
}

/// Runs a program as the only child of this process and prints the peak of its memory in bytes.
pub(crate) fn once(program: &[OsString]) -> Result<()> {
    let (program, arguments) = program.split_first().context("no program is named")?;
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().with_context(|| format!("{} cannot be started", program.display()))?;
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).context("the system does not tell")?;
    // Linux counts kibibytes here, macOS bytes.
    let unit = if cfg!(target_os = "macos") { 1 } else { 1024 };
    println!("{}", u64::try_from(usage.max_rss()).unwrap_or(0) * unit);
    Ok(())
}

/// A program that was built with this one.
pub(crate) fn beside_this_program(name: &str) -> Result<PathBuf> {
    let this = std::env::current_exe().context("this program's own path is not known")?;
    let path = this.with_file_name(name).with_extension(std::env::consts::EXE_EXTENSION);
    if !path.exists() {
        bail!("{} is not built: use `cargo xtask bench`", path.display());
    }
    Ok(path)
}

/// Whether a program is installed.
pub(crate) fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_fails_is_no_measurement() {
        let line = Line::new(Path::new("."), "cargo", &["no-such-command-of-cargo"]);
        assert!(line.time().is_err());
        assert!(Line::new(Path::new("."), "no-such-program-anywhere", &[]).time().is_err());
        assert!(Line::new(Path::new("."), "cargo", &["--version"]).time().is_ok());
    }

    #[test]
    fn what_is_not_installed_is_known() {
        assert!(is_installed("cargo"));
        assert!(!is_installed("no-such-program-anywhere"));
    }
}
