//! What did not go well: failed, unknown, passed over, left out.

use super::reading::plain;
use super::words::{self, listed};
use crate::types::{ExecutionPlan, Object, StepResult};

/// Which step, why in the node's words, and for an unknown outcome what must not be done now.
pub(super) fn sentence(step: &StepResult) -> String {
    let what = attempt(&step.tool, &step.args);
    let place = format!("step {}, {}", step.step_id, step.tool);
    let why = step.error.as_deref().unwrap_or("no reason was given");
    if step.unknown {
        let again = match step.tool.as_str() {
            "ln_pay" | "ln_keysend" | "ln_withdraw" | "btc_sendtoaddress" => "do not pay again",
            _ => "do not repeat it",
        };
        return words::sentence(&format!(
            "{what} may still be in flight ({place}: {why}); its outcome is unknown, so {again} before the node has been \
             asked"
        ));
    }
    let broken: Vec<&str> =
        step.iterations.iter().filter(|one| !one.ok).filter_map(|one| one.error.as_deref()).collect();
    if step.iterations.len() > 1 && !broken.is_empty() {
        return words::sentence(&format!(
            "{what} failed in {} of {} calls ({place}): {}",
            broken.len(),
            step.iterations.len(),
            broken[0]
        ));
    }
    words::sentence(&format!("{what} failed ({place}): {}", broken.first().unwrap_or(&why)))
}

/// A step whose failure was waived.
pub(super) fn passed_over(step: &StepResult) -> String {
    let why = step.error.as_deref().unwrap_or("no reason was given");
    words::sentence(&format!(
        "{} failed and was skipped (step {}, {}): {why}",
        attempt(&step.tool, &step.args),
        step.step_id,
        step.tool
    ))
}

/// Steps of the plan that have no result, because an earlier one ended it.
pub(super) fn left_out(plan: &ExecutionPlan, results: &[StepResult]) -> Option<String> {
    let missing: Vec<String> = plan
        .steps
        .iter()
        .filter(|step| results.iter().all(|result| result.step_id != step.step_id))
        .filter(|step| !["btc_getnewaddress", "ln_newaddr", "ln_getinfo"].contains(&step.tool.as_str()))
        .map(|step| attempt(&step.tool, &step.args))
        .collect();
    (!missing.is_empty()).then(|| format!("Not carried out: {}.", listed(&missing)))
}

/// A call by what it is called when it fails or is left out.
pub(super) fn attempt(tool: &str, args: &Object) -> String {
    let get = |name: &str| args.get(name).map(plain);
    let node = get("node").or_else(|| get("from_node"));
    let of = node.as_ref().map(|node| format!(" of node {node}")).unwrap_or_default();
    let from = node.as_ref().map(|node| format!(" from node {node}")).unwrap_or_default();
    let on = node.as_ref().map(|node| format!(" on node {node}")).unwrap_or_default();
    let the = node.as_ref().map_or_else(|| "the node".to_owned(), |node| format!("node {node}"));
    match tool {
        "ln_pay" => format!("paying{from}"),
        "ln_keysend" => format!("the keysend{from}"),
        "ln_openchannel" => format!("opening the channel{from}"),
        "ln_closechannel" => format!("closing the channel{of}"),
        "ln_setchannel" => format!("setting the channel fee{of}"),
        "ln_connect" => format!("connecting {the}"),
        "ln_invoice" => format!("making the invoice{on}"),
        "ln_offer" => format!("making the offer{on}"),
        "ln_fetchinvoice" => format!("fetching the invoice with {the}"),
        "ln_withdraw" => format!("withdrawing{from}"),
        "ln_node_start" => format!("starting {the}"),
        "ln_node_stop" => format!("stopping {the}"),
        "ln_node_create" => format!("creating {the}"),
        "ln_node_delete" => format!("deleting {the}"),
        "ln_signmessage" => format!("signing with {the}"),
        "ln_waitinvoice" | "ln_waitanyinvoice" => format!("waiting for a payment{on}"),
        "btc_sendtoaddress" => "sending from the wallet".to_owned(),
        "btc_generatetoaddress" => "mining the blocks".to_owned(),
        "btc_wallet_ensure" => "loading the wallet".to_owned(),
        "http_fetch" => "fetching the page".to_owned(),
        _ if node.is_some() => format!("asking {the}"),
        _ => tool.to_owned(),
    }
}
