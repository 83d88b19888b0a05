//! The tools that an intent calls for: fewer tokens, and less to go wrong for a small model.

use std::collections::BTreeSet;

use super::topic::{CONDITIONAL, TOPICS};
use crate::tool::{Registry, ToolSpec};
use crate::types::IntentBlock;

/// What a planner's model is shown.
pub(super) struct Shortlist<'a> {
    pub(super) tools: Vec<&'a ToolSpec>,
    /// Names of recipes; `None` for all.
    pub(super) recipes: Option<BTreeSet<&'static str>>,
    pub(super) conditions: bool,
}

impl<'a> Shortlist<'a> {
    /// Everything.
    pub(super) fn whole(tools: &'a Registry) -> Self {
        Self { tools: tools.specs().collect(), recipes: None, conditions: true }
    }

    /// What fits the words of the intent; everything where they fit nothing.
    pub(super) fn fitting(intent: &IntentBlock, tools: &'a Registry) -> Self {
        let text = words(intent);
        let topics: Vec<_> =
            TOPICS.iter().filter(|topic| topic.words.iter().any(|word| begins(&text, word))).collect();
        let names: BTreeSet<&str> = topics.iter().flat_map(|topic| topic.tools).copied().collect();
        let fitting: Vec<&ToolSpec> = tools
            .specs()
            .filter(|spec| names.contains(spec.name.as_str()) || text.contains(&spec.name))
            .collect();
        if fitting.is_empty() {
            return Self::whole(tools);
        }
        let recipes = topics.iter().flat_map(|topic| topic.recipes).copied().collect();
        let conditions = CONDITIONAL.iter().any(|word| begins(&text, word));
        Self { tools: fitting, recipes: Some(recipes), conditions }
    }
}

/// What was said and what was understood, in lower case. Quoted text is part of it: a tool too many does no harm.
fn words(intent: &IntentBlock) -> String {
    let context = serde_json::to_string(&intent.context).unwrap_or_default();
    format!(" {} {} {} ", intent.raw_prompt, intent.goal, context).to_lowercase()
}

/// Whether a word of the text begins so.
fn begins(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| !text[..at].ends_with(|before: char| before.is_alphanumeric()))
}
