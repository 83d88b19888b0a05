//! `ln-agent call TOOL --args JSON`: one tool, directly.

use ln_agent_core::pipeline::Network;
use ln_agent_core::tool::{ToolError, ToolErrorKind, normalize};
use serde_json::{Value, json};

use super::interrupt::{may_have_been_done, nothing_under_way, or_ctrl_c};
use super::network::ensure_playground;
use crate::command::{CallArgs, Common};
use crate::exit::{Exit, Fault};
use crate::render;
use crate::session::{Place, Toolbox};

/// Calls the tool and prints its envelope.
pub(crate) async fn call(common: &Common, args: &CallArgs) -> Result<Exit, Fault> {
    let mut place = Place::find(common, &[])?;
    let given: Value = serde_json::from_str(&args.args).map_err(|error| {
        Fault::usage(format!("--args is no JSON: {error}: expected an object, as in '{{\"node\": 1}}'"))
    })?;
    if !given.is_object() {
        return Err(Fault::usage(format!("--args is {given}: expected an object, as in '{{\"node\": 1}}'")));
    }
    let toolbox = Toolbox::open(&place)?;
    let Some(tool) = toolbox.registry.get(&args.tool) else {
        return Err(Fault::usage(format!("unknown tool `{}`: `ln-agent tools` lists them", args.tool)));
    };
    let normalized = normalize(tool.spec(), &given, toolbox.nodes.node_count())
        .map_err(|error| Fault::usage(error.to_string()))?;
    let effect = tool.spec().effect_of(&normalized.args);
    if effect.changes_state() && place.network() == Network::Real && !args.yes {
        return Err(Fault {
            exit: Exit::Refused,
            message: format!(
                "{} may {} on a network with real money: say --yes to call it",
                args.tool,
                effect.name()
            ),
        });
    }
    ensure_playground(&mut place)?;
    let exit = match or_ctrl_c(tool.call(normalized.args)).await {
        Ok(Some(outcome)) => Ok(show(outcome)),
        Ok(None) if effect.changes_state() => Err(may_have_been_done(&args.tool)),
        Ok(None) => Err(nothing_under_way()),
        Err(fault) => Err(fault),
    };
    toolbox.close().await;
    exit
}

/// Prints the envelope.
fn show(outcome: Result<Value, ToolError>) -> Exit {
    match outcome {
        Ok(payload) => {
            render::json(&json!({ "ok": true, "payload": payload }));
            Exit::Reached
        }
        Err(error) => {
            render::json(&json!({ "ok": false, "error": error.message, "payload": null }));
            match error.kind {
                ToolErrorKind::InvalidArguments => Exit::Usage,
                ToolErrorKind::Refused => Exit::Refused,
                ToolErrorKind::Unreachable => Exit::Unreachable,
                ToolErrorKind::Unknown => Exit::Unknown,
                _ => Exit::NotReached,
            }
        }
    }
}
