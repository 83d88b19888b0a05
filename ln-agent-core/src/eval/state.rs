//! What the engine itself sees on the nodes.

use serde_json::Value;

use super::StateCheck;
use crate::tool::{Effect, Registry};
use crate::types::{Op, Path};

/// The value a check looks at, now.
pub(super) async fn look(check: &StateCheck, tools: &Registry) -> Result<Value, String> {
    let tool = tools.get(&check.tool).ok_or_else(|| format!("state: there is no tool `{}`", check.tool))?;
    if tool.spec().effect_of(&check.args) != Effect::Read {
        return Err(format!("state: `{}` does not only read", check.tool));
    }
    let path: Path = check.path.parse().map_err(|error| format!("state: {error}"))?;
    match tool.call(check.args.clone()).await {
        Ok(payload) => {
            let envelope = serde_json::json!({ "ok": true, "payload": payload });
            Ok(path.lookup(&envelope).map(std::borrow::Cow::into_owned).unwrap_or_default())
        }
        Err(error) => Err(format!("state: `{}` failed: {}", check.tool, error.message)),
    }
}

/// What is wrong with the value now, if anything.
pub(super) fn fault(check: &StateCheck, before: Option<&Value>, after: &Value) -> Option<String> {
    let holds = match (check.op, before) {
        (Op::Delta, Some(before)) => Op::grew_by(before, after, &check.value),
        (op, _) => op.holds(Some(after).filter(|value| !value.is_null()), &check.value),
    };
    match holds {
        Ok(true) => None,
        Ok(false) => {
            let was = before.map(|before| format!(" (was {before})")).unwrap_or_default();
            Some(format!(
                "state: {} {} is {after}{was}, expected {} {}",
                check.tool,
                check.path,
                check.op.name(),
                check.value
            ))
        }
        Err(error) => Some(format!("state: {} {}: {error}", check.tool, check.path)),
    }
}
