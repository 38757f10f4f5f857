//! The options of the command `fuzz`.

use std::path::PathBuf;

use clap::Args;

use super::plant::Plant;
use super::target::Target;

/// Reads generated inputs in processes of their own; whatever a read may never do is a finding.
#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// How long, over all targets.
    #[arg(long, value_name = "N", default_value_t = 5.0)]
    pub(crate) minutes: f64,

    /// So many inputs of each target, however long it takes.
    #[arg(long, value_name = "N")]
    pub(crate) inputs: Option<u64>,

    /// Only these targets; may be given more than once.
    #[arg(long, value_name = "TARGET")]
    pub(crate) only: Vec<Target>,

    /// Files in here are seeds too; may be given more than once.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) seeds: Vec<PathBuf>,

    /// Decides all inputs: the same number, the same inputs.
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    pub(crate) seed: u64,

    /// The number of the first input of each target: to go on, or to try one again.
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub(crate) first: u64,

    /// Processes at once [default: one for each core].
    #[arg(long, value_name = "N")]
    pub(crate) workers: Option<u64>,

    /// Seconds that one read may take.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0)]
    pub(crate) patience: f64,

    /// Where inputs are kept that have found something.
    #[arg(long, value_name = "FOLDER", default_value = "target/fuzz/findings")]
    pub(crate) findings: PathBuf,

    /// Reads this kept input again, by every form of target, and tries nothing else.
    #[arg(long, value_name = "FILE")]
    pub(crate) replay: Option<PathBuf>,

    /// The program whose server is tried [default: the `read-tool` beside this program].
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) tool: Option<PathBuf>,

    /// Print the table as Markdown.
    #[arg(long)]
    pub(crate) markdown: bool,

    /// Write the figures here as JSON.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,

    /// Plants a fault, to see that it is found.
    #[arg(long, value_name = "FAULT", hide = true)]
    pub(crate) plant: Option<Plant>,

    /// The input at which it is planted.
    #[arg(long, value_name = "NUMBER", default_value_t = 5, hide = true)]
    pub(crate) plant_at: u64,
}

impl Options {
    pub(crate) fn targets(&self) -> Vec<Target> {
        if self.only.is_empty() { Target::ALL.to_vec() } else { self.only.clone() }
    }
}

/// What one worker is to do.
#[derive(Debug, Clone, Args)]
pub(crate) struct Work {
    #[arg(long)]
    pub(crate) target: Target,
    #[arg(long)]
    pub(crate) seed: u64,
    #[arg(long)]
    pub(crate) seeds: Vec<PathBuf>,
    /// The first number.
    #[arg(long)]
    pub(crate) from: u64,
    /// From one number to the next.
    #[arg(long)]
    pub(crate) step: u64,
    /// Numbers from here on are not tried.
    #[arg(long)]
    pub(crate) until: Option<u64>,
    #[arg(long)]
    pub(crate) seconds: Option<f64>,
    #[arg(long)]
    pub(crate) record: PathBuf,
    #[arg(long)]
    pub(crate) tool: Option<PathBuf>,
    #[arg(long)]
    pub(crate) patience: f64,
    #[arg(long)]
    pub(crate) plant: Option<Plant>,
    #[arg(long, default_value_t = 5)]
    pub(crate) plant_at: u64,
}
