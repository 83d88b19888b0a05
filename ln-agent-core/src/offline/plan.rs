//! Intents to plans, without a model.

use super::dispatch::dispatch;
use super::recipes;
use super::wish::Clause;
use crate::types::{ExecutionPlan, IntentBlock, PlanStep};

/// Why there is no plan.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OfflineError {
    /// The intent was not translated by the offline grammar and has no dispatch tag.
    #[error("no recipe for this intent: it carries neither a dispatch tag nor clauses")]
    NoClauses,
    /// `context.clauses` is not what the offline translator writes.
    #[error("context.clauses cannot be read")]
    BadClauses(#[source] serde_json::Error),
    /// A clause lacks a value.
    #[error("the clause `{task}` lacks `{missing}`")]
    Incomplete {
        /// What the clause asks for.
        task: String,
        /// What is missing.
        missing: &'static str,
    },
    /// A condition looks at something unknown.
    #[error("the condition looks at `{0}`, which cannot be read")]
    UnknownFact(String),
    /// A clause refers to one that made nothing.
    #[error("clause {0} made nothing that could be used")]
    NoSuchClause(u64),
    /// No recipe for this task.
    #[error("no recipe for `{0}`")]
    NoRecipe(String),
    /// A node that does not exist.
    #[error("there is no node {0}: nodes are 1 to {1}")]
    NoSuchNode(u64, u32),
}

/// The plan of an intent: out of the dispatch table, or out of recipes for its clauses. Informational and noop
/// intents, and those with open questions, have none: their plan is empty.
///
/// # Errors
///
/// [`OfflineError`] when the intent carries neither a usable tag nor clauses, or names a node above `node_count`.
pub fn plan(intent: &IntentBlock, node_count: u32) -> Result<ExecutionPlan, OfflineError> {
    let finish = |steps: Vec<PlanStep>, plan_rationale: String| ExecutionPlan {
        steps,
        plan_rationale,
        intent: intent.clone(),
    };
    if intent.intent_type.is_idle() {
        return Ok(finish(Vec::new(), "Nothing is to be executed.".to_owned()));
    }
    if !intent.clarifications_needed.is_empty() {
        return Ok(finish(Vec::new(), "Questions are open, so nothing is to be executed.".to_owned()));
    }
    if let Some(found) = dispatch(intent) {
        return Ok(finish(found.steps, found.rationale));
    }
    let clauses = clauses(intent)?;
    require_nodes(&clauses, node_count)?;
    let steps = recipes::steps(&clauses)?;
    let rationale = rationale(&clauses, &steps);
    Ok(finish(steps, rationale))
}

fn clauses(intent: &IntentBlock) -> Result<Vec<Clause>, OfflineError> {
    let value =
        intent.context.get("clauses").filter(|value| !value.is_null()).ok_or(OfflineError::NoClauses)?;
    let clauses: Vec<Clause> = serde_json::from_value(value.clone()).map_err(OfflineError::BadClauses)?;
    if clauses.is_empty() { Err(OfflineError::NoClauses) } else { Ok(clauses) }
}

fn require_nodes(clauses: &[Clause], node_count: u32) -> Result<(), OfflineError> {
    let mut created = Vec::new();
    for clause in clauses {
        if clause.task == super::wish::Task::CreateNode {
            created.extend(clause.args.get("node").and_then(serde_json::Value::as_u64));
            continue;
        }
        for key in ["node", "from_node", "to_node"] {
            if let Some(node) = clause.args.get(key).and_then(serde_json::Value::as_u64)
                && (node == 0 || node > node_count.into())
                && !created.contains(&node)
            {
                return Err(OfflineError::NoSuchNode(node, node_count));
            }
        }
    }
    Ok(())
}

fn rationale(clauses: &[Clause], steps: &[PlanStep]) -> String {
    let mut text = format!("{} takes {} steps", super::say::list(clauses), steps.len());
    if steps.len() == 1 {
        text = format!("{} takes 1 step", super::say::list(clauses));
    }
    if clauses.iter().any(|clause| !clause.when.is_empty()) {
        text.push_str("; the condition is read first and decides whether the rest runs");
    }
    text.push('.');
    text
}
