//! `size`: what each set of features costs a host: crates, build time, bytes.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::dependencies::third_party;
use crate::workspace::{Package, Target, Workspace};
use crate::{Command, process};

pub(crate) const COMMAND: Command = Command {
    name: "size",
    arguments: "[--counts]",
    about: "Prints a table of what each set of features costs: third-party crates, seconds of a cold release build,\n\
            bytes of a stripped program (read-tool itself, or read-core's example `embedded_host`). It builds\n\
            everything several times; --counts only counts crates.",
    run,
};

/// The packages that hosts choose features of.
const PACKAGES: [&str; 2] = ["read-core", "read-tool"];

/// The example of read-core that a text-only host would be.
const EXAMPLE: &str = "embedded_host";

/// One build to weigh.
#[derive(Debug, PartialEq, Eq)]
struct Build {
    package: String,
    /// As the table names it.
    title: String,
    arguments: Vec<String>,
    /// The features that are on, as far as `required-features` may ask for them.
    features: BTreeSet<String>,
}

fn run(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    let only_counts = match arguments {
        [] => false,
        [one] if one == "--counts" => true,
        _ => bail!("size takes --counts and nothing else"),
    };
    let mut rows = Vec::new();
    let mut skipped = Vec::new();
    for name in PACKAGES {
        let package = workspace.package(name).with_context(|| format!("there is no package {name}"))?;
        for build in builds(package) {
            let flags: Vec<&str> = build.arguments.iter().map(String::as_str).collect();
            let crates = third_party(workspace, name, &flags)?.len();
            let weight =
                if only_counts { None } else { Some(weigh(workspace, package, &build, &mut skipped)?) };
            rows.push(row(&build, crates, weight.as_ref()));
        }
    }
    print!("{}", table(&rows, only_counts));
    for reason in skipped {
        println!("skipped: {reason}");
    }
    Ok(())
}

/// No feature, each one alone, the default ones, all.
fn builds(package: &Package) -> Vec<Build> {
    let build = |title: &str, arguments: &[&str], on: &[&str]| Build {
        package: package.name.clone(),
        title: title.to_owned(),
        arguments: arguments.iter().map(|one| (*one).to_owned()).collect(),
        features: turned_on(package, on),
    };
    let all: Vec<&str> = package.features.keys().map(String::as_str).collect();
    let mut builds = vec![build("none", &["--no-default-features"], &[])];
    for feature in all.iter().filter(|feature| **feature != "default") {
        let arguments = ["--no-default-features", "--features", feature];
        builds.push(build(&format!("`{feature}`"), &arguments, &[feature]));
    }
    if all.contains(&"default") {
        builds.push(build("default", &[], &["default"]));
    }
    if !all.is_empty() {
        builds.push(build("all", &["--all-features"], &all));
    }
    builds
}

/// These features of the package, and those that they turn on.
fn turned_on(package: &Package, features: &[&str]) -> BTreeSet<String> {
    let mut on = BTreeSet::new();
    let mut open: Vec<String> = features.iter().map(|one| (*one).to_owned()).collect();
    while let Some(name) = open.pop() {
        if let Some(more) = package.features.get(&name) {
            open.extend(more.iter().filter(|one| !on.contains(*one)).cloned());
            on.insert(name);
        }
    }
    on
}

/// What a build took.
struct Weight {
    seconds: f64,
    bytes: Option<u64>,
}

/// Builds in an empty directory, so that nothing is there already.
fn weigh(
    workspace: &Workspace,
    package: &Package,
    build: &Build,
    skipped: &mut Vec<String>,
) -> Result<Weight> {
    let directory = workspace.target.join("size");
    if directory.exists() {
        std::fs::remove_dir_all(&directory)
            .with_context(|| format!("{} cannot be emptied", directory.display()))?;
    }
    let program = program(package, build);
    let start = Instant::now();
    // An example would build what only tests need, too: the library alone is what a host pays.
    let is_bin = matches!(&program, Ok(target) if target.kind == "bin");
    cargo_build(workspace, build, &directory, if is_bin { &["--bins"] } else { &["--lib"] })?;
    let seconds = start.elapsed().as_secs_f64();
    let bytes = match program {
        Ok(target) => Some(program_size(workspace, build, &directory, target)?),
        Err(reason) => {
            skipped.push(format!("the size of {} with {}: {reason}", build.package, build.title));
            None
        }
    };
    Ok(Weight { seconds, bytes })
}

/// The program to weigh, or why there is none.
fn program<'a>(package: &'a Package, build: &Build) -> Result<&'a Target, String> {
    let is_wanted =
        |target: &&Target| target.kind == "bin" || (target.kind == "example" && target.name == EXAMPLE);
    let target = package
        .targets
        .iter()
        .find(is_wanted)
        .ok_or_else(|| format!("{} has no program and no example '{EXAMPLE}'", package.name))?;
    match target.required_features.iter().find(|feature| !build.features.contains(*feature)) {
        Some(feature) => Err(format!("'{}' needs the feature '{feature}'", target.name)),
        None => Ok(target),
    }
}

fn program_size(workspace: &Workspace, build: &Build, directory: &Path, target: &Target) -> Result<u64> {
    let built: PathBuf = if target.kind == "example" {
        cargo_build(workspace, build, directory, &["--example", &target.name])?;
        directory.join("release/examples").join(&target.name)
    } else {
        directory.join("release").join(&target.name)
    };
    let metadata = std::fs::metadata(&built).with_context(|| format!("{} was not built", built.display()))?;
    Ok(metadata.len())
}

/// The release profile strips symbols.
fn cargo_build(workspace: &Workspace, build: &Build, directory: &Path, targets: &[&str]) -> Result<()> {
    let mut arguments =
        vec!["build", "--locked", "--release", "--quiet", "--package", build.package.as_str()];
    arguments.extend(build.arguments.iter().map(String::as_str));
    arguments.extend(targets);
    let mut command = process::command(workspace, "cargo", &arguments);
    command.env("CARGO_TARGET_DIR", directory);
    eprintln!("$ {}", process::shown(&command));
    process::output(command).map(drop)
}

fn row(build: &Build, crates: usize, weight: Option<&Weight>) -> Vec<String> {
    let mut row = vec![format!("`{}`", build.package), build.title.clone(), crates.to_string()];
    if let Some(weight) = weight {
        row.push(format!("{:.0} s", weight.seconds));
        row.push(weight.bytes.map_or_else(|| "–".to_owned(), megabytes));
    }
    row
}

fn megabytes(bytes: u64) -> String {
    let kilobytes = bytes / 1024;
    format!("{}.{:02} MB", kilobytes / 1024, kilobytes % 1024 * 100 / 1024)
}

fn table(rows: &[Vec<String>], only_counts: bool) -> String {
    let mut heads = vec!["crate", "features", "third-party crates"];
    if !only_counts {
        heads.extend(["cold release build", "stripped program"]);
    }
    let mut text = format!("| {} |\n|{}\n", heads.join(" | "), " --- |".repeat(heads.len()));
    for row in rows {
        let _ = writeln!(text, "| {} |", row.join(" | "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package() -> Package {
        let target = |name: &str, kind: &str, feature: &str| Target {
            name: name.to_owned(),
            kind: kind.to_owned(),
            required_features: vec![feature.to_owned()],
        };
        Package {
            name: "read-x".to_owned(),
            features: [("a", vec!["b"]), ("b", vec!["dep:c"]), ("c", vec![]), ("default", vec!["a"])]
                .into_iter()
                .map(|(name, on)| (name.to_owned(), on.into_iter().map(str::to_owned).collect()))
                .collect(),
            targets: vec![target("other", "example", "a"), target(EXAMPLE, "example", "b")],
            ..Package::default()
        }
    }

    #[test]
    fn every_feature_is_weighed_alone_and_with_all() {
        let titles: Vec<_> = builds(&package()).into_iter().map(|build| build.title).collect();
        assert_eq!(titles, ["none", "`a`", "`b`", "`c`", "default", "all"]);
        let bare = Package { name: "read-y".to_owned(), ..Package::default() };
        assert_eq!(builds(&bare).len(), 1);
    }

    #[test]
    fn a_program_is_weighed_where_its_features_are_on() {
        let package = package();
        let weighed = builds(&package).into_iter().filter(|build| program(&package, build).is_ok());
        let titles: Vec<_> = weighed.map(|build| build.title).collect();
        assert_eq!(titles, ["`a`", "`b`", "default", "all"]);
        let none = builds(&package).remove(0);
        assert_eq!(program(&package, &none).err(), Some(format!("'{EXAMPLE}' needs the feature 'b'")));
        assert!(program(&Package::default(), &none).is_err());
    }

    #[test]
    fn rows_make_a_table() {
        let build = builds(&package()).remove(0);
        let weight = Weight { seconds: 12.4, bytes: Some(1_600_000) };
        let rows = [row(&build, 7, Some(&weight))];
        assert_eq!(
            table(&rows, false),
            "| crate | features | third-party crates | cold release build | stripped program |\n\
             | --- | --- | --- | --- | --- |\n| `read-x` | none | 7 | 12 s | 1.52 MB |\n"
        );
        assert_eq!(table(&[row(&build, 7, None)], true).lines().last(), Some("| `read-x` | none | 7 |"));
    }
}
