//! `ci`: everything that is asked of a change, in one order, with one verdict.

mod embedding;
mod test_run;

use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::workspace::Workspace;
use crate::{Command, features, process, semver, tidy};

pub(crate) const COMMAND: Command = Command {
    name: "ci",
    arguments: "[STEP…]",
    about: "Runs what judges a change, and stops at the first step that fails: tests, bare, format, lints, docs,\n\
            features, embedding, dependencies, tidy, msrv, semver. Needs cargo-hack and cargo-deny, and cargo-semver-checks\n\
            for the last step. With names, only those steps.",
    run,
};

/// One thing that is asked of a change.
struct Step {
    name: &'static str,
    run: fn(&Workspace, &mut Report) -> Result<()>,
}

/// The tests stand first: they say the most.
const STEPS: &[Step] = &[
    Step { name: "tests", run: test_run::run },
    Step { name: "bare", run: bare },
    Step { name: "format", run: format },
    Step { name: "lints", run: lints },
    Step { name: "docs", run: docs },
    Step { name: "features", run: all_features },
    Step { name: "embedding", run: embedding::run },
    Step { name: "dependencies", run: dependencies },
    Step { name: "tidy", run: all_tidy },
    Step { name: "msrv", run: msrv },
    Step { name: "semver", run: semver },
];

/// What is told at the end.
#[derive(Default)]
struct Report {
    skipped: Vec<String>,
    /// The closing line of the tests.
    summary: Option<String>,
}

impl Report {
    /// Says so at once, and again at the end.
    fn skip(&mut self, what: String) {
        println!("skipped: {what}");
        self.skipped.push(what);
    }
}

fn run(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    if let Some(unknown) = arguments.iter().find(|name| STEPS.iter().all(|step| step.name != *name)) {
        let names: Vec<_> = STEPS.iter().map(|step| step.name).collect();
        bail!("there is no step '{unknown}'; there are: {}", names.join(", "));
    }
    let mut report = Report::default();
    let verdict = run_steps(workspace, arguments, &mut report);
    for skipped in &report.skipped {
        println!("skipped: {skipped}");
    }
    match &verdict {
        Ok(()) => println!("ci: passed"),
        // Printed here and not by the caller, so that the summary stays the last line.
        Err(error) => println!("ci: FAILED: {error:#}"),
    }
    if let Some(summary) = &report.summary {
        println!("{summary}");
    }
    if verdict.is_err() {
        return Err(Reported.into());
    }
    Ok(())
}

/// The failure was printed already.
#[derive(Debug)]
pub(crate) struct Reported;

impl std::fmt::Display for Reported {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a step failed")
    }
}

impl std::error::Error for Reported {}

fn run_steps(workspace: &Workspace, names: &[String], report: &mut Report) -> Result<()> {
    for step in STEPS.iter().filter(|step| names.is_empty() || names.iter().any(|name| name == step.name)) {
        println!("\n== {} ==", step.name);
        let start = Instant::now();
        (step.run)(workspace, report).with_context(|| format!("step '{}'", step.name))?;
        println!("== {}: done in {:.0} s ==", step.name, start.elapsed().as_secs_f64());
    }
    Ok(())
}

/// Tests what is left of the libraries without features: the other step of tests has them all on.
fn bare(workspace: &Workspace, _: &mut Report) -> Result<()> {
    for package in ["read-core", "read-tool"] {
        let arguments = ["test", "--locked", "--package", package, "--no-default-features", "--lib"];
        process::run(process::command(workspace, "cargo", &arguments))?;
    }
    Ok(())
}

fn format(workspace: &Workspace, _: &mut Report) -> Result<()> {
    process::run(process::command(workspace, "cargo", &["fmt", "--all", "--check"]))
}

fn lints(workspace: &Workspace, _: &mut Report) -> Result<()> {
    let arguments =
        ["clippy", "--locked", "--workspace", "--all-targets", "--all-features", "--", "--deny", "warnings"];
    process::run(process::command(workspace, "cargo", &arguments))
}

fn docs(workspace: &Workspace, _: &mut Report) -> Result<()> {
    let arguments = ["doc", "--locked", "--workspace", "--all-features", "--no-deps"];
    let mut command = process::command(workspace, "cargo", &arguments);
    command.env("RUSTDOCFLAGS", "-D warnings");
    process::run(command)
}

fn all_features(workspace: &Workspace, _: &mut Report) -> Result<()> {
    features::check(workspace)
}

fn dependencies(workspace: &Workspace, report: &mut Report) -> Result<()> {
    report.skip(
        "advisories (their database cannot be reached everywhere): run 'cargo deny check advisories'"
            .to_owned(),
    );
    process::run(process::command(
        workspace,
        "cargo",
        &["deny", "--locked", "check", "licenses", "bans", "sources"],
    ))
}

fn all_tidy(workspace: &Workspace, _: &mut Report) -> Result<()> {
    (tidy::COMMAND.run)(workspace, &[])
}

/// Checks with the oldest compiler that is promised, where it is installed.
fn msrv(workspace: &Workspace, report: &mut Report) -> Result<()> {
    let promised = workspace.packages.first().map_or("", |package| package.rust_version.as_str());
    if promised.is_empty() {
        bail!("the workspace promises no rust-version");
    }
    // Where there is no rustup there is one compiler.
    let installed =
        process::output(process::command(workspace, "rustup", &["toolchain", "list"])).unwrap_or_default();
    let Some(toolchain) = toolchain(&installed, promised) else {
        report.skip(format!("msrv (no Rust {promised} here): run 'rustup toolchain install {promised}'"));
        return Ok(());
    };
    let toolchain = format!("+{toolchain}");
    let arguments = [toolchain.as_str(), "check", "--locked", "--workspace", "--all-features"];
    process::run(process::command(workspace, "cargo", &arguments))
}

/// Compares with the last release, where the clone reaches back to it and the tool is there, which is long to install.
fn semver(workspace: &Workspace, report: &mut Report) -> Result<()> {
    if !semver::has_tool(workspace) {
        report.skip(
            "semver (no cargo-semver-checks here): run 'cargo install --locked cargo-semver-checks'"
                .to_owned(),
        );
        return Ok(());
    }
    let baseline = semver::baseline(workspace)?;
    if !semver::is_here(workspace, &baseline) {
        report.skip(format!("semver (this clone has no {baseline}): run 'git fetch --unshallow'"));
        return Ok(());
    }
    semver::check(workspace, &baseline)
}

/// The installed toolchain of `version`, of those that `rustup toolchain list` printed.
fn toolchain<'a>(installed: &'a str, version: &str) -> Option<&'a str> {
    installed.lines().filter_map(|line| line.split_whitespace().next()).find(|name| {
        name.strip_prefix(version).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '.']))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_step_is_refused() {
        let error = run(&Workspace::sample(&[]), &["no-such-step".to_owned()]).unwrap_err();
        assert!(error.to_string().contains("no-such-step"));
    }

    #[test]
    fn the_promised_toolchain_is_found_by_its_version() {
        let installed = "stable-x86_64 (active, default)\n1.8-x86_64\n1.890.0-x86_64\n1.89.0-x86_64\n";
        assert_eq!(toolchain(installed, "1.89"), Some("1.89.0-x86_64"));
        assert_eq!(toolchain(installed, "1.90"), None);
        assert_eq!(toolchain("1.89-x86_64\n", "1.89"), Some("1.89-x86_64"));
    }

    #[test]
    fn the_help_names_the_steps_in_order() {
        let names: Vec<_> = STEPS.iter().map(|step| step.name).collect();
        let about = COMMAND.about.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(about.contains(&names.join(", ")), "{about}");
    }
}
