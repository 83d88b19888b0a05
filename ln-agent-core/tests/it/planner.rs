//! The planner's order of decisions, with a scripted model.

use std::sync::Arc;

use ln_agent_core::llm::{LlmError, LlmErrorKind, LlmResponse, ScriptedBackend};
use ln_agent_core::observe::Collector;
use ln_agent_core::stage::planner::{ForceLlm, Planner, PlannerConfig, PlannerError, Planning};
use ln_agent_core::{IntentBlock, RunEvent};
use serde_json::{Value, json};

use crate::toolbox;

const HEIGHT: &str = r#"{"plan_rationale": "read it", "steps": [{"step_id": 1, "tool": "btc_getblockchaininfo", "args": {}}]}"#;
const WRONG: &str = r#"{"plan_rationale": "", "steps": [{"step_id": 1, "tool": "get_height", "args": {}}]}"#;

struct Asked {
    outcome: Result<Planning, PlannerError>,
    events: Vec<String>,
    model: Arc<ScriptedBackend>,
}

async fn ask(intent: Value, force_llm: ForceLlm, script: ScriptedBackend) -> Asked {
    let intent: IntentBlock = serde_json::from_value(intent).unwrap();
    let model = Arc::new(script);
    let seen = Collector::default();
    let planner = Planner::new(
        model.clone(),
        PlannerConfig { force_llm, checks_words: false, ..PlannerConfig::default() },
    );
    let outcome = planner.plan(&intent, &toolbox::registry(), 2, &seen).await;
    let name = |event: &RunEvent| serde_json::to_value(event).unwrap()["event"].as_str().unwrap().to_owned();
    Asked { outcome, events: seen.events().iter().map(name).collect(), model }
}

fn tools(asked: &Asked) -> Vec<&str> {
    asked.outcome.as_ref().unwrap().plan.steps.iter().map(|step| step.tool.as_str()).collect()
}

#[tokio::test]
async fn a_tag_is_planned_without_a_model() {
    let asked = ask(json!({"context": {"read_target": "block_height"}}), ForceLlm::Off, script([])).await;
    assert_eq!(tools(&asked), ["btc_getblockchaininfo"]);
    assert_eq!(asked.events, ["deterministic_dispatch_hit", "plan_parsed"]);
    assert_eq!(asked.outcome.unwrap().usage.calls, 0);
}

#[tokio::test]
async fn explanations_and_greetings_have_no_steps_even_in_audit_mode() {
    for kind in ["informational", "noop"] {
        let intent = json!({"intent_type": kind, "context": {"read_target": "block_height"}});
        let asked = ask(intent, ForceLlm::On, script([])).await;
        assert_eq!(tools(&asked), [""; 0]);
        assert_eq!(asked.events, ["plan_parsed"]);
    }
}

#[tokio::test]
async fn clauses_with_a_recipe_are_planned_without_a_model() {
    let clauses = json!([{"task": "block_height"}, {"task": "mempool_info"}]);
    let asked = ask(json!({"context": {"clauses": clauses}}), ForceLlm::Off, script([])).await;
    assert_eq!(tools(&asked), ["btc_getblockchaininfo", "btc_getmempoolinfo"]);
    assert_eq!(asked.events, ["deterministic_dispatch_hit", "plan_parsed"]);
}

#[tokio::test]
async fn audit_mode_never_dispatches() {
    let asked =
        ask(json!({"context": {"read_target": "node_info", "node": 1}}), ForceLlm::On, script([HEIGHT]))
            .await;
    assert_eq!(tools(&asked), ["btc_getblockchaininfo"]);
    assert_eq!(
        asked.events,
        ["planner_force_llm_active", "planner_llm_dispatch", "llm_call", "llm_response", "plan_parsed"]
    );
}

#[tokio::test]
async fn the_fault_goes_back_to_the_model_until_the_plan_is_valid() {
    let asked = ask(json!({"goal": "height"}), ForceLlm::Off, script(["no json", WRONG, HEIGHT])).await;
    assert_eq!(tools(&asked), ["btc_getblockchaininfo"]);
    let last = &asked.model.requests()[2].messages;
    assert_eq!(last.len(), 7);
    assert_eq!(
        last[6].content,
        "That is not a valid plan: step 1 calls the unknown tool `get_height`: use a tool of the list, spelt exactly. \
         Answer with the whole corrected JSON object and nothing else."
    );
    assert_eq!(asked.outcome.unwrap().usage.calls, 3);
}

#[tokio::test]
async fn template_placeholders_are_rewritten_before_they_are_judged() {
    let reply = json!({"plan_rationale": "", "steps": [
        {"step_id": 1, "tool": "btc_getnewaddress", "args": {}},
        {"step_id": 2, "tool": "btc_generatetoaddress", "args": {"blocks": 6, "address": "{{ step_1.result.payload }}"}},
    ]});
    let asked = ask(json!({"goal": "mine"}), ForceLlm::Off, script([&reply.to_string()])).await;
    assert_eq!(asked.outcome.unwrap().plan.steps[1].args["address"], "$step1.result.payload");
}

#[tokio::test]
async fn no_steps_and_foreign_nodes_are_no_plan() {
    let far = r#"{"steps": [{"step_id": 1, "tool": "ln_getinfo", "args": {"node": 3}}]}"#;
    let asked = ask(json!({"goal": "x"}), ForceLlm::Off, script([r#"{"steps": []}"#, r"{}", far])).await;
    assert_eq!(
        asked.outcome.unwrap_err().to_string(),
        "no valid plan after 3 attempts: step 1: argument `node` was 3: expected a node from 1 to 2"
    );
}

#[tokio::test]
async fn in_fallback_mode_the_table_steps_in_for_a_model_that_fails() {
    let intent = json!({"context": {"action_target": "stop_node", "node": 2}});
    let asked = ask(intent.clone(), ForceLlm::Fallback, script([WRONG, WRONG, WRONG])).await;
    assert_eq!(tools(&asked), ["ln_node_stop"]);
    assert!(asked.events.contains(&"planner_fallback_dispatch_fired".to_owned()), "{:?}", asked.events);

    let asked = ask(intent, ForceLlm::Fallback, script([HEIGHT])).await;
    assert_eq!(tools(&asked), ["btc_getblockchaininfo"], "a model that works comes first");
}

#[tokio::test]
async fn a_model_that_cannot_be_reached_is_not_asked_again() {
    let down = LlmError::new(LlmErrorKind::Other, "p", "down");
    let script = ScriptedBackend::scripted([Err::<LlmResponse, _>(down.clone())]);
    let asked = ask(json!({"goal": "x"}), ForceLlm::Off, script).await;
    assert_eq!(asked.outcome, Err(PlannerError::Llm(down)));
    assert_eq!(asked.model.requests().len(), 1);
}

fn script<const N: usize>(replies: [&str; N]) -> ScriptedBackend {
    ScriptedBackend::replying(replies)
}
