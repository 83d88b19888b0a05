//! Invoices, payments, offers.

use serde_json::{Value, json};

use super::builder::{Builder, also, args, need, payload};
use super::channel::{most, on_item};
use crate::offline::OfflineError;
use crate::offline::wish::Clause;
use crate::types::{ForEach, StepId};

pub(super) fn invoice(plan: &mut Builder, clause: &Clause) -> Result<StepId, OfflineError> {
    let node = need(clause, "node")?.clone();
    bill(plan, clause, node)
}

fn bill(plan: &mut Builder, clause: &Clause, node: Value) -> Result<StepId, OfflineError> {
    let amount = need(clause, "amount_msat")?.clone();
    let text = |key: &str, default: String| clause.args.get(key).cloned().unwrap_or_else(|| json!(default));
    // A blank label makes the tool invent one that is unique.
    let label = text("label", String::new());
    let description = text("description", format!("payment to node {node}"));
    let step = plan.add(
        "ln_invoice",
        args([("node", node), ("amount_msat", amount), ("label", label), ("description", description)]),
    );
    plan.produced(step);
    Ok(step)
}

pub(super) fn pay(plan: &mut Builder, clause: &Clause) -> Result<(), OfflineError> {
    let from = need(clause, "from_node")?.clone();
    let invoice = invoice_to_pay(plan, clause, &from)?;
    let paid = plan.add("ln_pay", args([("from_node", from), ("bolt11", invoice)]));
    plan.produced(paid);
    Ok(())
}

/// The invoice itself, or a placeholder for one that earlier steps make.
fn invoice_to_pay(plan: &mut Builder, clause: &Clause, from: &Value) -> Result<Value, OfflineError> {
    if let Some(invoice) = clause.args.get("bolt11") {
        return Ok(invoice.clone());
    }
    if clause.args.contains_key("offer") || clause.args.contains_key("offer_of") {
        let fetched = fetch_with(plan, clause, from.clone())?;
        return Ok(json!(payload(fetched, "invoice")));
    }
    let made = match clause.args.get("invoice_of").and_then(Value::as_u64) {
        Some(number) => plan.product(number).ok_or(OfflineError::NoSuchClause(number))?,
        None => {
            let payee = need(clause, "to_node")?.clone();
            bill(plan, clause, payee)?
        }
    };
    let field = if clause.args.get("fetched") == Some(&json!(true)) { "invoice" } else { "bolt11" };
    Ok(json!(payload(made, field)))
}

/// Every unpaid invoice of a node that passes the filter.
pub(super) fn pay_every(plan: &mut Builder, clause: &Clause) -> Result<(), OfflineError> {
    let from = need(clause, "from_node")?.clone();
    let list = plan.add("ln_listinvoices", args([("node", need(clause, "to_node")?.clone())]));
    let filter = clause.filter.iter().map(on_item).collect();
    let each = ForEach { list: payload(list, "invoices"), filter, max: most(clause) };
    plan.add_each("ln_pay", args([("from_node", from), ("bolt11", json!("$item.bolt11"))]), each);
    Ok(())
}

pub(super) fn keysend(plan: &mut Builder, clause: &Clause) -> Result<(), OfflineError> {
    let from = need(clause, "from_node")?.clone();
    let amount = need(clause, "amount_msat")?.clone();
    let destination = match clause.args.get("destination") {
        Some(key) => key.clone(),
        None => {
            json!(payload(plan.add("ln_getinfo", args([("node", need(clause, "to_node")?.clone())])), "id"))
        }
    };
    plan.add(
        "ln_keysend",
        args([("from_node", from), ("destination", destination), ("amount_msat", amount)]),
    );
    Ok(())
}

pub(super) fn offer(plan: &mut Builder, clause: &Clause) -> Result<(), OfflineError> {
    let node = need(clause, "node")?.clone();
    let amount = need(clause, "amount_msat")?.clone();
    let description =
        clause.args.get("description").cloned().unwrap_or_else(|| json!(format!("offer of node {node}")));
    let made =
        plan.add("ln_offer", args([("node", node), ("amount_msat", amount), ("description", description)]));
    plan.produced(made);
    Ok(())
}

pub(super) fn fetch(plan: &mut Builder, clause: &Clause) -> Result<StepId, OfflineError> {
    let node = need(clause, "node")?.clone();
    let step = fetch_with(plan, clause, node)?;
    plan.produced(step);
    Ok(step)
}

fn fetch_with(plan: &mut Builder, clause: &Clause, node: Value) -> Result<StepId, OfflineError> {
    let offer = match (clause.args.get("offer"), clause.args.get("offer_of").and_then(Value::as_u64)) {
        (Some(offer), _) => offer.clone(),
        (None, Some(number)) => {
            json!(payload(plan.product(number).ok_or(OfflineError::NoSuchClause(number))?, "offer"))
        }
        (None, None) => need(clause, "offer")?.clone(),
    };
    Ok(plan.add("ln_fetchinvoice", also(args([("node", node), ("offer", offer)]), clause, &["amount_msat"])))
}
