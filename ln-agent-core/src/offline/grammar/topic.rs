//! What an explanation is about.

use super::entity::Entities;
use super::read::topic;
use crate::offline::text::Token;
use crate::offline::wish::Task;

/// The first deed that is spoken of, in whatever form, or the thing a question is about.
pub(in crate::offline) fn subject(tokens: &[Token], own: u32) -> Option<Task> {
    let deed = tokens.iter().find_map(|token| deed(token.word()?));
    deed.or_else(|| topic(tokens, &Entities::of(tokens, own)))
}

fn deed(word: &str) -> Option<Task> {
    Some(match word {
        "open" => Task::OpenChannel,
        "close" | "closed" => Task::CloseChannel,
        "pay" | "paid" | "send" | "sent" => Task::Pay,
        "keysend" => Task::Keysend,
        "bill" | "invoice" | "invoices" => Task::CreateInvoice,
        "offer" | "offers" | "bolt12" => Task::CreateOffer,
        "mine" | "mined" => Task::MineBlocks,
        "start" => Task::StartNode,
        "stop" => Task::StopNode,
        "restart" => Task::RestartNode,
        "connect" => Task::Connect,
        "sign" | "signed" => Task::SignMessage,
        "fund" => Task::FundNode,
        "withdraw" => Task::Withdraw,
        "reachable" => Task::ReachLan,
        _ => return None,
    })
}
