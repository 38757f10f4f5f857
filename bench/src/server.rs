//! Small reads over MCP, beside a reference server under the same client.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::inputs::Inputs;
use crate::median::median;
use crate::options::Options;
use crate::process::is_installed;
use crate::row::{Measured, Row};

/// What the rows begin with.
pub(crate) const NAME: &str = "MCP: 1,000 small reads";

const READS: usize = 1_000;

/// One server, begun.
struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// What it calls its tool for reading, and what it calls the path.
    tool: &'static str,
    path: String,
}

impl Server {
    fn start(mut command: Command, tool: &'static str, path: String) -> Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().context("a server cannot be started")?;
        let input = child.stdin.take().context("a server has no input")?;
        let output = BufReader::new(child.stdout.take().context("a server has no output")?);
        let mut server = Self { child, input, output, tool, path };
        let client = json!({ "name": "bench", "version": "1" });
        let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
        server.say(&json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params }))?;
        server.answer()?;
        server.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(server)
    }

    fn say(&mut self, message: &Value) -> Result<()> {
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        self.input.write_all(&line)?;
        Ok(self.input.flush()?)
    }

    /// The next answer, which must be no error.
    fn answer(&mut self) -> Result<()> {
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line)? == 0 {
                bail!("a server ended early");
            }
            let message: Value = serde_json::from_str(&line)?;
            if message.get("id").is_none() || message.get("method").is_some() {
                continue;
            }
            let failed = message.get("error").is_some()
                || message.pointer("/result/isError").and_then(Value::as_bool) == Some(true);
            if failed {
                bail!("a server answered {line}");
            }
            return Ok(());
        }
    }

    /// Reads the file so often, with so many calls on their way at once.
    fn reads(&mut self, at_once: usize) -> Result<Duration> {
        let start = Instant::now();
        let mut open = 0;
        for id in 1..=READS {
            let params = json!({ "name": self.tool, "arguments": { "path": self.path } });
            self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }))?;
            open += 1;
            if open == at_once {
                self.answer()?;
                open -= 1;
            }
        }
        for _ in 0..open {
            self.answer()?;
        }
        Ok(start.elapsed())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // One that is gone already is what was wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Our server and the other one, one call at a time and eight at once.
pub(crate) fn compare(
    tool: &Path,
    inputs: &Inputs,
    options: &Options,
    skipped: &mut Vec<String>,
) -> Result<Vec<Row>> {
    eprintln!("{NAME} …");
    let folder = std::env::temp_dir().join(format!("read-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).context("no folder for small files")?;
    let measured = rows(tool, inputs, &folder, options, skipped);
    std::fs::remove_dir_all(&folder).context("the folder of small files cannot be removed")?;
    measured
}

fn rows(
    tool: &Path,
    inputs: &Inputs,
    folder: &Path,
    options: &Options,
    skipped: &mut Vec<String>,
) -> Result<Vec<Row>> {
    let mut parts = options.reference_server.split_whitespace();
    let program = parts.next().context("the reference server has no name")?;
    if !is_installed(program) && !Path::new(program).is_file() {
        skipped.push(format!(
            "{NAME}: {program} is not installed (npm: @modelcontextprotocol/server-filesystem)"
        ));
        return Ok(Vec::new());
    }
    let folder = folder.canonicalize().context("the folder of small files has no path")?;
    let file = folder.join("small.rs");
    std::fs::copy(inputs.path(Inputs::SOURCE), &file).context("no small file")?;
    let path = file.to_str().context("the folder of small files has an odd name")?.to_owned();
    let mut ours = Command::new(tool);
    ours.arg("mcp").arg("--root").arg(&folder);
    let mut reference = Command::new(program);
    reference.args(parts).arg(&folder);
    let mut ours = Server::start(ours, "read", path.clone())?;
    let mut reference = Server::start(reference, "read_text_file", path)?;
    let mut rows = Vec::new();
    for (at_once, title) in [(1, "one at a time"), (8, "eight at once")] {
        let (mut our_times, mut their_times) = (Vec::new(), Vec::new());
        for run in 0..=options.runs() {
            let (our, their) = (ours.reads(at_once)?, reference.reads(at_once)?);
            if run > 0 {
                our_times.push(our);
                their_times.push(their);
            }
        }
        rows.push(Row {
            task: format!("{NAME}, {title}"),
            ours: Measured { time: median(our_times), memory: None },
            beside: "reference server (Node)".to_owned(),
            theirs: Measured { time: median(their_times), memory: None },
            bar: Some(0.2),
            memory_bar: None,
        });
    }
    Ok(rows)
}
