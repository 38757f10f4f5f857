//! Whoever waits for an answer to a message that is none gets one.

use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::mcp_lines::{Session, folder};

fn call(id: &str, path: &[u8]) -> Vec<u8> {
    let head = format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"read","arguments":{{"path":"#
    );
    [head.as_bytes(), path, b"}}}\n"].concat()
}

#[test]
fn a_call_that_cannot_be_read_is_a_call_that_failed() {
    let dir = folder();
    let mut session = Session::begun(dir.path(), &[]);
    let deep = ["[".repeat(200), "]".repeat(200)].concat().into_bytes();
    for (path, why) in [
        (&br#""h\ud800.txt""#[..], "half of a surrogate pair"),
        (b"\"h\xff.txt\"", "not UTF-8"),
        (&deep, "nested more than"),
    ] {
        session.send(&call("\"one\"", path));
        let answer = session.next_answer();
        assert_eq!((&answer["id"], &answer["result"]["isError"]), (&json!("one"), &json!(true)), "{answer}");
        assert_eq!(answer["result"]["_meta"]["dev.read-tool/error"]["code"], "invalid_arguments");
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(text.starts_with("The call cannot be read: ") && text.contains(why), "{text}");
        assert!(answer["result"].get("resultType").is_none(), "none before 2026-07-28");
    }
    session.is_well(2);
    let (status, said) = session.end();
    assert_eq!((status, said.lines().count()), (Some(0), 3), "{said}");
    assert!(
        said.lines().all(|line| line.starts_with("read-tool: a line of the client is no message: ")),
        "{said}"
    );
}

#[test]
fn a_malformed_request_is_an_error_with_its_id() {
    let dir = folder();
    let mut session = Session::begun(dir.path(), &[]);
    for (line, id, code) in [
        (r#"{"id":"a","method":"ping"}"#, json!("a"), -32600),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, json!(1.5), -32600),
        (r#"{"jsonrpc":"2.0","id":3,"method":"ping","params":[1]}"#, json!(3), -32602),
        (
            r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"read","_meta":5}}"#,
            json!(4),
            -32602,
        ),
        (r#"{"jsonrpc":"2.0","id":6,"method":"initialize","params":{}}"#, json!(6), -32602),
        (r#"{"jsonrpc":"2.0","id":7,"method":"ping",}"#, json!(7), -32700),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, Value::Null, -32600),
        ("nothing at all", Value::Null, -32700),
        ("[]", Value::Null, -32600),
    ] {
        session.send(format!("{line}\n").as_bytes());
        let answer = session.next_answer();
        assert!(answer.as_object().unwrap().contains_key("id"), "{line}: {answer}");
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(code)), "{line}: {answer}");
    }
    session.is_well(8);
}

#[test]
fn a_batch_is_answered_one_by_one() {
    let dir = folder();
    let mut session = Session::begun(dir.path(), &[]);
    let read = json!({ "name": "read", "arguments": { "path": "f.txt" } });
    session.say(&json!([
        { "jsonrpc": "2.0", "id": "b1", "method": "ping" },
        { "jsonrpc": "2.0", "method": "notifications/nobody/knows" },
        { "jsonrpc": "2.0", "id": "b2", "method": "tools/call", "params": read },
        { "jsonrpc": "2.0", "id": "b3" },
    ]));
    let mut ids: Vec<_> = (0..3).map(|_| session.next_answer()["id"].as_str().unwrap().to_owned()).collect();
    ids.sort_unstable();
    assert_eq!(ids, ["b1", "b2", "b3"]);
    session.is_well(1);
}

#[test]
fn before_the_handshake_it_is_said_what_is_missing() {
    let dir = folder();
    let mut session = Session::new(dir.path(), &[]);
    let client = json!({ "name": "lines", "version": "1" });
    for (id, params, name) in [
        (1, json!({ "protocolVersion": "2025-06-18", "capabilities": {} }), "params.clientInfo"),
        (
            2,
            json!({ "protocolVersion": null, "capabilities": {}, "clientInfo": client }),
            "params.protocolVersion",
        ),
        (
            3,
            json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "lines" } }),
            "params.clientInfo.version",
        ),
    ] {
        session.say(&json!({ "jsonrpc": "2.0", "id": id, "method": "initialize", "params": params }));
        let error = session.answer(id)["error"].clone();
        assert_eq!(error["code"], -32602);
        assert!(error["message"].as_str().unwrap().contains(&format!(" {name} is missing")), "{error}");
    }
    session.call(4, "f.txt");
    assert!(session.answer(4)["error"]["message"].as_str().unwrap().contains("send initialize first"));
    // What the SDK refuses begins no session: strays stay strays.
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2099-01-01",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    session.say(&json!({ "jsonrpc": "2.0", "id": 5, "method": "tools/list", "params": { "_meta": meta } }));
    assert!(session.answer(5)["error"]["message"].as_str().unwrap().contains("protocol version"));
    session
        .say(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 7 } }));
    assert_eq!(session.begin(&json!({}))["result"]["serverInfo"]["name"], "read-tool");
    session.is_well(6);
}

#[test]
fn the_last_line_needs_no_line_end() {
    use std::io::Write;
    let dir = folder();
    for (last, answers) in [
        (
            r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read","arguments":{"path":"f.txt"}}}"#,
            "hello",
        ),
        (r#"{"jsonrpc":"2.0","id":2,"meth"#, "-32700"),
    ] {
        let mut server = Command::new(env!("CARGO_BIN_EXE_read-tool"))
            .arg("mcp")
            .current_dir(dir.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let client = json!({ "name": "lines", "version": "1" });
        let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
        let first = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
        write!(server.stdin.take().unwrap(), "{first}\n{last}").unwrap();
        let output = server.wait_with_output().unwrap();
        let written = String::from_utf8(output.stdout).unwrap();
        assert_eq!((output.status.code(), written.lines().count()), (Some(0), 2), "{written}");
        assert!(written.lines().nth(1).unwrap().contains(answers), "{written}");
    }
}
