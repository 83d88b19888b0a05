//! Was something to be changed? Then something must have been.

use serde_json::Value;

use crate::types::{IntentBlock, IntentType};

/// Whether the intent asks for a change: by its type, by an action tag, or by an imperative such as “close …”. A
/// question about what is open or was paid does not.
pub(super) fn wants_change(intent: &IntentBlock) -> bool {
    let tag =
        |name: &str| intent.context.get(name).and_then(Value::as_str).is_some_and(|tag| !tag.is_empty());
    match intent.intent_type {
        IntentType::Informational | IntentType::Recall | IntentType::Noop | IntentType::Route => false,
        IntentType::OpenChannel | IntentType::SetFee | IntentType::Rebalance | IntentType::PayInvoice => true,
        // Signing is an action that changes nothing.
        IntentType::Freeform if tag("action_target") => {
            intent.context.get("action_target").and_then(Value::as_str) != Some("sign_message")
        }
        IntentType::Freeform if tag("read_target") => false,
        IntentType::Freeform => commands(&intent.raw_prompt) || commands(&intent.goal),
    }
}

/// Whether a sentence, or a part of it, begins with a verb that changes something.
fn commands(text: &str) -> bool {
    let lower = text.to_lowercase();
    let mut earlier: [&str; 2] = ["", ""];
    let mut starts = true;
    for word in lower.split_whitespace() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let asked = earlier[1] == "to" && WISHES.contains(&earlier[0]);
        if CHANGES.contains(&bare) && (starts || asked) {
            return true;
        }
        let ends = word.ends_with([',', ';', '.', ':', '!', '?']);
        starts = ends || LEAD_INS.contains(&bare);
        earlier = [earlier[1], bare];
    }
    false
}

const CHANGES: [&str; 24] = [
    "pay",
    "open",
    "close",
    "fund",
    "start",
    "stop",
    "restart",
    "mine",
    "send",
    "create",
    "set",
    "withdraw",
    "connect",
    "delete",
    "remove",
    "transfer",
    "deposit",
    "generate",
    "make",
    "issue",
    "change",
    "rebalance",
    "shutdown",
    "buy",
];

/// Words after which a command begins.
const LEAD_INS: [&str; 9] = ["please", "and", "then", "now", "also", "just", "you", "lets", "let's"];

/// Words that make a command of `to …`.
const WISHES: [&str; 7] = ["want", "need", "like", "you", "try", "wish", "have"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_told_from_questions() {
        let cases = [
            ("open a channel from node 1 to node 2", true),
            ("Please pay this invoice", true),
            ("how many channels does node 1 have? if fewer than 2, close all", false),
            ("check the balance and then send 5 sat to node 2", true),
            ("I want to withdraw everything", true),
            ("can you mine 3 blocks", true),
            ("list the open channels of node 1", false),
            ("did node 1 pay node 2?", false),
            ("is the start height known", false),
            ("which invoices were paid", false),
            ("show me the last payment", false),
        ];
        for (prompt, expected) in cases {
            assert_eq!(commands(prompt), expected, "{prompt}");
        }
    }
}
