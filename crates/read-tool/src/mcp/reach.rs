//! How far a client's reads reach: the host's workspace, narrowed by the roots that the client names. They are asked for
//! when they are first needed, and again when the client says that they have changed.
#![expect(deprecated, reason = "roots are deprecated since 2026-07-28, and clients go on naming them")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::Duration;

use read_core::{ErrorCode, ReadError, shortened};
use rmcp::model::{
    CallToolRequestParams, InputRequest, InputRequiredResult, ListRootsRequest, ProtocolVersion,
    ServerRequest,
};
use rmcp::service::RequestContext;
use rmcp::{Peer, RoleServer};
use serde_json::Value;
use tokio::sync::Mutex;

use super::in_flight::InFlight;
use super::log::Log;
use super::roots::{Remaining, Workspace};
use super::watch::watched;
use crate::ReadTool;

/// How long a client may take to name its roots; after that it has not named them.
const WAIT: Duration = Duration::from_secs(5);

/// The key of the question for roots, in a result that asks the client for them.
const QUESTION: &str = "roots";

/// The reach of one client. Roots narrow it: once some are known, nothing but other roots changes them.
pub(super) struct Reach {
    whole: Arc<ReadTool>,
    workspace: Option<Workspace>,
    known: Mutex<Known>,
    /// How often the client said that its roots have changed.
    changes: AtomicU64,
    in_flight: Arc<InFlight>,
    log: Log,
}

/// What the client named last.
#[derive(Default)]
struct Known {
    left: Option<Left>,
    /// Which changes were heard of when the client was asked last.
    asked_at: Option<u64>,
}

/// The tool over what is left of the workspace, or why nothing is.
type Left = Result<Arc<ReadTool>, (ErrorCode, String)>;

impl Reach {
    pub(super) fn new(
        tool: ReadTool,
        workspace: Option<Workspace>,
        in_flight: Arc<InFlight>,
        log: Log,
    ) -> Self {
        Self {
            whole: Arc::new(watched(tool)),
            workspace,
            known: Mutex::default(),
            changes: AtomicU64::new(0),
            in_flight,
            log,
        }
    }

    /// The tool for this client; asks it for its roots where it has some that are not known.
    pub(super) async fn tool(&self, peer: &Peer<RoleServer>) -> Result<Arc<ReadTool>, ReadError> {
        let wanted = self.changes.load(SeqCst);
        let mut known = self.known.lock().await;
        if known.asked_at < Some(wanted) {
            self.ask(&mut known, peer).await;
        }
        match &known.left {
            None => Ok(Arc::clone(&self.whole)),
            Some(left) => left.clone().map_err(|(code, message)| ReadError::new(code, message)),
        }
    }

    /// What a call must be answered with first, by a client of a version in which a server asks by its results: it is
    /// asked for its roots, and calls again with them.
    pub(super) async fn question(
        &self,
        call: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Option<InputRequiredResult> {
        let workspace = self.workspace.as_ref()?;
        if context.protocol_version()? < ProtocolVersion::V_2026_07_28 {
            return None;
        }
        context.client_capabilities()?.roots?;
        let wanted = self.changes.load(SeqCst);
        let mut known = self.known.lock().await;
        if known.asked_at >= Some(wanted) {
            return None;
        }
        let Some(answer) = call.input_responses.as_ref().and_then(|answers| answers.get(QUESTION)) else {
            let question = InputRequest::ListRoots(ListRootsRequest::default());
            return Some(InputRequiredResult::from_input_requests(BTreeMap::from([(
                QUESTION.to_owned(),
                question,
            )])));
        };
        known.asked_at = Some(wanted);
        self.learn(workspace, &mut known, uris(answer));
        None
    }

    /// The client says that its roots have changed: the next read needs the new ones, and they are asked for at once unless
    /// they are being asked for.
    pub(super) async fn changed(&self, peer: &Peer<RoleServer>) {
        self.changes.fetch_add(1, SeqCst);
        if let Ok(mut known) = self.known.try_lock() {
            self.ask(&mut known, peer).await;
        }
    }

    async fn ask(&self, known: &mut Known, peer: &Peer<RoleServer>) {
        let Some(workspace) = &self.workspace else { return };
        if peer.peer_info().is_none_or(|client| client.capabilities.roots.is_none()) {
            return;
        }
        let at = self.changes.load(SeqCst);
        let asking = self.in_flight.asking();
        let question = ServerRequest::ListRootsRequest(ListRootsRequest::default());
        let answer = match tokio::time::timeout(WAIT, peer.send_request(question)).await {
            // The SDK's own type would have all roots or none.
            Ok(Ok(answer)) => uris(&serde_json::to_value(answer).unwrap_or_default()),
            Ok(Err(error)) => Err(error.to_string()),
            Err(_) => Err("no answer in time".to_owned()),
        };
        drop(asking);
        known.asked_at = Some(at);
        self.learn(workspace, known, answer);
    }

    /// Takes what the client answered for its roots, or why it did not.
    fn learn(&self, workspace: &Workspace, known: &mut Known, answer: Result<Vec<String>, String>) {
        match answer {
            Ok(uris) => known.left = Some(self.left(workspace, &uris)),
            Err(why) => {
                let stays = match known.left {
                    None => "the workspace stays as it is",
                    Some(_) => "those that it named last stay",
                };
                self.log.say(&format!("the client names no roots ({why}); {stays}"));
            }
        }
    }

    fn left(&self, workspace: &Workspace, uris: &[String]) -> Left {
        let left_out = |uri: &str| {
            let uri = shortened(uri.as_bytes());
            self.log.say(&format!("the client's root '{uri}' is no directory here, and is left out"));
        };
        match workspace.narrowed(uris, &left_out) {
            Ok(Remaining::Whole) => Ok(Arc::clone(&self.whole)),
            Ok(Remaining::Part(tool)) => Ok(tool),
            Err(error) => {
                self.log.say(error.message());
                Err((error.code(), error.message().to_owned()))
            }
        }
    }
}

/// The URIs of a list of roots. What has none stands for itself: no root is left out unsaid.
fn uris(answer: &Value) -> Result<Vec<String>, String> {
    let roots = answer.get("roots").and_then(Value::as_array).ok_or("an answer without a list of roots")?;
    let uri = |root: &Value| match root.get("uri") {
        Some(Value::String(uri)) => uri.clone(),
        _ => root.to_string(),
    };
    Ok(roots.iter().map(uri).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn roots_are_taken_one_by_one() {
        let answer =
            json!({ "roots": [{ "uri": "file:///a", "name": null }, { "name": "b" }, 5, { "uri": 5 }] });
        assert_eq!(uris(&answer).unwrap(), ["file:///a", r#"{"name":"b"}"#, "5", r#"{"uri":5}"#]);
        assert_eq!(uris(&json!({ "roots": [] })).unwrap(), Vec::<String>::new());
        for none in [json!({}), json!({ "roots": null }), json!([]), json!(null)] {
            assert!(uris(&none).is_err(), "{none}");
        }
    }
}
