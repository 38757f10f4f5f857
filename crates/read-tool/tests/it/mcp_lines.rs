//! The server as a client sees it that sends lines of its own making: hostile ones, and none at all.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// So long may a loaded machine take for an answer.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) struct Session {
    child: Child,
    input: Option<ChildStdin>,
    answers: Receiver<Value>,
}

impl Session {
    pub(crate) fn new(dir: &Path, options: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_read-tool"))
            .arg("mcp")
            .args(options)
            .current_dir(dir)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        let (sender, answers) = channel();
        std::thread::spawn(move || {
            for line in output.lines() {
                // Whatever is on standard output is a message.
                let message = serde_json::from_str(&line.unwrap()).unwrap();
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Self { child, input, answers }
    }

    pub(crate) fn begun(dir: &Path, options: &[&str]) -> Self {
        let mut session = Self::new(dir, options);
        session.begin(&json!({}));
        session
    }

    pub(crate) fn begin(&mut self, capabilities: &Value) -> Value {
        let client = json!({ "name": "lines", "version": "1" });
        let params =
            json!({ "protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": client });
        self.say(&json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params }));
        let answer = self.answer(0);
        self.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        answer
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    pub(crate) fn say(&mut self, message: &Value) {
        self.send(format!("{message}\n").as_bytes());
    }

    pub(crate) fn call(&mut self, id: u64, path: &str) {
        let params = json!({ "name": "read", "arguments": { "path": path } });
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }));
    }

    /// The answer to request `id`; what comes before it is passed over.
    pub(crate) fn answer(&self, id: u64) -> Value {
        loop {
            let message = self.answers.recv_timeout(PATIENCE).unwrap();
            if message["id"] == id {
                return message;
            }
        }
    }

    /// The answer that comes next.
    pub(crate) fn next_answer(&self) -> Value {
        self.answers.recv_timeout(PATIENCE).unwrap()
    }

    /// The server is up, and reads.
    pub(crate) fn is_well(&mut self, id: u64) {
        self.call(id, "f.txt");
        assert_eq!(self.answer(id)["result"]["content"][0]["text"], "hello\n");
    }

    pub(crate) fn end(mut self) -> (Option<i32>, String) {
        drop(self.input.take());
        self.ended()
    }

    fn ended(mut self) -> (Option<i32>, String) {
        let mut said = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        (self.child.wait().unwrap().code(), said)
    }
}

pub(crate) fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("f.txt"), "hello\n").unwrap();
    dir
}

#[test]
fn nothing_that_is_no_message_ends_the_server() {
    let dir = folder();
    let mut session = Session::new(dir.path(), &[]);
    // Before the handshake …
    for line in [
        &b"\n"[..],
        b"not json\n",
        b"\xff\xfe\x00\n",
        b"[]\n",
        b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":7}}\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":98,\"method\":\"tools/list\"}\n",
    ] {
        session.send(line);
    }
    assert_eq!(session.answer(98)["error"]["code"], -32600, "no session, no list");
    assert_eq!(session.begin(&json!({}))["result"]["serverInfo"]["name"], "read-tool");
    // … and after it.
    let deep =
        [&b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":"[..], &b"[".repeat(100_000), b"\n"]
            .concat();
    for line in [
        &b"{\"jsonrpc\":\"2.0\",\"id\":5,\n"[..],
        b"\"method\":\"ping\"}\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}\n",
        b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/nobody/knows\"}\n",
        b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":12345}}\n",
        b"{\"jsonrpc\":\"2.0\",\"id\":12345,\"result\":{\"roots\":[]}}\n",
        b"\xc3\x28\n",
        &deep,
    ] {
        session.send(line);
        session.is_well(100);
    }
    for (id, method, params, code) in [
        (1, "nobody/knows", json!({}), -32601),
        (2, "tools/call", json!({ "name": "read", "arguments": ["f.txt"] }), -32602),
        (3, "tools/call", json!({}), -32602),
        (4, "tools/call", json!({ "name": "write", "arguments": {} }), -32602),
        (5, "resources/read", json!({ "uri": "file:///etc/passwd" }), -32601),
    ] {
        session.say(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        assert_eq!(session.answer(id)["error"]["code"], code, "{method} {params}");
    }
    session.is_well(101);
    let (status, said) = session.end();
    assert_eq!(status, Some(0));
    assert!(
        said.lines().all(|line| line.starts_with("read-tool: a line of the client is no message: ")),
        "{said}"
    );
    assert_eq!(said.lines().count(), 8, "{said}");
}

#[test]
fn a_message_of_a_hundred_megabytes_is_refused() {
    let dir = folder();
    let mut session = Session::begun(dir.path(), &[]);
    session.send(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"read\",\"arguments\":{\"path\":\"");
    let chunk = vec![b'x'; 1 << 20];
    for _ in 0..100 {
        session.send(&chunk);
    }
    session.send(b"\"}}}\n");
    let refused = session.answer(1)["result"].clone();
    assert_eq!(refused["isError"], true);
    assert!(
        refused["content"][0]["text"].as_str().unwrap().contains("it is longer than 16.0MB"),
        "{refused}"
    );
    session.is_well(2);
    session.call(3, &"x/".repeat(1 << 20));
    assert_eq!(session.answer(3)["result"]["isError"], true, "a target of 2 MiB is an error of its own");
    assert_eq!(session.end().0, Some(0));
}

#[test]
fn the_end_of_the_input_ends_the_server_when_all_is_answered() {
    let dir = folder();
    let mut session = Session::begun(dir.path(), &[]);
    for id in 1..=50 {
        session.call(id, "f.txt");
    }
    drop(session.input.take());
    let mut answered: Vec<_> =
        (0..50).map(|_| session.answers.recv_timeout(PATIENCE).unwrap()["id"].as_u64()).collect();
    answered.sort_unstable();
    assert_eq!(answered, (1..=50).map(Some).collect::<Vec<_>>());
    assert_eq!(session.ended(), (Some(0), String::new()));
    // Also when nothing was ever said.
    assert_eq!(Session::new(dir.path(), &[]).end(), (Some(0), String::new()));
    let mut session = Session::new(dir.path(), &[]);
    session.send(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"meth");
    assert_eq!(session.end().0, Some(0));
}

#[test]
fn signals_end_the_server_in_the_midst_of_a_read() {
    let dir = folder();
    let path = dir.path().join("endless.txt");
    fs::write(&path, "a line\n".repeat(20_000)).unwrap();
    fs::File::options().write(true).open(&path).unwrap().set_len(100 << 30).unwrap();
    for signal in ["-TERM", "-INT"] {
        let mut session = Session::begun(dir.path(), &["--timeout", "0"]);
        session.call(1, "endless.txt:30000-");
        session.is_well(2);
        let sent = Command::new("kill").args([signal, &session.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        assert_eq!(session.ended(), (Some(0), String::new()), "{signal}");
    }
}

#[test]
fn a_client_that_cannot_list_its_roots_has_named_none() {
    let dir = folder();
    let mut session = Session::new(dir.path(), &[]);
    session.begin(&json!({ "roots": {} }));
    let asked = session.answers.recv_timeout(PATIENCE).unwrap();
    assert_eq!(asked["method"], "roots/list");
    session.call(1, "f.txt");
    let error = json!({ "code": -32601, "message": "what roots?" });
    session.say(&json!({ "jsonrpc": "2.0", "id": asked["id"], "error": error }));
    assert_eq!(
        session.answer(1)["result"]["content"][0]["text"],
        "hello\n",
        "the read has waited for the roots"
    );
    let (status, said) = session.end();
    assert_eq!(status, Some(0));
    assert!(
        said.starts_with("read-tool: the client names no roots (") && said.lines().count() == 1,
        "{said}"
    );
}

#[test]
fn a_client_without_a_handshake_is_served_and_asked_for_its_roots_by_a_result() {
    let dir = folder();
    fs::create_dir(dir.path().join("sub")).unwrap();
    let mut session = Session::new(dir.path(), &[]);
    let mut request = |id: u64, method: &str, capabilities: Value, mut params: Value| {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "lines", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        });
        session.say(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        session.answer(id)["result"].clone()
    };
    let looked = request(1, "server/discover", json!({}), json!({}));
    assert!(looked["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")), "{looked}");
    assert_eq!(request(2, "tools/list", json!({}), json!({}))["tools"][0]["name"], "read");
    let call = json!({ "name": "read", "arguments": { "path": "f.txt" } });
    assert_eq!(request(3, "tools/call", json!({}), call.clone())["content"][0]["text"], "hello\n");
    let asked = request(4, "tools/call", json!({ "roots": {} }), call.clone());
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    assert_eq!(asked["inputRequests"]["roots"]["method"], "roots/list", "{asked}");
    let sub = format!("file://{}/sub", dir.path().canonicalize().unwrap().display());
    let mut again = call.clone();
    again["inputResponses"] = json!({ "roots": { "roots": [{ "uri": sub }] } });
    for (id, call) in [(5, again), (6, call)] {
        let answer = request(id, "tools/call", json!({ "roots": {} }), call);
        assert_eq!(answer["_meta"]["dev.read-tool/error"]["code"], "not_found", "{answer}");
    }
}

#[test]
fn no_one_serves_everything_by_accident() {
    let dir = folder();
    let run = |current: &Path, home: &Path, options: &[&str]| -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_read-tool"));
        command.arg("mcp").args(options).current_dir(current).env("HOME", home).stdin(Stdio::null());
        command.output().unwrap()
    };
    let elsewhere = Path::new("/nonexistent");
    for output in [run(Path::new("/"), elsewhere, &[]), run(dir.path(), dir.path(), &[])] {
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(
            said.starts_with("read-tool: the current directory is ") && said.contains("--root DIR"),
            "{said}"
        );
    }
    assert_eq!(run(dir.path(), elsewhere, &[]).status.code(), Some(0));
    let root = dir.path().to_str().unwrap();
    assert_eq!(run(Path::new("/"), elsewhere, &["--root", root]).status.code(), Some(0));
    for fine in [&["--host-reads"][..], &["--symlinks", "none"]] {
        assert_eq!(
            run(dir.path(), elsewhere, fine).status.code(),
            Some(0),
            "the server has a root: {fine:?}"
        );
    }
    for usage in [&["--root", "/nonexistent"][..], &["--deny", "["], &["--tool-name", "a b"], &["f.txt"]] {
        assert_eq!(run(dir.path(), elsewhere, usage).status.code(), Some(2), "{usage:?}");
    }
}

/// A session whose client named `roots` when it was asked.
fn rooted(dir: &Path, options: &[&str], roots: &Value) -> Session {
    let mut session = Session::new(dir, options);
    session.begin(&json!({ "roots": { "listChanged": true } }));
    session.name_roots(&json!({ "result": { "roots": roots } }));
    session
}

impl Session {
    fn name_roots(&mut self, answer: &Value) {
        let asked = self.next_answer();
        assert_eq!(asked["method"], "roots/list", "{asked}");
        let mut answer = answer.clone();
        answer["jsonrpc"] = json!("2.0");
        answer["id"] = asked["id"].clone();
        self.say(&answer);
    }

    /// The text of a read, or the code of its error.
    fn text(&mut self, id: u64, path: &str) -> String {
        self.call(id, path);
        let result = self.answer(id)["result"].clone();
        let text = match &result["isError"] {
            Value::Bool(true) => &result["_meta"]["dev.read-tool/error"]["code"],
            _ => &result["content"][0]["text"],
        };
        text.as_str().unwrap().to_owned()
    }
}

fn uri(path: &Path) -> Value {
    json!({ "uri": format!("file://{}", path.display()) })
}

#[test]
fn roots_that_are_known_are_lost_to_nothing_but_other_roots() {
    let dir = folder();
    let root = dir.path().canonicalize().unwrap();
    let sub = root.join("sub");
    fs::create_dir(&sub).unwrap();
    fs::write(sub.join("s.txt"), "sub\n").unwrap();
    let mut session = rooted(&root, &[], &json!([{ "name": "no uri" }, uri(&sub), 5]));
    assert_eq!(session.text(1, "s.txt"), "sub\n", "one malformed root takes no other with it");
    assert_eq!(session.text(2, "f.txt"), "not_found");
    for (id, answer) in [
        (3, json!({ "error": { "code": -1, "message": "x" } })),
        (5, json!({ "result": {} })),
        (7, json!({ "result": { "roots": "none" } })),
    ] {
        session.say(&json!({ "jsonrpc": "2.0", "method": "notifications/roots/list_changed" }));
        session.name_roots(&answer);
        assert_eq!(session.text(id, "s.txt"), "sub\n", "{answer}");
        assert_eq!(session.text(id + 1, "f.txt"), "not_found", "{answer}");
    }
    session.begin(&json!({}));
    session.say(&json!({ "jsonrpc": "2.0", "method": "notifications/roots/list_changed" }));
    assert_eq!(session.text(9, "f.txt"), "not_found", "a second handshake widens nothing");
    session.begin(&json!({ "roots": {} }));
    session.name_roots(&json!({ "result": { "roots": [{ "name": "no uri" }] } }));
    assert_eq!(session.text(10, "s.txt"), "outside_workspace", "none that is one leaves nothing");
    let (_, said) = session.end();
    assert_eq!(said.matches("is no directory here, and is left out").count(), 3, "{said}");
    assert_eq!(said.matches("those that it named last stay").count(), 3, "{said}");
}

#[test]
fn rules_mean_what_they_meant_whichever_roots_the_client_names() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    let (one, other) = (root.join("d/one"), root.join("other"));
    for folder in [&one, &other] {
        fs::create_dir_all(folder.join("other")).unwrap();
        for name in ["f.txt", "g.txt", "other/f.txt"] {
            fs::write(folder.join(name), "open\n").unwrap();
        }
    }
    // Denied: f.txt of the one root, g.txt of the other.
    let rules = ["--deny", "other/f.txt", "--deny", "d/one/g.txt"];
    for roots in [[&one, &other], [&other, &one]] {
        let mut session = rooted(&root, &rules, &json!([uri(roots[0]), uri(roots[1])]));
        let mut id = 0;
        for (folder, denied) in [(&one, "g.txt"), (&other, "f.txt")] {
            for name in ["f.txt", "g.txt", "other/f.txt"] {
                let wanted = if name == denied { "denied" } else { "open\n" };
                let path = folder.join(name);
                let mut paths = vec![path.to_str().unwrap()];
                if folder == roots[0] {
                    paths.push(name);
                }
                for path in paths {
                    id += 1;
                    assert_eq!(session.text(id, path), wanted, "{path} of {roots:?}");
                }
            }
            id += 1;
            let listing = session.text(id, folder.to_str().unwrap());
            for name in ["f.txt", "g.txt"] {
                assert_eq!(listing.contains(name), name != denied, "{listing} of {roots:?}");
            }
        }
    }
}
