//! How far a client's reads reach: the host's workspace, narrowed by the roots that the client names. They are asked for
//! when they are first needed, and again when the client says that they have changed.
#![expect(deprecated, reason = "roots are deprecated since 2026-07-28, and clients go on naming them")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use read_core::{ErrorCode, ReadError};
use rmcp::model::{
    CallToolRequestParams, InputRequest, InputRequiredResult, ListRootsRequest, ListRootsResult,
    ProtocolVersion, Root,
};
use rmcp::service::RequestContext;
use rmcp::{Peer, RoleServer};
use tokio::sync::Mutex;

use super::roots::{Remaining, Workspace};
use super::server::Log;
use crate::ReadTool;

/// How long a client may take to name its roots; after that it has named none.
const WAIT: Duration = Duration::from_secs(5);

/// The key of the question for roots, in a result that asks the client for them.
const QUESTION: &str = "roots";

/// The reach of one client.
pub(super) struct Reach {
    whole: Arc<ReadTool>,
    workspace: Option<Workspace>,
    known: Mutex<Option<Known>>,
    log: Log,
}

/// The tool over what is left of the workspace, or why nothing is.
type Known = Result<Arc<ReadTool>, (ErrorCode, String)>;

impl Reach {
    pub(super) fn new(tool: ReadTool, workspace: Option<Workspace>, log: Log) -> Self {
        Self { whole: Arc::new(tool), workspace, known: Mutex::default(), log }
    }

    /// The tool for this client; asks it for its roots where it has some that are not known.
    pub(super) async fn tool(&self, peer: &Peer<RoleServer>) -> Result<Arc<ReadTool>, ReadError> {
        let mut known = self.known.lock().await;
        let names_roots = || peer.peer_info().is_some_and(|client| client.capabilities.roots.is_some());
        let reach = match (&*known, &self.workspace) {
            (Some(reach), _) => reach.clone(),
            (None, Some(workspace)) if names_roots() => {
                let listed = tokio::time::timeout(WAIT, peer.list_roots()).await;
                match listed {
                    Ok(Ok(listed)) => self.narrowed(workspace, listed.roots),
                    Ok(Err(error)) => Ok(self.unnamed(&error.to_string())),
                    Err(_) => Ok(self.unnamed("no answer in time")),
                }
            }
            (None, _) => return Ok(Arc::clone(&self.whole)),
        };
        *known = Some(reach.clone());
        reach.map_err(|(code, message)| ReadError::new(code, message))
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
        let mut known = self.known.lock().await;
        if known.is_some() {
            return None;
        }
        let Some(answer) = call.input_responses.as_ref().and_then(|answers| answers.get(QUESTION)) else {
            let question = InputRequest::ListRoots(ListRootsRequest::default());
            return Some(InputRequiredResult::from_input_requests(BTreeMap::from([(
                QUESTION.to_owned(),
                question,
            )])));
        };
        *known = Some(match serde_json::from_value::<ListRootsResult>(answer.clone()) {
            Ok(listed) => self.narrowed(workspace, listed.roots),
            Err(error) => Ok(self.unnamed(&error.to_string())),
        });
        None
    }

    /// What is known of the roots no longer holds.
    pub(super) async fn forget(&self) {
        *self.known.lock().await = None;
    }

    fn narrowed(&self, workspace: &Workspace, roots: Vec<Root>) -> Known {
        let uris: Vec<_> = roots.into_iter().map(|root| root.uri).collect();
        match workspace.narrowed(&uris) {
            Ok(Remaining::Whole) => Ok(Arc::clone(&self.whole)),
            Ok(Remaining::Part(tool)) => Ok(tool),
            Err(error) => {
                (self.log)(error.message());
                Err((error.code(), error.message().to_owned()))
            }
        }
    }

    /// The client was asked and named nothing.
    fn unnamed(&self, why: &str) -> Arc<ReadTool> {
        (self.log)(&format!("the client names no roots ({why}); the workspace stays as it is"));
        Arc::clone(&self.whole)
    }
}
