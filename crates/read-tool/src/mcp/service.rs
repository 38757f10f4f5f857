//! What the server answers to a client's requests.
#![expect(deprecated, reason = "clients of the versions before 2026-07-28 still name their roots")]

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use read_core::ReadError;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ErrorData, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool, ToolAnnotations,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{Peer, RoleServer, ServerHandler};
use serde_json::Value;
use tokio::sync::Mutex;

use super::content;
use super::progress::Gauge;
use super::reads::Reads;
use super::roots::{Reach, Workspace};
use super::server::Log;
use crate::schema::TITLE;
use crate::{Arguments, ReadTool, ToolDefinition};

/// How long a client may take to name its roots; after that it has named none.
const ROOTS_WAIT: Duration = Duration::from_secs(5);

/// The tool behind the protocol.
pub(super) struct Service {
    pub(super) tool: Arc<ReadTool>,
    pub(super) definition: ToolDefinition,
    pub(super) structured: bool,
    pub(super) reads: Reads,
    pub(super) workspace: Option<Workspace>,
    pub(super) reach: Mutex<Option<Result<Arc<ReadTool>, Narrow>>>,
    pub(super) log: Log,
}

/// Why nothing can be read.
#[derive(Clone, Debug)]
pub(super) struct Narrow(read_core::ErrorCode, String);

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Service").field("tool", &self.tool).finish_non_exhaustive()
    }
}

impl Service {
    /// The tool over what the client's roots leave of the workspace; they are asked for when first needed.
    async fn tool_for(&self, peer: &Peer<RoleServer>) -> Result<Arc<ReadTool>, ReadError> {
        let Some(workspace) = self.workspace.as_ref().filter(|_| names_roots(peer)) else {
            return Ok(Arc::clone(&self.tool));
        };
        let mut reach = self.reach.lock().await;
        let known = match reach.take() {
            Some(known) => known,
            None => self.ask(workspace, peer).await,
        };
        *reach = Some(known.clone());
        known.map_err(|Narrow(code, message)| ReadError::new(code, message))
    }

    async fn ask(&self, workspace: &Workspace, peer: &Peer<RoleServer>) -> Result<Arc<ReadTool>, Narrow> {
        let listed = match tokio::time::timeout(ROOTS_WAIT, peer.list_roots()).await {
            Ok(Ok(listed)) => listed,
            Ok(Err(error)) => {
                (self.log)(&format!("the client names no roots ({error}); the workspace stays as it is"));
                return Ok(Arc::clone(&self.tool));
            }
            Err(_) => {
                (self.log)("the client did not name its roots in time; the workspace stays as it is");
                return Ok(Arc::clone(&self.tool));
            }
        };
        let uris: Vec<_> = listed.roots.into_iter().map(|root| root.uri).collect();
        match workspace.narrowed(&uris) {
            Ok(Reach::Whole) => Ok(Arc::clone(&self.tool)),
            Ok(Reach::Part(tool)) => Ok(tool),
            Err(error) => {
                (self.log)(error.message());
                Err(Narrow(error.code(), error.message().to_owned()))
            }
        }
    }

    async fn read(
        &self,
        arguments: Value,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ReadError> {
        let arguments = Arguments::from_json(&arguments)?;
        let tool = tokio::select! {
            tool = self.tool_for(&context.peer) => tool?,
            () = context.ct.cancelled() => return Err(read_core::Trip::Cancelled.into()),
        };
        let gauge = Arc::new(Gauge::default());
        let told = Arc::clone(&gauge).tell(context.peer.clone(), context.meta.get_progress_token());
        let read = self.reads.run(tool, arguments, self.structured, gauge, context.ct.cancelled());
        tokio::select! {
            biased;
            result = read => result,
            () = told => Err(read_core::Trip::Cancelled.into()),
        }
    }
}

fn names_roots(peer: &Peer<RoleServer>) -> bool {
    peer.peer_info().is_some_and(|client| client.capabilities.roots.is_some())
}

impl ServerHandler for Service {
    fn get_info(&self) -> ServerConfig {
        let server = Implementation::new("read-tool", env!("CARGO_PKG_VERSION")).with_title("read-tool");
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build()).with_server_info(server)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let annotations = ToolAnnotations::with_title(TITLE)
            .read_only(true)
            .destructive(false)
            .idempotent(true)
            .open_world(false);
        let definition = &self.definition;
        let mut tool = Tool::new(definition.name().to_owned(), definition.description(), definition.input_schema())
            .with_annotations(annotations);
        if self.structured {
            tool = tool.with_raw_output_schema(Arc::new(definition.output_schema()));
        }
        Ok(ListToolsResult::with_all_items(vec![tool]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        if request.name != self.definition.name() {
            let name = read_core::shortened(request.name.as_bytes());
            let known = self.definition.name();
            return Err(ErrorData::invalid_params(format!("There is no tool '{name}'; there is '{known}'."), None));
        }
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let result = self.read(arguments, &context).await;
        Ok(result.unwrap_or_else(|error| content::failed(&error)).into())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        // The first read would ask as well; now it finds the answer.
        let _ = self.tool_for(&context.peer).await;
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        *self.reach.lock().await = None;
        let _ = self.tool_for(&context.peer).await;
    }
}
