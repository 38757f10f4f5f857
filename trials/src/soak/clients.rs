//! Many clients on one pair of streams: each waits for the answer with its own number.

use std::collections::HashMap;
use std::io::Write;
use std::process::ChildStdin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::lock;
use crate::server::Server;

#[derive(Debug)]
struct Shared {
    input: Mutex<ChildStdin>,
    waiting: Mutex<HashMap<u64, Sender<Value>>>,
    next: AtomicU64,
}

/// The streams of a server.
#[derive(Debug)]
pub(super) struct Clients(Arc<Shared>);

/// One client.
#[derive(Debug)]
pub(super) struct Client(Arc<Shared>);

impl Clients {
    pub(super) fn new(server: &mut Server) -> Result<Self> {
        let (input, lines) = server.split().context("the streams of the server are taken")?;
        let shared =
            Arc::new(Shared { input: Mutex::new(input), waiting: Mutex::default(), next: AtomicU64::new(1) });
        let dispatched = Arc::clone(&shared);
        std::thread::spawn(move || dispatch(&lines, &dispatched));
        Ok(Self(shared))
    }

    pub(super) fn client(&self) -> Client {
        Client(Arc::clone(&self.0))
    }
}

/// Hands each answer to whoever waits for it, until there are no more; then nobody waits any longer.
fn dispatch(lines: &Receiver<String>, shared: &Shared) {
    for line in lines {
        if let Ok(message) = serde_json::from_str::<Value>(&line)
            && let Some(id) = message.get("id").and_then(Value::as_u64)
            && let Some(waiting) = lock(&shared.waiting).remove(&id)
        {
            // One that has given up is answered for already.
            let _ = waiting.send(message);
        }
    }
    lock(&shared.waiting).clear();
}

impl Client {
    /// Calls the tool, and waits.
    pub(super) fn call(&self, arguments: &Value, patience: Duration) -> Result<Value> {
        let id = self.0.next.fetch_add(1, Ordering::Relaxed);
        let (sender, answer) = channel();
        lock(&self.0.waiting).insert(id, sender);
        let params = json!({ "name": "read", "arguments": arguments });
        let call = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
        {
            let mut input = lock(&self.0.input);
            input.write_all(format!("{call}\n").as_bytes()).context("the server takes no input")?;
            input.flush().context("the server takes no input")?;
        }
        answer.recv_timeout(patience).with_context(|| format!("no answer within {patience:?}"))
    }
}
