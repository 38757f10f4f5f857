//! Legacy encodings: a text beside the same text in UTF-8.

use std::path::Path;

use anyhow::{Context, Result};

use super::{Outcome, Tally, Tool};

/// What the file names call an encoding that the standard's labels call otherwise.
const LABELS: &[(&str, &str)] = &[
    ("cp949", "euc-kr"),
    ("big5hkscs", "big5"),
    ("gb2312", "gbk"),
    ("euc_jp", "euc-jp"),
    ("euc_kr", "euc-kr"),
    ("iso2022_jp", "iso-2022-jp"),
];

/// Compares the text that stands beside its right answer, which is `file`.
pub(super) fn compare(tool: &Tool, file: &Path, tally: &mut Tally) -> Result<()> {
    let name = file.file_name().and_then(|name| name.to_str()).context("an odd name")?;
    let Some(encoding) = name.strip_suffix("-utf8.txt") else { return Ok(()) };
    let encoded = file.with_file_name(format!("{encoding}.txt"));
    if !encoded.exists() {
        return Ok(());
    }
    let label = LABELS.iter().find(|(known, _)| *known == encoding).map_or(encoding, |(_, label)| label);
    let right = std::fs::read_to_string(file).with_context(|| format!("{name} is no UTF-8"))?;
    for (kind, options) in [("encodings named", vec!["--encoding", label]), ("encodings detected", vec![])] {
        match tool.read(&encoded, "", &options)? {
            Ok(ours) => {
                let ours = String::from_utf8_lossy(&ours);
                // The notice of how it was decoded stands below; line ends are shown as line feeds.
                let agrees = ours.starts_with(right.replace("\r\n", "\n").trim_end());
                let outcome = if agrees { Outcome::Agree } else { Outcome::Differ };
                tally.add(kind, outcome, encoding, "");
            }
            Err(error) => tally.add(kind, Outcome::OnlyTheyShow, encoding, &error),
        }
    }
    Ok(())
}
