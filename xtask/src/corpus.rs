//! `corpus`: files that other projects test with, read through and compared with independent programs.

mod archives;
mod encodings;
mod fetch;
mod images;
mod tally;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::workspace::Workspace;
use crate::{Command, release};
use tally::{Outcome, Tally};

pub(crate) const COMMAND: Command = Command {
    name: "corpus",
    arguments: "[--from FOLDER]…",
    about: "Fetches test files of other projects through apt into target/corpus, reads them with the\n\
            built read-tool, and compares with bsdtar, ImageMagick and the files' own right answers. Each --from adds a\n\
            folder of files that are there already. Prints the table of docs/corpora.md, and each disagreement.",
    run,
};

/// The program, and where it is called.
struct Tool {
    program: PathBuf,
}

impl Tool {
    /// What a read gives on standard output, without caps, or its error.
    fn read(&self, file: &Path, rest: &str, options: &[&str]) -> Result<Result<Vec<u8>, String>> {
        let folder = file.parent().context("a file without a folder")?;
        let name = file.file_name().and_then(|name| name.to_str()).context("a file with an odd name")?;
        let mut command = std::process::Command::new(&self.program);
        command
            .args(["--max-lines", "0", "--max-bytes", "0"])
            .args(options)
            .arg("--")
            .arg(format!("./{name}{rest}"));
        let output = match command.current_dir(folder).output() {
            Err(error) if error.kind() == std::io::ErrorKind::ArgumentListTooLong => {
                return Ok(Err("its name is longer than a command line".to_owned()));
            }
            output => output.context("read-tool cannot be started")?,
        };
        match output.status.code() {
            Some(0) => Ok(Ok(output.stdout)),
            Some(1) => Ok(Err(String::from_utf8_lossy(&output.stderr).trim().to_owned())),
            _ => bail!("read-tool ended with {} on {}{rest}", output.status, file.display()),
        }
    }
}

fn run(workspace: &Workspace, arguments: &[String]) -> Result<()> {
    let mut folders = Vec::new();
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match (argument.as_str(), arguments.next()) {
            ("--from", Some(folder)) => {
                let folder = Path::new(folder);
                let name = folder
                    .file_name()
                    .map_or_else(|| "files".into(), |name| name.to_string_lossy().into_owned());
                folders.push((
                    name,
                    folder.canonicalize().with_context(|| format!("{} is not there", folder.display()))?,
                ));
            }
            _ => bail!("corpus takes --from FOLDER and nothing else"),
        }
    }
    let tool = Tool { program: release::built(workspace, "read-tool")? };
    folders.splice(0..0, fetch::all(workspace));
    let mut tallies = Vec::new();
    for (name, folder) in folders {
        let mut tally = Tally::new(name);
        for file in files(&folder)? {
            judge(&tool, &file, &mut tally)?;
        }
        tallies.push(tally);
    }
    print!("{}", tally::table(&tallies));
    Ok(())
}

fn judge(tool: &Tool, file: &Path, tally: &mut Tally) -> Result<()> {
    let name = file.file_name().map_or_else(String::new, |name| name.to_string_lossy().to_lowercase());
    let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    if ends(&[".zip", ".tar", ".tar.gz", ".tgz", ".whl", ".jar"]) {
        archives::compare(tool, file, tally)
    } else if ends(&[".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff"]) {
        images::compare(tool, file, tally)
    } else if ends(&["-utf8.txt"]) {
        encodings::compare(tool, file, tally)
    } else {
        Ok(())
    }
}

/// Files below a folder in the order of their paths; links are not followed.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in
            std::fs::read_dir(&folder).with_context(|| format!("{} cannot be listed", folder.display()))?
        {
            let entry = entry?;
            let kind = entry.file_type()?;
            if kind.is_dir() {
                open.push(entry.path());
            } else if kind.is_file() {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}

/// What another program prints; `None` where it fails, or cannot be asked: some names are longer than a command line.
fn oracle(program: &str, arguments: &[&std::ffi::OsStr]) -> Result<Option<Vec<u8>>> {
    match std::process::Command::new(program).args(arguments).output() {
        Ok(output) => Ok(output.status.success().then_some(output.stdout)),
        Err(error) if error.kind() == std::io::ErrorKind::ArgumentListTooLong => Ok(None),
        Err(error) => Err(error).with_context(|| format!("{program} cannot be started: install it")),
    }
}
