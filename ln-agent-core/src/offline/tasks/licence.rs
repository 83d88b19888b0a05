//! Which changes the words ask for.

use super::said::Said;
use crate::offline::grammar::Verb;
use crate::offline::wish::{Clause, Task};

/// Why a change is not adopted, as a question to the user. `None`: it is asked for.
pub(super) fn objection(said: &Said, clauses: &[Clause]) -> Option<String> {
    let changes: Vec<&Clause> = clauses.iter().filter(|clause| !clause.task.is_read()).collect();
    if changes.is_empty() {
        return None;
    }
    if said.words.explains || said.words.doubtful {
        return Some("Should I really do that? Please say it as a plain command.".to_owned());
    }
    if let Some(clause) = changes.iter().find(|clause| !is_asked_for(said, clause.task)) {
        let task = clause.task.name().replace('_', " ");
        return Some(format!(
            "I do not find \"{task}\" in your words. What should I do? Please say it plainly."
        ));
    }
    let spends = changes.iter().filter(|clause| spends(clause.task)).count();
    let verbs = said.words.verbs.iter().filter(|verb| moves_money(**verb)).count();
    let asked = verbs.max(said.words.amounts.len()).max(said.words.payees);
    let targets = said.words.nodes_at_once.max(1);
    let repeated = changes
        .iter()
        .enumerate()
        .any(|(at, clause)| self::spends(clause.task) && changes[..at].contains(clause));
    if spends > asked * targets || repeated {
        return Some("How many payments should I make? Please say each one.".to_owned());
    }
    None
}

fn spends(task: Task) -> bool {
    use Task::{FundNode, Keysend, OpenChannel, Pay, SendOnchain, Withdraw};
    matches!(task, Pay | Keysend | SendOnchain | Withdraw | FundNode | OpenChannel)
}

fn moves_money(verb: Verb) -> bool {
    use Verb::{Create, Fund, Keysend, Open, Pay, Rebalance, Send, Withdraw};
    matches!(verb, Pay | Send | Keysend | Rebalance | Withdraw | Fund | Open | Create)
}

/// A change needs a verb that means it.
fn is_asked_for(said: &Said, task: Task) -> bool {
    let commands = |verbs: &[Verb]| verbs.iter().any(|verb| said.commands(*verb));
    let wishes = || {
        said.says(&["want", "need", "needs", "like", "wish", "new", "get", "set", "let", "have", "receive"])
    };
    match task {
        Task::StartNode => {
            commands(&[Verb::Start, Verb::Restart]) || said.says(&["ensure", "sure", "verify"])
        }
        Task::StopNode => commands(&[Verb::Stop]),
        Task::RestartNode => {
            commands(&[Verb::Restart]) || commands(&[Verb::Stop]) && commands(&[Verb::Start])
        }
        Task::CreateNode => commands(&[Verb::Create]) && said.has(&["node"]),
        Task::DeleteNode => commands(&[Verb::Delete]),
        Task::ReachLan => said.has(&["lan", "reachable", "computer", "machine", "machines", "outside"]),
        Task::MineBlocks => {
            commands(&[Verb::Mine]) || commands(&[Verb::Create]) && said.has(&["block", "blocks"])
        }
        Task::WalletAddress => said.has(&["address"]),
        Task::EnsureWallet => commands(&[Verb::Load, Verb::Create]) && said.has(&["wallet"]),
        Task::SendOnchain => commands(&[Verb::Send, Verb::Pay]),
        Task::FundNode => commands(&[Verb::Fund, Verb::Send]),
        Task::Withdraw => commands(&[Verb::Withdraw]),
        Task::Connect => commands(&[Verb::Connect]),
        Task::OpenChannel => {
            (commands(&[Verb::Open, Verb::Create, Verb::Fund]) || wishes())
                && said.says(&["channel", "channels"])
        }
        Task::CloseChannel => commands(&[Verb::Close]),
        Task::SetFee => commands(&[Verb::Set]) && said.has(&["fee", "fees", "ppm", "base"]),
        Task::CreateInvoice => {
            let named = said.says(&["invoice", "invoices", "bill"]);
            commands(&[Verb::Bill]) || (commands(&[Verb::Create]) || wishes() || said.says(&["ask"])) && named
        }
        Task::Pay => commands(&[Verb::Pay, Verb::Send, Verb::Rebalance]),
        Task::Keysend => commands(&[Verb::Keysend, Verb::Send]),
        Task::CreateOffer => commands(&[Verb::Offer, Verb::Create]) && said.has(&["offer", "offers"]),
        Task::FetchInvoice => {
            commands(&[Verb::Fetch, Verb::Create, Verb::Read]) && said.has(&["offer", "invoice"])
        }
        _ => true,
    }
}
