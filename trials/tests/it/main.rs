//! The trials, small: fixed inputs, kept findings, planted faults, a short soak.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that fails may panic")]

mod fuzz;
mod soak;

use std::path::Path;
use std::process::{Command, Output};

/// The trials with these arguments, in a folder of their own.
fn trials(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_read-trials"));
    command.args(arguments).current_dir(folder).output().unwrap()
}

/// The program under trial.
const TOOL: &str = env!("CARGO_BIN_EXE_trials-tool");

fn said(output: &Output) -> String {
    format!("{}\n{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}
