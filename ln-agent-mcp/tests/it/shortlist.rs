//! The planner is shown the tools that fit: enough for every plan of ours, at a fraction of the tokens.

use std::collections::BTreeSet;
use std::sync::Arc;

use ln_agent_core::llm::{LlmRequest, ScriptedBackend};
use ln_agent_core::observe::Discard;
use ln_agent_core::offline::{plan, translate};
use ln_agent_core::stage::planner::{ForceLlm, Planner, PlannerConfig};
use ln_agent_core::tool::Registry;
use ln_agent_core::types::{IntentBlock, IntentType};
use ln_agent_mcp::node::{Nodes, NodesConfig};
use ln_agent_mcp::tools;
use serde::Deserialize;

#[derive(Deserialize)]
struct Battery {
    case: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    prompt: String,
}

/// Every battery prompt that is planned, as the offline translator reads it.
fn intents() -> Vec<IntentBlock> {
    let batteries = [
        include_str!("../../../examples/batteries/smoke.toml"),
        include_str!("../../../examples/batteries/hard.toml"),
    ];
    batteries
        .iter()
        .flat_map(|text| toml::from_str::<Battery>(text).unwrap().case)
        .map(|case| translate(&case.prompt, &[], 3, 1))
        .filter(|intent| !matches!(intent.intent_type, IntentType::Informational | IntentType::Noop))
        .filter(|intent| intent.clarifications_needed.is_empty())
        .collect()
}

/// What the model is asked for this intent in its first attempt. Its reply is its own plan, recorded.
async fn asked(intent: &IntentBlock, all_tools: bool) -> (LlmRequest, bool) {
    let steps = plan(intent, 3).unwrap().steps;
    let reply = serde_json::json!({ "plan_rationale": "as recorded", "steps": steps }).to_string();
    let model = Arc::new(ScriptedBackend::replying([reply]));
    let config = PlannerConfig { force_llm: ForceLlm::On, all_tools, ..PlannerConfig::default() };
    let planned = Planner::new(model.clone(), config).plan(intent, &catalogue(), 3, &Discard).await;
    let request = model.requests().into_iter().next().unwrap();
    (request, planned.is_ok_and(|planning| planning.plan.steps == steps))
}

fn catalogue() -> Registry {
    tools::registry(&Nodes::new(NodesConfig::at("/nowhere".as_ref())))
}

fn characters(request: &LlmRequest) -> usize {
    request.messages.iter().map(|message| message.content.len()).sum()
}

#[tokio::test]
async fn the_tools_that_fit_hold_every_recorded_plan_at_less_than_two_fifths_of_the_prompt() {
    let (mut fitting, mut whole, mut faults) = (0, 0, Vec::new());
    for intent in intents() {
        let (short, short_holds) = asked(&intent, false).await;
        let (long, long_holds) = asked(&intent, true).await;
        let short_length = characters(&short);
        let shown: BTreeSet<String> = short.response_schema.unwrap()["properties"]["steps"]["items"]["anyOf"]
            .as_array()
            .unwrap()
            .iter()
            .map(|step| step["properties"]["tool"]["enum"][0].as_str().unwrap().to_owned())
            .collect();
        let needed: BTreeSet<String> =
            plan(&intent, 3).unwrap().steps.into_iter().map(|step| step.tool).collect();
        if !needed.is_subset(&shown) || (short_holds, long_holds) != (true, true) {
            let missing: Vec<&String> = needed.difference(&shown).collect();
            faults.push(format!("{}: {missing:?} {short_holds} {long_holds}", intent.raw_prompt));
        }
        fitting += short_length;
        whole += characters(&long);
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    println!("{fitting} characters instead of {whole}");
    assert!(fitting * 5 < whole * 2, "{fitting} of {whole} characters");
}

#[tokio::test]
async fn the_rules_are_the_same_bytes_for_every_intent() {
    let mut rules = BTreeSet::new();
    for intent in intents() {
        rules.insert(asked(&intent, false).await.0.messages[0].content.clone());
    }
    assert_eq!(rules.len(), 1);
}
