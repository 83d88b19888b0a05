//! The corpora without the deterministic reading: what a prompt that the grammar does not know would get.

use std::fmt::Write as _;

use serde::Deserialize;

use super::Evidence;
use super::licence::Basis;
use crate::offline::{followup, plan, translate};
use crate::tool::Effect;
use crate::types::{Exchange, IntentBlock, PlanStep};

#[derive(Deserialize)]
struct Corpus {
    case: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    #[serde(default)]
    prompt: String,
    #[serde(default)]
    prompts: Vec<String>,
    #[serde(default = "three")]
    nodes: u32,
    #[serde(default)]
    history: Vec<Exchange>,
}

const fn three() -> u32 {
    3
}

/// The evidence as if the translator had understood nothing.
fn words_only(prompt: &str, history: &[Exchange], nodes: u32) -> Evidence {
    let (full, before) = followup::in_full(prompt, history);
    let mut evidence = Evidence::of(prompt, history, nodes, 1);
    evidence.heard = IntentBlock::default();
    evidence.basis = Basis::of_words(&full, before, nodes, 1);
    evidence
}

fn effect(step: &PlanStep) -> Effect {
    if super::lexicon::changes(&step.tool) && step.tool != "http_fetch" {
        Effect::Spend
    } else {
        Effect::Read
    }
}

/// The sentences of the corpora for which this says something, with what it says, and how many there are.
fn faults(check: impl Fn(&str, &[Exchange], u32) -> Vec<String>) -> (String, usize, usize) {
    let (mut faults, mut count, mut wrong) = (String::new(), 0, 0);
    for corpus in [
        include_str!("../../../tests/fixtures/offline.toml"),
        include_str!("../../../tests/fixtures/offline_heldout.toml"),
    ] {
        let corpus: Corpus = toml::from_str(corpus).unwrap();
        for case in &corpus.case {
            for prompt in case.prompts.iter().chain((!case.prompt.is_empty()).then_some(&case.prompt)) {
                count += 1;
                let found = check(prompt, &case.history, case.nodes);
                if !found.is_empty() {
                    wrong += 1;
                    let _ = writeln!(faults, "{prompt}\n    {}", found.join("\n    "));
                }
            }
        }
    }
    (faults, wrong, count)
}

#[test]
fn verbs_alone_allow_nearly_every_right_plan() {
    let (faults, wrong, count) = faults(|prompt, history, nodes| {
        let intent = translate(prompt, history, nodes, 1);
        let steps = plan(&intent, nodes).unwrap().steps;
        let evidence = words_only(prompt, history, nodes);
        evidence.check_tools(&steps, &effect).err().map(|fault| fault.to_string()).into_iter().collect()
    });
    assert!(wrong * 50 <= count, "{wrong} of {count}\n{faults}");
}

#[test]
fn the_extractor_alone_keeps_nearly_every_right_value() {
    let (faults, wrong, count) = faults(|prompt, history, nodes| {
        let intent = translate(prompt, history, nodes, 1);
        let evidence = words_only(prompt, history, nodes);
        let mut context = intent.context;
        for only_heard in ["topic", "would", "reason"] {
            context.shift_remove(only_heard);
        }
        let settled = evidence.settle(context);
        settled.corrections.into_iter().chain(settled.questions).collect()
    });
    assert!(wrong * 50 <= count, "{wrong} of {count}\n{faults}");
}
