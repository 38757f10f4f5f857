//! Images: the size that `ImageMagick` gives after orientation.

use std::ffi::OsString;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use super::{Outcome, Tally, Tool, oracle};

pub(super) fn compare(tool: &Tool, file: &Path, tally: &mut Tally) -> Result<()> {
    let shown = file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let mut first = OsString::from(file);
    first.push("[0]");
    let arguments =
        [first.as_os_str(), "-auto-orient".as_ref(), "-format".as_ref(), "%wx%h".as_ref(), "info:".as_ref()];
    let theirs = oracle("convert", &arguments)?.map(|size| String::from_utf8_lossy(&size).into_owned());
    let ours = tool.read(file, "", &["--json"])?;
    match (theirs, ours) {
        (Some(theirs), Ok(answer)) => {
            let Some(ours) = size(&answer).with_context(|| format!("{shown} has no details"))? else {
                tally.add("images", Outcome::OnlyTheyShow, &shown, "not shown as an image");
                return Ok(());
            };
            let outcome = if ours == theirs { Outcome::Agree } else { Outcome::Differ };
            tally.add("images", outcome, &shown, &format!("{ours}, not {theirs}"));
        }
        (Some(_), Err(error)) => tally.add("images", Outcome::OnlyTheyShow, &shown, &message(&error)),
        (None, Ok(_)) => tally.add("images", Outcome::OnlyWeShow, &shown, "ImageMagick fails"),
        (None, Err(_)) => tally.add("images", Outcome::BothRefuse, &shown, ""),
    }
    Ok(())
}

/// The original size in the details of an answer; `None` when it shows no image.
fn size(answer: &[u8]) -> Result<Option<String>> {
    let answer: Value = serde_json::from_slice(answer)?;
    let side =
        |key: &str| answer.pointer("/details/image").and_then(|image| image.get(key)).and_then(Value::as_u64);
    Ok(side("original_width").zip(side("original_height")).map(|(width, height)| format!("{width}x{height}")))
}

/// The message of an error that was printed as JSON, or as text.
fn message(error: &str) -> String {
    let value: Option<Value> = serde_json::from_str(error).ok();
    let message = value.as_ref().and_then(|value| value.pointer("/error/message")).and_then(Value::as_str);
    message.unwrap_or(error).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_messages_are_found_in_json() {
        let answer =
            br#"{"details":{"image":{"width":1,"height":2,"original_width":10,"original_height":20}}}"#;
        assert_eq!(size(answer).unwrap().as_deref(), Some("10x20"));
        assert_eq!(size(b"{}").unwrap(), None);
        assert_eq!(message(r#"{"error":{"message":"it is cut"}}"#), "it is cut");
        assert_eq!(message("as text"), "as text");
    }
}
