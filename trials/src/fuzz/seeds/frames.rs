//! Lines of the server's protocol: what clients send, and what they may.

use serde_json::{Value, json};

use super::Seed;

fn request(id: impl Into<Value>, method: &str, params: &Value) -> Value {
    let id: Value = id.into();
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

fn notice(method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

fn call(id: u64, arguments: &Value) -> Value {
    request(
        id,
        "tools/call",
        &json!({ "name": "read", "arguments": arguments, "_meta": { "progressToken": id } }),
    )
}

pub(super) fn seeds() -> Vec<Seed> {
    let client = json!({ "name": "trial", "version": "1" });
    let begin =
        json!({ "protocolVersion": "2025-06-18", "capabilities": { "roots": {} }, "clientInfo": client });
    let conversations = [
        vec![request(1, "ping", &json!({}))],
        vec![request(2, "tools/list", &json!({})), request("3", "tools/list", &json!({ "cursor": "x" }))],
        vec![
            call(4, &json!({ "path": "f.txt" })),
            call(5, &json!({ "path": "d.zip:a.txt:1-2", "limit": "3" })),
        ],
        vec![
            call(6, &json!({ "path": "long.txt:-5" })),
            notice("notifications/cancelled", &json!({ "requestId": 6 })),
        ],
        vec![request(7, "initialize", &begin), notice("notifications/initialized", &json!({}))],
        vec![notice("notifications/roots/list_changed", &json!({}))],
        vec![json!({ "jsonrpc": "2.0", "id": 1, "result": { "roots": [{ "uri": "file:///" }] } })],
        vec![json!({ "jsonrpc": "2.0", "id": 2, "error": { "code": -1, "message": "no" } })],
        vec![json!([request(8, "ping", &json!({})), request(9, "ping", &json!({}))])],
        vec![request(10, "resources/list", &json!({})), request(11, "prompts/get", &json!({ "name": "x" }))],
        vec![request(12, "logging/setLevel", &json!({ "level": "debug" }))],
        vec![request(13, "completion/complete", &json!({ "ref": {}, "argument": {} }))],
        vec![request(14, "tools/call", &json!({ "name": "write", "arguments": null }))],
        vec![request(1.5, "ping", &json!([])), request(Value::Null, "ping", &Value::Null)],
        vec![notice("notifications/progress", &json!({ "progressToken": 1, "progress": 1e308 }))],
        (20..40).map(|id| call(id, &json!({ "path": "d.zip" }))).collect(),
    ];
    conversations
        .into_iter()
        .map(|lines| {
            Seed::new(lines.iter().fold(String::new(), |text, line| text + &line.to_string() + "\n"))
        })
        .collect()
}
