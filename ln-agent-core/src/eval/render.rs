//! Values out of a run, for answers and captures.

use serde_json::Value;

use crate::types::{Path, PipelineResult};

/// A template with every `{STEP.path}` replaced by the value in that step's envelope. `None` names what is missing.
pub(super) fn fill(template: &str, result: &PipelineResult) -> Result<String, String> {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((name, later)) = after.split_once('}') else { break };
        text.push_str(before);
        text.push_str(
            &value(name, result).ok_or_else(|| format!("there is no value {{{name}}} in the results"))?,
        );
        rest = later;
    }
    text.push_str(rest);
    Ok(text)
}

fn value(name: &str, result: &PipelineResult) -> Option<String> {
    let (step, path) = name.split_once('.')?;
    let number: u32 = step.parse().ok()?;
    let step = result.step_results.iter().find(|step| step.step_id.0 == number)?;
    let path: Path = path.parse().ok()?;
    path.lookup(step.raw_result.get("result")?).map(|value| plain(&value))
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
