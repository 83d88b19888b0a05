//! Whether the goal of the whole run was reached.

use serde_json::{Value, json};

use super::channels::{self, NORMAL};
use super::confirm::{Done, through};
use super::look::{Finding, Look, Seen, argument, list, msat, pick, text};
use super::onchain;
use super::payments::{self, in_channels};
use crate::tool::Registry;
use crate::types::{IntentBlock, IntentType, Msat, Object, StepResult, Verification, VerificationStatus};

/// Looks at the end of a run whether its goal is reached: the payer of the last payment and, where it is one of ours,
/// the payee of each; channels that were opened or set, money that was sent on chain, the channels of a rebalanced node.
/// Nothing is looked at where no step did what the intent wanted: the results say so already.
pub async fn confirm_intent(
    tools: &Registry,
    intent: &IntentBlock,
    results: &[StepResult],
) -> Vec<Verification> {
    let mut seen = Vec::new();
    match intent.intent_type {
        IntentType::PayInvoice => {
            if let Some(paid) = last(results, PAYMENTS) {
                seen.extend(through(tools, payments::RECORDED, paid, None, None).await);
            }
        }
        IntentType::SetFee => {
            if let Some(set) = last(results, &["ln_setchannel"]) {
                seen.extend(through(tools, channels::SET, set, None, None).await);
            }
        }
        IntentType::Rebalance => {
            if let Some(moved) = last(results, PAYMENTS) {
                seen.extend(through(tools, BALANCED, moved, None, None).await);
            }
        }
        // Several wishes in one: what was done says what must hold at the end.
        IntentType::OpenChannel | IntentType::Freeform => {}
        IntentType::Recall | IntentType::Route | IntentType::Informational | IntentType::Noop => return seen,
    }
    for (tool, looks) in FINAL {
        seen.extend(again(tools, results, tool, looks).await);
    }
    for paid in done(results, PAYMENTS) {
        seen.extend(at_payee(tools, intent, results, paid).await);
    }
    seen
}

const PAYMENTS: &[&str] = &["ln_pay", "ln_keysend"];

/// What later steps move on: a funding or a transaction finds its block.
const FINAL: [(&str, &[Look]); 3] = [
    ("ln_openchannel", channels::OPENED),
    ("ln_withdraw", onchain::WITHDRAWN),
    ("btc_sendtoaddress", onchain::SENT),
];

/// What the payee, when it is one of our nodes, says of its invoice, and what it holds. Its invoice decides: what was
/// received may have been spent since.
async fn at_payee(
    tools: &Registry,
    intent: &IntentBlock,
    results: &[StepResult],
    paid: Done<'_>,
) -> Vec<Verification> {
    let Some(args) = payee(intent, results, paid) else { return Vec::new() };
    let funds = through(tools, RECEIVED, Done { args: &args, ..paid }, None, None).await;
    let settled = match paid.args.get("bolt11") {
        Some(_) => {
            through(tools, SETTLED, Done { args: &with_invoice(&args, paid), ..paid }, None, None).await
        }
        None => None,
    };
    let settled = settled.filter(|one| one.status != VerificationStatus::Unavailable);
    let spends = |step: &StepResult| step.ok && step.args.get("from_node") == args.get("node");
    let is_settled = settled.as_ref().is_some_and(|one| one.ok) || results.iter().any(spends);
    let funds = funds.filter(|one| !(is_settled && one.status == VerificationStatus::Contradicted));
    funds.into_iter().chain(settled).collect()
}

fn with_invoice(args: &Object, paid: Done<'_>) -> Object {
    let mut args = args.clone();
    args.extend(paid.args.get("bolt11").map(|invoice| ("bolt11".to_owned(), invoice.clone())));
    args
}

const RECEIVED: &[Look] =
    &[Look { tool: "ln_listfunds", args: same_node, before: false, absent: &[], judge: received }];
const SETTLED: &[Look] =
    &[Look { tool: "ln_listinvoices", args: invoices_of, before: false, absent: &[], judge: settled }];
const BALANCED: &[Look] =
    &[Look { tool: "ln_listchannels", args: of_payer, before: false, absent: &[], judge: balanced }];

/// Looks again at what steps did, unless a later step undid it on purpose.
async fn again(tools: &Registry, results: &[StepResult], tool: &str, looks: &[Look]) -> Vec<Verification> {
    let mut seen = Vec::new();
    for one in done(results, &[tool]) {
        let mut later = results.iter().skip_while(|result| result.step_id != one.step_id);
        if tool == "ln_openchannel" && later.any(|result| result.tool == "ln_closechannel" && result.ok) {
            continue;
        }
        seen.extend(through(tools, looks, one, None, None).await);
    }
    seen
}

/// The successful calls of these tools, those of plurals one by one.
fn done<'r>(results: &'r [StepResult], tools: &[&str]) -> Vec<Done<'r>> {
    let calls = |result: &'r StepResult| {
        let whole = |args, payload| Done { step_id: result.step_id, tool: &result.tool, args, payload };
        if !result.iterations.is_empty() {
            let each = result.iterations.iter().filter(|one| one.ok);
            return each
                .filter_map(|one| Some(whole(&one.args, one.raw_result.pointer("/result/payload")?)))
                .collect();
        }
        // The list of a `for_each` that found nothing.
        if result.payload().is_array() || !result.ok {
            return Vec::new();
        }
        vec![whole(&result.args, result.payload())]
    };
    results.iter().filter(|result| tools.contains(&result.tool.as_str())).flat_map(calls).collect()
}

/// The last of them.
fn last<'r>(results: &'r [StepResult], tools: &[&str]) -> Option<Done<'r>> {
    done(results, tools).pop()
}

/// Arguments to look at the payee: the node that wrote the invoice or has the key that was paid, or else the one that
/// the prompt names.
fn payee(intent: &IntentBlock, results: &[StepResult], paid: Done<'_>) -> Option<Object> {
    let invoice = paid.args.get("bolt11").and_then(Value::as_str);
    let key = text(paid.payload, "destination").or_else(|| paid.args.get("destination")?.as_str());
    let is_payee = |result: &&StepResult| match result.tool.as_str() {
        "ln_invoice" => invoice.is_some() && text(result.payload(), "bolt11") == invoice,
        "ln_listinvoices" => {
            let mut made = list(result.payload(), "invoices").iter();
            invoice.is_some() && made.any(|one| text(one, "bolt11") == invoice)
        }
        "ln_getinfo" => key.is_some() && text(result.payload(), "id") == key,
        _ => false,
    };
    let known = results.iter().filter(|result| result.ok).find(is_payee);
    let node = known.and_then(|result| result.args.get("node"));
    let named = || intent.context.get("to_node").filter(|_| done(results, PAYMENTS).len() == 1);
    let node = node.or_else(named).filter(|node| !node.is_null())?;
    (paid.args.get("from_node") != Some(node)).then(|| Object::from_iter([("node".to_owned(), node.clone())]))
}

fn invoices_of(args: &Object, _payload: &Value) -> Option<Object> {
    pick(args, &[("node", "node")])
}

/// The payee calls the invoice paid.
fn settled(seen: &Seen<'_>) -> Finding {
    let node = argument(seen.done.args, "node");
    let hash = text(seen.done.payload, "payment_hash");
    let invoice = seen.done.args.get("bolt11").and_then(Value::as_str);
    let is_it = |one: &&Value| {
        text(one, "bolt11") == invoice || (hash.is_some() && text(one, "payment_hash") == hash)
    };
    let Some(found) = list(seen.now, "invoices").iter().find(is_it) else {
        return Finding::Undecided(format!("node {node} does not list the invoice"));
    };
    let (label, status) =
        (text(found, "label").unwrap_or_default(), text(found, "status").unwrap_or_default());
    let detail = format!("invoice \"{label}\" of node {node} is {status}");
    let observed = json!({ "node": seen.done.args.get("node"), "label": label, "status": status });
    if status == "paid" {
        Finding::confirmed(detail, observed)
    } else {
        Finding::contradicted(detail, observed)
    }
}

fn same_node(args: &Object, _payload: &Value) -> Option<Object> {
    Some(args.clone())
}

fn of_payer(args: &Object, _payload: &Value) -> Option<Object> {
    pick(args, &[("from_node", "node")])
}

/// What was received is still there, in channels or, when those were closed since, on chain.
fn received(seen: &Seen<'_>) -> Finding {
    let node = argument(seen.done.args, "node");
    let Some(amount) = msat(seen.done.payload, "amount_msat") else {
        return Finding::Undecided("the answer does not name the amount".to_owned());
    };
    let Some(held) = in_channels(seen.now) else {
        return Finding::Undecided(format!("node {node} does not say what its channels hold"));
    };
    let outputs = list(seen.now, "outputs").iter().filter_map(|output| msat(output, "amount_msat"));
    let onchain = outputs.fold(Msat(0), |sum, output| sum.checked_add(output).unwrap_or(sum));
    let observed =
        json!({ "node": seen.done.args.get("node"), "channels_msat": held, "onchain_msat": onchain });
    let detail =
        format!("payee node {node} holds {} msat in channels after receiving {} msat", held.0, amount.0);
    if held.checked_add(onchain).unwrap_or(held) >= amount {
        Finding::confirmed(detail, observed)
    } else {
        Finding::contradicted(
            format!("payee node {node} holds only {} msat, {} msat were paid", held.0, amount.0),
            observed,
        )
    }
}

fn balanced(seen: &Seen<'_>) -> Finding {
    let usable = list(seen.now, "channels").iter().filter(|channel| text(channel, "state") == Some(NORMAL));
    let mut words = Vec::new();
    let mut observed = Vec::new();
    for channel in usable {
        let name =
            text(channel, "short_channel_id").or_else(|| text(channel, "peer_id")).unwrap_or("unnamed");
        let (Some(ours), Some(total)) = (msat(channel, "to_us_msat"), msat(channel, "total_msat")) else {
            continue;
        };
        words.push(format!("{name} holds {} of {} msat", ours.0, total.0));
        observed.push(json!({ "channel": name, "to_us_msat": ours, "total_msat": total }));
    }
    if words.is_empty() {
        return Finding::contradicted("the node has no usable channel", Value::Null);
    }
    Finding::confirmed(words.join("; "), observed)
}
