//! Ceilings: bombs and endless inputs, each read in a process that may use so much and no more.

mod bombs;
mod case;
mod limited;
mod pictures;
mod tables;
mod trees;
mod zoo;

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::Args;

pub(crate) use self::limited::{Limited, Measured, exec, measure};

use self::case::{Case, Verdict};
use crate::server;
use crate::table::{Table, mebibytes, time};

/// Reads bombs and endless inputs under limits of memory, time and descriptors. Linux only.
#[derive(Debug, Clone, Args)]
pub(crate) struct Options {
    /// Only cases whose name or target has this in it; may be given more than once.
    #[arg(long, value_name = "TEXT")]
    only: Vec<String>,

    /// Where the inputs are kept: 4 GB.
    #[arg(long, value_name = "FOLDER", default_value = "target/ceilings")]
    data: PathBuf,

    /// The program to be tried [default: the `read-tool` beside this program].
    #[arg(long, value_name = "PROGRAM")]
    tool: Option<PathBuf>,

    /// Print the table as Markdown.
    #[arg(long)]
    markdown: bool,
}

/// Reads them all; fails where one goes through its ceiling.
pub(crate) fn run(options: &Options) -> Result<()> {
    if !cfg!(target_os = "linux") {
        bail!("ceilings need the limits of processes that Linux has, and are not tried here");
    }
    let tool = server::program(options.tool.as_deref())?;
    let folder = options.data.join(zoo::EDITION);
    std::fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    let folder = folder.canonicalize().context("the folder of the inputs has no path")?;
    let wanted = |case: &Case| {
        options.only.is_empty()
            || options.only.iter().any(|text| case.name.contains(text) || case.target.contains(text))
    };
    let mut table =
        Table::new(&["case", "target", "exit", "says", "CPU", "peak memory", "ceiling", "verdict"]);
    let (mut tried, mut faults) = (0_usize, Vec::new());
    for case in zoo::cases().into_iter().filter(wanted) {
        zoo::make(&folder, &case)?;
        eprintln!("{}: {} …", case.name, case.target);
        let mut run = limited::run(&tool, &folder, &case)?;
        let mut verdict = Verdict::of(&case, &run);
        if verdict != Verdict::Held {
            // Files that come from the disk for the first time cost more: what counts is the second read.
            run = limited::run(&tool, &folder, &case)?;
            verdict = Verdict::of(&case, &run);
        }
        table.row(vec![
            case.name.to_owned(),
            format!("`{}`", shortened(&case.target, 60)),
            run.exit.clone(),
            shortened(&run.said, 70),
            time(run.cpu),
            mebibytes(run.peak),
            format!("{}, {}", time(case.kind.cpu()), mebibytes(case.kind.memory())),
            verdict.text(),
        ]);
        tried += 1;
        if let Verdict::Broken(reasons) = verdict {
            faults.push(format!("{} ({}): {}", case.name, shortened(&case.target, 60), reasons.join(", ")));
        }
    }
    println!("{}", table.text(options.markdown));
    if faults.is_empty() {
        println!("{tried} reads under their ceilings");
        return Ok(());
    }
    bail!("{} of {tried} reads went through their ceiling:\n  {}", faults.len(), faults.join("\n  "))
}

/// One line of so many characters.
fn shortened(text: &str, most: usize) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if line.chars().count() <= most {
        return line;
    }
    let cut: String = line.chars().take(most - 1).collect();
    format!("{cut}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_cut_between_characters() {
        assert_eq!(shortened("a\nb", 5), "a b");
        assert_eq!(shortened("äöüäöü", 4), "äöü…");
    }
}
