//! The protocol's requests, answered from the registry.

use std::convert::Infallible;
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use ln_agent_core::tool::{Registry, Tool, ToolError, ToolErrorKind, normalize};
use ln_agent_core::types::Object;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, Implementation, ListToolsResult,
    PaginatedRequestParams, ProgressNotificationParam, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;

use super::answer::{failure, success};
use super::describe::describe;
use super::page::{CURSOR, Cursor};

/// Serves the tools of a registry. Cheap to clone.
#[derive(Clone)]
pub struct McpServer {
    tools: Registry,
    listing: Arc<Vec<rmcp::model::Tool>>,
    node_count: Arc<dyn Fn() -> u32 + Send + Sync>,
    max_result_bytes: usize,
}

impl McpServer {
    /// Serves these tools. `node_count` is asked before every call, so a network may grow.
    #[must_use]
    pub fn new(tools: Registry, node_count: impl Fn() -> u32 + Send + Sync + 'static) -> Self {
        let listing = Arc::new(tools.specs().map(describe).collect());
        Self { tools, listing, node_count: Arc::new(node_count), max_result_bytes: DEFAULT_MAX_RESULT_BYTES }
    }

    /// Caps the payload of one answer, in bytes; longer ones come in pages. 0: no cap. Default: 256 KiB.
    #[must_use]
    pub fn max_result_bytes(mut self, limit: usize) -> Self {
        self.max_result_bytes = limit;
        self
    }

    async fn run(&self, tool: &dyn Tool, mut args: Object) -> CallToolResult {
        let cursor = match args.shift_remove(CURSOR).map(|value| parse_cursor(&value)).transpose() {
            Ok(cursor) => cursor,
            Err(error) => return failure(&error),
        };
        let call = async {
            let normalized = normalize(tool.spec(), &Value::Object(args), (self.node_count)())?;
            tool.call(normalized.args).await
        };
        match AssertUnwindSafe(call).catch_unwind().await {
            Ok(Ok(payload)) => success(payload, cursor.as_ref(), self.max_result_bytes),
            Ok(Err(error)) => failure(&error),
            Err(_) => failure(&crashed(tool)),
        }
    }
}

impl ServerHandler for McpServer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("ln-agent", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        if let Some(cursor) = request.and_then(|page| page.cursor) {
            return Err(ErrorData::invalid_params(
                format!("unknown cursor {cursor:?}: the list has one page"),
                None,
            ));
        }
        Ok(ListToolsResult::with_all_items(self.listing.as_ref().clone()))
    }

    fn get_tool(&self, name: &str) -> Option<rmcp::model::Tool> {
        self.listing.iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.tools.get(&request.name) else {
            let message = format!(
                "unknown tool `{}`: tools/list names the {} there are",
                request.name,
                self.tools.len()
            );
            return Err(ErrorData::invalid_params(message, None));
        };
        let answer = self.run(tool.as_ref(), request.arguments.unwrap_or_default());
        tokio::select! {
            result = answer => Ok(result.into()),
            never = report_progress(&request.name, &context) => match never {},
            () = context.ct.cancelled() => Err(ErrorData::internal_error("cancelled by the client", None)),
        }
    }
}

impl fmt::Debug for McpServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpServer").field("tools", &self.tools).finish_non_exhaustive()
    }
}

const DEFAULT_MAX_RESULT_BYTES: usize = 256 * 1024;

/// How often a long call says that it is still at work.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(1);

const INSTRUCTIONS: &str = "Lightning and Bitcoin nodes, numbered from 1. Amounts carry their unit in the argument's \
    name: _sat, _msat (1 sat = 1000 msat) or _btc. Tools marked destructive move money that cannot be called back.";

/// Says every second that the call is still running, where the client asked for it; never returns.
async fn report_progress(name: &str, context: &RequestContext<RoleServer>) -> Infallible {
    let Some(token) = context.meta.get_progress_token() else {
        return std::future::pending().await;
    };
    let mut ticks = tokio::time::interval(PROGRESS_INTERVAL);
    ticks.tick().await;
    let mut seconds = 0_u32;
    loop {
        ticks.tick().await;
        seconds += 1;
        let note = ProgressNotificationParam::new(token.clone(), f64::from(seconds))
            .with_message(format!("{name}: {seconds} s"));
        if context.peer.notify_progress(note).await.is_err() {
            return std::future::pending().await;
        }
    }
}

fn parse_cursor(value: &Value) -> Result<Cursor, ToolError> {
    let text = value.as_str().ok_or_else(|| ToolError::invalid_argument(CURSOR, value, "a string"))?;
    Cursor::parse(text).map_err(|error| ToolError::new(ToolErrorKind::InvalidArguments, error.to_string()))
}

/// A tool that panicked: a fault of ours, told honestly. What changes something may have been done.
fn crashed(tool: &dyn Tool) -> ToolError {
    let spec = tool.spec();
    let kind = if spec.effect.changes_state() { ToolErrorKind::Unknown } else { ToolErrorKind::Failed };
    ToolError::new(
        kind,
        format!("tool `{}` crashed: this is a fault of ln-agent, please report it", spec.name),
    )
}
