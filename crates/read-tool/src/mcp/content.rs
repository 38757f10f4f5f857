//! How an output becomes the result of a tool call.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{CallToolResult, ContentBlock, MetaObject};
use serde_json::{Map, Value, json};

use crate::{Block, ReadError, ReadOutput, Text};

/// The key in a result's `_meta` under which the details of a read stand.
pub const DETAILS_KEY: &str = "dev.read-tool/details";

/// The key in a result's `_meta` under which an error's code, correctability and suggestions stand.
pub const ERROR_KEY: &str = "dev.read-tool/error";

/// The result of a read that gave something.
pub(super) fn shown(output: &ReadOutput, structured: bool) -> CallToolResult {
    let mut blocks = Vec::with_capacity(output.blocks.len());
    let mut raw = false;
    for block in &output.blocks {
        match block {
            Block::Text(text) => {
                raw |= matches!(text, Text::Raw(_));
                blocks.push(ContentBlock::text(output.decode(text).into_owned()));
            }
            Block::Image(image) => {
                blocks.push(ContentBlock::image(STANDARD.encode(&image.data), image.media_type));
            }
            // A kind of block that core gains later is none of the protocol's until it is mapped here.
            _ => {}
        }
    }
    // Raw text has no notice in it; what is to be said of it is said beside.
    if raw && !output.details.notices.is_empty() {
        blocks.push(ContentBlock::text(bracketed(&output.details.notices)));
    }
    let details = serde_json::to_value(&output.details).unwrap_or_default();
    let mut result = CallToolResult::success(blocks);
    if structured {
        result.structured_content = Some(json!({ "text": text_of(&result.content), "details": details }));
    }
    result.meta = Some(meta(DETAILS_KEY, details));
    result
}

/// The result of a read that failed.
pub(super) fn failed(error: &ReadError) -> CallToolResult {
    let mut result = CallToolResult::error(vec![ContentBlock::text(error.message())]);
    let record = json!({
        "code": error.code().as_str(),
        "correctable": error.is_correctable(),
        "suggestions": error.suggestions(),
    });
    result.meta = Some(meta(ERROR_KEY, record));
    result
}

fn bracketed(notices: &[String]) -> String {
    notices.iter().map(|notice| format!("[{notice}]")).collect::<Vec<_>>().join("\n")
}

/// What the text blocks say, as one text.
fn text_of(blocks: &[ContentBlock]) -> String {
    let texts = blocks.iter().filter_map(|block| block.as_text()).map(|text| text.text.as_str());
    texts.collect::<Vec<_>>().join("\n")
}

fn meta(key: &str, value: Value) -> MetaObject {
    MetaObject(Map::from_iter([(key.to_owned(), value)]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Details, ErrorCode, ImageBlock, Truncated, TruncatedBy};

    fn json_of(result: &CallToolResult) -> Value {
        serde_json::to_value(result).unwrap()
    }

    #[test]
    fn images_are_image_content() {
        let image = ImageBlock::new("image/png", vec![1, 2, 3]);
        let mut output = ReadOutput::text("[Image: a.png]", Details::default());
        output.blocks.push(Block::Image(image));
        let result = json_of(&shown(&output, false));
        assert_eq!(result["content"][0]["text"], "[Image: a.png]");
        assert_eq!(result["content"][1], json!({ "type": "image", "mimeType": "image/png", "data": "AQID" }));
        assert!(result["structuredContent"].is_null());
        assert_eq!(result["_meta"][DETAILS_KEY]["lossy"], false);
    }

    #[test]
    fn notices_of_raw_text_are_a_block_of_their_own() {
        let details = Details::default();
        let mut output = ReadOutput::new(vec![Block::Text(Text::Raw(b"a\nb\n".to_vec()))], details);
        assert_eq!(json_of(&shown(&output, false))["content"].as_array().unwrap().len(), 1);
        output.details.notices = vec!["Opened 'b'".into()];
        assert_eq!(json_of(&shown(&output, false))["content"][1]["text"], "[Opened 'b']");
        output.details.notices.push("Showing lines 1-2 of 9".into());
        output.details.truncated = Some(Truncated::new(TruncatedBy::Lines, 3, Some("a:raw:3-".into())));
        let result = json_of(&shown(&output, true));
        assert_eq!(result["content"][0]["text"], "a\nb\n");
        assert_eq!(result["content"][1]["text"], "[Opened 'b']\n[Showing lines 1-2 of 9]");
        assert!(result["structuredContent"]["text"].as_str().unwrap().starts_with("a\nb\n"));
        assert_eq!(result["structuredContent"]["details"]["truncated"]["next"], 3);
    }

    #[test]
    fn an_error_is_a_result() {
        let error = ReadError::new(ErrorCode::NotFound, "'a' not found").with_suggestions(["b".into()]);
        let result = json_of(&failed(&error));
        assert_eq!(
            (&result["isError"], &result["content"][0]["text"]),
            (&json!(true), &json!("'a' not found"))
        );
        assert_eq!(
            result["_meta"][ERROR_KEY],
            json!({ "code": "not_found", "correctable": true, "suggestions": ["b"] })
        );
    }
}
