//! The schemas themselves.

use serde_json::{Map, Value, json};

/// The arguments, as JSON Schema.
pub(super) fn input(anchors: bool) -> Map<String, Value> {
    let mut properties = object(json!({
        "path": {
            "type": "string",
            "description": "The target: a path, relative to the workspace or absolute, and what may follow it behind a \
                colon: `src/ui.rs`, `src/ui.rs:200-260`, `logs/app.log:-50`.",
        },
        "offset": {
            "type": "integer",
            "minimum": 1,
            "description": "The first line, counted from 1. Only without a selector in the path.",
        },
        "limit": {
            "type": "integer",
            "minimum": 1,
            "description": "How many lines.",
        },
        "encoding": {
            "type": "string",
            "description": "Decode as this, not as detected: a WHATWG label such as `gbk` or `windows-1252`. Only when \
                text came out garbled.",
        },
    }));
    if anchors {
        let anchor = json!({
            "type": "boolean",
            "description": "Anchor the lines for edits; `false` shows them plain.",
        });
        properties.insert("hashline".to_owned(), anchor);
    }
    object(json!({ "type": "object", "properties": properties, "required": ["path"] }))
}

/// Structured content, as JSON Schema.
pub(super) fn output() -> Map<String, Value> {
    object(json!({
        "type": "object",
        "properties": {
            "text": {
                "type": "string",
                "description": "The text that the content blocks hold, notices included.",
            },
            "details": {
                "type": "object",
                "description": "Where it came from, what was shown, what was left out.",
                "properties": {
                    "reader": { "type": "string" },
                    "path": { "type": "string" },
                    "resolved_path": { "type": "string" },
                    "total_lines": { "type": ["integer", "null"] },
                    "truncated": {
                        "type": ["object", "null"],
                        "properties": {
                            "by": { "type": "string" },
                            "next": { "type": "integer" },
                            "next_target": { "type": ["string", "null"] },
                        },
                    },
                    "notices": { "type": "array", "items": { "type": "string" } },
                },
                "required": ["reader", "path", "resolved_path", "notices"],
            },
        },
        "required": ["text", "details"],
    }))
}

/// A schema in the subset of `OpenAPI` 3.0 that Gemini takes: its types are the names of an enumeration.
pub(super) fn for_gemini(schema: &Map<String, Value>) -> Value {
    let entries = schema.iter().map(|(key, value)| {
        let value = match (key.as_str(), value) {
            ("type", Value::String(name)) => Value::from(name.to_uppercase()),
            ("properties", Value::Object(properties)) => properties
                .iter()
                .map(|(name, property)| match property {
                    Value::Object(property) => (name.clone(), for_gemini(property)),
                    other => (name.clone(), other.clone()),
                })
                .collect::<Map<_, _>>()
                .into(),
            (_, value) => value.clone(),
        };
        (key.clone(), value)
    });
    Value::Object(entries.collect())
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
