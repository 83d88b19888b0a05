//! The playground's control socket: where it serves, nodes are made, started, stopped and deleted through it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use ln_agent_core::NodeIndex;
use ln_agent_core::tool::{Effect, ToolError, ToolErrorKind};
use serde_json::Value;

use super::lightningd::{self, Call};

/// Whether the nodes below this directory are a playground's.
pub(crate) fn serves(runtime_dir: &Path) -> bool {
    socket(runtime_dir).exists()
}

/// Asks the playground.
pub(crate) async fn call(
    runtime_dir: &Path,
    method: &str,
    params: Value,
    deadline: Duration,
    effect: Effect,
) -> Result<Value, ToolError> {
    let call = Call { who: "the playground", method, params: &params, deadline, effect };
    let path = socket(runtime_dir);
    if let Ok(false) = lightningd::listens(&path).await {
        return Err(ToolError::new(
            ToolErrorKind::Unreachable,
            "the playground is not running: start it with `ln-agent network up`",
        ));
    }
    lightningd::call(&path, call).await
}

/// Whether the playground has this node, and if so whether it runs.
pub(crate) async fn node_runs(
    runtime_dir: &Path,
    node: NodeIndex,
    deadline: Duration,
) -> Result<Option<bool>, ToolError> {
    let status =
        call(runtime_dir, "status", Value::Object(Default::default()), deadline, Effect::Read).await?;
    let nodes = status.get("nodes").and_then(Value::as_array);
    let found = nodes.into_iter().flatten().find(|entry| entry["node"] == node.get());
    Ok(found.map(|entry| entry["running"] == true))
}

fn socket(runtime_dir: &Path) -> PathBuf {
    runtime_dir.join("control")
}
