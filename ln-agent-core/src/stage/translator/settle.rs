//! A model's intent, held against the words.

use super::TranslatorInput;
use super::error::ParseFault;
use crate::offline::{Adopted, Agreement, adopt, agreement};
use crate::types::{IntentBlock, IntentType};

/// An intent that the words bear out.
pub(super) struct Settled {
    pub(super) intent: IntentBlock,
    /// What is otherwise than the model said.
    pub(super) corrections: Vec<String>,
    /// Why the offline reading took its place, if it did.
    pub(super) fallback: Option<String>,
}

/// Takes every value from the words, and compares the whole with the offline reading of them.
///
/// Where both understand the prompt and differ, the offline reading is used if it may step in. If it may not, a
/// difference about a change is a question to the user, and the model has its way with a read; but what it plainly
/// overlooked goes back to it, if it may be asked again.
pub(super) fn settle(
    intent: IntentBlock,
    ask: TranslatorInput<'_>,
    falls_back: bool,
    may_ask_again: bool,
) -> Result<Settled, ParseFault> {
    let Adopted { intent, corrections } = adopt(intent, ask.history, ask.node_count, ask.own_node)?;
    let as_is = |intent| Ok(Settled { intent, corrections: corrections.clone(), fallback: None });
    let (offline, changes) = match agreement(&intent, ask.history, ask.node_count, ask.own_node) {
        Agreement::OtherRead(offline) => (offline, false),
        Agreement::OtherChange(offline) => (offline, true),
        _ => return as_is(intent),
    };
    if falls_back {
        let reason = format!(
            "the model read \"{}\", the words say \"{}\"; the offline reading is used",
            intent.goal, offline.goal
        );
        return Ok(Settled { intent: offline, corrections: Vec::new(), fallback: Some(reason) });
    }
    if let Some(oversight) = oversight(&intent, &offline, changes).filter(|_| may_ask_again) {
        return Err(oversight);
    }
    if changes && intent.clarifications_needed.is_empty() {
        let question = format!(
            "I can read this in two ways: \"{}\" or \"{}\". Which one do you mean?",
            intent.goal, offline.goal
        );
        return as_is(IntentBlock { clarifications_needed: vec![question], ..intent });
    }
    as_is(intent)
}

/// What a model overlooked, as far as it can be told without telling what the words say.
fn oversight(intent: &IntentBlock, offline: &IntentBlock, changes: bool) -> Option<ParseFault> {
    let acts = !offline.intent_type.is_idle();
    let asks = !intent.clarifications_needed.is_empty();
    let states_nothing = !intent.intent_type.is_idle() && intent.context.is_empty();
    if !changes && intent.intent_type == IntentType::Informational {
        // Small models take many a plain wish for a wish to have it explained.
        Some(ParseFault::NoExplanation)
    } else if acts && asks {
        // Nothing is missing for the offline reading, so the question is out of place, or a task is that needs it.
        Some(ParseFault::NoQuestion(intent.clarifications_needed.join(" ")))
    } else if acts && !changes && states_nothing {
        Some(ParseFault::NoTasks)
    } else {
        None
    }
}
