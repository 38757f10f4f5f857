//! Running other programs, and saying so.

use std::fmt::Write as _;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::workspace::Workspace;

/// A program to run at the root of the workspace, with nothing on its standard input.
pub(crate) fn command(workspace: &Workspace, program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(&workspace.root).stdin(Stdio::null());
    command
}

/// Prints the command, runs it with its output passed through, and fails when it fails.
pub(crate) fn run(mut command: Command) -> Result<()> {
    let shown = shown(&command);
    println!("$ {shown}");
    let status = command.status().with_context(|| format!("'{shown}' could not be started"))?;
    if !status.success() {
        bail!("'{shown}' failed: {status}");
    }
    Ok(())
}

/// Runs it in silence; what it printed on standard output.
pub(crate) fn output(mut command: Command) -> Result<String> {
    let shown = shown(&command);
    let output = command.output().with_context(|| format!("'{shown}' could not be started"))?;
    if !output.status.success() {
        bail!("'{shown}' failed: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr).trim_end());
    }
    String::from_utf8(output.stdout).with_context(|| format!("'{shown}' printed something that is no UTF-8"))
}

/// The command as one would type it.
pub(crate) fn shown(command: &Command) -> String {
    let mut text = String::new();
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            let _ = write!(text, "{}='{}' ", name.to_string_lossy(), value.to_string_lossy());
        }
    }
    text.push_str(&command.get_program().to_string_lossy());
    for argument in command.get_args() {
        let _ = write!(text, " {}", argument.to_string_lossy());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_fails_is_an_error_that_names_it() {
        let workspace = Workspace::sample(&[]);
        let error = run(command(&workspace, "git", &["check-ref-format", "not..a..ref"])).unwrap_err();
        assert!(error.to_string().contains("git check-ref-format not..a..ref"), "{error}");
        assert!(output(command(&workspace, "git", &["check-ref-format", "not..a..ref"])).is_err());
        assert!(run(command(&workspace, "no-such-program-anywhere", &[])).is_err());
        assert!(output(command(&workspace, "git", &["--version"])).unwrap().starts_with("git version"));
    }
}
