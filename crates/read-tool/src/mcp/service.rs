//! What the server answers to a client's requests.

use std::fmt;
use std::sync::Arc;

use read_core::ReadError;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CustomRequest, CustomResult, ErrorCode,
    ErrorData, Implementation, ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig,
    Tool, ToolAnnotations,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::Value;

use super::content;
use super::in_flight::InFlight;
use super::progress::Gauge;
use super::reach::Reach;
use super::reads::Reads;
use crate::schema::TITLE;
use crate::{Arguments, ToolDefinition};

/// The tool behind the protocol.
pub(super) struct Service {
    pub(super) reach: Reach,
    pub(super) definition: ToolDefinition,
    pub(super) structured: bool,
    pub(super) reads: Reads,
    pub(super) in_flight: Arc<InFlight>,
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Service").field("definition", &self.definition).finish_non_exhaustive()
    }
}

impl Service {
    async fn read(
        &self,
        arguments: Value,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ReadError> {
        let arguments = Arguments::from_json(&arguments)?;
        let tool = tokio::select! {
            tool = self.reach.tool(&context.peer) => tool?,
            () = context.ct.cancelled() => return Err(read_core::Trip::Cancelled.into()),
        };
        let place = self.reads.place(context.ct.cancelled()).await?;
        let gauge = Arc::new(Gauge::default());
        let told = Arc::clone(&gauge).tell(context.peer.clone(), context.meta.get_progress_token());
        let read = self.reads.run(tool, arguments, self.structured, gauge, context.ct.cancelled());
        let result = tokio::select! {
            biased;
            result = read => result,
            () = told => Err(read_core::Trip::Cancelled.into()),
        };
        self.in_flight.keep(&context.id, place);
        result
    }
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
        let mut tool =
            Tool::new(definition.name().to_owned(), definition.description(), definition.input_schema())
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
            return Err(ErrorData::invalid_params(
                format!("There is no tool '{name}'; there is '{known}'."),
                None,
            ));
        }
        if let Some(question) = self.reach.question(&request, &context).await {
            return Ok(CallToolResponse::InputRequired(question));
        }
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let result = self.read(arguments, &context).await;
        Ok(result.unwrap_or_else(|error| content::failed(&error)).into())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = read_core::shortened(request.method.as_bytes()).into_owned();
        // What the SDK could not make sense of as a call ends up here as a method that it does not know.
        Err(if request.method == "tools/call" {
            ErrorData::invalid_params("A call has a name, and arguments that are an object.", None)
        } else {
            ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("There is no method '{method}' here."), None)
        })
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        // The first read would ask as well; now it finds the answer.
        let _ = self.reach.tool(&context.peer).await;
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.reach.changed(&context.peer).await;
    }
}
