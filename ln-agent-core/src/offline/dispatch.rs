//! The dispatch table: wishes so plain that their plan is known without asking anybody.

use serde_json::{Value, json};

use crate::types::{IntentBlock, Object, OnError, PlanStep, StepId};

/// A plan out of the dispatch table.
///
/// # Examples
///
/// ```
/// use ln_agent_core::IntentBlock;
/// use ln_agent_core::offline::dispatch;
///
/// let intent: IntentBlock = serde_json::from_str(r#"{"context": {"read_target": "node_info", "node": 2}}"#)?;
/// let plan = dispatch(&intent).unwrap();
/// assert_eq!((plan.steps[0].tool.as_str(), &plan.steps[0].args["node"]), ("ln_getinfo", &2.into()));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Dispatch {
    /// The tag that hit, such as `block_height`.
    pub target: String,
    /// Why these steps, in one sentence.
    pub rationale: String,
    /// The steps.
    pub steps: Vec<PlanStep>,
}

/// The plan of the intent's `read_target` or `action_target`.
///
/// `None` for a tag that is not in the table, when a needed argument is missing or has a form that its tool would
/// refuse, and when the context carries both tags or several clauses: one row never answers two wishes.
#[must_use]
pub fn dispatch(intent: &IntentBlock) -> Option<Dispatch> {
    let context = &intent.context;
    if context.get("clauses").is_some_and(|clauses| !clauses.is_null()) {
        return None;
    }
    let (target, row) = match (tag(context, "action_target"), tag(context, "read_target")) {
        (Some(action), None) => (action, find(&ACTIONS, action)?),
        (None, Some(read)) => (read, find(&READS, read)?),
        _ => return None,
    };
    let steps =
        row.calls.iter().enumerate().map(|(at, call)| call.step(at, context)).collect::<Option<_>>()?;
    let tools: Vec<&str> = row.calls.iter().map(|call| call.tool).collect();
    Some(Dispatch {
        target: target.to_owned(),
        rationale: format!("`{target}` is answered by {}.", tools.join(", then ")),
        steps,
    })
}

struct Row {
    tag: &'static str,
    calls: &'static [Call],
}

struct Call {
    tool: &'static str,
    args: &'static [Arg],
    on_error: OnError,
}

/// Where an argument comes from.
enum Arg {
    /// The context's member of the same name; without it there is no dispatch.
    Needed(&'static str, Form),
    /// The same, left out when the context has none.
    Optional(&'static str, Form),
    /// A placeholder.
    Chained(&'static str, &'static str),
}

/// What a context member must look like.
#[derive(Clone, Copy)]
enum Form {
    /// A whole number from 1 to this.
    UpTo(u64),
    /// A text that is not blank.
    Text,
    /// One of these words.
    OneOf(&'static [&'static str]),
}

impl Call {
    const fn new(tool: &'static str, args: &'static [Arg]) -> Self {
        Self { tool, args, on_error: OnError::Abort }
    }

    /// The step at this position; each step follows the one before it.
    fn step(&self, at: usize, context: &Object) -> Option<PlanStep> {
        let mut args = Object::new();
        for arg in self.args {
            let (name, value) = match *arg {
                Arg::Needed(name, form) => (name, form.read(context.get(name)?)?),
                Arg::Optional(name, form) => match context.get(name) {
                    None | Some(Value::Null) => continue,
                    Some(value) => (name, form.read(value)?),
                },
                Arg::Chained(name, placeholder) => (name, json!(placeholder)),
            };
            args.insert(name.to_owned(), value);
        }
        let before = u32::try_from(at).ok()?;
        Some(PlanStep {
            step_id: StepId(before + 1),
            tool: self.tool.to_owned(),
            args,
            depends_on: if before == 0 { Vec::new() } else { vec![StepId(before)] },
            on_error: self.on_error,
            max_retries: 0,
            expected_outcome: String::new(),
            when: Vec::new(),
            for_each: None,
        })
    }
}

impl Form {
    fn read(self, value: &Value) -> Option<Value> {
        match self {
            Self::UpTo(most) => {
                let number = value.as_u64().or_else(|| value.as_str()?.trim().parse().ok())?;
                (1..=most).contains(&number).then(|| json!(number))
            }
            Self::Text => value.as_str().filter(|text| !text.trim().is_empty()).map(|text| json!(text)),
            Self::OneOf(words) => value.as_str().filter(|text| words.contains(text)).map(|text| json!(text)),
        }
    }
}

fn tag<'a>(context: &'a Object, key: &str) -> Option<&'a str> {
    context.get(key).and_then(Value::as_str).filter(|tag| !tag.is_empty())
}

fn find(rows: &'static [Row], tag: &str) -> Option<&'static Row> {
    rows.iter().find(|row| row.tag == tag)
}

const fn row(tag: &'static str, calls: &'static [Call]) -> Row {
    Row { tag, calls }
}

const ANY: Form = Form::UpTo(u32::MAX as u64);
const NODE: &[Arg] = &[Arg::Needed("node", ANY)];
const WALLET: Arg = Arg::Optional("wallet", Form::Text);

/// `forward_list` is not here on purpose: its filters are a model's job.
const READS: [Row; 17] = [
    row("network_health", &[Call::new("network_health", &[])]),
    row("block_height", &[Call::new("btc_getblockchaininfo", &[])]),
    row("node_info", &[Call::new("ln_getinfo", NODE)]),
    row("channel_count", &[Call::new("ln_listchannels", NODE)]),
    row("peer_list", &[Call::new("ln_listpeers", NODE)]),
    row("fund_list", &[Call::new("ln_listfunds", NODE)]),
    row("payment_list", &[Call::new("ln_listpays", NODE)]),
    row("invoice_list", &[Call::new("ln_listinvoices", NODE)]),
    row("wallet_balance", &[Call::new("btc_getbalance", &[WALLET])]),
    row("fee_estimate", &[Call::new("btc_estimatefee", &[Arg::Optional("conf_target", Form::UpTo(1_008))])]),
    row("mempool_info", &[Call::new("btc_getmempoolinfo", &[])]),
    row("ln_fee_rates", &[Call::new("ln_feerates", NODE)]),
    row("ln_address", &[Call::new("ln_newaddr", NODE)]),
    row(
        "btc_tx_list",
        &[Call::new("btc_listtransactions", &[WALLET, Arg::Optional("count", Form::UpTo(1_000))])],
    ),
    row("ln_tx_list", &[Call::new("ln_listtransactions", NODE)]),
    row("offer_list", &[Call::new("ln_listoffers", NODE)]),
    row("recall", &[Call::new("memory_lookup", RECALL)]),
];

const RECALL: &[Arg] = &[
    Arg::Optional("query", Form::Text),
    Arg::Optional("last_n", Form::UpTo(100)),
    Arg::Optional("outcome", Form::OneOf(&["ok", "partial", "failed"])),
];

const ACTIONS: [Row; 5] = [
    row(
        "start_node",
        // Starting is right whether or not the status could be read.
        &[
            Call { tool: "ln_node_status", args: NODE, on_error: OnError::Skip },
            Call::new("ln_node_start", NODE),
        ],
    ),
    row("stop_node", &[Call::new("ln_node_stop", NODE)]),
    row("restart_node", &[Call::new("ln_node_stop", NODE), Call::new("ln_node_start", NODE)]),
    row(
        "mine_blocks",
        &[
            Call::new("btc_getnewaddress", &[WALLET]),
            Call::new(
                "btc_generatetoaddress",
                // bitcoind's own tool refuses more than 2,016 blocks at a time.
                &[Arg::Needed("blocks", Form::UpTo(2_016)), Arg::Chained("address", "$step1.result.payload")],
            ),
        ],
    ),
    row(
        "sign_message",
        &[Call::new("ln_signmessage", &[Arg::Needed("node", ANY), Arg::Needed("message", Form::Text)])],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    fn tools(context: &Value) -> Option<Vec<String>> {
        let context = context.as_object().unwrap().clone();
        let found = dispatch(&IntentBlock { context, ..IntentBlock::default() })?;
        Some(found.steps.iter().map(|s| format!("{} {}", s.tool, Value::Object(s.args.clone()))).collect())
    }

    #[test]
    fn every_tag_has_its_plan() {
        let cases = [
            (json!({"read_target": "block_height"}), vec![r"btc_getblockchaininfo {}"]),
            (json!({"read_target": "fund_list", "node": "2"}), vec![r#"ln_listfunds {"node":2}"#]),
            (json!({"read_target": "fee_estimate"}), vec!["btc_estimatefee {}"]),
            (
                json!({"read_target": "fee_estimate", "conf_target": 6}),
                vec![r#"btc_estimatefee {"conf_target":6}"#],
            ),
            (
                json!({"read_target": "recall", "last_n": 3, "outcome": "failed"}),
                vec![r#"memory_lookup {"last_n":3,"outcome":"failed"}"#],
            ),
            (
                json!({"action_target": "restart_node", "node": 2}),
                vec![r#"ln_node_stop {"node":2}"#, r#"ln_node_start {"node":2}"#],
            ),
            (
                json!({"action_target": "mine_blocks", "blocks": 3}),
                vec![
                    "btc_getnewaddress {}",
                    r#"btc_generatetoaddress {"blocks":3,"address":"$step1.result.payload"}"#,
                ],
            ),
        ];
        for (context, expected) in cases {
            assert_eq!(
                tools(&context),
                Some(expected.iter().map(ToString::to_string).collect()),
                "{context}"
            );
        }
    }

    #[test]
    fn a_missing_or_unusable_argument_prevents_dispatch() {
        for context in [
            json!({"read_target": "fund_list"}),
            json!({"read_target": "fund_list", "node": 0}),
            json!({"read_target": "fund_list", "node": "both"}),
            json!({"action_target": "mine_blocks"}),
            json!({"action_target": "mine_blocks", "blocks": 2_017}),
            json!({"action_target": "sign_message", "node": 1, "message": " "}),
            json!({"read_target": "recall", "outcome": "great"}),
        ] {
            assert_eq!(tools(&context), None, "{context}");
        }
    }

    #[test]
    fn forwards_unknown_tags_and_two_wishes_are_left_to_the_planner() {
        for context in [
            json!({"read_target": "forward_list", "node": 1}),
            json!({"read_target": "fee_rates", "node": 1}),
            json!({"read_target": "node_info", "action_target": "stop_node", "node": 1}),
            json!({"read_target": "block_height", "clauses": [{}, {}]}),
            json!({}),
        ] {
            assert_eq!(tools(&context), None, "{context}");
        }
    }

    #[test]
    fn later_steps_follow_the_step_before_them() {
        let context = json!({"action_target": "start_node", "node": 2}).as_object().unwrap().clone();
        let found = dispatch(&IntentBlock { context, ..IntentBlock::default() }).unwrap();
        assert_eq!(found.steps[1].depends_on, [StepId(1)]);
        assert_eq!(found.steps[0].on_error, OnError::Skip);
    }
}
