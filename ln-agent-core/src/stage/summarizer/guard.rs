//! The state-change guard: a wish that would change something is not fulfilled by looking.

use crate::types::{IntentBlock, IntentType};

/// Whether the wish is one for a change. What only asks or explains is none, whatever verbs it uses.
pub(super) fn wants_change(intent: &IntentBlock) -> bool {
    match intent.intent_type {
        IntentType::OpenChannel | IntentType::SetFee | IntentType::Rebalance | IntentType::PayInvoice => true,
        IntentType::Recall | IntentType::Informational | IntentType::Noop | IntentType::Route => false,
        IntentType::Freeform => {
            let action = intent.context.get("action_target");
            // To sign is an act that changes nothing.
            action.is_some_and(|target| target != "sign_message")
                || (action.is_none()
                    && !intent.context.contains_key("read_target")
                    && begins_with_a_change(&intent.goal))
        }
    }
}

/// The goal is one sentence in the imperative; its first word says what is wanted.
fn begins_with_a_change(goal: &str) -> bool {
    let first = goal.split(|c: char| !c.is_alphabetic()).find(|word| !word.is_empty()).unwrap_or_default();
    CHANGES.iter().any(|verb| first.eq_ignore_ascii_case(verb))
}

const CHANGES: &[&str] = &[
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
    "invoice",
    "keysend",
    "rebalance",
    "make",
    "deposit",
    "transfer",
    "generate",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn intent(kind: IntentType, goal: &str) -> IntentBlock {
        IntentBlock { intent_type: kind, goal: goal.to_owned(), ..IntentBlock::default() }
    }

    #[test]
    fn only_a_wish_for_a_change_needs_one() {
        let cases = [
            (intent(IntentType::PayInvoice, ""), true),
            (intent(IntentType::Freeform, "Close the channel of node 1"), true),
            (intent(IntentType::Freeform, "List open channels"), false),
            (intent(IntentType::Informational, "Pay an invoice"), false),
            (intent(IntentType::Recall, "Pay history"), false),
        ];
        for (intent, expected) in cases {
            assert_eq!(wants_change(&intent), expected, "{intent:?}");
        }
    }
}
