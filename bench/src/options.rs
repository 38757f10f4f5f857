//! The options of the command line.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::yardstick::Yardstick;

/// Measures the read tool beside the programs that users would pick.
#[derive(Debug, Parser)]
#[command(name = "bench", args_conflicts_with_subcommands = true)]
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub(crate) struct Options {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    /// Runs of each contender; the median counts [default: 9, with --quick 3].
    #[arg(long, value_name = "N")]
    runs: Option<usize>,

    /// Inputs of a hundredth of the size: to see that the bench works. Its ratios say little.
    #[arg(long)]
    pub(crate) quick: bool,

    /// Only tasks whose name has this in it; may be given more than once.
    #[arg(long, value_name = "TEXT")]
    only: Vec<String>,

    /// Each task at a hundredth, a tenth and all of its size, too.
    #[arg(long)]
    pub(crate) growth: bool,

    /// Print the tables as Markdown.
    #[arg(long)]
    pub(crate) markdown: bool,

    /// Write the results here as JSON, for --against.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,

    /// Draw the ratios here, as SVG.
    #[arg(long, value_name = "FILE")]
    pub(crate) chart: Option<PathBuf>,

    /// Fail where a ratio is over its bar.
    #[arg(long)]
    pub(crate) check: bool,

    /// Fail where a ratio is worse than in this file, which --json wrote.
    #[arg(long, value_name = "FILE")]
    pub(crate) against: Option<PathBuf>,

    /// How much over its bar, or over its earlier value, a ratio may be: 1.25 allows a quarter.
    #[arg(long, value_name = "FACTOR", default_value_t = 1.25)]
    pub(crate) slack: f64,

    /// The command of a reference server that reads files over MCP, to be started with a folder as its last argument.
    #[arg(long, value_name = "COMMAND", default_value = "mcp-server-filesystem")]
    pub(crate) reference_server: String,

    /// Where the inputs are kept.
    #[arg(long, value_name = "FOLDER", default_value = "target/bench-data")]
    pub(crate) data: PathBuf,
}

/// What the bench starts itself as.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Does the bare work that a task cannot be done without.
    #[command(hide = true)]
    Yardstick {
        #[command(subcommand)]
        yardstick: Yardstick,
    },
    /// Runs a program once and prints its peak memory.
    #[command(hide = true)]
    Once {
        #[arg(trailing_var_arg = true, required = true, allow_hyphen_values = true)]
        program: Vec<OsString>,
    },
}

impl Options {
    /// How often each contender runs.
    pub(crate) fn runs(&self) -> usize {
        self.runs.unwrap_or(if self.quick { 3 } else { 9 }).max(1)
    }

    /// Whether a task of this name is to be run.
    pub(crate) fn wants(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|one| name.contains(one.as_str()))
    }
}
