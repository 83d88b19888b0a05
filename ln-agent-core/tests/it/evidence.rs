//! What a model made of a request, against the words: right readings pass unchanged, wrong ones are caught.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

use ln_agent_core::offline::{Evidence, plan, translate};
use ln_agent_core::tool::Effect;
use ln_agent_core::types::{Exchange, IntentBlock, PlanStep};
use serde::Deserialize;

#[derive(Deserialize)]
struct Corpus {
    #[serde(default)]
    battery: Battery,
    case: Vec<Case>,
}

#[derive(Default, Deserialize)]
struct Battery {
    nodes: Option<u32>,
}

#[derive(Deserialize)]
struct Case {
    #[serde(default)]
    prompt: String,
    #[serde(default)]
    prompts: Vec<String>,
    nodes: Option<u32>,
    #[serde(default)]
    history: Vec<Exchange>,
}

/// A request of our corpora.
struct Request {
    prompt: String,
    history: Vec<Exchange>,
    nodes: u32,
}

fn requests() -> Vec<Request> {
    const CORPORA: [&str; 4] = [
        include_str!("../../../examples/batteries/smoke.toml"),
        include_str!("../../../examples/batteries/hard.toml"),
        include_str!("../fixtures/offline.toml"),
        include_str!("../fixtures/offline_heldout.toml"),
    ];
    let mut found = Vec::new();
    for corpus in CORPORA {
        let corpus: Corpus = toml::from_str(corpus).unwrap();
        for case in corpus.case {
            let nodes = case.nodes.or(corpus.battery.nodes).unwrap_or(3);
            let prompts =
                case.prompts.into_iter().chain(Some(case.prompt).filter(|prompt| !prompt.is_empty()));
            found.extend(prompts.map(|prompt| Request { prompt, history: case.history.clone(), nodes }));
        }
    }
    found
}

/// The effects of the tools, as the catalogue in the documentation has them.
static EFFECTS: LazyLock<HashMap<&str, Effect>> = LazyLock::new(|| {
    let parts = include_str!("../../../docs/tools.md").split("### `").skip(1);
    let effect = |part: &'static str| {
        let (name, rest) = part.split_once('`')?;
        let effect = match rest.split('*').nth(1)? {
            "read" => Effect::Read,
            "write" => Effect::Write,
            _ => Effect::Spend,
        };
        Some((name, effect))
    };
    parts.filter_map(effect).collect()
});

fn effect(step: &PlanStep) -> Effect {
    // Asking for a page changes nothing unless another method is given.
    if step.tool == "http_fetch" && !step.args.contains_key("method") {
        return Effect::Read;
    }
    EFFECTS.get(step.tool.as_str()).copied().unwrap_or(Effect::Spend)
}

fn faults_of(evidence: &Evidence, intent: &IntentBlock, steps: &[PlanStep]) -> Vec<String> {
    let mut faults = Vec::new();
    let settled = evidence.settle(intent.context.clone());
    faults.extend(settled.corrections);
    faults.extend(settled.questions);
    faults.extend(evidence.check_tools(steps, &effect).err().map(|fault| fault.to_string()));
    faults.extend(evidence.check_literals(steps, intent).err().map(|fault| fault.to_string()));
    faults
}

#[test]
fn every_right_reading_of_our_corpora_passes_unchanged() {
    let (mut faults, mut count) = (String::new(), 0);
    for Request { prompt, history, nodes } in requests() {
        let intent = translate(&prompt, &history, nodes, 1);
        let steps = plan(&intent, nodes).unwrap().steps;
        count += 1;
        let evidence = Evidence::of(&prompt, &history, nodes, 1);
        let mut found = faults_of(&evidence, &intent, &steps);
        if evidence.settle(intent.context.clone()).context != intent.context {
            found.push("the context changed".to_owned());
        }
        let evidence = Evidence::of_intent(&intent, nodes, 1);
        found.extend(evidence.check_tools(&steps, &effect).err().map(|fault| format!("intent: {fault}")));
        found.extend(evidence.check_literals(&steps, &intent).err().map(|fault| format!("intent: {fault}")));
        if !found.is_empty() {
            let _ = writeln!(faults, "{prompt}\n    {}", found.join("\n    "));
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
    assert!(count > 1_000, "{count}");
}
