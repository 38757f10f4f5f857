//! Whether an answer is right: every line proves itself, and all are of one state of the file.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use read_tool::mcp::{DETAILS_KEY, ERROR_KEY};
use serde_json::Value;

use super::proof::{self, LENGTH, Proof};
use super::reads::{Read, Shape};
use super::writer::{colour, row_proof};
use super::zoo::{Kind, side};

/// Errors that a file may be the reason of that changes just now.
const EXCUSED: [&str; 4] = ["busy", "not_found", "resolution_changed", "invalid_arguments"];

/// What was said, and what is wrong with it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Said {
    /// `answer`, `answer that tells of a change`, or the error's code.
    pub(super) word: String,
    pub(super) wrong: Option<String>,
}

/// Judges one answer of the server.
pub(super) fn judge(read: &Read, message: &Value) -> Said {
    let Some(result) = message.get("result") else {
        return Said {
            word: "protocol error".into(),
            wrong: Some(told(read, &format!("a protocol error: {message}"))),
        };
    };
    if result.get("isError").and_then(Value::as_bool) == Some(true) {
        let error = result.get("_meta").and_then(|meta| meta.get(ERROR_KEY));
        let code = error.and_then(|error| error.get("code")).and_then(Value::as_str).unwrap_or("none");
        let excused =
            EXCUSED.contains(&code) || read.kind == Kind::Rewritten && code == "unsupported_content";
        let wrong = (!excused).then(|| told(read, &format!("{code}: {}", text(result))));
        return Said { word: format!("error: {code}"), wrong };
    }
    let details = result.get("_meta").and_then(|meta| meta.get(DETAILS_KEY)).cloned().unwrap_or_default();
    let notices = details.get("notices").and_then(Value::as_array).cloned().unwrap_or_default();
    let is_changed = notices.iter().filter_map(Value::as_str).any(|notice| notice.contains("changed"));
    let word = if is_changed { "answer that tells of a change" } else { "answer" };
    let wrong = match &read.shape {
        Shape::Lines { proof, first } => lines(read, &text(result), proof, *first, is_changed, &details),
        Shape::Dump { proof, first } => dump(read, &text(result), proof, *first, is_changed, &details),
        Shape::Rows { first } => rows(&text(result), *first),
        Shape::Row { id } => row(&text(result), *id),
        Shape::Image => image(result),
        Shape::Names(names) => listing(&text(result), names),
        Shape::Facts => None,
    };
    Said { word: word.into(), wrong: wrong.map(|wrong| told(read, &wrong)) }
}

fn told(read: &Read, what: &str) -> String {
    let what: String = what.chars().take(600).collect();
    format!("{}: {what}", read.arguments())
}

/// The first text of a result; a raw read's notices stand in a second one.
fn text(result: &Value) -> String {
    let text = result.pointer("/content/0/text").and_then(Value::as_str);
    text.unwrap_or_default().to_owned()
}

/// The lines without notices and without what says that the window is empty.
fn content(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| {
        let is_notice = line.starts_with('[') && line.ends_with(']');
        !(line.is_empty() || is_notice || line.contains(" is beyond end of "))
    })
}

fn lines(
    read: &Read,
    text: &str,
    file: &str,
    first: Option<u64>,
    is_changed: bool,
    details: &Value,
) -> Option<String> {
    judge_lines(read, content(text), file, first, is_changed, details)
}

fn judge_lines<'a>(
    read: &Read,
    lines: impl Iterator<Item = &'a str>,
    file: &str,
    first: Option<u64>,
    is_changed: bool,
    details: &Value,
) -> Option<String> {
    let mut proofs: Vec<Proof> = Vec::new();
    for line in lines {
        match proof::proven(line) {
            Some(proof) if proof.file == file => proofs.push(proof),
            Some(_) => return Some(format!("a line of another file: {line}")),
            // A line that is being written while it is read may be torn; it cannot be known from outside.
            None if read.kind == Kind::Rewritten => return None,
            None => return Some(format!("no line of any version: {line:?}")),
        }
    }
    if let (Some(first), Some(proof)) = (first, proofs.first())
        && proof.line != first
    {
        return Some(format!("begins with line {} and not {first}", proof.line));
    }
    for (one, next) in proofs.iter().zip(proofs.iter().skip(1)) {
        if next.line != one.line + 1 {
            return Some(format!("line {} follows line {}", next.line, one.line));
        }
        // A file that is rewritten where it lies is, in truth, the new version up to some place and the old one behind.
        let is_state =
            next.version == one.version || read.kind == Kind::Rewritten && next.version < one.version;
        if !is_state && !is_changed {
            return Some(format!(
                "line {} is of version {}, and the next of {}",
                one.line, one.version, next.version
            ));
        }
    }
    let versions = proofs.first().zip(proofs.last());
    if let Some((first, last)) = versions
        && read.kind != Kind::Rewritten
        && first.version == last.version
        && !is_changed
        && let Some(total) = details.get("total_lines").and_then(Value::as_u64)
        && read.kind != Kind::Database
        && total != proof::lines(first.version)
    {
        return Some(format!("{total} lines are told of version {}, which has others", first.version));
    }
    None
}

/// A dump is read back: 16 bytes a row, of whole lines.
fn dump(
    read: &Read,
    text: &str,
    file: &str,
    first: u64,
    is_changed: bool,
    details: &Value,
) -> Option<String> {
    let mut bytes = Vec::new();
    for row in content(text) {
        let Some((digits, _)) = row.split_once("  |") else { continue };
        let digits = digits.split_whitespace().skip(1);
        bytes.extend(digits.filter_map(|digits| u8::from_str_radix(digits, 16).ok()));
    }
    // The end of a shorter version cuts the last line.
    let whole = bytes.len() / LENGTH * LENGTH;
    let shown = String::from_utf8_lossy(bytes.get(..whole).unwrap_or_default()).into_owned();
    let mut facts = details.clone();
    if let Some(facts) = facts.as_object_mut() {
        facts.remove("total_lines");
    }
    judge_lines(read, shown.lines(), file, Some(first), is_changed, &facts)
}

/// Rows of `id`, `version` and `proof`, all of one transaction.
fn rows(text: &str, first: u64) -> Option<String> {
    let mut version = None;
    let mut expected = first;
    for line in text.lines().filter(|line| line.starts_with('|')) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [id, of, proof, ..] = cells.as_slice() else { return Some(format!("no row: {line}")) };
        let (Ok(id), Ok(of)) = (id.parse::<u64>(), of.parse::<u64>()) else { continue };
        if *proof != row_proof(id, of) {
            return Some(format!("a wrong row: {line}"));
        }
        if id != expected {
            return Some(format!("row {id} where {expected} is due"));
        }
        if *version.get_or_insert(of) != of {
            return Some(format!("rows of two transactions: {line}"));
        }
        expected += 1;
    }
    version.is_none().then(|| format!("no rows: {text:.200}"))
}

fn row(text: &str, id: u64) -> Option<String> {
    let value = |name: &str| {
        let mut lines = text.lines();
        lines
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
            .unwrap_or_default()
            .trim()
            .to_owned()
    };
    let version = value("version").parse::<u64>().unwrap_or(0);
    let line = proof::proven(&value("line"));
    let is_right = value("id") == id.to_string()
        && value("proof") == row_proof(id, version)
        && line.is_some_and(|line| line.version == version && line.line == id);
    (!is_right).then(|| format!("a wrong row: {text:.300}"))
}

fn image(result: &Value) -> Option<String> {
    let blocks = result.get("content").and_then(Value::as_array).cloned().unwrap_or_default();
    let data = blocks.iter().find_map(|block| block.get("data")).and_then(Value::as_str);
    let bytes = data.and_then(|data| STANDARD.decode(data).ok()).unwrap_or_default();
    let Ok(image) = image::load_from_memory(&bytes) else { return Some("no image".to_owned()) };
    let image = image.to_rgb8();
    let mut colours = image.pixels().map(|pixel| pixel.0);
    let Some([a, b, c]) = colours.next() else { return Some("an empty image".to_owned()) };
    let version = u64::from(a) | u64::from(b) << 8;
    let is_right = colour(version) == [a, b, c]
        && colours.all(|other| other == [a, b, c])
        && (image.width(), image.height()) == (side(version), side(version));
    (!is_right).then(|| format!("an image of no version, {} × {}", image.width(), image.height()))
}

fn listing(text: &str, names: &[String]) -> Option<String> {
    for name in names {
        if !content(text).any(|line| line.starts_with(name.as_str())) {
            return Some(format!("{name} is not listed: {text:.300}"));
        }
    }
    content(text)
        .find(|line| !names.iter().any(|name| line.starts_with(name.as_str())))
        .map(|line| format!("listed: {line}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::soak::zoo::Zoo;
    use serde_json::json;

    fn answer(text: &str, notices: &[&str]) -> Value {
        json!({ "result": { "content": [{ "type": "text", "text": text }],
            "_meta": { DETAILS_KEY: { "notices": notices, "total_lines": null } } } })
    }

    /// A read of lines from the first on, of a file of this kind.
    fn read(kind: Kind) -> Read {
        let folder = tempfile::tempdir().unwrap();
        let zoo = Zoo::make(folder.path()).unwrap();
        let mut random = Random::new(&[1]);
        loop {
            let read = Read::choose(&zoo, &mut random);
            if read.kind == kind && matches!(read.shape, Shape::Lines { first: Some(1), .. }) {
                return read;
            }
        }
    }

    fn file(read: &Read) -> String {
        let Shape::Lines { proof, .. } = &read.shape else { unreachable!() };
        proof.clone()
    }

    fn of(file: &str, versions: &[u64]) -> String {
        let lines = versions.iter().zip(1..).map(|(version, line)| proof::line(file, *version, line) + "\n");
        lines.collect()
    }

    #[test]
    fn lines_of_one_version_are_right() {
        let read = read(Kind::Replaced);
        let said = judge(&read, &answer(&of(&file(&read), &[3, 3, 3]), &[]));
        assert_eq!(said, Said { word: "answer".into(), wrong: None });
    }

    #[test]
    fn mixtures_must_be_told() {
        let read = read(Kind::Replaced);
        let mixed = of(&file(&read), &[3, 3, 4]);
        assert!(judge(&read, &answer(&mixed, &[])).wrong.unwrap().contains("version 3"));
        assert_eq!(judge(&read, &answer(&mixed, &["r0.txt changed while it was read"])).wrong, None);
        // The new version in front of the old one is what lies on the disk while a file is rewritten; the other way round
        // it never is.
        let read = self::read(Kind::Rewritten);
        assert_eq!(judge(&read, &answer(&of(&file(&read), &[4, 4, 3]), &[])).wrong, None);
        assert!(judge(&read, &answer(&of(&file(&read), &[3, 4, 4]), &[])).wrong.is_some());
    }

    #[test]
    fn wrong_bytes_lines_and_files_are_found() {
        let read = read(Kind::Replaced);
        let file = file(&read);
        for text in [
            of(&file, &[3, 3]).replacen('v', "w", 1),
            of("other", &[3, 3]),
            of(&file, &[3, 3, 3]).lines().skip(1).collect::<Vec<_>>().join("\n"),
            of(&file, &[3]) + &of(&file, &[3]),
        ] {
            assert!(judge(&read, &answer(&text, &[])).wrong.is_some(), "{text}");
        }
    }

    #[test]
    fn errors_are_excused_by_their_code() {
        let read = read(Kind::Replaced);
        let error = |code: &str| {
            json!({ "result": { "isError": true, "content": [{ "type": "text", "text": "it" }],
                "_meta": { ERROR_KEY: { "code": code } } } })
        };
        assert_eq!(judge(&read, &error("busy")).wrong, None);
        assert!(judge(&read, &error("corrupt")).wrong.is_some());
        assert!(judge(&read, &json!({ "error": {} })).wrong.is_some());
    }

    #[test]
    fn rows_are_of_one_transaction() {
        let table = |versions: &[u64]| {
            let rows = versions
                .iter()
                .zip(7..)
                .map(|(version, id)| format!("| {id} | {version} | {} |\n", row_proof(id, *version)));
            format!("| id | version | proof |\n| --- | --- | --- |\n{}", rows.collect::<String>())
        };
        assert_eq!(rows(&table(&[2, 2]), 7), None);
        assert!(rows(&table(&[2, 3]), 7).unwrap().contains("two transactions"));
        assert!(rows(&table(&[2, 2]), 8).is_some());
        assert!(rows("nothing", 7).is_some());
    }
}
