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
                    && (commands(&intent.goal) || commands(&intent.raw_prompt)))
        }
    }
}

/// Whether a sentence, or a part of it, begins with a verb that changes something. What is quoted is no command.
fn commands(text: &str) -> bool {
    let unquoted: String = text.to_lowercase().split('"').step_by(2).collect::<Vec<_>>().join(" ");
    let words: Vec<&str> = unquoted.split_whitespace().collect();
    let bare = |word: &&str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
    let bares: Vec<String> = words.iter().map(bare).collect();
    let mut starts = true;
    let mut asks = false;
    for (at, word) in bares.iter().enumerate() {
        let next = bares.get(at + 1).map_or("", String::as_str);
        let wished = at >= 2 && bares[at - 1] == "to" && WISHES.contains(&bares[at - 2].as_str());
        if (starts || wished) && is_change(word, next) {
            return true;
        }
        let begins = at == 0 || words[at - 1].ends_with(['.', ';', '!', '?']);
        asks = if begins { QUESTIONS.contains(&word.as_str()) } else { asks };
        // In a question, a comma or an `and` lists what is asked about.
        starts = words[at].ends_with(['.', ';', ':', '!', '?'])
            || LEAD_INS.contains(&word.as_str())
            || (!asks && (word == "and" || word == "you" || words[at].ends_with(',')));
    }
    false
}

fn is_change(verb: &str, next: &str) -> bool {
    match verb {
        // `open channels` are a thing, `open a channel` is a command.
        "open" => !["", "channels", "invoices", "offers", "and", "or"].contains(&next),
        "make" => next != "sure",
        "invoice" => next == "node" || next.starts_with(|c: char| c.is_ascii_digit()),
        _ => CHANGES.contains(&verb),
    }
}

const CHANGES: &[&str] = &[
    "pay",
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
    "keysend",
    "rebalance",
    "deposit",
    "transfer",
    "generate",
    "issue",
    "change",
    "remove",
];

/// Words after which a command begins.
const LEAD_INS: &[&str] = &["please", "then", "now", "also", "just", "lets", "let's"];

/// Words that make a command of `to …`.
const WISHES: &[&str] = &["want", "need", "like", "try", "wish", "have"];

/// Words that begin a question, or a look at what is.
const QUESTIONS: &[&str] = &[
    "what", "which", "how", "who", "when", "where", "why", "did", "does", "do", "is", "are", "was", "were",
    "has", "list", "show", "find", "tell", "give",
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

    #[test]
    fn commands_are_told_from_questions() {
        let cases = [
            ("open a channel from node 1 to node 2", true),
            ("Please pay this invoice", true),
            ("how many channels does node 1 have? if fewer than 2, close all", true),
            ("check the balance and then send 5 sat to node 2", true),
            ("check the balance, send 5 sat to node 2", true),
            ("I want to withdraw everything", true),
            ("can you mine 3 blocks", true),
            ("list the open channels of node 1", false),
            ("list peers and open channels", false),
            ("list open channels", false),
            ("open channels of node 1", false),
            ("show payments I sent", false),
            ("what did node 1 send and pay yesterday?", false),
            ("did node 1 pay node 2?", false),
            ("how much did you send?", false),
            ("is the start height known", false),
            ("make sure that all is well", false),
            ("don't stop node 2, just show me its peers", false),
            ("decode \"x, pay me\"", false),
        ];
        for (prompt, expected) in cases {
            assert_eq!(commands(prompt), expected, "{prompt}");
        }
    }
}
