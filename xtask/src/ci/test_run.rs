//! The step that runs the tests as the README says, and adds up what they say.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::Report;
use crate::process;
use crate::workspace::Workspace;

/// The command that README.md tells its readers to run.
const TEST_COMMAND: &str = "cargo test --workspace --all-features";

/// What the test binaries said, added up.
#[derive(Debug, Default, PartialEq, Eq)]
struct Tally {
    passed: u64,
    failed: u64,
}

pub(super) fn run(workspace: &Workspace, report: &mut Report) -> Result<()> {
    let readme = workspace.file("README.md").context("there is no README.md")?;
    if !tells(&readme.text, TEST_COMMAND) {
        bail!("README.md does not tell to run '{TEST_COMMAND}', on a line of its own");
    }
    let mut words = TEST_COMMAND.split(' ');
    let program = words.next().unwrap_or_default();
    let arguments: Vec<_> = words.collect();
    let directory = workspace.target.join("ci");
    std::fs::create_dir_all(&directory).with_context(|| format!("{} cannot be made", directory.display()))?;
    let log = directory.join("tests.log");
    let file = File::create(&log).with_context(|| format!("{} cannot be written", log.display()))?;
    let (said, success) = run_and_keep(process::command(workspace, program, &arguments), file)?;
    let tally = tally(&said)?;
    report.summary = Some(format!("{} passed, {} failed", tally.passed, tally.failed));
    verdict(&tally, success)
}

/// Whether a line of `text` is the command and nothing else.
fn tells(text: &str, command: &str) -> bool {
    text.lines().any(|line| line == command)
}

/// Runs it, copies its standard output to ours and to `log`; what it printed, and whether it succeeded.
fn run_and_keep(mut command: Command, mut log: File) -> Result<(String, bool)> {
    let shown = process::shown(&command);
    println!("$ {shown}");
    let mut child =
        command.stdout(Stdio::piped()).spawn().with_context(|| format!("'{shown}' could not be started"))?;
    let mut output = BufReader::new(child.stdout.take().context("its output is not piped")?);
    let mut said = String::new();
    let mut line = Vec::new();
    while output.read_until(b'\n', &mut line)? > 0 {
        log.write_all(&line)?;
        let text = String::from_utf8_lossy(&line);
        print!("{text}");
        said.push_str(&text);
        line.clear();
    }
    Ok((said, child.wait()?.success()))
}

/// Adds up the closing lines: `test result: ok. 3 passed; 0 failed; …`.
fn tally(said: &str) -> Result<Tally> {
    let mut tally = Tally::default();
    for line in said.lines().filter_map(|line| line.strip_prefix("test result: ")) {
        let count = |what: &str| {
            let words: Vec<_> = line.split([' ', ';']).collect();
            let at = words.iter().position(|word| *word == what)?;
            words.get(at.checked_sub(1)?)?.parse::<u64>().ok()
        };
        let (Some(passed), Some(failed)) = (count("passed"), count("failed")) else {
            bail!("a closing line of the tests is not understood: {line}");
        };
        tally.passed = tally.passed.saturating_add(passed);
        tally.failed = tally.failed.saturating_add(failed);
    }
    Ok(tally)
}

fn verdict(tally: &Tally, success: bool) -> Result<()> {
    match tally {
        Tally { failed: 1.., .. } => bail!("{} tests failed", tally.failed),
        _ if !success => bail!("'{TEST_COMMAND}' failed"),
        Tally { passed: 0, .. } => bail!("no test ran"),
        Tally { .. } => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_readme_must_tell_the_very_command() {
        assert!(tells("Tests:\n\n```sh\ncargo test --workspace --all-features\n```\n", TEST_COMMAND));
        assert!(!tells("```sh\ncargo test --workspace --all-features --lib\n```\n", TEST_COMMAND));
        assert!(!tells("Run cargo test.\n", TEST_COMMAND));
        let error =
            run(&Workspace::sample(&[("README.md", "Nothing.\n")]), &mut Report::default()).unwrap_err();
        assert!(error.to_string().contains(TEST_COMMAND));
        assert!(run(&Workspace::sample(&[]), &mut Report::default()).is_err());
    }

    #[test]
    fn closing_lines_are_added_up() {
        let said = "running 2 tests\ntest a ... ok\n\
                    test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\n\n\
                    test result: FAILED. 40 passed; 3 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.20s\n";
        assert_eq!(tally(said).unwrap(), Tally { passed: 42, failed: 3 });
        assert_eq!(tally("nothing").unwrap(), Tally::default());
        assert!(tally("test result: who knows\n").is_err());
    }

    #[test]
    fn only_tests_that_ran_and_passed_pass() {
        assert!(verdict(&Tally { passed: 1, failed: 0 }, true).is_ok());
        assert!(verdict(&Tally { passed: 0, failed: 0 }, true).is_err());
        assert!(verdict(&Tally { passed: 5, failed: 1 }, false).is_err());
        assert!(verdict(&Tally { passed: 5, failed: 1 }, true).is_err());
        assert!(verdict(&Tally { passed: 5, failed: 0 }, false).is_err());
    }
}
