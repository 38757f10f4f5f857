//! What goes to the two streams.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write};

use base64::Engine;
use serde_json::{Value, json};

use crate::{Block, ReadError, ReadOutput, Text};

/// Prints what a model would get: text with a final newline, raw bytes as they are.
pub(super) fn output(output: &ReadOutput, as_json: bool) -> io::Result<()> {
    let mut out = io::stdout().lock();
    if as_json {
        writeln!(out, "{}", document(output))?;
        return out.flush();
    }
    let terminal = out.is_terminal();
    let mut raw = false;
    for block in &output.blocks {
        match block {
            Block::Text(Text::Shown(text)) => {
                out.write_all(on_terminal(text, terminal).as_bytes())?;
                if !text.is_empty() && !text.ends_with('\n') {
                    out.write_all(b"\n")?;
                }
            }
            Block::Text(Text::Raw(bytes)) => {
                out.write_all(bytes)?;
                raw = true;
            }
            // Its text block says what it is.
            _ => {}
        }
    }
    out.flush()?;
    if raw {
        for notice in &output.details.notices {
            say(notice);
        }
    }
    Ok(())
}

/// Prints why nothing was read.
pub(super) fn error(error: &ReadError, as_json: bool) {
    if as_json {
        let document = json!({ "error": {
            "code": error.code().as_str(),
            "message": error.message(),
            "correctable": error.is_correctable(),
            "suggestions": error.suggestions(),
        }});
        // When nobody listens, the exit status still tells.
        let _ = out(&format!("{document}\n"));
    } else {
        say(error.message());
    }
}

/// Prints text on standard output.
pub(super) fn out(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(on_terminal(text, out.is_terminal()).as_bytes())?;
    out.flush()
}

/// Says something on standard error. A stream that is closed is no reason to fail.
pub(super) fn say(message: &str) {
    let mut err = io::stderr().lock();
    // In one piece: where the stream is another one's too, nothing gets in between.
    let message = format!("read-tool: {}\n", on_terminal(message, err.is_terminal()));
    let _ = err.write_all(message.as_bytes());
}

fn document(output: &ReadOutput) -> Value {
    let content: Vec<Value> = output
        .blocks
        .iter()
        .filter_map(|block| match block {
            Block::Text(text) => Some(json!({ "type": "text", "text": output.decode(text) })),
            Block::Image(image) => {
                let data = base64::engine::general_purpose::STANDARD.encode(&image.data);
                Some(json!({ "type": "image", "mimeType": image.media_type, "data": data }))
            }
            _ => None,
        })
        .collect();
    json!({ "content": content, "details": output.details })
}

/// Text for a terminal: control characters are shown, not obeyed.
fn on_terminal(text: &str, terminal: bool) -> Cow<'_, str> {
    let acts = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    if !terminal || !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().fold(String::with_capacity(text.len()), |mut out, c| {
        if acts(c) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
        out
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_is_not_driven_by_content() {
        assert_eq!(on_terminal("a\x1b[31mb\n\tc", true), "a\\u{1b}[31mb\n\tc");
        assert_eq!(on_terminal("a\x1b[31mb", false), "a\x1b[31mb");
    }
}
