//! Blocks, wallets, on-chain transfers.

use serde_json::{Value, json};

use super::builder::{Builder, also, args, need, payload};
use crate::offline::OfflineError;
use crate::offline::wish::Clause;
use crate::types::Object;

pub(super) fn mine(plan: &mut Builder, clause: &Clause) -> Result<(), OfflineError> {
    let blocks = need(clause, "blocks")?.as_u64().unwrap_or(1);
    mine_blocks(plan, blocks, clause.args.get("wallet"));
    Ok(())
}

/// Mines to a fresh address of the wallet.
pub(super) fn mine_blocks(plan: &mut Builder, blocks: u64, wallet: Option<&Value>) {
    let mut call = Object::new();
    if let Some(wallet) = wallet {
        call.insert("wallet".to_owned(), wallet.clone());
    }
    let address = plan.add("btc_getnewaddress", call);
    plan.add(
        "btc_generatetoaddress",
        args([("blocks", json!(blocks)), ("address", json!(payload(address, "")))]),
    );
}

pub(super) fn fund(plan: &mut Builder, clause: &Clause) -> Result<(), OfflineError> {
    let address = plan.add("ln_newaddr", args([("node", need(clause, "node")?.clone())]));
    let amount = need(clause, "amount_btc")?.clone();
    let call = args([("address", json!(payload(address, "address"))), ("amount_btc", amount)]);
    plan.add("btc_sendtoaddress", also(call, clause, &["wallet"]));
    mine_blocks(plan, 1, clause.args.get("wallet"));
    Ok(())
}

pub(super) fn send(plan: &mut Builder, clause: &Clause) -> Result<(), OfflineError> {
    let call = args([
        ("address", need(clause, "address")?.clone()),
        ("amount_btc", need(clause, "amount_btc")?.clone()),
    ]);
    plan.add("btc_sendtoaddress", also(call, clause, &["wallet"]));
    mine_blocks(plan, 1, clause.args.get("wallet"));
    Ok(())
}

/// To an address, to another node, or to the wallet.
pub(super) fn withdraw(plan: &mut Builder, clause: &Clause) -> Result<(), OfflineError> {
    let from = need(clause, "from_node")?.clone();
    let amount = need(clause, "amount_sat")?.clone();
    let destination = match (clause.args.get("destination"), clause.args.get("to_node")) {
        (Some(address), _) => address.clone(),
        (None, Some(node)) => {
            json!(payload(plan.add("ln_newaddr", args([("node", node.clone())])), "address"))
        }
        (None, None) => {
            json!(payload(plan.add("btc_getnewaddress", also(Object::new(), clause, &["wallet"])), ""))
        }
    };
    plan.add("ln_withdraw", args([("node", from), ("destination", destination), ("amount_sat", amount)]));
    mine_blocks(plan, 1, None);
    Ok(())
}

pub(super) fn address(plan: &mut Builder, clause: &Clause) -> Result<(), OfflineError> {
    plan.add("btc_getnewaddress", also(Object::new(), clause, &["wallet"]));
    Ok(())
}

pub(super) fn ensure(plan: &mut Builder, clause: &Clause) -> Result<(), OfflineError> {
    plan.add("btc_wallet_ensure", args([("wallet_name", need(clause, "wallet")?.clone())]));
    Ok(())
}
