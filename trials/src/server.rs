//! A server under trial: `read-tool mcp` as a child of this process.

use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::json;

/// One server, begun; it ends with this value.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    input: Option<ChildStdin>,
    lines: Option<Receiver<String>>,
}

impl Server {
    /// Starts it over one folder, and shakes hands.
    pub(crate) fn start(program: &Path, folder: &Path, patience: Duration) -> Result<Self> {
        let mut command = Command::new(program);
        command.arg("mcp").arg("--root").arg(folder).current_dir(folder);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child =
            command.spawn().with_context(|| format!("{} cannot be started", program.display()))?;
        let input = child.stdin.take();
        let mut output = BufReader::new(child.stdout.take().context("the server has no output")?);
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            let mut line = Vec::new();
            while output.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
                if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                    return;
                }
                line.clear();
            }
        });
        let mut server = Self { child, input, lines: Some(lines) };
        let params = json!({
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "trial", "version": "1" },
        });
        let begin = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params });
        server.send(format!("{begin}\n").as_bytes())?;
        if server.line(patience.max(Duration::from_secs(10))).is_none() {
            bail!("the server does not begin: {}", server.ended().unwrap_or_default());
        }
        server.send(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n")?;
        Ok(server)
    }

    /// The number of its process.
    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        let input = self.input.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        input.write_all(bytes)?;
        input.flush()
    }

    /// The next line that it prints; nothing where none comes in time.
    pub(crate) fn line(&self, patience: Duration) -> Option<String> {
        self.lines.as_ref()?.recv_timeout(patience).ok()
    }

    /// Its input and its lines, for threads that write and read by themselves.
    pub(crate) fn split(&mut self) -> Option<(ChildStdin, Receiver<String>)> {
        self.input.take().zip(self.lines.take())
    }

    /// How it ended; nothing while it runs.
    pub(crate) fn ended(&mut self) -> Option<String> {
        // A process that has closed its output may need a moment to be gone.
        for _ in 0..20 {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(status.to_string());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        None
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // One that is gone already is what was wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The program to be tried: the one that was named, or else the one that was built beside this one.
pub(crate) fn program(named: Option<&Path>) -> Result<PathBuf> {
    let this = std::env::current_exe().context("this program's own path is not known")?;
    let beside = this.with_file_name("read-tool").with_extension(std::env::consts::EXE_EXTENSION);
    let program = named.map_or(beside, Path::to_owned);
    if !program.exists() {
        bail!("{} is not built: use `cargo xtask`, or name one with --tool", program.display());
    }
    // It is started in other folders.
    program.canonicalize().with_context(|| format!("{} has no path", program.display()))
}
