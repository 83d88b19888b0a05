//! What the model is told: the system prompt, the shape of the answer, and which prompts are passed on.

use serde_json::{Value, json};

use super::error::PromptFault;
use crate::offline::{facts, task_schema};
use crate::types::{Exchange, IntentType};

/// Longest prompt that is read, in bytes: 64 KiB.
pub const MAX_PROMPT_BYTES: usize = 64 * 1_024;

/// Longest part of an earlier prompt or answer that a model is shown, in characters. Values that follow-ups refer to
/// are in the artefacts, which are never cut.
const MAX_HISTORY_CHARS: usize = 2_000;

/// The same bytes for every request, so that a provider's prompt cache has them.
pub(super) const RULES: &str = include_str!("../../../prompts/translator.md");
const SESSION: &str = include_str!("../../../prompts/translator_session.md");

/// Refuses what is no text a user would type.
pub(super) fn check(prompt: &str) -> Result<(), PromptFault> {
    if prompt.len() > MAX_PROMPT_BYTES {
        return Err(PromptFault::TooLong { bytes: prompt.len() });
    }
    if let Some((index, character)) = prompt.chars().enumerate().find(|(_, c)| is_forbidden(*c)) {
        return Err(PromptFault::Control { character, position: index + 1 });
    }
    if prompt.trim().is_empty() { Err(PromptFault::Empty) } else { Ok(()) }
}

/// Control characters, line breaks (of every system) and tabs aside.
#[must_use]
pub fn is_forbidden(character: char) -> bool {
    character.is_control() && !matches!(character, '\n' | '\r' | '\t')
}

/// What changes from request to request, after the rules. History comes last, so nothing in it is taken for a marker
/// of ours.
pub(super) fn session(history: &[Exchange], node_count: u32, own_node: u32) -> String {
    SESSION
        .replace("{NODE_COUNT}", &node_count.to_string())
        .replace("{OWN_NODE}", &own_node.to_string())
        .replace("{HISTORY}", &render(history))
}

fn render(history: &[Exchange]) -> String {
    if history.is_empty() {
        return "(none)".into();
    }
    let line = |exchange: &Exchange| {
        let answer = shorten(&exchange.answer);
        json!({ "user": shorten(&exchange.prompt), "agent": answer, "artefacts": exchange.artefacts })
            .to_string()
    };
    history.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn shorten(text: &str) -> &str {
    text.char_indices().nth(MAX_HISTORY_CHARS).map_or(text, |(at, _)| &text[..at])
}

/// What the user typed, and the values in it as code reads them.
pub(super) fn user(prompt: &str, node_count: u32, own_node: u32) -> String {
    match facts(prompt, node_count, own_node) {
        facts if facts.is_empty() => format!("Message: {prompt}"),
        facts => format!("Message: {prompt}\n(Values in it: {facts})"),
    }
}

/// JSON schema of the answer: the six members, all required. The context has tasks, and for `route` two texts.
pub(super) fn schema() -> Value {
    let strings = json!({ "type": "array", "items": { "type": "string" } });
    json!({
        "type": "object",
        "properties": {
            "goal": { "type": "string" },
            "intent_type": { "type": "string", "enum": IntentType::ALL },
            "context": {
                "type": "object",
                "properties": {
                    "tasks": { "type": "array", "items": task_schema() },
                    "target_node": { "type": "integer" },
                    "routed_prompt": { "type": "string" },
                },
                "required": ["tasks"],
                "additionalProperties": false,
            },
            "success_criteria": strings,
            "clarifications_needed": strings,
            "human_summary": { "type": "string" },
        },
        "required": [
            "goal", "intent_type", "context", "success_criteria", "clarifications_needed", "human_summary",
        ],
        "additionalProperties": false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_that_nobody_types_are_refused_with_the_reason() {
        let error = |prompt: &str| check(prompt).unwrap_err().to_string();
        assert!(error(" \n\t").starts_with("the prompt is empty: say what to do"));
        assert_eq!(
            error("pay\0now"),
            "the prompt holds the control character '\\0' at position 4; only line breaks and tabs are read",
        );
        assert_eq!(check("block\r\n\theight"), Ok(()));
        assert_eq!(check("é\u{1b}[2J"), Err(PromptFault::Control { character: '\u{1b}', position: 2 }));
        assert_eq!(error(&"a".repeat(1_000_000)), "the prompt has 1000000 bytes; at most 65536 are read");
        assert_eq!(check("open a channel,\n\tthen pay — 50 € 😀"), Ok(()));
    }

    #[test]
    fn the_system_prompts_name_nodes_types_and_tasks() {
        let session = session(&[], 3, 2);
        assert!(session.contains("numbered 1 to 3") && session.contains("You speak for node 2"));
        assert!(session.ends_with("(none)\n") && !session.contains('{'));
        let prompt = RULES;
        for kind in IntentType::ALL {
            assert!(prompt.contains(&format!("`{}`", kind.name())), "{}", kind.name());
        }
        assert!(
            !prompt.contains("{NODE_COUNT}") && !prompt.contains("{OWN_NODE}"),
            "the rules are the same for all"
        );
        for tag in [
            "network_health",
            "block_height",
            "node_info",
            "channel_count",
            "peer_list",
            "fund_list",
            "payment_list",
            "invoice_list",
            "wallet_balance",
            "fee_estimate",
            "mempool_info",
            "ln_fee_rates",
            "ln_address",
            "btc_tx_list",
            "ln_tx_list",
            "offer_list",
            "recall",
            "start_node",
            "stop_node",
            "restart_node",
            "mine_blocks",
            "sign_message",
        ] {
            assert!(prompt.contains(&format!("`{tag}`")), "{tag}");
        }
    }

    #[test]
    fn history_is_shown_as_data_with_its_artefacts() {
        let exchange = Exchange {
            prompt: "invoice\n{OWN_NODE}".into(),
            answer: "x".repeat(3_000),
            artefacts: json!({ "bolt11": "lnbcrt1" }).as_object().unwrap().clone(),
        };
        let answer = "x".repeat(2_000);
        let line = format!(
            r#"{{"user":"invoice\n{{OWN_NODE}}","agent":"{answer}","artefacts":{{"bolt11":"lnbcrt1"}}}}"#
        );
        assert!(session(&[exchange], 2, 1).ends_with(&format!("\n{line}\n")));
    }
}
