//! Clauses to plan steps, one file per family.

mod builder;
mod chain;
mod channel;
mod guard;
mod node;
mod payment;
mod read;

pub(super) use builder::Builder;

use super::OfflineError;
use super::wish::{Clause, Task};

/// The steps of all clauses, in order.
pub(super) fn steps(clauses: &[Clause]) -> Result<Vec<crate::types::PlanStep>, OfflineError> {
    let mut plan = Builder::default();
    for clause in clauses {
        plan.begin(clause)?;
        add(&mut plan, clause)?;
        plan.end(clause);
    }
    Ok(plan.into_steps())
}

fn add(plan: &mut Builder, clause: &Clause) -> Result<(), OfflineError> {
    match clause.task {
        Task::OpenChannel => channel::open(plan, clause),
        Task::CloseChannel if clause.every => channel::close_every(plan, clause),
        Task::CloseChannel => channel::close(plan, clause),
        Task::SetFee => channel::set_fee(plan, clause),
        Task::Connect => channel::connect(plan, clause).map(drop),
        Task::Pay if clause.every => payment::pay_every(plan, clause),
        Task::Pay => payment::pay(plan, clause),
        Task::Keysend => payment::keysend(plan, clause),
        Task::CreateInvoice => payment::invoice(plan, clause).map(drop),
        Task::CreateOffer => payment::offer(plan, clause),
        Task::FetchInvoice => payment::fetch(plan, clause).map(drop),
        Task::MineBlocks => chain::mine(plan, clause),
        Task::FundNode => chain::fund(plan, clause),
        Task::SendOnchain => chain::send(plan, clause),
        Task::Withdraw => chain::withdraw(plan, clause),
        Task::WalletAddress => chain::address(plan, clause),
        Task::EnsureWallet => chain::ensure(plan, clause),
        Task::StartNode
        | Task::StopNode
        | Task::RestartNode
        | Task::CreateNode
        | Task::DeleteNode
        | Task::ReachLan
        | Task::SignMessage => node::change(plan, clause),
        _ => read::read(plan, clause),
    }
}
