//! `cargo xtask fuzz`, `ceilings` and `soak`: evidence that untrusted files cannot break a process that reads them.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a developer's command line prints")]

mod ceilings;
mod fuzz;
mod make;
mod random;
mod server;
mod soak;
mod table;
mod usage;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Tries to break the read tool.
#[derive(Debug, Parser)]
#[command(name = "trials")]
struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Fuzz(fuzz::Options),
    Ceilings(ceilings::Options),
    Soak(soak::Options),
    /// One of the processes in which inputs are read.
    #[command(hide = true)]
    Worker(fuzz::Work),
    /// Becomes a program under limits.
    #[command(hide = true)]
    Limited(ceilings::Limited),
    /// Measures a program.
    #[command(hide = true)]
    Measured(ceilings::Measured),
}

fn main() -> ExitCode {
    let done = match Options::parse().command {
        Command::Fuzz(options) => fuzz::run(&options),
        Command::Worker(work) => fuzz::work(&work),
        Command::Ceilings(options) => ceilings::run(&options),
        Command::Soak(options) => soak::run(&options),
        Command::Limited(limited) => ceilings::exec(&limited),
        Command::Measured(measured) => ceilings::measure(&measured),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("trials: {error:#}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
impl Options {
    /// The options of the command `fuzz` as they are when these are given.
    fn parsed_fuzz(arguments: &[&str]) -> fuzz::Options {
        let line = ["trials", "fuzz"].iter().chain(arguments);
        match Self::parse_from(line).command {
            Command::Fuzz(options) => options,
            _ => unreachable!("the command is named"),
        }
    }
}
