//! Findings, kept so that they can be read again.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::json;

use super::input::{Input, Profile};
use super::options::Options;
use super::seeds;
use super::supervisor::Finding;
use super::target::Target;

/// Findings of one kind that are kept: the others say nothing new.
const OF_A_KIND: usize = 3;
/// The files that may lie beside one, by what is added to its name.
const SIDES: [&str; 2] = ["-wal", "-journal"];

/// Keeps the inputs of these findings; the file of each that was kept.
pub(crate) fn keep(
    findings: &[Finding],
    options: &Options,
) -> Result<BTreeMap<(&'static str, u64), PathBuf>> {
    let mut kept = BTreeMap::new();
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for finding in findings {
        let many = kinds.entry(kind(finding)).or_default();
        *many += 1;
        let key = (finding.target.name(), finding.number);
        if *many > OF_A_KIND || kept.contains_key(&key) {
            continue;
        }
        let folder = &options.findings;
        std::fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
        let seeds = seeds::of(finding.target, &options.seeds)?;
        let input = Input::make(finding.target, &seeds, options.seed, finding.number)?;
        let path = folder.join(format!("{}-{}.bin", finding.target.name(), finding.number));
        let write = |path: &Path, bytes: &[u8]| {
            std::fs::write(path, bytes).with_context(|| format!("{} cannot be written", path.display()))
        };
        write(&path, &input.bytes)?;
        for (suffix, bytes) in &input.sides {
            write(&beside(&path, suffix), bytes)?;
        }
        let told = json!({
            "target": finding.target.name(), "seed": options.seed, "number": finding.number, "kind": finding.kind,
            "profile": format!("{:?}", input.profile), "form": finding.form, "message": finding.message,
        });
        write(&path.with_extension("json"), format!("{told:#}\n").as_bytes())?;
        kept.insert(key, path);
    }
    Ok(kept)
}

/// Findings that are alike but for numbers and names.
fn kind(finding: &Finding) -> String {
    let message: String = finding.message.chars().filter(|c| !c.is_numeric()).take(60).collect();
    format!("{} {} {message}", finding.target.name(), finding.kind)
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// The inputs that a kept file stands for: one for each profile.
pub(crate) fn inputs(path: &Path) -> Result<Vec<Input>> {
    let bytes = std::fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let mut sides = Vec::new();
    for suffix in SIDES {
        if let Ok(bytes) = std::fs::read(beside(path, suffix)) {
            sides.push((suffix, bytes));
        }
    }
    let input = |profile| Input { bytes: bytes.clone(), sides: sides.clone(), random: 0, profile };
    Ok(Profile::ALL.map(input).into())
}

/// The target of a kept file: its name begins with it, or its folder's name is it.
pub(crate) fn target(path: &Path) -> Result<Target> {
    let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    let folder = path.parent().and_then(Path::file_name).and_then(|name| name.to_str()).unwrap_or_default();
    let target = Target::named(name.split('-').next().unwrap_or_default()).or_else(|| Target::named(folder));
    let Some(target) = target else {
        bail!(
            "{} does not tell its target: name it like zip-17.bin, or put it into a folder zip",
            path.display()
        )
    };
    Ok(target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_tells_its_target() {
        assert_eq!(target(Path::new("x/zip-17.bin")).unwrap(), Target::Zip);
        assert_eq!(target(Path::new("findings/tar/loop.bin")).unwrap(), Target::Tar);
        assert!(target(Path::new("x/y.bin")).is_err());
    }

    #[test]
    fn few_of_a_kind_are_kept_with_what_lies_beside_them() {
        let folder = tempfile::tempdir().unwrap();
        let line = crate::Options::parsed_fuzz(&["--findings", &folder.path().to_string_lossy()]);
        let finding = |number: u64, message: &str| Finding {
            target: Target::Sqlite,
            number,
            kind: "panic".to_owned(),
            form: String::new(),
            message: message.to_owned(),
        };
        let mut findings: Vec<Finding> =
            (1..=9).map(|number| finding(number, &format!("at {number}"))).collect();
        findings.push(finding(5, "other"));
        let kept = keep(&findings, &line).unwrap();
        assert_eq!(kept.keys().map(|(_, number)| *number).collect::<Vec<_>>(), [1, 2, 3, 5]);
        // The sixth seed of databases has a log.
        let inputs = inputs(&kept[&("sqlite", 5)]).unwrap();
        assert_eq!(inputs[0].sides[0].0, "-wal");
        assert!(kept[&("sqlite", 5)].with_extension("json").exists());
    }
}
