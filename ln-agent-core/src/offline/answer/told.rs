//! Which steps a person wants to hear of.

use std::collections::BTreeSet;

use serde_json::Value;

use super::scene::{Scene, is_trouble};
use crate::types::{ExecutionPlan, Placeholder, PlaceholderRoot, PlanStep, StepId, StepResult};

/// The steps that went well and are worth a clause: not those that only prepared or followed up a later or earlier one,
/// unless they were asked for.
pub(super) fn told<'r>(
    scene: &Scene,
    plan: &ExecutionPlan,
    results: &'r [StepResult],
) -> Vec<&'r StepResult> {
    let done: Vec<&StepResult> = results.iter().filter(|step| step.ok && !step.unknown).collect();
    let ran = |id: StepId| results.iter().any(|step| step.step_id == id && !step.skipped);
    let served: BTreeSet<StepId> =
        plan.steps.iter().filter(|step| ran(step.step_id)).flat_map(reads_from).collect();
    let is_preparation = |step: &StepResult| {
        let prepares = PREPARATIONS.iter().find(|(tool, _)| *tool == step.tool);
        prepares.is_some_and(|(_, asked)| served.contains(&step.step_id) && !scene.asks(asked))
    };
    let moved = |step: &StepResult| {
        done.iter().any(|other| other.step_id < step.step_id && MOVES.contains(&other.tool.as_str()))
    };
    let is_part = |step: &StepResult| match step.tool.as_str() {
        // Mined only to confirm what went before; a fee or a failure makes no difference.
        "btc_generatetoaddress" => !scene.asks(MINING) && (moved(step) || scene.troubled),
        "ln_invoice" | "ln_fetchinvoice" => is_paid(plan, &done, step),
        // The confirmation says it.
        "ln_listpays" | "ln_listinvoices" => {
            scene.asks(&["verif", "confirm"]) && done.iter().any(|paid| paid.tool == "ln_pay")
        }
        "ln_node_stop" => step.args.get("node").is_some_and(|node| {
            scene.restarted(&super::reading::plain(node))
                && done.iter().any(|other| {
                    other.tool == "ln_node_start"
                        && other.args.get("node") == Some(node)
                        && other.step_id > step.step_id
                })
        }),
        _ => false,
    };
    done.iter().copied().filter(|step| !is_preparation(step) && !is_part(step)).collect()
}

/// Whether a later payment that went well reads this step's answer.
fn is_paid(plan: &ExecutionPlan, done: &[&StepResult], made: &StepResult) -> bool {
    let pays = |step: &&PlanStep| {
        step.tool == "ln_pay" && done.iter().any(|paid| paid.step_id == step.step_id && !is_trouble(paid))
    };
    plan.steps.iter().filter(pays).flat_map(reads_from).any(|id| id == made.step_id)
}

/// The steps that a step depends on, or whose answers it reads.
pub(super) fn reads_from(step: &PlanStep) -> Vec<StepId> {
    let whole = serde_json::to_value(step).unwrap_or(Value::Null);
    step.depends_on.iter().copied().chain(named_in(&whole)).collect()
}

/// The steps whose answers a value reads.
pub(super) fn named_in(value: &Value) -> Vec<StepId> {
    let placeholders = Placeholder::all_in(value).unwrap_or_default();
    let read = placeholders.into_iter().filter_map(|found| match found.root {
        PlaceholderRoot::Step(id) => Some(id),
        PlaceholderRoot::Context | PlaceholderRoot::Item => None,
    });
    read.collect()
}

/// What moves money on chain and waits for blocks.
const MOVES: [&str; 4] = ["ln_openchannel", "ln_closechannel", "ln_withdraw", "btc_sendtoaddress"];
const MINING: &[&str] = &["mine ", "mining", "generate"];

/// Tools that mostly serve others, and the phrases of a prompt or goal that ask for them by themselves.
const PREPARATIONS: [(&str, &[&str]); 16] = [
    ("btc_getnewaddress", &["fresh address", "new address"]),
    ("btc_getblockchaininfo", &["block height", "blockheight"]),
    ("btc_getbalance", &["read the wallet's balance", "what is the balance"]),
    ("btc_getmempoolinfo", &["look at the mempool"]),
    ("btc_wallet_ensure", &["make sure that the wallet", "ensure"]),
    ("ln_getinfo", &["identity", "pubkey", "public key", "version", "info of", "show info"]),
    ("ln_newaddr", &["deposit address", "fresh address", "new address"]),
    ("ln_connect", &["connect"]),
    ("ln_node_status", &["show the state"]),
    ("ln_listnodes", &["list the nodes"]),
    ("ln_listchannels", &["show the channels", "list the channels", "how many channels"]),
    ("ln_listfunds", &["show the funds"]),
    ("ln_listpeers", &["show the peers"]),
    ("ln_listinvoices", &["show the invoices"]),
    ("ln_decodepay", &["decode"]),
    ("sys_netinfo", &["network addresses"]),
];
