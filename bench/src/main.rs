//! `cargo xtask bench`: what the read tool costs beside the programs that users would pick, and beside what the machine can
//! do at best. It makes its own inputs, alternates the runs of a task's contenders, and reports medians, peak memory and
//! ratios; an absolute time says nothing on a shared machine.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a developer's command line prints")]

mod chart;
mod growth;
mod inputs;
mod machine;
mod median;
mod options;
mod process;
mod regression;
mod resident;
mod row;
mod server;
mod table;
mod tasks;
mod yardstick;

use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Parser;

use crate::inputs::Inputs;
use crate::options::{Command, Options};
use crate::row::Row;

fn main() -> ExitCode {
    let options = Options::parse();
    let done = match &options.command {
        Some(Command::Yardstick { yardstick }) => yardstick.run(),
        Some(Command::Once { program }) => process::once(program),
        None => measure(&options),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn measure(options: &Options) -> Result<()> {
    let inputs = Inputs::make(&options.data, options.quick)?;
    let tool = process::beside_this_program("read-tool")?;
    let mut skipped = Vec::new();
    let mut rows: Vec<Row> = Vec::new();
    for task in tasks::all(&tool, &inputs, &mut skipped)? {
        if options.wants(&task.name) {
            rows.extend(process::compare(&task, options.runs())?);
        }
    }
    for task in resident::all(&inputs, &tool)? {
        if options.wants(&task.name) {
            rows.push(task.compare(options.runs())?);
        }
    }
    if options.wants(server::NAME) {
        rows.extend(server::compare(&tool, &inputs, options, &mut skipped)?);
    }
    let growth = if options.growth { growth::measure(&tool, &inputs, options)? } else { Vec::new() };
    let report = table::Report { machine: machine::facts(), rows, growth, skipped };
    println!("{}", if options.markdown { report.markdown() } else { report.plain() });
    if let Some(path) = &options.json {
        std::fs::write(path, report.json())
            .with_context(|| format!("{} cannot be written", path.display()))?;
    }
    if let Some(path) = &options.chart {
        std::fs::write(path, chart::draw(&report.rows)?)
            .with_context(|| format!("{} cannot be written", path.display()))?;
    }
    judge(options, &report.rows)
}

/// Fails where a row is over its bar, or worse than it was.
fn judge(options: &Options, rows: &[Row]) -> Result<()> {
    let mut faults = Vec::new();
    if options.check {
        faults.extend(regression::over_bar(rows, options.slack));
    }
    if let Some(path) = &options.against {
        let before =
            std::fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))?;
        faults.extend(regression::worse(&table::ratios(&before)?, rows, options.slack));
    }
    if !faults.is_empty() {
        bail!("{} of {} rows fail:\n  {}", faults.len(), rows.len(), faults.join("\n  "));
    }
    Ok(())
}
