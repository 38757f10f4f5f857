//! Developer commands: `cargo xtask <command>`.
//!
//! What must hold in this workspace and is no business of the compiler's is checked here, so that a contributor and the
//! machine that judges a change run the same thing. `cargo xtask help` lists the commands.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a developer's command line prints")]

mod bench;
mod ci;
mod corpus;
mod dependencies;
mod dist;
mod features;
mod manifest;
mod picture;
mod process;
mod release;
mod rust_source;
mod semver;
mod size;
mod supply;
mod tidy;
mod trials;
mod workspace;

use std::fmt::Write as _;
use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::workspace::Workspace;

/// One command: its name, its arguments, what it does, and the function that does it.
struct Command {
    name: &'static str,
    arguments: &'static str,
    about: &'static str,
    run: fn(&Workspace, &[String]) -> Result<()>,
}

const COMMANDS: &[Command] = &[
    bench::COMMAND,
    trials::CEILINGS,
    ci::COMMAND,
    corpus::COMMAND,
    dist::COMMAND,
    features::COMMAND,
    trials::FUZZ,
    picture::COMMAND,
    semver::COMMAND,
    size::COMMAND,
    trials::SOAK,
    supply::COMMAND,
    tidy::COMMAND,
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            if !error.is::<ci::Reported>() {
                eprintln!("xtask: {error:#}");
            }
            ExitCode::FAILURE
        }
    }
}

fn dispatch(arguments: &[String]) -> Result<()> {
    let (name, rest) = match arguments.split_first() {
        None => ("help", [].as_slice()),
        Some((name, rest)) => (name.as_str(), rest),
    };
    if matches!(name, "help" | "--help" | "-h")
        || rest.iter().any(|one| matches!(one.as_str(), "--help" | "-h"))
    {
        print!("{}", help());
        return Ok(());
    }
    match COMMANDS.iter().find(|command| command.name == name) {
        Some(command) => (command.run)(&Workspace::load()?, rest),
        None => bail!("there is no command '{name}'\n\n{}", help()),
    }
}

fn help() -> String {
    let mut text = String::from("Developer commands of this workspace: cargo xtask <command>\n");
    for command in COMMANDS {
        let _ = writeln!(text, "\n{} {}", command.name, command.arguments);
        for line in command.about.lines() {
            let _ = writeln!(text, "    {line}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_names_every_command() {
        for command in COMMANDS {
            assert!(help().contains(&format!("\n{} ", command.name)), "{}", command.name);
            assert!(!command.about.trim().is_empty());
        }
    }

    #[test]
    fn an_unknown_command_is_refused() {
        let error = dispatch(&["no-such-command".to_owned()]).unwrap_err();
        assert!(error.to_string().contains("no-such-command"));
    }
}
