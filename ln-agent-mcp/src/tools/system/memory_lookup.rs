//! `memory_lookup`.

use ln_agent_core::Outcome;
use ln_agent_core::memory::{Archive, ArchiveEntry, ArchiveQuery};
use ln_agent_core::tool::{Effect, ToolError, ToolErrorKind, TypedTool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::node::Nodes;

/// What was asked and done before.
#[derive(Debug)]
pub(super) struct MemoryLookup {
    pub(super) nodes: Nodes,
}

/// Arguments of `memory_lookup`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct MemoryLookupArgs {
    /// Text to look for in prompts and goals, in any case. Default: every run.
    query: Option<String>,
    /// How many of the newest to give, 1 to 100. Default: 5.
    #[serde(default = "five")]
    #[schemars(range(min = 1, max = 100))]
    last_n: u32,
    /// Only runs that ended so. Default: all.
    outcome: Option<RunOutcome>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum RunOutcome {
    /// The goal was reached.
    Ok,
    /// Some steps were done.
    Partial,
    /// Nothing was done.
    Failed,
}

/// Payload of `memory_lookup`.
#[derive(Debug, JsonSchema, Serialize)]
pub(super) struct Memories {
    /// The newest runs that fit, newest first.
    entries: Vec<ArchiveEntry>,
    /// How many fit in all.
    total: usize,
    /// Why there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

#[async_trait::async_trait]
impl TypedTool for MemoryLookup {
    const NAME: &'static str = "memory_lookup";
    const TITLE: &'static str = "Earlier runs";
    const DESCRIPTION: &'static str = "Searches the archive of earlier runs by keyword (in prompt or goal) and \
        outcome; gives time, prompt, goal, outcome and summary of the newest that fit.";
    const EFFECT: Effect = Effect::Read;
    type Args = MemoryLookupArgs;
    type Output = Memories;

    async fn call(&self, args: MemoryLookupArgs) -> Result<Memories, ToolError> {
        if !(1..=100).contains(&args.last_n) {
            return Err(ToolError::invalid_argument("last_n", &json!(args.last_n), "1 to 100"));
        }
        let query = ArchiveQuery {
            last_n: args.last_n as usize,
            query: args.query,
            outcome: args.outcome.map(Outcome::from),
        };
        let path = self.nodes.config().memory_archive.clone();
        let exists = path.exists();
        // The archive grows without end, so it is not read on a thread that others wait for.
        let found = tokio::task::spawn_blocking(move || Archive::new(path).query(&query)).await;
        let failed = |why: String| ToolError::new(ToolErrorKind::Failed, why);
        let answer =
            found.map_err(|error| failed(error.to_string()))?.map_err(|error| failed(error.to_string()))?;
        let note = (!exists).then(|| "no run has been archived yet".to_owned());
        Ok(Memories { entries: answer.entries, total: answer.total, note })
    }
}

impl From<RunOutcome> for Outcome {
    fn from(outcome: RunOutcome) -> Self {
        match outcome {
            RunOutcome::Ok => Self::Ok,
            RunOutcome::Partial => Self::Partial,
            RunOutcome::Failed => Self::Failed,
        }
    }
}

const fn five() -> u32 {
    5
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::NodesConfig;
    use ln_agent_core::tool::typed;
    use serde_json::Value;

    async fn look(archive: Option<&str>, args: Value) -> Result<Value, ToolError> {
        let dir = tempfile::tempdir().unwrap();
        let config =
            NodesConfig { memory_archive: dir.path().join("a.jsonl"), ..NodesConfig::at(dir.path()) };
        if let Some(text) = archive {
            std::fs::write(&config.memory_archive, text).unwrap();
        }
        let tool = typed(MemoryLookup { nodes: Nodes::new(config) });
        tool.call(args.as_object().unwrap().clone()).await
    }

    const ARCHIVE: &str = concat!(
        r#"{"ts":1,"user":"Pay node 2","goal":"pay","outcome":"ok","summary":"paid"}"#,
        "\nnot json\n\n",
        r#"{"ts":2,"user":"mine","goal":"Pay the miner","outcome":"failed","summary":"no"}"#,
        "\n",
        r#"{"ts":3,"user":"balance","goal":"look","outcome":"ok","summary":"1"}"#,
    );

    #[tokio::test]
    async fn keyword_outcome_and_number_narrow_the_search() {
        let ts = async |args| {
            let found = look(Some(ARCHIVE), args).await.unwrap();
            let entries = found["entries"].as_array().unwrap().iter().map(|entry| entry["ts"].clone());
            (entries.collect::<Vec<_>>(), found["total"].clone())
        };
        assert_eq!(ts(json!({})).await, (vec![json!(3), json!(2), json!(1)], json!(3)));
        assert_eq!(ts(json!({ "query": "PAY" })).await, (vec![json!(2), json!(1)], json!(2)));
        assert_eq!(ts(json!({ "query": "pay", "outcome": "ok" })).await, (vec![json!(1)], json!(1)));
        assert_eq!(ts(json!({ "last_n": 1 })).await, (vec![json!(3)], json!(3)));
    }

    #[tokio::test]
    async fn an_unknown_outcome_is_refused_and_a_missing_archive_is_not() {
        let error = look(None, json!({ "outcome": "recovered" })).await.unwrap_err();
        assert_eq!(error.kind, ToolErrorKind::InvalidArguments);

        let found = look(None, json!({})).await.unwrap();
        assert_eq!(found, json!({ "entries": [], "total": 0, "note": "no run has been archived yet" }));
    }
}
