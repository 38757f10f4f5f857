//! A client that does not read keeps the server neither alive nor growing.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// So long may a loaded machine take to end a process that ends by itself.
const PATIENCE: Duration = Duration::from_secs(60);

struct Server {
    child: Child,
    input: Option<ChildStdin>,
    output: Option<ChildStdout>,
}

impl Server {
    fn start(dir: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_read-tool"))
            .arg("mcp")
            .current_dir(dir)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take(), child.stdout.take());
        Self { child, input, output }
    }

    fn begun(dir: &Path) -> Self {
        let mut server = Self::start(dir);
        server.say(&initialize());
        server.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        server
    }

    fn say(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    /// Waits until the pipe to the client is as full as it gets: the answer to the handshake is in it.
    fn has_answered(&mut self) {
        let mut byte = [0];
        self.output.as_mut().unwrap().read_exact(&mut byte).unwrap();
    }

    fn signal(&self, signal: &str) {
        assert!(
            Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap().success()
        );
    }

    /// How it ended by itself, and what it said.
    fn ended(&mut self) -> (ExitStatus, String) {
        self.ended_under(&mut |_| {})
    }

    /// The same while something is done to it again and again.
    fn ended_under(&mut self, again: &mut dyn FnMut(&mut ChildStdin)) -> (ExitStatus, String) {
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if let Some(input) = &mut self.input {
                again(input);
            }
            if begun.elapsed() > PATIENCE {
                self.child.kill().unwrap();
                panic!("the server goes on");
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        let mut said = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        (status, said)
    }
}

fn initialize() -> Value {
    let client = json!({ "name": "slow", "version": "1" });
    let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
    json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params })
}

fn call(id: usize) -> Value {
    let params = json!({ "name": "read", "arguments": { "path": "big.txt" } });
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
}

/// A file whose read is nearly as long as a read gets: two answers are more than a pipe holds.
fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("big.txt"), "a line of some length, to fill a pipe\n".repeat(1_200))
        .unwrap();
    dir
}

#[test]
fn signals_and_the_end_of_the_input_end_it() {
    let dir = folder();
    for how in ["-TERM", "-INT", "twice", "end"] {
        let mut server = Server::begun(dir.path());
        for id in 1..=20 {
            server.say(&call(id));
        }
        server.has_answered();
        match how {
            "end" => drop(server.input.take()),
            "twice" => {
                server.signal("-TERM");
                server.signal("-INT");
            }
            signal => server.signal(signal),
        }
        let (status, said) = server.ended();
        assert_eq!((status.code(), &*said), (Some(0), ""), "{how}");
    }
}

#[test]
fn a_client_that_reads_late_misses_nothing() {
    const CALLS: usize = 2_500;
    let dir = folder();
    let mut server = Server::begun(dir.path());
    let mut input = server.input.take().unwrap();
    let writer = std::thread::spawn(move || {
        for id in 1..=CALLS {
            writeln!(input, "{}", call(id)).unwrap();
        }
    });
    let lines = BufReader::new(server.output.take().unwrap()).lines();
    let mut ids: Vec<_> = lines
        .map(|line| {
            let answer: Value = serde_json::from_str(&line.unwrap()).unwrap();
            assert!(answer["result"]["isError"] != true, "{answer}");
            answer["id"].as_u64().unwrap()
        })
        .collect();
    ids.sort_unstable();
    assert!(ids.into_iter().eq(0..=u64::try_from(CALLS).unwrap()));
    writer.join().unwrap();
    assert_eq!(server.ended().0.code(), Some(0));
}

#[test]
fn a_client_that_closes_its_end_ends_it() {
    let dir = folder();
    // In the midst of a session …
    let mut server = Server::begun(dir.path());
    server.has_answered();
    drop(server.output.take());
    // A child that another thread is just starting has the other end of the pipe for a moment: the first answer may get through.
    let mut id = 0;
    let mut ask_on = |input: &mut ChildStdin| {
        id += 1;
        // It may have ended since.
        let _ = writeln!(input, "{}", call(id));
    };
    let (status, said) = server.ended_under(&mut ask_on);
    assert_eq!(status.code(), Some(1));
    assert!(
        said.starts_with("read-tool: the client takes no answers: ") && said.lines().count() == 1,
        "{said}"
    );
    // … and before there is one.
    let mut server = Server::start(dir.path());
    drop(server.output.take());
    server.say(&initialize());
    let (status, said) = server.ended_under(&mut ask_on);
    assert_eq!(status.code(), Some(1));
    assert!(
        said.starts_with("read-tool: the client takes no answers: ") && said.lines().count() == 1,
        "{said}"
    );
}
