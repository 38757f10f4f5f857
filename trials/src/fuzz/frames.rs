//! Lines of the protocol, sent to a server that must live on.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::input::Input;
use super::oracle::{Fault, Witness};
use crate::make;
use crate::server::Server;

/// Inputs that one server is sent.
const SESSION: u64 = 100;

/// A server, and the folder that it reads.
pub(crate) struct Frames {
    program: PathBuf,
    folder: TempDir,
    patience: Duration,
    server: Option<Server>,
    sent: u64,
}

impl Frames {
    pub(crate) fn new(program: &Path, patience: Duration) -> Result<Self> {
        let folder = tempfile::tempdir().context("no folder for the server")?;
        let text = make::lines(3_000);
        std::fs::write(folder.path().join("f.txt"), "hello\n")?;
        std::fs::write(folder.path().join("long.txt"), &text)?;
        let zip = make::zip::archive(&[make::zip::Member::deflated("a.txt", text.as_bytes())?])?;
        std::fs::write(folder.path().join("d.zip"), zip)?;
        Ok(Self { program: program.to_owned(), folder, patience, server: None, sent: 0 })
    }

    /// Sends the lines, and asks whether the server is well.
    pub(crate) fn trial(
        &mut self,
        input: &Input,
        number: u64,
        witness: &mut dyn Witness,
    ) -> Result<Vec<Fault>> {
        if self.sent >= SESSION {
            self.server = None;
        }
        let mut server = if let Some(server) = self.server.take() {
            server
        } else {
            self.sent = 0;
            Server::start(&self.program, self.folder.path(), self.patience)?
        };
        self.sent += 1;
        witness.begins();
        let start = Instant::now();
        let well = is_well(&mut server, &input.bytes, number, self.patience);
        witness.ends(start.elapsed(), well.is_ok());
        let fault =
            |kind, message| Fault { kind, form: format!("input {} of its server", self.sent), message };
        match well {
            Ok(()) => {
                self.server = Some(server);
                Ok(Vec::new())
            }
            Err(message) => {
                let ended = server.ended();
                let kind = if ended.is_some() { "died" } else { "deaf" };
                Ok(vec![fault(
                    kind,
                    format!("{message}; {}", ended.unwrap_or_else(|| "it runs on".to_owned())),
                )])
            }
        }
    }
}

/// Whether the server answers a ping after these bytes, and says nothing that is no message.
fn is_well(server: &mut Server, bytes: &[u8], number: u64, patience: Duration) -> Result<(), String> {
    let id = format!("trial-{number}");
    let ping = json!({ "jsonrpc": "2.0", "id": id, "method": "ping" });
    // What the bytes leave open is closed by the line end.
    let lines = [bytes, b"\n", ping.to_string().as_bytes(), b"\n"].concat();
    server.send(&lines).map_err(|error| format!("it takes no input: {error}"))?;
    let end = Instant::now() + patience;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        let line = server.line(left).ok_or("a ping was not answered")?;
        let message: Value =
            serde_json::from_str(&line).map_err(|error| format!("it printed {line:.200?}: {error}"))?;
        if message.get("jsonrpc") != Some(&json!("2.0")) {
            return Err(format!("it printed {line:.200?}, which is no message"));
        }
        if message.get("id").and_then(Value::as_str) == Some(&id) && message.get("result").is_some() {
            return Ok(());
        }
    }
}
