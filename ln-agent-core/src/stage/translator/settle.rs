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
/// difference about a change is a question to the user, and the model has its way with a read; but where it sees a
/// wish for an explanation that the words do not state, it is asked to look again, if it may be.
pub(super) fn settle(
    intent: IntentBlock,
    ask: TranslatorInput<'_>,
    falls_back: bool,
    may_ask_again: bool,
) -> Result<Settled, ParseFault> {
    let Adopted { intent, corrections } = adopt(intent, ask.history, ask.node_count, ask.own_node)?;
    let as_is = |intent| Ok(Settled { intent, corrections: corrections.clone(), fallback: None });
    match agreement(&intent, ask.history, ask.node_count, ask.own_node) {
        Agreement::OtherRead(offline) | Agreement::OtherChange(offline) if falls_back => {
            let reason = format!(
                "the model read \"{}\", the words say \"{}\"; the offline reading is used",
                intent.goal, offline.goal
            );
            Ok(Settled { intent: offline, corrections: Vec::new(), fallback: Some(reason) })
        }
        // Small models take many a plain wish for a wish to have it explained.
        Agreement::OtherRead(_) if may_ask_again && intent.intent_type == IntentType::Informational => {
            Err(ParseFault::NoExplanation)
        }
        // Nothing is missing for the offline reading, so the question is out of place, or a task is that needs it.
        Agreement::OtherRead(offline) | Agreement::OtherChange(offline)
            if may_ask_again && !intent.clarifications_needed.is_empty() && acts(&offline) =>
        {
            Err(ParseFault::NoQuestion(intent.clarifications_needed.join(" ")))
        }
        Agreement::OtherRead(offline) if may_ask_again && states_nothing(&intent) && acts(&offline) => {
            Err(ParseFault::NoTasks)
        }
        Agreement::OtherChange(offline) if intent.clarifications_needed.is_empty() => {
            let question = format!(
                "I can read this in two ways: \"{}\" or \"{}\". Which one do you mean?",
                intent.goal, offline.goal
            );
            as_is(IntentBlock { clarifications_needed: vec![question], ..intent })
        }
        _ => as_is(intent),
    }
}

/// Something is to be read or done.
fn acts(intent: &IntentBlock) -> bool {
    !matches!(intent.intent_type, IntentType::Informational | IntentType::Noop)
}

/// Something is to be read or done, but the model does not say what.
fn states_nothing(intent: &IntentBlock) -> bool {
    acts(intent) && intent.clarifications_needed.is_empty() && intent.context.is_empty()
}
