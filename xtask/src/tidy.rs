//! `tidy`: the invariants of the architecture, and the hygiene of the files.
//!
//! A check is a function with a name. What it finds names the file and says what to do. `ARCHITECTURE.md` states the
//! invariants, each with the name of the check that holds it.

mod arrows;
mod effects;
mod footprint;
mod formats;
mod hygiene;
mod manifests;
mod signatures;
mod stated;

use std::fmt;

use anyhow::{Result, bail};

use crate::Command;
use crate::workspace::Workspace;

pub(crate) const COMMAND: Command = Command {
    name: "tidy",
    arguments: "[CHECK…] [--list]",
    about: "Checks the invariants of ARCHITECTURE.md and the hygiene of all files; --list names the checks.",
    run,
};

/// One thing that must hold.
struct Check {
    name: &'static str,
    /// What must hold, as a sentence.
    holds: &'static str,
    /// Whether it is an invariant of the architecture, to be stated on its page.
    invariant: bool,
    find: fn(&Workspace) -> Vec<Violation>,
}

/// A place where it does not hold.
#[derive(Debug, PartialEq, Eq)]
struct Violation {
    path: String,
    /// Counted from 1; `None` when it is about the whole file.
    line: Option<usize>,
    message: String,
}

impl Violation {
    fn of_file(path: &str, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line: None, message: message.into() }
    }

    fn of_line(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line: Some(line), message: message.into() }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.path, self.message),
            None => write!(f, "{}: {}", self.path, self.message),
        }
    }
}

/// A file that a check lets pass, and why. One that the check would not stop any more is itself a violation.
struct Exception {
    path: &'static str,
    reason: &'static str,
}

/// Drops the violations that an exception covers, and adds one for each exception that covers none. `list` is the file
/// in which the exceptions are written.
fn except(violations: Vec<Violation>, exceptions: &[Exception], list: &str) -> Vec<Violation> {
    let covers = |exception: &Exception, violation: &Violation| violation.path == exception.path;
    let idle: Vec<_> = exceptions
        .iter()
        .filter(|exception| !violations.iter().any(|violation| covers(exception, violation)))
        .map(|exception| {
            let message =
                format!("the exception for {} ({}) is needed no more", exception.path, exception.reason);
            Violation::of_file(list, message)
        })
        .collect();
    let left =
        violations.into_iter().filter(|one| !exceptions.iter().any(|exception| covers(exception, one)));
    left.chain(idle).collect()
}

fn checks() -> impl Iterator<Item = &'static Check> {
    [
        arrows::CHECKS,
        formats::CHECKS,
        signatures::CHECKS,
        effects::CHECKS,
        footprint::CHECKS,
        manifests::CHECKS,
        hygiene::CHECKS,
        stated::CHECKS,
    ]
    .into_iter()
    .flatten()
}

fn run(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    if arguments.iter().any(|one| one == "--list") {
        for check in checks() {
            println!("{:<22}{}", check.name, check.holds);
        }
        return Ok(());
    }
    if let Some(unknown) = arguments.iter().find(|name| checks().all(|check| check.name != *name)) {
        bail!("there is no check '{unknown}'; 'cargo xtask tidy --list' names them");
    }
    let mut found = 0_usize;
    let mut ran = 0_usize;
    for check in
        checks().filter(|check| arguments.is_empty() || arguments.iter().any(|name| name == check.name))
    {
        let violations = (check.find)(workspace);
        for violation in &violations {
            eprintln!("{violation} [{}]", check.name);
        }
        found = found.saturating_add(violations.len());
        ran = ran.saturating_add(1);
    }
    if found > 0 {
        bail!("{found} violations in {ran} checks");
    }
    println!("tidy: {ran} checks hold");
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_unique_and_sentences_end() {
        let names: BTreeSet<_> = checks().map(|check| check.name).collect();
        assert_eq!(names.len(), checks().count());
        assert!(checks().all(|check| check.holds.ends_with('.')));
    }

    #[test]
    fn an_unknown_check_is_refused() {
        let error = run(&Workspace::sample(&[]), &["no-such-check".to_owned()]).unwrap_err();
        assert!(error.to_string().contains("no-such-check"));
    }

    #[test]
    fn an_exception_covers_its_file_and_must_be_needed() {
        let exceptions = [Exception { path: "a.rs", reason: "x" }, Exception { path: "c.rs", reason: "y" }];
        let left = except(
            vec![Violation::of_line("a.rs", 1, "m"), Violation::of_line("b.rs", 2, "m")],
            &exceptions,
            "list.rs",
        );
        let places: Vec<_> = left.iter().map(|violation| violation.path.as_str()).collect();
        assert_eq!(places, ["b.rs", "list.rs"]);
        assert!(left.iter().any(|violation| violation.message.contains("c.rs")));
    }

    #[test]
    fn a_violation_names_its_place() {
        assert_eq!(Violation::of_line("a.rs", 7, "why").to_string(), "a.rs:7: why");
        assert_eq!(Violation::of_file("a.rs", "why").to_string(), "a.rs: why");
    }
}
