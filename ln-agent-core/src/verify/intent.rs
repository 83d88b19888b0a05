//! Whether the goal of the whole run was reached.

use serde_json::{Value, json};

use super::channels::{self, NORMAL};
use super::confirm::{Done, through};
use super::look::{Finding, Look, Seen, argument, list, msat, pick, text};
use super::payments::{self, in_channels};
use crate::tool::Registry;
use crate::types::{IntentBlock, IntentType, Msat, Object, StepResult, Verification};

/// Looks at the end of a run whether its goal is reached: the payer and, when it is one of ours, the payee of a
/// payment; the channel that was opened or set; the channels of a rebalanced node. Nothing is looked at where no
/// step did what the intent wanted: the results say so already.
pub async fn confirm_intent(
    tools: &Registry,
    intent: &IntentBlock,
    results: &[StepResult],
) -> Vec<Verification> {
    let mut seen = Vec::new();
    match intent.intent_type {
        IntentType::PayInvoice => {
            if let Some(paid) = last(results, &["ln_pay", "ln_keysend"]) {
                seen.extend(through(tools, payments::RECORDED, paid, None, None).await);
                seen.extend(at_payee(tools, intent, results, paid).await);
            }
        }
        IntentType::OpenChannel => {
            seen.extend(again(tools, results, "ln_openchannel", channels::OPENED).await)
        }
        IntentType::SetFee => seen.extend(again(tools, results, "ln_setchannel", channels::SET).await),
        IntentType::Rebalance => {
            if let Some(moved) = last(results, &["ln_pay", "ln_keysend"]) {
                seen.extend(through(tools, BALANCED, moved, None, None).await);
            }
        }
        // Several wishes in one: what was done says what must hold at the end.
        IntentType::Freeform => {
            seen.extend(again(tools, results, "ln_openchannel", channels::OPENED).await);
            if let Some(paid) = last(results, &["ln_pay", "ln_keysend"]) {
                seen.extend(at_payee(tools, intent, results, paid).await);
            }
        }
        IntentType::Recall | IntentType::Route | IntentType::Informational | IntentType::Noop => {}
    }
    seen
}

/// What the payee holds, when it is one of our nodes.
async fn at_payee(
    tools: &Registry,
    intent: &IntentBlock,
    results: &[StepResult],
    paid: Done<'_>,
) -> Option<Verification> {
    let args = payee(intent, results, paid.args)?;
    through(tools, RECEIVED, Done { args: &args, ..paid }, None, None).await
}

const RECEIVED: &[Look] =
    &[Look { tool: "ln_listfunds", args: same_node, before: false, absent: &[], judge: received }];
const BALANCED: &[Look] =
    &[Look { tool: "ln_listchannels", args: of_payer, before: false, absent: &[], judge: balanced }];

/// Looks again at what a step did, unless a later step undid it on purpose.
async fn again(tools: &Registry, results: &[StepResult], tool: &str, looks: &[Look]) -> Option<Verification> {
    let done = last(results, &[tool])?;
    let later = results.iter().skip_while(|result| result.step_id != done.step_id);
    if later.clone().any(|result| result.tool == "ln_closechannel" && result.ok) {
        return None;
    }
    through(tools, looks, done, None, None).await
}

/// The last successful call of one of these tools.
fn last<'r>(results: &'r [StepResult], tools: &[&str]) -> Option<Done<'r>> {
    let done = |result: &'r StepResult| {
        let (args, payload) = match result.iterations.iter().rev().find(|iteration| iteration.ok) {
            Some(iteration) => (&iteration.args, iteration.raw_result.pointer("/result/payload")?),
            // The list of a `for_each` that found nothing.
            None if result.payload().is_array() => return None,
            None => (&result.args, result.payload()),
        };
        Some(Done { step_id: result.step_id, tool: &result.tool, args, payload })
    };
    results.iter().rev().filter(|result| result.ok && tools.contains(&result.tool.as_str())).find_map(done)
}

/// Arguments to look at the payee: the node that wrote the invoice, or the one the prompt names.
fn payee(intent: &IntentBlock, results: &[StepResult], paid: &Object) -> Option<Object> {
    let invoice = paid.get("bolt11").and_then(Value::as_str);
    let wrote = results
        .iter()
        .filter(|result| result.ok && result.tool == "ln_invoice")
        .find(|result| invoice.is_some() && text(result.payload(), "bolt11") == invoice);
    let node = wrote.and_then(|result| result.args.get("node"));
    let node = node.or_else(|| intent.context.get("to_node")).filter(|node| !node.is_null())?;
    (paid.get("from_node") != Some(node)).then(|| Object::from_iter([("node".to_owned(), node.clone())]))
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
